"""Many games at once, for learners that need millions of steps."""

from __future__ import annotations

from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Sequence, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import arguments
from ._native import Game, Vector
from .seen import GAMES

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete, MultiDiscrete
    from gymnasium.vector import AutoresetMode

    class Base:
        """Gymnasium's VectorEnv; without Gymnasium, nothing."""

        closed: bool

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any: ...
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

            def reset(self, *, seed=None, options=None): ...

            def close(self):
                self.closed = True


GAMES_MAX = 1 << 20
THREADS_MAX = 1024
SPACES = ("single_observation_space", "observation_space", "single_action_space", "action_space", "reward_space")
# What `_show` makes.
VIEWS = ("observations", "rewards", "terminations", "truncations", "masks")
Some = TypeVar("Some")
MODES = ("NextStep", "SameStep", "Disabled")
Arrays = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class VectorEnv(Base):
    """n games, stepped together: a `gymnasium.vector.VectorEnv`, in which a sub-environment is a game with all seats.

    With `rivals`, the names of house bots, or with `seat`, a sub-environment is one seat, as in `env`: observations,
    actions, masks and rewards are those of that seat, and rewards have the shape (n,). The others play random legal
    actions if there is no name.

    Else an action has the answers of all seats, and rewards have the shape (n, seats). With `copy`, `reset` and `step`
    return copies that can be kept and written into. Without it, the next step overwrites the arrays, which are
    read-only. `observations` (n, ...) shows each game once, for all seats (foosball: n, 2, 109, one a seat).
    `masks` is 1 for what can be chosen: (n, seats, choices) in push, (n, seats, numbers, choices) in foosball, None in
    football. Of a judge, observations are integers of 64 bits (n, seats, length) with the questions, as in `env`, and
    masks are (n, seats, choices). `rewards`, `terminations` (n) and `truncations` (n) are of the last step.

    `autoreset_mode` says what happens to a game that ends, as Gymnasium names it. "SameStep": it is restarted in the
    same step, and `infos["final_obs"]` has its last observation. "NextStep": the next step restarts it, whatever the
    action. "Disabled": `reset(options={"reset_mask": mask})` restarts it. Game i has the seed `seed + i`, or the i-th
    of a list of seeds, and n more after each restart.
    """

    def __init__(
        self,
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
    ) -> None:
        if reward not in ("score", "share"):
            raise ValueError(f"reward must be 'score' or 'share', not {reward!r}")
        arguments.parameters(parameters)
        game, n = arguments.name_of_game(game), arguments.whole("n", n, 1, GAMES_MAX)
        threads = arguments.whole("threads", threads, 1, THREADS_MAX)
        if callable(rivals):
            raise TypeError("rivals: functions play in env; here rivals are house bots, by name")
        self._mode = autoreset_mode if isinstance(autoreset_mode, str) else getattr(autoreset_mode, "value", "")
        if self._mode not in MODES:
            raise ValueError(f"autoreset_mode must be one of {', '.join(MODES)}, not {autoreset_mode!r}")
        names: list[str] | None = None
        if seat is not None or rivals is not None:
            others = seats_of(game, parameters) - 1
            seat = arguments.whole("seat", 0 if seat is None else seat, 0, others)
            names = None if rivals is None else arguments.names(rivals, game, others)
        copy = arguments.truth("copy", copy)
        self._made = game, n, seat, names, reward, threads, self._mode, copy, parameters
        self.copy = copy
        self._by_share, self.threads, self.seat = reward == "share", min(threads, n), seat
        self._kind: type[np.int64] | type[np.uint8] = np.int64 if "/" in game else np.uint8
        seats, self._width, self.choices, self._shape, mask = many(game, 1, seat, names, parameters).layout
        self.game, self.num_envs = game, n
        self.agents = [f"seat_{each}" for each in (range(seats) if seat is None else [seat])]
        each = (seats,) if seat is None else ()
        self.action_shape = (n, *each) if self._width == 1 else (n, *each, self._width)
        self._arrays = (
            np.zeros((n, *self._shape), self._kind),
            np.zeros((n, *each, mask), np.uint8),
            np.zeros((n, *each), np.float32),
            np.zeros(n, np.bool_),
            np.zeros(n, np.bool_),
            np.zeros((n if self._mode == "SameStep" else 0, *self._shape), self._kind),
        )
        # The large arrays come first: without memory for them, numpy raises MemoryError.
        self._vector = many(game, n, seat, names, parameters)
        self._show()
        self._random = np.random.default_rng()
        # Each space draws from a seed of its own, so that copies draw equally, also from spaces that are made later.
        self._seeds_of_spaces = dict(zip(SPACES, self._random.integers(2**63, size=len(SPACES)).tolist()))
        self.reset()

    def _show(self) -> None:
        """Makes the views that callers can read."""
        shown, masks, rewards, terminations, truncations, _ = self._arrays
        self.observations, self.rewards = shown.view(), rewards.view()
        self.terminations, self.truncations = terminations.view(), truncations.view()
        rows = (*self.action_shape, self.choices)
        self.masks = masks.reshape(rows) if masks.size else None
        for view in (self.observations, self.rewards, self.terminations, self.truncations, self.masks):
            if view is not None:
                view.flags.writeable = False

    def _given(self, array: NDArray[Any]) -> NDArray[Any]:
        """Returns an array as callers get it."""
        return array.copy() if self.copy else array

    def _seeded(self, name: str, space: Some) -> Some:
        """Returns a space that draws from its own seed."""
        space.seed(self._seeds_of_spaces[name])  # type: ignore[attr-defined]
        return space

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
        """The space of one game's observation, for all seats or for one."""
        from gymnasium.spaces import Box

        kind = np.iinfo(self._kind)
        box: Any = Box(int(kind.min), int(kind.max), tuple(self._shape), self._kind)
        return self._seeded("single_observation_space", box)

    @cached_property
    def observation_space(self) -> Any:
        from gymnasium.vector.utils import batch_space

        return self._seeded("observation_space", batch_space(self.single_observation_space, self.num_envs))

    @cached_property
    def single_action_space(self) -> MultiDiscrete | Discrete:
        """The space of the answers in one game, of all seats or of one."""
        from gymnasium.spaces import Discrete, MultiDiscrete

        shape = self.action_shape[1:]
        space = MultiDiscrete(np.full(shape, self.choices)) if shape else Discrete(self.choices)
        return self._seeded("single_action_space", space)

    @cached_property
    def action_space(self) -> Any:
        """The space of the answers in all games. Gymnasium's batch of a MultiDiscrete is a Box of integers."""
        from gymnasium.vector.utils import batch_space

        return self._seeded("action_space", batch_space(self.single_action_space, self.num_envs))

    @cached_property
    def reward_space(self) -> Box:
        """The space of the rewards of one game: one for each seat, or one."""
        from gymnasium.spaces import Box

        return self._seeded("reward_space", Box(-np.inf, np.inf, self._arrays[2].shape[1:], np.float32))

    def __deepcopy__(self, memo: dict[int, Any]) -> VectorEnv:
        """Returns a copy with the same games, which continue independently."""
        made = object.__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({name: deepcopy(own, memo) for name, own in self.__dict__.items() if name not in VIEWS})
        made._show()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns how another process makes the same games, which continue equally."""
        made_anew = (*VIEWS, "_vector", "_arrays")
        rest = {name: own for name, own in self.__dict__.items() if name not in made_anew}
        return restored, (self._made, self._vector.kept(), self._arrays[:-1], type(self)), rest

    def reset(
        self, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Restarts all games and returns the observations and infos.

        A list has a seed for each game. Without a seed, or where the list has None, one is drawn; the draws are
        determined by the last given seed. `options["reset_mask"]` (n) is true for the games that are restarted; without
        a seed, theirs grow by n.
        """
        which, given = None, arguments.seeds_or_none(seed, self.num_envs)
        chosen = arguments.options_or_none(options)
        if "reset_mask" in chosen:
            which = np.asarray(chosen["reset_mask"])
            if which.shape != (self.num_envs,) or which.dtype != np.bool_:
                due = f"booleans of shape ({self.num_envs},)"
                raise TypeError(f"reset_mask: expected {due}, not {which.dtype} of shape {which.shape}")
            which = np.ascontiguousarray(which)
        self._vector.reset(self._seeds(given, which is None), which, self._arrays)
        return self._given(self.observations), self._infos()

    def _seeds(self, given: int | list[int | None] | None, is_whole: bool) -> NDArray[np.uint64] | None:
        """Returns a seed for each game, and seeds the dice. Without a seed, None if only some games are restarted."""
        if isinstance(given, list):
            filled = [int(self._random.integers(2**63)) if each is None else each for each in given]
            self._random = np.random.default_rng(filled)
            super().reset(seed=filled[0])
            return np.array(filled, np.uint64)
        if given is None and not is_whole:
            return None
        if given is None:
            given = int(self._random.integers(2**63))
        else:
            self._random = np.random.default_rng(given)
            super().reset(seed=given)
        return np.uint64(given) + np.arange(self.num_envs, dtype=np.uint64)

    def _infos(self) -> dict[str, Any]:
        if self.masks is None:
            return {}
        # As Gymnasium has it: which games have this info.
        return {"action_mask": self._given(self.masks), "_action_mask": np.ones(self.num_envs, np.bool_)}

    def step(self, actions: ArrayLike) -> Arrays:
        """Plays a turn of each game. `actions` are integers of the shape (n, seats) or (n, seats, numbers); without
        `seats` if one seat is played.

        Returns observations, rewards, terminations, truncations, infos. Raises TypeError for another shape, ValueError
        for a number out of range, and for a game that has ended if `autoreset_mode` is "Disabled".
        """
        due = f"expected integers of shape {self.action_shape}"
        given = arguments.integers("actions:", actions, self.action_shape, due)
        if given.dtype != np.int32:
            given = given.clip(-1, self.choices).astype(np.int32)
        given = np.ascontiguousarray(given)
        try:
            has_ended = self._vector.step(given, self._by_share, self.threads, self._mode, self._arrays)
        except IndexError as place:
            raise ValueError(self._wrong(np.asarray(actions), place.args[0])) from None
        infos = self._infos()
        if has_ended and self._mode == "SameStep":
            ended = self.terminations | self.truncations
            last = np.full(self.num_envs, None, object)
            for at in np.flatnonzero(ended):
                last[at] = self._arrays[-1][at].copy()
            # No game has further infos at its end.
            infos |= {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended.copy()}
        # Gymnasium's wrappers for the reward of one seat write into it.
        rewards = self._given(self.rewards) if self.seat is None else self.rewards.copy()
        ends = self._given(self.terminations), self._given(self.truncations)
        return self._given(self.observations), rewards, *ends, infos

    def _wrong(self, actions: NDArray[Any], at: int) -> str:
        """Says which number of the actions is out of range."""
        game, number = divmod(at, len(self.agents) * self._width)
        agent, which = self.agents[number // self._width], ""
        if self._width > 1:
            which = f", number {number % self._width}"
        return f"game {game}, {agent}{which}: an action is 0 to {self.choices - 1}, not {actions.flat[at]}"

    def seen_by(self, seat: int, observations: NDArray[Any] | None = None) -> NDArray[Any]:
        """Returns the observations of one seat in all games, as in `parallel_env`: (n, ...).

        `observations` are those of now, unless they are given: some of `final_obs`, stacked.
        """
        if self.seat is not None:
            raise ValueError(f"seen_by: these are the observations of seat {self.seat} already")
        seat = arguments.whole("seat", seat, 0, len(self.agents) - 1)
        shown = self.observations
        if observations is not None:
            shown = np.asarray(observations)
            if shown.shape[1:] != tuple(self._shape) or shown.ndim != len(self._shape) + 1 or shown.dtype != self._kind:
                kind = "bytes (uint8)" if self._kind == np.uint8 else f"numbers ({np.dtype(self._kind)})"
                due = f"{kind} of shape (n, {', '.join(map(str, self._shape))})"
                raise TypeError(f"observations must be {due}, not {shown.dtype} of shape {shown.shape}")
        if self.game == "foosball" or "/" in self.game:
            return shown[:, seat].copy()
        own = np.zeros((len(shown), *GAMES[self.game]().shape), np.uint8)
        if self.game == "push":
            own[:, : shown.shape[1]], own[:, shown.shape[1] + seat] = shown, 1
            return own
        own[:, :4] = np.roll(shown[:, :4], -seat, axis=1)
        own[:, 4] = shown[:, 4]
        own[:, 5, 31 * (seat // 2), 31 * (seat % 2)] = 1
        own[:, 6, 0, :6] = shown[:, 5, 0, :6]
        own[:, 6, 0, 6:18] = np.roll(shown[:, 5, 0, 6:18], -3 * seat, axis=1)
        return own


def many(game: str, n: int, seat: int | None, names: list[str] | None, parameters: dict[str, Any]) -> Any:
    """Makes n games. A name with a slash is the path of a judge."""
    if "/" not in game:
        return Vector(game, n, seat, names, **parameters)
    from .many_judges import Judges

    return Judges(game, n, seat, names, **parameters)


def seats_of(game: str, parameters: dict[str, Any]) -> int:
    """Returns the number of seats of a game."""
    if "/" not in game:
        return Game(game, **parameters).seats
    from .judges import Judge

    return Judge(game, **parameters).seats


def restored(made: tuple[Any, ...], kept: Any, arrays: tuple[Any, ...], kind: type[VectorEnv]) -> VectorEnv:
    """Makes a vector with these games. For pickle."""
    game, n, seat, rivals, reward, threads, mode, copy, parameters = made
    env, options = object.__new__(kind), {"reward": reward, "threads": threads, "autoreset_mode": mode, "copy": copy}
    VectorEnv.__init__(env, game, n, seat=seat, rivals=rivals, **options, **parameters)
    env._vector.restore(kept, env.threads)
    own: Any
    for own, given in zip(env._arrays, arrays):
        own[:] = given
    return env
