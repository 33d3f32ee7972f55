"""PettingZoo's and Gymnasium's own checks, without a warning; rewards, masks, pictures and bad input."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import referee
from conftest import ROOT
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, seed_test

SHORT = {
    "football": {"p": 2, "k": 46, "max_turns": 60},
    "foosball": {},
    "push": {"turns": 30},
    "target": {"seats": 4, "max_rounds": 30},
}
AT_ONCE = ["football", "foosball", "push"]


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("game", AT_ONCE)
def test_parallel_envs_pass_the_checks_of_pettingzoo(game):
    parallel_api_test(referee.parallel_env(game, **SHORT[game]), num_cycles=100)
    parallel_seed_test(lambda: referee.parallel_env(game, **SHORT[game]), num_cycles=50)


@pytest.mark.parametrize("game", SHORT)
def test_aec_envs_pass_the_checks_of_pettingzoo(game):
    for parameters in [SHORT[game], SHORT[game] | {"p": 1}] if game == "football" else [SHORT[game]]:
        env = referee.aec_env(game, **parameters)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            api_test(env, num_cycles=200)
        # It prefers actions of one number, and warns for each agent; 26 men need 26.
        several = [str(warning.message)[:43] for warning in warned]
        due = env.num_agents if env.action_space("seat_0").shape else 0
        assert several == ["Action space for each agent probably should"] * due
        seed_test(lambda: referee.aec_env(game, **parameters), num_cycles=50)


@pytest.mark.parametrize(
    ("game", "turns", "before", "parameters"),
    [
        ("push", "turns", 0, {}),
        ("football", "max_turns", 1, {"p": 1}),  # First, players are placed.
        (str(ROOT / "tests/judge/push.py"), "turns", 0, {"choices": 61, "width": 2}),
    ],
)
def test_a_game_has_the_turns_that_are_set(game, turns, before, parameters):
    # Foosball always has 800 rounds, and the players of target take turns, which this check does not support.
    made = [
        lambda max_cycles, make=make: make(game, **parameters, **{turns: max_cycles - before})
        for make in (referee.parallel_env, referee.aec_env)
    ]
    max_cycles_test(SimpleNamespace(parallel_env=made[0], env=made[1]))


def test_target_has_the_rounds_that_are_set():
    env = referee.aec_env("target", seats=3, max_rounds=7, idle_rounds=0)
    env.reset(seed=1)
    asked = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        asked[agent] += 1
        env.step(None if env.terminations[agent] or env.truncations[agent] else env.sample(agent))
    assert list(asked.values()) == [8, 8, 8], "once more to be told that it is over"


@pytest.mark.parametrize("game", SHORT)
def test_envs_of_one_seat_pass_the_checks_of_gymnasium(game):
    check_env(referee.env(game, seat=1, render_mode="rgb_array", **SHORT[game]), skip_render_check=True)


@pytest.mark.parametrize("game", SHORT)
def test_rewards_add_up_to_the_scores_of_the_rules_or_are_the_shares(game):
    for reward in ("score", "share"):
        env = referee.aec_env(game, reward=reward, **SHORT[game])
        env.reset(seed=5)
        # In Push the coins of the start are worth something.
        total = dict(zip(env.possible_agents, env.table.game.scores if reward == "score" else [0.0] * 9))
        for agent in env.agent_iter():
            _, gained, over, cut, _ = env.last()
            total[agent] += gained
            env.step(None if over or cut else env.sample(agent))
        scores, shares, _ = env.table.game.outcome
        assert list(total.values()) == (scores if reward == "score" else shares)


@pytest.mark.parametrize("game", SHORT)
def test_masks_allow_what_the_rules_allow(game):
    env = referee.aec_env(game, **SHORT[game])
    env.reset(seed=3)
    random, checked = np.random.default_rng(1), 0
    for agent in env.agent_iter(max_iter=400):
        if env.terminations[agent] or env.truncations[agent]:
            break
        action = env.sample(agent)
        rows = env.infos[agent]["action_mask"]
        rows = [rows] if isinstance(rows, np.ndarray) else rows
        if game != "foosball":  # Its masks have a part of what is legal: test_gymnasium.
            assert all(row[number] for row, number in zip(rows, np.atleast_1d(action))), "a legal action is in the mask"
            number = int(random.integers(len(rows)))
            action = np.atleast_1d(action).copy()
            action[number] = random.integers(len(rows[number]))
            seat, seen = env.table.seats[agent], env.table.seen[agent]
            branch = env.table.game.branch()
            fault = branch.answer(seat, seen.integers(action.tolist()))
            assert (fault is None) == bool(rows[number][action[number]]), f"{agent}: {action}, {fault}"
            checked += 1
            action = action if env.action_space(agent).shape else action[0]
        env.step(action)
    assert checked > 50 or game == "foosball"


@pytest.mark.parametrize("game", AT_ONCE)
def test_what_the_rules_show_at_once_is_what_a_bot_makes_of_its_questions(game):
    for parameters in [{"p": 1}, {"p": 7, "k": 3, "max_turns": 70_000}] if game == "football" else [SHORT[game]]:
        env = referee.parallel_env(game, **parameters)
        observations, infos = env.reset(seed=8)
        for turn in range(230 if game == "foosball" else 25):
            for agent, seat in env.table.seats.items():
                observation, mask = env.table.seen[agent].see(env.table.game.question(seat))
                assert observations[agent].tobytes() == observation, (turn, agent)
                assert np.array(infos[agent]["action_mask"]).tobytes() == mask, (turn, agent)
            observations, _, _, _, infos = env.step({agent: env.sample(agent) for agent in env.agents})


def test_the_mask_of_target_forbids_walls_and_players_and_nothing_else():
    env = referee.aec_env("target", seats=3, wall_one_in=1, idle_rounds=0, max_rounds=600)
    env.reset(seed=3)
    random, blocked, free = np.random.default_rng(2), {"wall": 0, "player": 0}, 0
    for agent in env.agent_iter():
        _, _, over, cut, info = env.last()
        if over or cut:
            break
        seat, walls, players = int(agent[-1]), set(), {}
        for thing, owner, index, value in env.table.game.facts:
            if thing == "wall":
                walls.add(divmod(index, 64))
            elif thing == "player":
                players[owner] = divmod(value, 64)
        row, column = players.pop(seat)
        up, down, left, right = (row - 1) % 64, (row + 1) % 64, (column - 1) % 64, (column + 1) % 64
        cells = [(up, column), (row, left), (row, column), (row, right), (down, column)]
        legal = []
        for cell in cells:
            kind = "wall" if cell in walls else "player" if cell in players.values() else None
            legal.append(kind is None)
            if kind:
                blocked[kind] += 1
            else:
                free += 1
        assert info["action_mask"].tolist() == legal, f"{agent}: {cells}, {players}"
        # The others go to seat 0, so that players stand in each other's way.
        home = players.get(0, (row, column))
        choices = [number for number in (0, 1, 3, 4) if legal[number]] or [2]
        near = min(choices, key=lambda at: sum(min((a - b) % 64, (b - a) % 64) for a, b in zip(cells[at], home)))
        env.step(near if seat and random.random() < 0.8 else random.choice(choices))
    assert free > 1000 and blocked["wall"] > 100 and blocked["player"] > 100, (free, blocked)


def test_a_fault_is_in_the_info_and_costs_what_the_rules_say():
    env = referee.parallel_env("push", turns=2)
    env.reset(seed=1)
    actions = {agent: env.sample(agent) for agent in env.agents}
    _, _, _, _, infos = env.step(actions | {"seat_2": 0, "seat_3": None})
    assert infos["seat_2"]["fault"].startswith("illegal: 1 of 1: direction 0 (NW) leads off the board")
    assert infos["seat_3"]["fault"] == "late" and "fault" not in infos["seat_0"]
    env.step({agent: env.sample(agent) for agent in env.agents})
    assert env.table.game.outcome[0][2] == 0, "an invalid attempt voids the score"


@pytest.mark.parametrize("game", SHORT)
def test_boards_are_shown_as_text_and_in_colours(game):
    env = referee.aec_env(game, render_mode="ansi", **SHORT[game])
    env.reset(seed=1)
    text = env.render()
    assert len(text.splitlines()) > 5
    env = referee.aec_env(game, render_mode="rgb_array", **SHORT[game])
    env.reset(seed=1)
    pixels = env.render()
    assert pixels.dtype == np.uint8 and pixels.shape[2] == 3
    assert pixels.shape[1] == 600 and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 3


def test_bad_input_names_the_agent_and_what_is_due():
    env = referee.parallel_env("football", p=2)
    env.reset(seed=1)
    good = {agent: env.sample(agent) for agent in env.agents}
    for bad, error, words in [
        ([1], TypeError, "seat_1: an action must be of MultiDiscrete([1033 1033]), not int64 of shape (1,)"),
        ([0.5, 1], TypeError, "seat_1: an action must be of MultiDiscrete([1033 1033]), not float64 of shape (2,)"),
        ([-1, 5], ValueError, "seat_1: an action must be of MultiDiscrete([1033 1033]), not [-1, 5]"),
    ]:
        with pytest.raises(error) as raised:
            env.step(good | {"seat_1": bad})
        assert str(raised.value) == words
    with pytest.raises(ValueError, match="seat_3: no action; every agent needs one"):
        env.step({agent: good[agent] for agent in env.agents[:3]})
    for make, words in [
        (lambda: referee.parallel_env("footbal"), "no such game: footbal"),
        (lambda: referee.parallel_env("football", p=0), "football: p must be at least 1, not 0"),
        (lambda: referee.parallel_env("push", q=1), "push: no such parameter: q"),
        (lambda: referee.parallel_env("target"), "target: its seats take turns; use aec_env"),
        (lambda: referee.aec_env("push", reward="x"), "reward must be 'score' or 'share', not 'x'"),
        (lambda: referee.Game("push").question(6), "seat must be 0 to 5, not 6"),
        (lambda: referee.Game("target").answer(3, [1]), "seat 3 is not asked in turn 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            make()


def test_a_branch_leaves_the_game_alone():
    game = referee.Game("push", seed=1, turns=3)
    branch = game.branch(9)
    branch.play()
    assert (game.turn, branch.turn, branch.seed) == (0, 1, 9)


def test_without_a_seed_each_environment_plays_its_own_games_and_a_seed_repeats_them():
    def seeds(make, **seed):
        first = make(**SHORT["football"])
        first.reset(**seed)
        one = first.table.game.seed
        first.reset()
        return [one, first.table.game.seed]

    def alone(**parameters):
        return referee.env("football", **parameters)

    def together(**parameters):
        return referee.parallel_env("football", **parameters)

    for make in (alone, together):
        drawn = [seed for _ in range(4) for seed in seeds(make)]
        assert len(set(drawn)) == len(drawn)
        assert seeds(make, seed=5) == seeds(make, seed=5)
