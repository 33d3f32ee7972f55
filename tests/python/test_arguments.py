"""Wrong arguments: the error names the argument and what is due. Whole numbers of numpy are good, truth values are not."""

import gymnasium
import numpy as np
import pytest
import referee
from test_judges import TRON

MAKERS = {
    "parallel_env": lambda **more: referee.parallel_env("push", **more),
    "aec_env": lambda **more: referee.aec_env("push", **more),
    "env": lambda **more: referee.env("push", **more),
    "vector_env": lambda **more: referee.vector_env("push", 2, **more),
    "rivals": lambda **more: referee.vector_env("push", 2, rivals="random", **more),
    "make": lambda **more: gymnasium.make("referee/Push-v1", **more).unwrapped,
    "make_vec": lambda **more: gymnasium.make_vec("referee/Push-v1", num_envs=2, **more),
}
NO_NUMBERS = ["x", 1.5, "1", True, np.bool_(True), np.float64(1), [1], np.array([1]), {}, b"1", float("nan")]


def raised(error, call, *words):
    with pytest.raises(error) as told:
        call()
    assert all(word in str(told.value) for word in words), str(told.value)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_wrong_seed_is_named(maker):
    env = MAKERS[maker]()
    for bad in (2**64, -1, 10**30, np.int64(-5)):
        raised(ValueError, lambda: env.reset(seed=bad), f"seed must be 0 to {2**64 - 1}, not {int(bad)}")
    is_many = maker in ("vector_env", "rivals", "make_vec")
    for bad in NO_NUMBERS:
        if is_many and isinstance(bad, list):
            raised(ValueError, lambda: env.reset(seed=bad), "seed: a list needs a seed for each of 2 games, not 1")
            continue
        raised(TypeError, lambda: env.reset(seed=bad), "seed must be a whole number, not ")
    if is_many:
        raised(TypeError, lambda: env.reset(seed=[1, "x"]), "seed[1] must be a whole number, not 'x'")
        raised(ValueError, lambda: env.reset(seed=(-1, 1)), f"seed[0] must be 0 to {2**64 - 1}, not -1")
    for good in (0, 2**64 - 1, np.int8(3), np.uint64(2**64 - 1), np.array(4), None):
        env.reset(seed=good)
    for bad in (5, "reset_mask", [1]):
        raised(TypeError, lambda: env.reset(options=bad), "options must be a dictionary or None, not ")
    env.reset(options={})


def test_a_wrong_seed_or_seat_of_a_game_is_named():
    game = referee.Game("push")
    for call in (
        lambda bad: referee.Game("push", seed=bad),
        lambda bad: game.branch(bad),
        lambda bad: game.sample(0, bad),
        lambda bad: referee.aec_env(TRON, choices=4, seats=2).reset(seed=bad),
    ):
        for bad in (2**64, -1):
            raised(ValueError, lambda: call(bad), f"seed must be 0 to {2**64 - 1}, not {bad}")
        for bad in NO_NUMBERS:
            raised(TypeError, lambda: call(bad), "seed must be a whole number, not ")
    assert referee.Game("push", seed=np.uint64(7)).seed == 7 and game.branch(np.int64(3)).seed == 3
    for call in (
        lambda bad: game.question(bad),
        lambda bad: game.answer(bad, [1]),
        lambda bad: game.think(bad),
        lambda bad: game.seat_bot(bad, "random"),
        lambda bad: game.sample(bad, 1),
    ):
        for bad in (-1, 6, 2**70):
            raised(ValueError, lambda: call(bad), f"seat must be 0 to 5, not {bad}")
        for bad in NO_NUMBERS:
            raised(TypeError, lambda: call(bad), "seat must be a whole number, not ")


@pytest.mark.parametrize("maker", ["env", "vector_env", "make", "make_vec"])
def test_a_wrong_seat_is_named(maker):
    make = MAKERS[maker]
    for bad in (6, -1, 2**80, np.int64(9)):
        raised(ValueError, lambda: make(seat=bad), f"seat must be 0 to 5, not {int(bad)}")
    for bad in NO_NUMBERS:
        raised(TypeError, lambda: make(seat=bad), "seat must be a whole number, not ")
    make(seat=np.int8(5))


@pytest.mark.parametrize("maker", ["env", "vector_env", "make", "make_vec"])
def test_wrong_rivals_are_named(maker):
    make = MAKERS[maker]
    for bad in (5, 1.5, True, b"random", {"random": 1}, [1, 2, 3, 4, 5], ["random"] * 4 + [None], {"random"}):
        raised(TypeError, lambda: make(rivals=bad), "rivals must be the name of a house bot, a list of names, ")
    for bad in ([], ["random"], ["random"] * 6):
        raised(ValueError, lambda: make(rivals=bad), f"rivals: push has 5 other seats, not {len(bad)}")
    for bad in ("", "sweeper", "random\0"):
        raised(ValueError, lambda: make(rivals=bad), "push: no house bot ", "there are: random, homeward, reader, planner")
    make(rivals=("random", "homeward", "reader", "planner", "random"))


