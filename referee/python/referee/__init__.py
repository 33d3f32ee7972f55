"""The games of referee in Python: environments for learning, recorded games as arrays, policies as bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

from . import arguments, vectors
from ._native import Game, RecordError
from .bots import to_bot
from .logs import Log, Page, Table, replay, results
from .vectors import VectorEnv

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from .envs import Alone, Parallel, Turns

__all__ = [
    "Game", "Log", "Page", "RecordError", "Table", "VectorEnv",
    "aec_env", "env", "parallel_env", "replay", "results", "to_bot", "vector_env",
]  # fmt: skip


def parallel_env(
    game: str, *, reward: str = "score", render_mode: str | None = None, **parameters: Any
) -> Parallel:
    """Returns PettingZoo's ParallelEnv of a game whose seats act at once: football, foosball, push, or a judge.

    For a judge, give its path with a slash, and the number of possible answers: `parallel_env("./tron.py", choices=4)`.

    `reward` is "score" (the rise of the seat's score in the turn) or "share" (0, and at the end the seat's share, from
    0 to 1). `render_mode` is "ansi" (text), "rgb_array" (pixels) or None. Raises ValueError for an unknown game, and
    for a game whose seats take turns.
    """
    from . import envs

    arguments.parameters(parameters)
    if len(envs.begun(game, 0, parameters).asked) < 2:
        raise ValueError(f"{game}: its seats take turns; use aec_env")
    return envs.Parallel(game, reward=reward, render_mode=render_mode, **parameters)


def aec_env(game: str, *, reward: str = "score", render_mode: str | None = None, **parameters: Any) -> Turns:
    """Returns PettingZoo's AECEnv of any game: football, foosball, push, target, a judge. See `parallel_env`."""
    from . import envs

    return envs.Turns(game, reward=reward, render_mode=render_mode, **parameters)


def env(
    game: str,
    *,
    seat: int = 0,
    rivals: str | Sequence[str] | Callable[[Any, dict[str, Any]], Any] | None = None,
    reward: str = "score",
    render_mode: str | None = None,
    **parameters: Any,
) -> Alone:
    """Returns Gymnasium's Env of one seat.

    `rivals` play the other seats: the name of a house bot, a list of one for each seat, or a function of an observation
    and an info that returns an action. Without it they play random legal actions. Raises ValueError for an unknown name.
    """
    from . import envs

    return envs.Alone(game, seat=seat, rivals=rivals, reward=reward, render_mode=render_mode, **parameters)


def vector_env(
    game: str,
    n: int,
    *,
    seat: int | None = None,
    rivals: str | Sequence[str] | None = None,
    reward: str = "score",
    threads: int = 1,
    autoreset_mode: str | AutoresetMode = "SameStep",
    copy: bool = False,
    **parameters: Any,
) -> VectorEnv:
    """Returns n games of football, foosball, push or a judge that are stepped together, on this number of threads.

    With `seat` or `rivals` one seat is played, seat 0 unless another one is named. `rivals` is the name of a house bot,
    or a list with a name for each other seat; without it, the other seats play random legal actions. Unless `copy` is
    True, each step overwrites the arrays of the last one.

    Give a judge's path with a slash, and the number of possible answers. It has no house bots, and each of its games has
    a process of its own.
    """
    return VectorEnv(
        game,
        n,
        seat=seat,
        rivals=rivals,
        reward=reward,
        threads=threads,
        autoreset_mode=autoreset_mode,
        copy=copy,
        **parameters,
    )


def vector_of_env(
    game: str,
    num_envs: int = 1,
    *,
    seat: int = 0,
    rivals: str | Sequence[str] | Callable[[Any, dict[str, Any]], Any] | None = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    threads: int = 1,
    copy: bool = True,
    render_mode: str | None = None,
    max_episode_steps: int | None = None,
    **options: Any,
) -> Any:
    """Returns what `gymnasium.make_vec` makes of a name like referee/Push-v1: many environments of one seat.

    If `rivals` is a function, or with `render_mode` or `max_episode_steps`, they are played one after the other, in
    Python, on one thread. Each step returns copies, unless `copy` is False.
    """
    num_envs = arguments.whole("num_envs", num_envs, 1, vectors.GAMES_MAX)
    threads, copy = arguments.whole("threads", threads, 1, vectors.THREADS_MAX), arguments.truth("copy", copy)
    if not callable(rivals) and render_mode is None and max_episode_steps is None:
        options |= {"threads": threads, "copy": copy}
        return vector_env(game, num_envs, seat=seat, rivals=rivals, autoreset_mode=autoreset_mode, **options)
    from gymnasium.vector import AutoresetMode, SyncVectorEnv
    from gymnasium.wrappers import TimeLimit

    def made() -> Any:
        one = env(game, seat=seat, rivals=rivals, render_mode=render_mode, **options)
        if max_episode_steps is None:
            return one
        return TimeLimit(one, arguments.whole("max_episode_steps", max_episode_steps, 1, 2**63))

    return SyncVectorEnv([made] * num_envs, copy=copy, autoreset_mode=AutoresetMode(autoreset_mode))


# Gymnasium knows the names of the games from now on, whichever of the two is imported first.
try:
    from .ids import register

    register()
except ImportError:
    pass  # it is not installed
