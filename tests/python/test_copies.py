"""Copies of games and environments: by pickle, also into another process, and by deepcopy. Their futures are equal."""

import copy
import multiprocessing
import os
import pickle
import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import referee
from test_judges import TRON

GAMES = ["football", "foosball", "push", "target"]


def play_on(game, seed, turns):
    """Plays with random legal answers, and returns everything that can be seen."""
    told = []
    for turn in range(turns):
        if not game.asked:
            break
        asked = game.asked
        told.append([game.question(seat) for seat in asked])
        for seat in asked:
            answer = game.sample(seat, seed + 100 * turn + seat).tolist()
            told.append(game.answer(seat, None if (seed + turn + seat) % 7 == 0 else answer))
        game.play()
        told.append((game.events, game.scores, game.outcome))
    return told


@pytest.mark.parametrize("game", GAMES)
def test_250_games_of_each_kind_go_on_from_copies(game):
    dice = random.Random(game)
    for number in range(250):
        one = referee.Game(game, seed=dice.randrange(2**64))
        play_on(one, number, dice.randrange(6))
        if one.asked and number % 3 == 0:
            one.answer(one.asked[0], None)  # in the middle of a turn
        if number % 5 == 0:
            one = one.branch(dice.randrange(2**64))
        copies = [pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)]
        events = one.events
        assert all(other.events == events for other in copies)
        due = play_on(one, number, 3)
        assert all(play_on(other, number, 3) == due for other in copies), number


def test_what_was_pickled_and_changed_is_refused():
    make, (name, seed, parameters, done) = referee.Game("push", seed=3).__reduce__()
    for wrong in ([(9, [1])], [(-3, None)], [(-2, None)], [(0, [1, 2]), (-1, [5])]):
        with pytest.raises(ValueError, match="a pickled game that does not follow its own rules"):
            make(name, seed, parameters, done + wrong)


def steps(env, seed, count=6):
    """Plays all agents of an environment at random, and returns what it told."""
    told = []
    for number in range(count):
        if not env.agents:
            break
        actions = {agent: env.sample(agent) for agent in env.agents}
        observations, *rest = env.step(actions)
        told.append(({agent: seen.tolist() for agent, seen in observations.items()}, str(rest)))
    return told


def play_in_another_process(env, seed):
    return steps(env, seed)


@pytest.mark.parametrize("game", ["football", "push", TRON])
def test_environments_go_on_from_copies_also_in_another_process(game):
    env = referee.parallel_env(game, **({"choices": 4} if game == TRON else {}))
    env.reset(seed=5)
    steps(env, 0, 2)
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(play_in_another_process, (env, 1))
    due = steps(env, 1)
    assert there == due and all(steps(other, 1) == due for other in others)


@pytest.mark.parametrize("make", [lambda: referee.env("push"), lambda: referee.aec_env("target")])
def test_other_environments_are_copied_too(make):
    env = make()
    env.reset(seed=4)
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert other.table.game.question(0) == env.table.game.question(0)
        assert other.table.game is not env.table.game


def vector_steps(env, seed, count=40):
    """Plays all games of a vector at random, and returns everything that it told."""
    told, draws = [], np.random.default_rng(seed)
    for _ in range(count):
        try:
            *arrays, infos = env.step(draws.integers(env.choices, size=env.action_shape))
        except ValueError:  # A game waits for its reset.
            env.reset(options={"reset_mask": env.terminations | env.truncations})
            continue
        told.append([array.tolist() for array in arrays])
        told.append([None if last is None else last.tolist() for last in infos.get("final_obs", [])])
        told.append(None if env.masks is None else env.masks.tolist())
    return told


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
@pytest.mark.parametrize(
    ("game", "parameters"),
    [("football", {"p": 2, "k": 46, "max_turns": 25, "stall_turns": 12}), ("foosball", {}), ("push", {"turns": 11})],
)
def test_a_vector_env_goes_on_from_copies_also_in_another_process(game, parameters, mode):
    for number, before in enumerate((0, 3, 17, 26) if game != "foosball" else (0, 210)):
        env = referee.vector_env(game, 5, reward="share" if number % 2 else "score", autoreset_mode=mode, **parameters)
        env.reset(seed=number)
        vector_steps(env, 5, before)
        others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
        there = None
        if number == 1:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                there = pool.apply(vector_steps, (env, 1))
        for other in others:
            assert not np.shares_memory(env.observations, other.observations)
            assert all((one == two).all() for one, two in zip(env._arrays[:5], other._arrays[:5]))
        due = vector_steps(env, 1)
        assert all(vector_steps(other, 1) == due for other in others) and there in (None, due)
        # The seeds that are drawn are the same, too.
        assert len({env.reset()[0].tobytes() for env in (env, *others)}) == 1


