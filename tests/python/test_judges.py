"""A judge, a program with the rules of a game, as an environment."""

import copy
import pickle
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
import referee
from conftest import ROOT
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from referee.judges import Judge

TRON, PUSH = (str(ROOT / file) for file in ("bots/starter-game/python/judge.py", "tests/judge/push.py"))
SHORT = {"choices": 4, "side": 7, "seats": 3}


def test_a_judge_passes_the_checks_of_pettingzoo_and_gymnasium():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(referee.parallel_env(TRON, **SHORT), num_cycles=50)
        parallel_seed_test(lambda: referee.parallel_env(TRON, **SHORT), num_cycles=20)
        api_test(referee.aec_env(TRON, **SHORT), num_cycles=50)
        seed_test(lambda: referee.aec_env(TRON, **SHORT), num_cycles=20)
        check_env(referee.env(TRON, seat=1, **SHORT), skip_render_check=True)


def test_push_as_a_judge_is_the_built_in_push():
    # No two seats push the same pile, so nothing is drawn.
    judge, game = Judge(PUSH, choices=61, width=2, turns=12), referee.Game("push", turns=12)
    random = np.random.default_rng(1)
    while game.outcome is None:
        taken, answers = set(), {}
        for seat in range(6):
            for _ in range(50):
                push = game.sample(seat, int(random.integers(2**60))).tolist()
                if push[0] not in taken:
                    break
            taken.add(push[0])
            answers[seat] = push
        if game.turn in (4, 8):  # An invalid push, and silence.
            answers |= {1: [0, 0], 3: None}
        for seat, answer in answers.items():
            assert judge.question(seat) == game.question(seat)
            assert judge.answer(seat, answer) == game.answer(seat, answer)
        assert judge.scores == game.scores
        judge.play()
        game.play()
    assert judge.outcome == game.outcome and judge.asked == []


def test_masks_rewards_and_faults_are_those_of_the_judge():
    env = referee.parallel_env(TRON, render_mode="ansi", **SHORT)
    observations, infos = env.reset(seed=4)
    total, masked = np.zeros(3), 0
    assert observations["seat_2"][:4].tolist() == [2, 0, 3, 7] and "rows -1 -1 7" in env.render()
    while env.agents:
        masked += sum(4 - int(infos[agent]["action_mask"].sum()) for agent in env.agents)
        _, rewards, _, _, infos = env.step({agent: env.sample(agent) for agent in env.agents})
        total += list(rewards.values())
    assert total.tolist() == env.table.game.outcome[0] and total.sum() > 0 and masked == 0
    env = referee.parallel_env(PUSH, choices=61, width=2, turns=2)
    env.reset(seed=1)
    _, _, _, _, infos = env.step(dict.fromkeys(env.agents, np.array([0, 0])) | {"seat_3": None})
    assert infos["seat_1"]["fault"].startswith("illegal: 1 of 1: seat 1 pushes") and infos["seat_3"]["fault"] == "late"


def test_many_games_of_a_judge_are_those_of_single_environments():
    many = referee.vector_env(TRON, 3, threads=2, **SHORT)
    alone = [referee.parallel_env(TRON, **SHORT) for _ in range(3)]
    shown, infos = many.reset(seed=5)
    looks = [env.reset(seed=5 + at) for at, env in enumerate(alone)]
    random, over = np.random.default_rng(1), np.zeros(3, bool)
    assert shown.dtype == np.int64 and shown.shape == (3, 3, *alone[0].observation_space("seat_0").shape)
    while not over.any():
        for at, (observations, told) in enumerate(looks):
            assert (shown[at] == list(observations.values())).all() and (many.seen_by(1)[at] == observations["seat_1"]).all()
            assert (infos["action_mask"][at] == [each["action_mask"] for each in told.values()]).all()
        actions = (random.random(many.masks.shape) * many.masks).argmax(axis=2)
        again = copy.deepcopy(many).step(actions)
        assert (pickle.loads(pickle.dumps(many)).step(actions)[1] == again[1]).all()
        shown, rewards, over, cut, infos = many.step(actions)
        assert (shown == again[0]).all() and (rewards == again[1]).all()
        for at, env in enumerate(alone):
            observations, earned, ends, _, told = env.step(dict(zip(env.agents, actions[at])))
            looks[at] = observations, told
            assert rewards[at].tolist() == list(earned.values()) and over[at] == any(ends.values())
            if over[at]:
                assert (infos["final_obs"][at] == list(observations.values())).all()
                # The game that follows it.
                assert (shown[at] == list(env.reset(seed=5 + at + 3)[0].values())).all()
    many.close()


def test_seats_of_a_team_are_no_opponents_and_a_single_seat_has_the_whole():
    pairs, solo = (Judge(str(ROOT / "tests/judge" / file), choices=10) for file in ("pairs.py", "solo.py"))
    assert [pairs.beaten([9, 4, 4, 1], seat) for seat in range(4)] == [1, 0.25, 0.75, 0]
    assert solo.beaten([-7], 0) == 1


