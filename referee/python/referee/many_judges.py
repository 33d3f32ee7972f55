"""Many games of a judge at once: what `_native.Vector` is for the games of the referee, in Python."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import envs

# Observations, masks, rewards, terminations, truncations, last observations.
Arrays = Sequence[NDArray[Any]]


class Judges:
    """n games of a judge. Each has a process of its own."""

    def __init__(self, game: str, n: int, seat: int | None, names: Sequence[str] | None, **parameters: Any) -> None:
        if names is not None:
            raise ValueError(f"{game}: a judge has no house bots; leave rivals out")
        self.seat = seat
        self.games = [begun(game, seat, parameters) for _ in range(n)]
        self.seeds = np.zeros(n, np.uint64)
        self.over = np.zeros(n, np.bool_)

    @property
    def layout(self) -> tuple[int, int, int, list[int], int]:
        """The numbers of seats, of numbers in an answer, of values of each; the shape of a game; integers of a mask."""
        table = self.games[0].table
        length = table.observations["seat_0"].shape[0]
        shape = [table.game.seats, length] if self.seat is None else [length]
        return table.game.seats, table.width, table.choices, shape, table.choices * table.width

    def reset(self, seeds: NDArray[np.uint64] | None, which: NDArray[np.bool_] | None, arrays: Arrays) -> None:
        """Restarts the games for which `which` is true; all, if it is None. `seeds` has one for each game."""
        chosen = range(len(self.games)) if which is None else np.flatnonzero(which).tolist()
        for at in chosen:
            self.seeds[at] = self.seeds[at] + np.uint64(len(self.games)) if seeds is None else seeds[at]
            self.restart(at, arrays)
            for array in arrays[2:5]:
                array[at] = 0

    def restart(self, at: int, arrays: Arrays) -> None:
        self.over[at] = False
        observation, info = self.games[at].reset(seed=int(self.seeds[at]))
        self.show(at, observation, info, arrays)

    def show(self, at: int, observation: Any, info: Any, arrays: Arrays) -> None:
        """Writes a game into the arrays of observations and masks."""
        if self.seat is None:
            observation, info = list(observation.values()), list(info.values())
            masks = [each["action_mask"] for each in info]
        else:
            masks = info["action_mask"]
        arrays[0][at] = observation
        arrays[1][at] = np.reshape(np.array(masks), arrays[1][at].shape)

    def step(self, actions: NDArray[np.int32], by_share: bool, threads: int, mode: str, arrays: Arrays) -> bool:
        """Plays a turn of each game. Returns whether a game has ended. Raises IndexError with the place of the first
        number that is out of range."""
        choices = self.games[0].table.choices
        if wrong := np.flatnonzero((actions < 0) | (actions >= choices)).tolist():
            raise IndexError(wrong[0])
        if mode == "Disabled" and self.over.any():
            again = 'restart it by reset(options={"reset_mask": ...}), or use another autoreset_mode'
            raise ValueError(f"game {int(np.flatnonzero(self.over)[0])} has ended: {again}")

        def play(at: int) -> None:
            self.play(at, actions[at], by_share, mode, arrays)

        each_of(play, range(len(self.games)), threads)
        return bool(arrays[3].any() or arrays[4].any())

    def play(self, at: int, action: NDArray[np.int32], by_share: bool, mode: str, arrays: Arrays) -> None:
        _, _, rewards, terminations, truncations, last = arrays
        one: Any = self.games[at]
        one.table.reward = "share" if by_share else "score"
        if self.over[at]:
            # The mode is NextStep.
            self.seeds[at] += np.uint64(len(self.games))
            self.restart(at, arrays)
            rewards[at], terminations[at], truncations[at] = 0, False, False
            return
        if self.seat is None:
            observation, reward, ended, cut, info = one.step(dict(zip(one.possible_agents, action)))
            rewards[at] = list(reward.values())
            terminations[at], truncations[at] = any(ended.values()), any(cut.values())
        else:
            observation, rewards[at], terminations[at], truncations[at], info = one.step(action)
        self.show(at, observation, info, arrays)
        self.over[at] = terminations[at] or truncations[at]
        if self.over[at] and mode == "SameStep":
            last[at] = arrays[0][at]
            self.seeds[at] += np.uint64(len(self.games))
            self.restart(at, arrays)

    def kept(self) -> tuple[Any, ...]:
        """Returns all games. A judge is made again by the answers that it was told."""
        return self.games, self.seeds, self.over

    def restore(self, kept: tuple[Any, ...], threads: int) -> None:
        """Continues with the games that `kept` has returned."""
        self.games, self.seeds, self.over = kept


def begun(game: str, seat: int | None, parameters: dict[str, Any]) -> envs.Alone | envs.Parallel:
    if seat is not None:
        return envs.Alone(game, seat=seat, **parameters)
    one = envs.Parallel(game, reward="score", render_mode=None, **parameters)
    if len(one.table.game.asked) < 2 <= one.table.game.seats:
        raise ValueError(f"{game}: its seats take turns; use aec_env, or name a seat")
    return one


def each_of(play: Callable[[int], None], games: Iterable[int], threads: int) -> None:
    """Plays games on this number of threads: each mostly waits for its judge."""
    if threads == 1:
        for at in games:
            play(at)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, games))
