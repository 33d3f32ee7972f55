"""Environments of PettingZoo and Gymnasium: one game, in which each agent knows as much as a bot in its seat."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from . import arguments
from ._native import CUT, Game
from .judges import Judge, View
from .seen import GAMES, Seen

Observation = NDArray[Any]

Infos = dict[str, dict[str, Any]]
# Observations, masks and scores of all seats.
Looks = tuple[list[Observation], list[Any], list[int]]
Ended = tuple[list[int], list[float], str] | None
Step = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]
# Who plays the other seats: a house bot, one for each of them, or a function; None is random legal actions.
Rivals = str | Sequence[str] | Callable[[Observation, dict[str, Any]], Any] | None


def begun(game: str, seed: int, parameters: Mapping[str, Any]) -> Game | Judge:
    """Starts a game. A name with a slash is the path of a judge."""
    return (Judge if "/" in arguments.name_of_game(game) else Game)(game, seed=seed, **parameters)


class Table:
    """One game after the other, with an agent in each seat."""

    def __init__(self, game: str, reward: str, render_mode: str | None, parameters: Mapping[str, Any]) -> None:
        if reward not in ("score", "share"):
            raise ValueError(f"reward must be 'score' or 'share', not {reward!r}")
        if render_mode not in (None, "ansi", "rgb_array"):
            raise ValueError(f"render_mode must be None, 'ansi' or 'rgb_array', not {render_mode!r}")
        arguments.parameters(parameters)
        self.game = begun(game, 0, parameters)
        modes = ["ansi"] if isinstance(self.game, Judge) else ["ansi", "rgb_array"]
        if render_mode not in (None, *modes):
            raise ValueError(f"{game}: a judge has no pixels; render_mode must be None or 'ansi'")
        self.given, self.parameters, self.reward, self.render_mode = game, dict(parameters), reward, render_mode
        self.agents_all = [f"seat_{seat}" for seat in range(self.game.seats)]
        self.seats = {agent: seat for seat, agent in enumerate(self.agents_all)}
        self.metadata = {
            "name": f"{game}_v{self.game.version}",
            "render_modes": modes,
            "is_parallelizable": game != "target",
            "render_fps": 10,
        }
        self.random = np.random.default_rng()
        self.begin(None)
        seen = self.seen["seat_0"]
        kind, self.choices, self.width = np.iinfo(seen.integer), seen.choices, seen.width
        self.action_shape = (seen.width,) if seen.width > 1 else ()
        self.observations = {agent: Box(kind.min, kind.max, seen.shape, kind.dtype) for agent in self.agents_all}
        self.actions: dict[str, Space[Any]] = {
            agent: MultiDiscrete([seen.choices] * seen.width) if seen.width > 1 else Discrete(seen.choices)
            for agent in self.agents_all
        }
        for space in (*self.observations.values(), *self.actions.values()):
            space.np_random  # The dice are made now, so that copies have the same.

    def begin(self, seed: int | None) -> None:
        """Starts a game with a seed. Without one, a seed is drawn; the draws are determined by the last given seed."""
        seed = arguments.seed_or_none(seed)
        if seed is not None:
            self.random = np.random.default_rng(seed)
        seed = int(self.random.integers(2**63)) if seed is None else seed
        self.game = game = begun(self.given, seed, self.parameters)
        self.seen: dict[str, Seen] = {
            agent: View(game, seat) if isinstance(game, Judge) else GAMES[game.name](**self.parameters)
            for agent, seat in self.seats.items()
        }
        self.now: Looks | None = None
        self.faults: dict[str, str] = {}
        self.scores = self.game.scores

    def looks(self) -> Looks | None:
        """Returns observations, masks and scores of all seats, made once in a turn. None if Python makes them."""
        if self.now is None and isinstance(self.game, Game):
            self.now = self.game.looks()
        return self.now

    def look(self, agent: str) -> tuple[Observation, dict[str, Any]]:
        """Returns an agent's observation and info: the mask for `action_space.sample`, the fault of its last answer."""
        seat, looks = self.seats[agent], self.looks()
        if looks is not None:
            observation, mask = looks[0][seat], looks[1][seat]
        else:
            seen = self.seen[agent]
            shown, bits = seen.see(self.game.question(seat))
            rows = np.frombuffer(bytearray(bits), np.int8).reshape(-1, seen.choices)
            mask = tuple(rows) if self.width > 1 else rows[0]
            observation = np.frombuffer(bytearray(shown), seen.integer).reshape(seen.shape)
        info: dict[str, Any] = {"action_mask": mask}
        if agent in self.faults:
            info["fault"] = self.faults[agent]
        return observation, info

    def answer(self, agent: str, action: Any) -> None:
        """Takes an agent's answer. None is silence, which counts as a late answer."""
        numbers = None if action is None else self.seen[agent].integers(self.check(agent, action))
        self.faults.pop(agent, None)
        fault = self.game.answer(self.seats[agent], numbers)
        if fault is not None:
            self.faults[agent] = fault

    def check(self, agent: str, action: Any) -> list[int]:
        """Returns the numbers of an action."""
        due = f"must be of {self.actions[agent]}"
        numbers = arguments.integers(f"{agent}: an action", action, self.action_shape, due)
        given: list[int] = numbers.reshape(-1).tolist()
        if min(given) < 0 or max(given) >= self.choices:
            raise ValueError(f"{agent}: an action {due}, not {action}")
        return given

    def step(self, given: list[Any]) -> Step:
        """Plays a turn in which all agents act: an action for each, or None."""
        game, before = self.game, self.scores if self.reward == "score" else None
        told = game.step(self.agents_all, given, before) if isinstance(game, Game) else None
        if told is None:
            # Other kinds of integers, a wrong action, or a judge.
            checked = [None if each is None else self.check(agent, each) for agent, each in zip(self.agents_all, given)]
            if isinstance(game, Judge):
                return self.step_of_judge(given)
            arrays = [each and np.array(each).reshape(self.action_shape) for each in checked]
            told = game.step(self.agents_all, arrays, before)
            assert told is not None
        self.now = None
        step, self.scores = told
        return step

    def step_of_judge(self, given: list[Any]) -> Step:
        for agent, action in zip(self.agents_all, given):
            self.answer(agent, action)
        rewards = self.play()
        looks = {agent: self.look(agent) for agent in self.agents_all}
        observations = {agent: look[0] for agent, look in looks.items()}
        infos = {agent: look[1] for agent, look in looks.items()}
        return observations, rewards, *self.ends(self.game.outcome), infos

    def think(self, agent: str) -> None:
        """Has the house bot in an agent's seat answer."""
        assert isinstance(self.game, Game)
        self.faults.pop(agent, None)
        fault = self.game.think(self.seats[agent])
        if fault is not None:
            self.faults[agent] = fault

    def play(self) -> dict[str, float]:
        """Plays the turn and returns the rewards: the rise of each score, or the shares at the end."""
        self.game.play()
        self.now, before = None, self.scores
        looks = self.looks()
        self.scores = looks[2] if looks is not None else self.game.scores
        return self.rewards(before, self.game.outcome)

    def rewards(self, before: list[int], ended: Ended) -> dict[str, float]:
        if self.reward == "score":
            return {agent: float(now - then) for agent, now, then in zip(self.agents_all, self.scores, before)}
        return dict(zip(self.agents_all, ended[1] if ended else [0.0] * self.game.seats))

    def ends(self, ended: Ended) -> tuple[dict[str, bool], dict[str, bool]]:
        """Tells whether the game has ended by its rules, and whether it was cut off by a maximum number of turns."""
        is_cut = ended is not None and ended[2] in CUT
        is_over = ended is not None and not is_cut
        return dict.fromkeys(self.agents_all, is_over), dict.fromkeys(self.agents_all, is_cut)

    def sample(self, agent: str) -> Any:
        """Returns a random legal action."""
        integers = self.game.sample(self.seats[agent], int(self.random.integers(2**63)))
        numbers = np.array(self.seen[agent].numbers(integers.tolist()))
        return numbers if self.actions[agent].shape else numbers[0]

    def render(self) -> Any:
        if self.render_mode == "rgb_array" and isinstance(self.game, Game):
            return self.game.pixels()
        return self.game.text() if self.render_mode else None