def test_a_function_is_a_rival_only_where_one_game_is_played():
    def first(observation, info):
        return info["action_mask"].argmax()

    raised(TypeError, lambda: referee.vector_env("push", 2, rivals=first), "rivals: functions play in env")
    env = gymnasium.make_vec("referee/Push-v1", num_envs=2, rivals=first, turns=3)
    env.reset(seed=1)
    assert env.step(np.array([0, 0]))[1].shape == (2,)


def test_wrong_numbers_of_games_and_threads_are_named():
    for name, most, make in [
        ("n", 2**20, lambda bad: referee.vector_env("push", bad)),
        ("threads", 1024, lambda bad: referee.vector_env("push", 2, threads=bad)),
        ("num_envs", 2**20, lambda bad: gymnasium.make_vec("referee/Push-v1", num_envs=bad)),
    ]:
        for bad in (0, -1, 10**12, 2**64):
            raised(ValueError, lambda: make(bad), f"{name} must be 1 to {most}, not {bad}")
        for bad in NO_NUMBERS:
            raised(TypeError, lambda: make(bad), f"{name} must be a whole number, not ")
        make(np.int64(2))


def test_wrong_parameters_are_named():
    for make in (referee.parallel_env, referee.aec_env, referee.env, referee.Game, lambda *a, **k: referee.vector_env(*a, 2, **k)):
        for bad in (-1, 1.5, "x", True, None, 10**40, [1], float("nan")):
            raised(ValueError, lambda: make("football", max_turns=bad), "football: max_turns ")
        make("football", max_turns=np.int64(5), p=np.uint8(2))
    for make in (referee.parallel_env, referee.aec_env, referee.env, lambda game, **more: referee.vector_env(game, 2, **more)):
        for bad in (5, None, b"push", ["push"]):
            raised(TypeError, lambda: make(bad), "game")


def test_wrong_sizes_and_parameters_of_a_judge_are_named():
    for name in ("choices", "width", "length", "side", "seats"):
        given = {"choices": 4, "seats": 2, "side": 9}
        for bad in (-1, 2**70):
            raised(ValueError, lambda: referee.parallel_env(TRON, **given | {name: bad}), f"{name} must be ", str(bad))
        for bad in ("4", 1.5, True, [1]):
            raised(TypeError, lambda: referee.parallel_env(TRON, **given | {name: bad}), f"{name} must be a whole number")
    referee.parallel_env(TRON, choices=np.int64(4), seats=np.int8(2))


BAD = ["x", 1.5, float("nan"), np.float32(1), True, np.bool_(False), None, [[1], [1, 2]], {}, [1, 2, 3], 2**70, b"1"]


def test_wrong_actions_of_one_game_name_the_agent():
    for game, good in [("push", 3), ("football", [0, 1])]:
        env = referee.parallel_env(game, **({"p": 2} if game == "football" else {}))
        env.reset(seed=1)
        actions = {agent: good for agent in env.agents}
        for bad in [each for each in BAD if each is not None] + [[0.5, 1.0], np.zeros((1, 2), int), [[0, 1]], "01"]:
            raised(TypeError, lambda: env.step(actions | {"seat_2": bad}), "seat_2: an action must be of ")
        for bad in (-1, 5000, 2**40, np.uint64(2**64 - 1)):
            bad = bad if game == "push" else np.array([bad] * 2)
            raised(ValueError, lambda: env.step(actions | {"seat_2": bad}), "seat_2: an action must be of ")
        assert env.table.game.turn == 0 and env.table.game.__reduce__()[1][3] == [], "nothing is done of a wrong turn"
        for kind in (np.int8, np.int32, np.uint16, np.int64):
            env.step({agent: np.array(good, kind) for agent in env.agents})
        env.step({agent: np.array([good, good]).T[..., 0] for agent in env.agents})
        alone, turns = referee.env(game), referee.aec_env(game)
        alone.reset(seed=1), turns.reset(seed=1)
        raised(TypeError, lambda: alone.step("x"), "seat_0: an action must be of ")
        raised(TypeError, lambda: turns.step({}), "seat_0: an action must be of ")


def test_other_kinds_of_integers_play_the_same_game():
    envs = [referee.parallel_env("football", p=3, k=46, max_turns=9) for _ in range(3)]
    looks = [env.reset(seed=4) for env in envs]
    while envs[0].agents:
        actions = {agent: envs[0].sample(agent) for agent in envs[0].agents}
        kinds = [actions, {agent: each.tolist() for agent, each in actions.items()}]
        kinds.append({agent: each.astype(np.int16)[::-1][::-1] for agent, each in actions.items()})
        told = [env.step(each) for env, each in zip(envs, kinds)]
        for other in told[1:]:
            assert str(other) == str(told[0])
            assert all((other[0][agent] == seen).all() for agent, seen in told[0][0].items())
    assert looks and all(cut for cut in told[0][3].values())


