"""The games of referee in Python: environments for learning, recorded games as arrays, bots made of policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from ._native import Game, RecordError
from .bots import to_bot
from .logs import Log, Page, Table, replay, results
from .vectors import VectorEnv

if TYPE_CHECKING:
    from .envs import Alone, Parallel, Turns

__all__ = [
    "Game", "Log", "Page", "RecordError", "Table", "VectorEnv",
    "aec_env", "env", "parallel_env", "replay", "results", "to_bot", "vector_env",
]  # fmt: skip


def parallel_env(
    game: str, *, reward: str = "score", render_mode: str | None = None, **parameters: Any
) -> Parallel:
    """Returns PettingZoo's ParallelEnv of a game whose seats act at once: football, foosball, push.

    `reward` is "score" (what the score has risen by in the turn) or "share" (0, and the share of the score at the end).
    """
    from . import envs

    if len(Game(game, **parameters).asked) < 2:
        raise ValueError(f"{game}: its seats take turns; use aec_env")
    return envs.Parallel(game, reward=reward, render_mode=render_mode, **parameters)


def aec_env(game: str, *, reward: str = "score", render_mode: str | None = None, **parameters: Any) -> Turns:
    """Returns PettingZoo's AECEnv of any game."""
    from . import envs

    return envs.Turns(game, reward=reward, render_mode=render_mode, **parameters)


def env(
    game: str,
    *,
    seat: int = 0,
    rivals: Callable[[Any, dict[str, Any]], Any] | None = None,
    reward: str = "score",
    render_mode: str | None = None,
    **parameters: Any,
) -> Alone:
    """Returns Gymnasium's Env of one seat. `rivals` acts for all others; without it they act at random, legally."""
    from . import envs

    return envs.Alone(game, seat=seat, rivals=rivals, reward=reward, render_mode=render_mode, **parameters)


def vector_env(
    game: str, n: int, *, reward: str = "score", threads: int = 1, **parameters: Any
) -> VectorEnv:
    """Returns n games that are stepped at once: football, foosball, push."""
    return VectorEnv(game, n, reward=reward, threads=threads, **parameters)