class Env:
    """The common part of PettingZoo's two kinds of environment."""

    def __init__(self, game: str, *, reward: str, render_mode: str | None, **parameters: Any) -> None:
        self.table = Table(game, reward, render_mode, parameters)
        self.metadata, self.render_mode = self.table.metadata, render_mode
        self.possible_agents, self.agents = list(self.table.agents_all), list[str]()

    def observation_space(self, agent: str) -> Box:
        return self.table.observations[self.named(agent)]

    def action_space(self, agent: str) -> Space[Any]:
        return self.table.actions[self.named(agent)]

    def sample(self, agent: str) -> Any:
        """Returns a random legal action of an agent, drawn by the rules."""
        return self.table.sample(self.named(agent))

    def named(self, agent: str) -> str:
        """Returns the name of an agent. Raises ValueError if there is none of this name."""
        if agent not in self.possible_agents:
            raise ValueError(f"no agent {agent!r}: there are {', '.join(self.possible_agents)}")
        return agent

    def render(self) -> Any:
        """Returns the board: text for 'ansi', rows, columns and colours for 'rgb_array'."""
        return self.table.render()

    def close(self) -> None: ...


class Parallel(Env, ParallelEnv[str, Observation, Any]):
    """All agents act at once."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        arguments.options_or_none(options)
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        looks = {agent: self.table.look(agent) for agent in self.agents}
        observations = {agent: look[0] for agent, look in looks.items()}
        return observations, {agent: look[1] for agent, look in looks.items()}

    def step(self, actions: Mapping[str, Any]) -> Step:
        """Plays a turn. Each agent needs an action; None is silence."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        if not isinstance(actions, Mapping):
            kind = type(actions).__name__
            raise TypeError(f"actions must be a dictionary with an action for each agent, not of type {kind}")
        try:
            given = [actions[agent] for agent in self.agents]
        except KeyError as missing:
            raise ValueError(f"{missing.args[0]}: no action; every agent needs one, None for silence") from None
        told = self.table.step(given)
        if told[2][self.agents[0]] or told[3][self.agents[0]]:
            self.agents = []
        return told