@pytest.mark.parametrize("maker", ["vector_env", "rivals"])
def test_wrong_actions_of_many_games_are_named(maker):
    env = MAKERS[maker]()
    env.reset(seed=1)
    good = np.zeros(env.action_shape, int)
    wrongs = [*BAD, good.astype(float), good.astype(bool), good.astype(object), good.astype(str), good[:1], good[None]]
    for bad in wrongs:
        raised(TypeError, lambda: env.step(bad), "actions: expected integers of shape ", str(env.action_shape))
    for bad in (-1, 366, 5000, 2**40, -(2**60)):
        raised(ValueError, lambda: env.step(good + bad), f"game 0, seat_0: an action is 0 to 365, not {bad}")
    raised(ValueError, lambda: env.step(good.astype(np.uint64) + np.uint64(2**64 - 1)), "game 0, seat_0: ")
    for kind in (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64):
        env.step(good.astype(kind))
    env.step(good.tolist())
    env.step(np.asfortranarray(good))


def test_a_wrong_action_of_one_seat_names_that_seat_and_the_number():
    env = referee.vector_env("push", 2, seat=3)
    for bad in ([0, 5000], np.array([0, 5000], np.int32)):
        raised(ValueError, lambda: env.step(bad), "game 1, seat_3: an action is 0 to 365, not 5000")
    env = referee.vector_env("football", 2, seat=2, p=2)
    due = "game 1, seat_2, number 1: an action is 0 to 1032, not -77"
    raised(ValueError, lambda: env.step([[0, 0], [0, -77]]), due)


def test_actions_of_all_agents_are_a_dictionary():
    env = referee.parallel_env("push")
    env.reset(seed=1)
    for bad in (None, [1] * 6, np.zeros(6, int), 5, "x"):
        raised(TypeError, lambda: env.step(bad), "actions must be a dictionary with an action for each agent, ")
    for call in (env.sample, env.action_space, env.observation_space, referee.aec_env("push").observe):
        for bad in ("seat_9", 0, None, []):
            raised(ValueError, lambda: call(bad), f"no agent {bad!r}: there are seat_0, ")
    raised(ValueError, lambda: referee.aec_env("push").step(0), "step: call reset first")


def test_wrong_observations_of_others_are_named():
    env = referee.vector_env("push", 3)
    zeros = np.zeros((3, 80))
    for bad in ([], [1], "x", 5, np.zeros(80, np.uint8), np.zeros((3, 5), np.uint8), zeros, zeros.astype(int)):
        raised(TypeError, lambda: env.seen_by(0, bad), "observations must be bytes (uint8) of shape (n, 80), not ")
    assert (env.seen_by(2, list(env.observations)) == env.seen_by(2)).all()


@pytest.mark.parametrize("maker", ["vector_env", "rivals", "make_vec"])
def test_a_wrong_choice_of_copies_is_named(maker):
    for bad in (None, 1, "yes"):
        raised(TypeError, lambda: MAKERS[maker](copy=bad), "copy must be True or False, not ")


def test_wrong_answers_and_names_of_a_game_are_named():
    game = referee.Game("football", p=2)
    for bad in ("x", 5, 1.5, {"a": 1}, b"ab", bytearray(2), np.array(3), True, {1, 2}, iter([1])):
        raised(TypeError, lambda: game.answer(0, bad), f"integers must be a list of whole numbers or None, not {bad!r}")
    for bad in (1.5, None, True, np.True_, "1", [1], np.float64(1)):
        raised(TypeError, lambda: game.answer(0, [1, bad]), f"integers[1] must be a whole number, not {bad!r}")
    for bad in (2**63, -(2**70)):
        raised(ValueError, lambda: game.answer(0, [bad]), f"integers[0] must be {-(2**63)} to {2**63 - 1}, not {bad}")
    for good in ([1, 2], (1, 2), range(2), np.array([1, 2], np.uint8), [np.int64(1), 2], None):
        game.answer(0, good)
    for bad in (None, 5, b"push", ["push"]):
        raised(TypeError, lambda: referee.Game(bad), f"game must be the name of a game, not {bad!r}")
        raised(TypeError, lambda: game.seat_bot(0, bad), f"name must be the name of a house bot, not {bad!r}")


@pytest.mark.parametrize("maker", MAKERS)
def test_a_seed_among_the_parameters_is_named(maker):
    with pytest.raises(TypeError, match=r"seed: an environment gets it from reset\(seed=3\)"):
        MAKERS[maker](seed=3)
