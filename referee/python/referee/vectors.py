"""Many games at once, for learners that need millions of steps."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import Vector
from .seen import GAMES


class VectorEnv:
    """n games, stepped together. The arrays are written in place: copy what you keep.

    `observations` (n, ...) shows each game once, for all seats (foosball: n, 2, 109, for each seat). `masks`
    (n, seats, choices) has 1 for each legal action (push; None elsewhere). `rewards` (n, seats) and `terminations` (n)
    are of the last step. A game that ends is restarted in the same step: `observations` and `masks` are of the new
    game. Game i has the seed `seed + i`, and `n` more after each restart.
    """

    def __init__(self, game: str, n: int, *, reward: str = "score", threads: int = 1, **parameters: int | str) -> None:
        if reward not in ("score", "share"):
            raise ValueError(f"reward must be 'score' or 'share', not {reward!r}")
        if n < 1 or threads < 1:
            raise ValueError(f"n and threads must be at least 1, not {n} and {threads}")
        self._vector, self._by_share, self.threads = Vector(game, n, **parameters), reward == "share", threads
        seats, width, self.choices, shape, mask = self._vector.layout
        self.game, self.n, self.agents = game, n, [f"seat_{seat}" for seat in range(seats)]
        self.action_shape = (n, seats) if width == 1 else (n, seats, width)
        self._arrays = (
            np.zeros((n, *shape), np.uint8),
            np.zeros((n, seats, mask), np.uint8),
            np.zeros((n, seats), np.float32),
            np.zeros(n, np.bool_),
        )
        self._show()
        self._random = np.random.default_rng()
        self.reset()

    def _show(self) -> None:
        """Makes the views that callers can read."""
        shown, masks, rewards, terminations = self._arrays
        self.observations, self.rewards, self.terminations = shown.view(), rewards.view(), terminations.view()
        self.masks = masks.view() if masks.size else None
        for view in (self.observations, self.rewards, self.terminations, self.masks):
            if view is not None:
                view.flags.writeable = False

    def __deepcopy__(self, memo: dict[int, Any]) -> VectorEnv:
        """Returns a copy with the same games, which continue independently."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, _vector=deepcopy(self._vector), _random=deepcopy(self._random))
        shown, masks, rewards, terminations = self._arrays
        made._arrays = shown.copy(), masks.copy(), rewards.copy(), terminations.copy()
        made._show()
        return made

    def __reduce__(self) -> Any:
        raise TypeError("a VectorEnv is too large for pickle: make it in the other process, or use copy.deepcopy")

    def reset(self, seed: int | None = None) -> NDArray[np.uint8]:
        """Restarts all games and returns the observations.

        Without a seed, one is drawn; the draws are determined by the last given seed.
        """
        if seed is None:
            seed = int(self._random.integers(2**63))
        else:
            self._random = np.random.default_rng(seed)
        self._vector.reset(seed, self._arrays)
        return self.observations

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_]]:
        """Plays a turn of each game. `actions` are integers of the shape (n, seats) or (n, seats, numbers).

        Returns observations, rewards, terminations. Raises TypeError for another shape, ValueError for a number out of
        range.
        """
        given = np.asarray(actions)
        if given.shape != self.action_shape or given.dtype.kind not in "iu":
            due = f"integers of shape {self.action_shape}"
            raise TypeError(f"actions: expected {due}, not {given.dtype} of shape {given.shape}")
        if given.dtype != np.int32:
            given = given.clip(-1, self.choices).astype(np.int32)
        self._vector.step(np.ascontiguousarray(given), self._by_share, self.threads, self._arrays)
        return self.observations, self.rewards, self.terminations

    def seen_by(self, seat: int) -> NDArray[np.uint8]:
        """Returns the observations of one seat in all games, as in `parallel_env`: (n, ...)."""
        shown, shape = self.observations, GAMES[self.game]().shape
        if self.game == "foosball":
            return shown[:, seat].copy()
        own = np.zeros((self.n, *shape), np.uint8)
        if self.game == "push":
            own[:, : shown.shape[1]], own[:, shown.shape[1] + seat] = shown, 1
            return own
        own[:, :4] = np.roll(shown[:, :4], -seat, axis=1)
        own[:, 4] = shown[:, 4]
        own[:, 5, 31 * (seat // 2), 31 * (seat % 2)] = 1
        return own