class Turns(Env, AECEnv[str, Observation, Any]):
    """The asked agents act one after the other; the turn is played when all have."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        arguments.options_or_none(options)
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: self.table.look(agent)[1] for agent in self.agents}
        self.asked = self.table.game.asked
        self.agent_selection = self.possible_agents[self.asked[0]]

    def observe(self, agent: str) -> Observation:
        return self.table.look(self.named(agent))[0].copy()

    def step(self, action: Any) -> None:
        """Takes the action of the agent whose turn it is; None is silence."""
        if not hasattr(self, "agent_selection"):
            raise ValueError("step: call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.table.answer(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.asked = self.asked[1:]
        if not self.asked:
            self.rewards = self.table.play()
            self.asked = self.table.game.asked
            over = self.table.game.outcome is not None
            self.terminations, self.truncations = self.table.ends(self.table.game.outcome)
            self.asked = list(range(self.table.game.seats)) if over else self.asked
            for each in self.agents if over else [self.possible_agents[seat] for seat in self.asked]:
                self.infos[each] = self.table.look(each)[1]
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[self.asked[0]]


class Alone(gymnasium.Env[Observation, Any]):
    """One seat among rivals: house bots, a function of an observation and an info, or random legal actions."""

    def __init__(
        self,
        game: str,
        *,
        seat: int = 0,
        rivals: Rivals = None,
        reward: str = "score",
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        self.table = Table(game, reward, render_mode, parameters)
        seat = arguments.whole("seat", seat, 0, self.table.game.seats - 1)
        self.agent = self.table.agents_all[seat]
        self.others = [other for other in range(self.table.game.seats) if other != seat]
        self.bots: Any = rivals
        if not callable(rivals) and rivals is not None:
            if isinstance(self.table.game, Judge):
                raise ValueError(f"{game}: a judge has no house bots; rivals must be a function or None")
            self.bots = arguments.names(rivals, game, len(self.others))
            self.seat_bots()
        self.metadata, self.render_mode = self.table.metadata, render_mode
        self.observation_space, self.action_space = self.table.observations[self.agent], self.table.actions[self.agent]
        self.np_random  # As those of spaces, its dice are made before copies are.

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        arguments.options_or_none(options)
        super().reset(seed=arguments.seed_or_none(seed))
        self.table.begin(seed)
        self.seat_bots()
        self.go_on()
        return self.table.look(self.agent)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.table.answer(self.agent, action)
        reward = self.table.play()[self.agent] + self.go_on()
        observation, info = self.table.look(self.agent)
        over, truncated = (ends[self.agent] for ends in self.table.ends(self.table.game.outcome))
        return observation, reward, over, truncated, info

    def seat_bots(self) -> None:
        """Puts the house bots on their seats in a new game."""
        if isinstance(self.table.game, Game) and self.bots is not None and not callable(self.bots):
            for seat, name in zip(self.others, self.bots):
                self.table.game.seat_bot(seat, name)

    def rival(self, agent: str) -> None:
        """Lets one rival answer."""
        if self.bots is None:
            self.table.answer(agent, self.table.sample(agent))
        elif callable(self.bots):
            self.table.answer(agent, self.bots(*self.table.look(agent)))
        else:
            self.table.think(agent)

    def go_on(self) -> float:
        """Lets the rivals answer, and plays the turns in which this seat is not asked. Returns its reward."""
        own, reward = self.table.seats[self.agent], 0.0
        while asked := self.table.game.asked:
            for agent in (self.table.agents_all[seat] for seat in asked if seat != own):
                self.rival(agent)
            if own in asked:
                break
            reward += self.table.play()[self.agent]
        return reward

    def render(self) -> Any:
        return self.table.render()