def test_one_seat_of_a_judge_in_many_games():
    many = referee.vector_env(TRON, 2, seat=1, reward="share", autoreset_mode="NextStep", **SHORT)
    alone = referee.env(TRON, seat=1, reward="share", **SHORT)
    shown, infos = many.reset(seed=[3, 8])
    observation, info = alone.reset(seed=3)
    assert (shown[0] == observation).all() and many.single_observation_space.dtype == np.int64
    over = False
    while not over:
        actions = infos["action_mask"].argmax(axis=1)
        shown, rewards, ends, cuts, infos = many.step(actions)
        observation, reward, over, _, info = alone.step(actions[0])
        assert (shown[0] == observation).all() and (rewards[0], ends[0]) == (reward, over)
    with pytest.raises(ValueError, match="a judge has no house bots"):
        referee.vector_env(TRON, 2, rivals="greedy", **SHORT)
    with pytest.raises(ValueError, match="game 1, seat_1: an action is 0 to 3, not 4"):
        many.step([0, 4])


def test_a_recorded_game_of_a_judge_is_replayed_by_the_program(program, tmp_path, monkeypatch):
    bot = str(tmp_path / "bot.py")
    Path(bot).write_text("#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(0, flush=True)\n")
    Path(bot).chmod(0o755)
    words = [program, "play", TRON, bot, bot, "--side", "7", "--seed", "3", "--dir", str(tmp_path / "games")]
    subprocess.run(words, check=True, capture_output=True)
    [log] = (tmp_path / "games" / "logs").glob("*.csv")
    monkeypatch.setenv("REFEREE", program)
    shutil.rmtree(tmp_path / "games" / "judges")
    page = referee.replay(log, judge=TRON)
    assert "tron" in page.split("</title>")[0] and "<noscript>" in page
    with pytest.raises(referee.RecordError, match="another judge"):
        referee.replay(log, judge=PUSH)
    monkeypatch.setenv("REFEREE", "./nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere: no such program.*PATH"):
        referee.replay(log, judge=TRON)


# Its verdicts come after `verdicts`, and its questions end with shared integers.
POT = """#!/usr/bin/env python3
import sys

kept = []
for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print("game pot 3", "seats 2 3", "turns 1", "time 50 60", "limits", "ahead", sep="\\n")
        print("parameter size 4 1 9 coins\\nend")
    elif word == "start":
        size, told = int(rest[1]), rest[2:]
        print("pick cards -1 3 0 10 20 30 40 50", flush=True)
        print("ask 1 7\\nask 0\\nshared", size, *told, *input().split()[1:], "\\nend")
    elif word == "check":
        kept.append("fine" if rest[1:] == ["1"] else "illegal 1 1 not one" if len(rest) == 2 else "malformed short")
        continue
    elif word == "verdicts":
        print(*kept, sep="\\n")
        kept = []
    elif word == "go":
        print("over done\\nscores 3 -2\\nshares 8 6 2\\nend")
    elif word == "facts":
        print("end")
    sys.stdout.flush()
"""


def test_a_judge_with_verdicts_at_once_shared_integers_and_shares(tmp_path):
    path = tmp_path / "pot.py"
    path.write_text(POT)
    path.chmod(0o755)
    env = referee.parallel_env(str(path), choices=3, seats=2, size=5, reward="share")
    observations, infos = env.reset(seed=2)
    first, second = (observations[agent].tolist() for agent in env.agents)
    assert second == [7, *first[:-1]] and first[:3] == [5, 50, 60] and first[3:6] == sorted(set(first[3:6]))
    assert all(info["action_mask"].tolist() == [0, 1, 0] for info in infos.values())
    _, rewards, over, _, infos = env.step({"seat_0": 1, "seat_1": 2})
    assert rewards == {"seat_0": 0.75, "seat_1": 0.25} and all(over.values())
    assert infos["seat_1"]["fault"] == "illegal: 1 of 1: not one" and env.table.game.scores == [3, -2]
    assert env.table.game.answer(0, []) is None, "the game is over"


def test_bad_input_and_bad_judges_are_named(tmp_path):
    judge = tmp_path / "judge.py"
    judge.write_text("#!/usr/bin/env python3\nraise SystemExit(3)\n")
    judge.chmod(0o755)
    for make, error, words in [
        (lambda: referee.parallel_env(TRON), ValueError, "give choices=N"),
        (lambda: referee.parallel_env(TRON, choices=4, sid=7), ValueError, r"sid \(there are: seats, side\)"),
        (lambda: referee.parallel_env(TRON, choices=4, side=99), ValueError, "side must be 5 to 40, not 99"),
        (lambda: referee.parallel_env(TRON, length=3, **SHORT), ValueError, "of 56 integers; give length=56"),
        (lambda: referee.parallel_env(str(judge), choices=4), RuntimeError, "status 3; last request: describe"),
        (lambda: referee.parallel_env("./none.py", choices=4), FileNotFoundError, "none.py"),
        (lambda: referee.env(TRON, render_mode="rgb_array", **SHORT), ValueError, "a judge has no pixels"),
    ]:
        with pytest.raises(error, match=words):
            make().reset(seed=1)
