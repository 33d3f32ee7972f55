"""The games by Gymnasium's names: `gymnasium.make("referee/Push-v1", seat=2)`."""

from __future__ import annotations

from ._native import Game
from .seen import GAMES


def register() -> None:
    """Registers an environment of one seat for each game. The version is that of the game's rules."""
    import gymnasium

    for game in GAMES:
        name = f"referee/{game.capitalize()}-v{Game(game).version}"
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point="referee:env", kwargs={"game": game}, disable_env_checker=True)
