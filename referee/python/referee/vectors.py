"""Many games at once, for learners that need millions of steps."""

from __future__ import annotations

from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._native import Vector
from .seen import GAMES

if TYPE_CHECKING:
    from gymnasium.spaces import Box, MultiDiscrete
    from gymnasium.vector import AutoresetMode

    class Base:
        """Gymnasium's VectorEnv; without Gymnasium, nothing."""

        closed: bool
else:
    try:
        from gymnasium.vector import VectorEnv as Base
    except ImportError:

        class Base:
            """What Gymnasium's VectorEnv adds, without spaces."""

            closed, spec, render_mode = False, None, None

            @property
            def unwrapped(self):
                return self

            def close(self):
                self.closed = True


THREADS_MAX = 1024
SPACES = ("single_observation_space", "observation_space", "single_action_space", "action_space", "reward_space")
MODES = ("NextStep", "SameStep", "Disabled")
Arrays = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class VectorEnv(Base):
    """n games, stepped together: a `gymnasium.vector.VectorEnv`, in which a sub-environment is a game with all seats.

    An action has the answers of all seats, and a reward has the shape (n, seats). The arrays are written in place: copy
    what you keep. `observations` (n, ...) shows each game once, for all seats (foosball: n, 2, 109, for each seat).
    `masks` is 1 for what can be chosen: (n, seats, choices) in push, (n, seats, numbers, choices) in foosball, None in
    football. `rewards`, `terminations` (n) and `truncations` (n) are of the last step.

    `autoreset_mode` says what happens to a game that ends, as Gymnasium names it. "SameStep": it is restarted in the
    same step, and `infos["final_obs"]` has its last observation. "NextStep": the next step restarts it, whatever the
    action. "Disabled": `reset(options={"reset_mask": mask})` restarts it. Game i has the seed `seed + i`, and n more
    after each restart.
    """

    def __init__(
        self,
        game: str,
        n: int,
        *,
        reward: str = "score",
        threads: int = 1,
        autoreset_mode: str | AutoresetMode = "SameStep",
        **parameters: int | str,
    ) -> None:
        if reward not in ("score", "share"):
            raise ValueError(f"reward must be 'score' or 'share', not {reward!r}")
        if n < 1 or threads < 1:
            raise ValueError(f"n and threads must be at least 1, not {n} and {threads}")
        if threads > THREADS_MAX:
            raise ValueError(f"threads must be at most {THREADS_MAX}, not {threads}")
        self._mode = autoreset_mode if isinstance(autoreset_mode, str) else getattr(autoreset_mode, "value", "")
        if self._mode not in MODES:
            raise ValueError(f"autoreset_mode must be one of {', '.join(MODES)}, not {autoreset_mode!r}")
        self._made = game, n, reward, threads, self._mode, parameters
        self._vector, self._by_share, self.threads = Vector(game, n, **parameters), reward == "share", min(threads, n)
        seats, self._width, self.choices, self._shape, mask = self._vector.layout
        self.game, self.num_envs, self.agents = game, n, [f"seat_{seat}" for seat in range(seats)]
        self.action_shape = (n, seats) if self._width == 1 else (n, seats, self._width)
        self._arrays = (
            np.zeros((n, *self._shape), np.uint8),
            np.zeros((n, seats, mask), np.uint8),
            np.zeros((n, seats), np.float32),
            np.zeros(n, np.bool_),
            np.zeros(n, np.bool_),
            np.zeros((n if self._mode == "SameStep" else 0, *self._shape), np.uint8),
        )
        self._show()
        self._random = np.random.default_rng()
        self.reset()

    def _show(self) -> None:
        """Makes the views that callers can read."""
        shown, masks, rewards, terminations, truncations, _ = self._arrays
        self.observations, self.rewards = shown.view(), rewards.view()
        self.terminations, self.truncations = terminations.view(), truncations.view()
        rows = (*self.action_shape, self.choices) if masks.shape[2] != self.choices else masks.shape
        self.masks = masks.reshape(rows) if masks.size else None
        for view in (self.observations, self.rewards, self.terminations, self.truncations, self.masks):
            if view is not None:
                view.flags.writeable = False

    @cached_property
    def metadata(self) -> dict[str, Any]:
        mode: Any = self._mode
        try:
            from gymnasium.vector import AutoresetMode

            mode = AutoresetMode(mode)
        except ImportError:
            pass  # it is not installed
        return {"autoreset_mode": mode, "render_modes": []}

    @cached_property
    def single_observation_space(self) -> Box:
        """The space of one game's observation, for all seats."""
        from gymnasium.spaces import Box

        return Box(0, 255, tuple(self._shape), np.uint8)

    @cached_property
    def observation_space(self) -> Any:
        from gymnasium.vector.utils import batch_space

        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def single_action_space(self) -> MultiDiscrete:
        """The space of the answers of all seats in one game."""
        from gymnasium.spaces import MultiDiscrete

        return MultiDiscrete(np.full(self.action_shape[1:], self.choices))

    @cached_property
    def action_space(self) -> Any:
        """The space of the answers in all games. Gymnasium's batch of a MultiDiscrete is a Box of integers."""
        from gymnasium.vector.utils import batch_space

        return batch_space(self.single_action_space, self.num_envs)

    @cached_property
    def reward_space(self) -> Box:
        """The space of the rewards of one game: one for each seat."""
        from gymnasium.spaces import Box

        return Box(-np.inf, np.inf, (len(self.agents),), np.float32)

    def __deepcopy__(self, memo: dict[int, Any]) -> VectorEnv:
        """Returns a copy with the same games, which continue independently."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, _vector=deepcopy(self._vector), _random=deepcopy(self._random))
        # Spaces have dice of their own.
        made.__dict__.update({name: deepcopy(self.__dict__[name]) for name in SPACES if name in self.__dict__})
        made._arrays = tuple(array.copy() for array in self._arrays)  # type: ignore[assignment]
        made._show()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns how another process makes the same games, which continue equally."""
        return restored, (self._made, self._vector.kept(), self._random, self._arrays[:-1])

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Restarts all games and returns the observations and infos.

        Without a seed, one is drawn; the draws are determined by the last given seed. `options["reset_mask"]` (n) is
        true for the games that are restarted; without a seed, theirs grow by n.
        """
        which = None
        if options and "reset_mask" in options:
            which = np.asarray(options["reset_mask"])
            if which.shape != (self.num_envs,) or which.dtype != np.bool_:
                due = f"booleans of shape ({self.num_envs},)"
                raise TypeError(f"reset_mask: expected {due}, not {which.dtype} of shape {which.shape}")
            which = np.ascontiguousarray(which)
        elif seed is None:
            seed = int(self._random.integers(2**63))
        else:
            self._random = np.random.default_rng(seed)
        self._vector.reset(seed, which, self._arrays)
        return self.observations, self._infos()

    def _infos(self) -> dict[str, Any]:
        return {} if self.masks is None else {"action_mask": self.masks}

    def step(self, actions: ArrayLike) -> Arrays:
        """Plays a turn of each game. `actions` are integers of the shape (n, seats) or (n, seats, numbers).

        Returns observations, rewards, terminations, truncations, infos. Raises TypeError for another shape, ValueError
        for a number out of range, and for a game that has ended if `autoreset_mode` is "Disabled".
        """
        given = np.asarray(actions)
        if given.shape != self.action_shape or given.dtype.kind not in "iu":
            due = f"integers of shape {self.action_shape}"
            raise TypeError(f"actions: expected {due}, not {given.dtype} of shape {given.shape}")
        if given.dtype != np.int32:
            given = given.clip(-1, self.choices).astype(np.int32)
        given = np.ascontiguousarray(given)
        has_ended = self._vector.step(given, self._by_share, self.threads, self._mode, self._arrays)
        infos = self._infos()
        if has_ended and self._mode == "SameStep":
            ended = self.terminations | self.truncations
            last = np.full(self.num_envs, None, object)
            for at in np.flatnonzero(ended):
                last[at] = self._arrays[-1][at].copy()
            # No game has further infos at its end.
            infos |= {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended}
        return self.observations, self.rewards, self.terminations, self.truncations, infos

    def seen_by(self, seat: int, observations: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """Returns the observations of one seat in all games, as in `parallel_env`: (n, ...).

        `observations` are those of now, unless they are given: some of `final_obs`, stacked.
        """
        if not 0 <= seat < len(self.agents):
            raise ValueError(f"seat must be from 0 to {len(self.agents) - 1}, not {seat}")
        shown, shape = self.observations if observations is None else observations, GAMES[self.game]().shape
        if self.game == "foosball":
            return shown[:, seat].copy()
        own = np.zeros((len(shown), *shape), np.uint8)
        if self.game == "push":
            own[:, : shown.shape[1]], own[:, shown.shape[1] + seat] = shown, 1
            return own
        own[:, :4] = np.roll(shown[:, :4], -seat, axis=1)
        own[:, 4] = shown[:, 4]
        own[:, 5, 31 * (seat // 2), 31 * (seat % 2)] = 1
        own[:, 6, 0, :6] = shown[:, 5, 0, :6]
        own[:, 6, 0, 6:18] = np.roll(shown[:, 5, 0, 6:18], -3 * seat, axis=1)
        return own


def restored(made: tuple[Any, ...], kept: list[list[int]], random: Any, arrays: tuple[Any, ...]) -> VectorEnv:
    """Makes a vector with these games. For pickle."""
    game, n, reward, threads, mode, parameters = made
    env = VectorEnv(game, n, reward=reward, threads=threads, autoreset_mode=mode, **parameters)
    env._vector.restore(kept)
    env._random = random
    own: Any
    for own, given in zip(env._arrays, arrays):
        own[:] = given
    return env
