"""The games by Gymnasium's names: `gymnasium.make("referee/Push-v1", seat=2)`."""

from __future__ import annotations

from .seen import GAMES


def register() -> None:
    """Registers an environment of one seat for each game.

    The version grows when the rules, the observation or the actions of an environment of a release change.
    """
    import gymnasium

    for game in GAMES:
        name = f"referee/{game.capitalize()}-v1"
        # The seats of target take turns, so its games are not stepped together.
        many = None if game == "target" else "referee:vector_of_env"
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="referee:env",
                vector_entry_point=many,
                kwargs={"game": game},
                disable_env_checker=True,
            )