def test_a_pickled_vector_that_was_changed_is_refused():
    make, (made, kept, *rest), _ = referee.vector_env("football", 2, p=2).__reduce__()
    for wrong in (kept[:1], [*kept, kept[0]], [kept[0][:-1], kept[1]], [[], kept[1]], [[*kept[0][:-1], 7], kept[1]]):
        with pytest.raises(ValueError, match="a pickled vector whose games do not follow their own rules"):
            make(made, wrong, *rest)


def test_wrong_arguments_are_named():
    for make, due in [
        (lambda: referee.env("push", seat=9), "seat must be 0 to 5, not 9"),
        (lambda: referee.env("push", seat=-1), "seat must be 0 to 5, not -1"),
        (lambda: referee.vector_env("push", 10**12), "n must be 1 to 1048576, not 1000000000000"),
        (lambda: referee.vector_env("push", 0), "n must be 1 to 1048576, not 0"),
    ]:
        with pytest.raises(ValueError, match=due):
            make()


def test_an_end_by_the_maximum_of_turns_is_a_truncation():
    env = referee.parallel_env("football", p=1, max_turns=3)
    env.reset(seed=1)
    while env.agents:
        _, _, over, cut, _ = env.step({agent: env.sample(agent) for agent in env.agents})
    assert not any(over.values()) and all(cut.values())
    alone = referee.env("football", p=1, max_turns=2)
    alone.reset(seed=1)
    ends = [(False, False)]
    while ends[-1] == (False, False):
        ends.append(alone.step(alone.table.sample("seat_0"))[2:4])
    assert ends[-1] == (False, True)
    push = referee.parallel_env("push", turns=2)
    push.reset(seed=1)
    ends = [push.step({agent: push.sample(agent) for agent in push.agents})[2:4] for _ in range(2)]
    assert all(ends[1][0].values()) and not any(ends[1][1].values()), "the turns of Push are its rules"


@pytest.mark.parametrize("game", GAMES)
def test_each_game_is_made_by_its_name(game):
    env = gymnasium.make(f"referee/{game.capitalize()}-v1", seat=1)
    observation, _ = env.reset(seed=3)
    assert env.observation_space.contains(observation) and env.unwrapped.agent == "seat_1"


@pytest.mark.parametrize("kind", ["parallel_env", "aec_env", "env", "vector_env", "rivals"])
@pytest.mark.parametrize("game", ["football", "push"])
def test_spaces_of_copies_draw_the_same_samples(kind, game):
    make = {
        "vector_env": lambda: referee.vector_env(game, 2),
        "rivals": lambda: referee.vector_env(game, 2, rivals="random"),
    }
    env = make.get(kind, lambda: getattr(referee, kind)(game))()
    env.reset(seed=3)

    def draws(env):
        if kind in ("parallel_env", "aec_env"):
            spaces = [space(agent) for agent in env.possible_agents for space in (env.action_space, env.observation_space)]
        else:
            spaces = [env.action_space, env.observation_space]
        spaces += [env.single_action_space] if hasattr(env, "single_action_space") else []
        return [np.asarray(space.sample()).tolist() for space in spaces for _ in range(2)]

    fresh = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    due = draws(env)
    assert all(draws(other) == due for other in fresh), "of spaces that were never used, too"
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), pickle.loads(pickle.dumps(copy.deepcopy(env)))]
    due = draws(env)
    assert all(draws(other) == due for other in others)
    assert draws(env) != due


class Named(referee.VectorEnv):
    """A vector of somebody's own, whose maker has other arguments."""

    def __init__(self, count):
        super().__init__("push", count, rivals="homeward", turns=9, copy=True)
        self.notes, self.me = [count], self


def test_a_copy_of_a_vector_keeps_its_class_its_attributes_and_that_it_is_closed():
    env = Named(3)
    env.reset(seed=1)
    env.step([0, 0, 0])
    env.close()
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert type(other) is Named and other.closed and other.me is other and other.copy
        assert other.notes == [3] and other.notes is not env.notes
        assert (other.observations == env.observations).all()
        assert not np.shares_memory(other.observations, env.observations)


MANY = """
import os, pickle, time
import referee
env = referee.vector_env("push", 8, rivals="homeward", threads=3)
env.reset(seed=1), env.step([0] * 8)
text, before = pickle.dumps(env), len(os.listdir("/proc/self/task"))
del env
while len(os.listdir("/proc/self/task")) > before - 2:
    time.sleep(0.01)
other = pickle.loads(text)
assert len(os.listdir("/proc/self/task")) == before
"""


def test_games_with_rivals_are_played_again_on_the_threads_of_the_vector():
    single = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", MANY], check=True, env=single, timeout=600)
