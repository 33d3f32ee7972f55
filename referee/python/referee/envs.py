"""Environments of PettingZoo and Gymnasium: one game, in which each agent knows as much as a bot in its seat."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from ._native import CUT, Game
from .judges import Judge, View
from .seen import GAMES, Seen

Observation = NDArray[Any]

Infos = dict[str, dict[str, Any]]
# Observations, masks and scores of all seats.
Looks = tuple[list[Observation], list[Any], list[int]]
# Who plays the other seats: a house bot, one for each of them, or a function; None is random legal actions.
Rivals = str | Sequence[str] | Callable[[Observation, dict[str, Any]], Any] | None


def begun(game: str, seed: int, parameters: Mapping[str, Any]) -> Game | Judge:
    """Starts a game. A name with a slash is the path of a judge."""
    return (Judge if "/" in game else Game)(game, seed=seed, **parameters)


class Table:
    """One game after the other, with an agent in each seat."""

    def __init__(self, game: str, reward: str, render_mode: str | None, parameters: Mapping[str, Any]) -> None:
        if reward not in ("score", "share"):
            raise ValueError(f"reward must be 'score' or 'share', not {reward!r}")
        if render_mode not in (None, "ansi", "rgb_array"):
            raise ValueError(f"render_mode must be None, 'ansi' or 'rgb_array', not {render_mode!r}")
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

    def begin(self, seed: int | None) -> None:
        """Starts a game with a seed. Without one, a seed is drawn; the draws are determined by the last given seed."""
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
        if self.now is None and isinstance(self.game, Game) and (made := self.game.looks()):
            masks = made[1].view(np.int8)
            self.now = list(made[0]), list(map(tuple, masks)) if self.width > 1 else list(masks[:, 0]), made[2]
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
        numbers = None if action is None else self.check(agent, action)
        self.faults.pop(agent, None)
        fault = self.game.answer(self.seats[agent], numbers)
        if fault is not None:
            self.faults[agent] = fault

    def check(self, agent: str, action: Any) -> list[int]:
        numbers = np.asarray(action)
        if numbers.shape != self.action_shape or numbers.dtype.kind not in "iu":
            due = self.actions[agent]
            raise TypeError(f"{agent}: an action must be of {due}, not {numbers.dtype} of shape {numbers.shape}")
        given: list[int] = numbers.tolist() if self.width > 1 else [int(numbers)]
        if min(given) < 0 or max(given) >= self.choices:
            raise ValueError(f"{agent}: an action must be of {self.actions[agent]}, not {action}")
        return self.seen[agent].integers(given)

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
        rewards = [float(now - then) for now, then in zip(self.scores, before)]
        if self.reward == "share":
            outcome = self.game.outcome
            rewards = list(outcome[1]) if outcome else [0.0] * self.game.seats
        return dict(zip(self.agents_all, rewards))

    def end(self) -> tuple[bool, bool]:
        """Tells whether the game has ended by its rules, and whether it was cut off by a maximum number of turns."""
        outcome = self.game.outcome
        is_cut = outcome is not None and outcome[2] in CUT
        return outcome is not None and not is_cut, is_cut

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
        return self.table.observations[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.table.actions[agent]

    def sample(self, agent: str) -> Any:
        """Returns a random legal action of an agent, drawn by the rules."""
        return self.table.sample(agent)

    def render(self) -> Any:
        """Returns the board: text for 'ansi', rows, columns and colours for 'rgb_array'."""
        return self.table.render()

    def close(self) -> None: ...


class Parallel(Env, ParallelEnv[str, Observation, Any]):
    """All agents act at once."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        return self.looks()

    def looks(self) -> tuple[dict[str, Observation], Infos]:
        observations, infos = {}, {}
        for agent in self.agents:
            observations[agent], infos[agent] = self.table.look(agent)
        return observations, infos

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Plays a turn. Each agent needs an action; None is silence."""
        for agent in self.agents:
            if agent not in actions:
                raise ValueError(f"{agent}: no action; every agent needs one, None for silence")
        for agent in self.agents:
            self.table.answer(agent, actions[agent])
        rewards = self.table.play() if self.agents else {}
        is_over, is_cut = self.table.end()
        over, truncated = dict.fromkeys(self.agents, is_over), dict.fromkeys(self.agents, is_cut)
        observations, infos = self.looks()
        if is_over or is_cut:
            self.agents = []
        return observations, rewards, over, truncated, infos


class Turns(Env, AECEnv[str, Observation, Any]):
    """The asked agents act one after the other; the turn is played when all have."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.table.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict(self.rewards)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: self.table.look(agent)[1] for agent in self.agents}
        self.asked = self.table.game.asked
        self.agent_selection = self.possible_agents[self.asked[0]]

    def observe(self, agent: str) -> Observation:
        return self.table.look(agent)[0].copy()

    def step(self, action: Any) -> None:
        """Takes the action of the agent whose turn it is; None is silence."""
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
            self.terminations, self.truncations = (dict.fromkeys(self.agents, is_so) for is_so in self.table.end())
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
        if not 0 <= seat < self.table.game.seats:
            raise ValueError(f"seat must be 0 to {self.table.game.seats - 1}, not {seat}")
        self.agent = self.table.agents_all[seat]
        self.others = [other for other in range(self.table.game.seats) if other != seat]
        self.bots = [rivals] * len(self.others) if isinstance(rivals, str) else rivals
        if not callable(self.bots) and self.bots is not None:
            if isinstance(self.table.game, Judge):
                raise ValueError(f"{game}: a judge has no house bots; rivals must be a function or None")
            if len(self.bots) != len(self.others):
                raise ValueError(f"rivals: {game} has {len(self.others)} other seats, not {len(self.bots)}")
            self.seat_bots()
        self.metadata, self.render_mode = self.table.metadata, render_mode
        self.observation_space, self.action_space = self.table.observations[self.agent], self.table.actions[self.agent]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        self.table.begin(seed)
        self.seat_bots()
        self.go_on()
        return self.table.look(self.agent)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.table.answer(self.agent, action)
        reward = self.table.play()[self.agent] + self.go_on()
        observation, info = self.table.look(self.agent)
        over, truncated = self.table.end()
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
