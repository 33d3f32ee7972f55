"""The vector of games is Gymnasium's: spaces, modes of restarts, last observations. House bots are rivals by name."""

import copy
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import referee
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from test_judges import TRON

SHORT = {"football": {"p": 2, "k": 46, "max_turns": 5}, "foosball": {}, "push": {"turns": 5}}


@pytest.mark.parametrize("game", SHORT)
def test_a_vector_env_is_gymnasiums_with_its_spaces(game):
    env = referee.vector_env(game, 3, **SHORT[game])
    assert isinstance(env, VectorEnv) and env.unwrapped is env and env.num_envs == 3
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.observation_space == batch_space(env.single_observation_space, 3)
    assert env.action_space == batch_space(env.single_action_space, 3)
    observations, infos = env.reset(seed=4, options={})
    assert env.observation_space.contains(observations) and isinstance(infos, dict)
    for _ in range(8):
        observations, rewards, terminations, truncations, infos = env.step(env.action_space.sample())
        assert env.observation_space.contains(observations) and env.reward_space.contains(rewards[0])
        assert terminations.shape == truncations.shape == (3,) and terminations.dtype == truncations.dtype == np.bool_
    env.close()
    assert env.closed


def test_observation_wrappers_of_gymnasium_take_it():
    env = referee.vector_env("push", 3, turns=5, autoreset_mode=AutoresetMode.NEXT_STEP)
    wrapped = gymnasium.wrappers.vector.RescaleObservation(
        gymnasium.wrappers.vector.DtypeObservation(env, np.float32), np.float32(0), np.float32(1)
    )
    wrapped.reset(seed=1)
    for _ in range(7):
        observations, *_ = wrapped.step(wrapped.action_space.sample())
        assert observations.shape == env.observations.shape and 0 <= observations.min() <= observations.max() <= 1


OBSERVERS = {
    "flatten": lambda env: gymnasium.wrappers.vector.FlattenObservation(env),
    "reshape": lambda env: gymnasium.wrappers.vector.ReshapeObservation(env, env.single_observation_space.shape),
    "transform": lambda env: gymnasium.wrappers.vector.VectorizeTransformObservation(
        env,
        gymnasium.wrappers.TransformObservation,
        func=lambda seen: seen + 1,
        observation_space=env.single_observation_space,
    ),
}


@pytest.mark.parametrize("wrap", OBSERVERS)
@pytest.mark.parametrize("game", SHORT)
def test_wrappers_that_write_into_observations_take_copies(game, wrap):
    name, short = f"referee/{game.capitalize()}-v1", SHORT[game]
    mode = AutoresetMode.NEXT_STEP
    for make in (
        lambda: gymnasium.make_vec(name, num_envs=3, **short),
        lambda: gymnasium.make_vec(name, num_envs=3, vectorization_mode="sync", **short),
        lambda: referee.vector_env(game, 3, autoreset_mode=mode, copy=True, **short),
    ):
        plain, wrapped = make(), OBSERVERS[wrap](make())
        seen, due = wrapped.reset(seed=1)[0], plain.reset(seed=1)[0]
        for turn in range(8):
            assert (seen.ravel() == (due + np.uint8(wrap == "transform")).ravel()).all(), turn
            actions = plain.action_space.sample()
            seen, due = wrapped.step(actions)[0], plain.step(actions)[0]
    with pytest.raises(ValueError, match="read-only"):  # as the guide says
        OBSERVERS["transform"](referee.vector_env(game, 3, autoreset_mode=mode, **short)).reset(seed=1)


@pytest.mark.parametrize("kind", ["make_vec", "vector_env", "rivals"])
@pytest.mark.parametrize("game", SHORT)
def test_copies_stay_as_they_were_and_can_be_written_into(game, kind):
    rivals = "random" if game == "push" else "still"
    env = {
        "make_vec": lambda: gymnasium.make_vec(f"referee/{game.capitalize()}-v1", num_envs=3, **SHORT[game]),
        "vector_env": lambda: referee.vector_env(game, 3, copy=True, **SHORT[game]),
        "rivals": lambda: referee.vector_env(game, 3, rivals=rivals, copy=True, **SHORT[game]),
    }[kind]()
    kept = []

    def keep(observations, *rest, infos):
        arrays = [observations, *rest, *([infos["action_mask"]] if "action_mask" in infos else [])]
        kept.extend((array, array.copy()) for array in arrays)

    observations, infos = env.reset(seed=1)
    keep(observations, infos=infos)
    for _ in range(7):
        *arrays, infos = env.step(env.action_space.sample())
        keep(*arrays, infos=infos)
        assert env.masks is None or infos["_action_mask"].all()
    assert all((array == then).all() for array, then in kept)
    due = env.observations.tobytes()
    for array, _ in kept:
        array[:] = 1
    assert env.observations.tobytes() == due
    fast = gymnasium.make_vec(f"referee/{game.capitalize()}-v1", num_envs=3, copy=False, **SHORT[game])
    assert fast.reset(seed=1)[0] is fast.observations


def test_make_vec_has_pictures_limits_and_seeds_for_each_game():
    make = lambda **more: gymnasium.make_vec("referee/Push-v1", num_envs=2, rivals="random", **more)  # noqa: E731
    shown = make(render_mode="rgb_array")
    shown.reset(seed=1)
    assert len(shown.render()) == 2 and shown.render()[0].shape[2] == 3
    short, long = make(max_episode_steps=3), make()

    def played(env, seed):  # Games of Push begin equally; what the rivals do is drawn.
        env.reset(seed=seed)
        return [env.step([0, 0])[0].tolist() for _ in range(2)][-1]

    due = played(long, [5, 9])
    assert played(short, [5, 9]) == due == [played(long, seed)[0] for seed in (5, 9)] == played(long, (5, 9))
    assert short.step([0, 0])[3].all() and not long.step([0, 0])[3].any()
    drawn = [played(long, [5, None]) for _ in range(2)]
    assert drawn[0][0] == drawn[1][0] == due[0] and drawn[0][1] != drawn[1][1]
    wrapped = make(vectorization_mode="sync", wrappers=[lambda env: gymnasium.wrappers.TimeLimit(env, 2)])
    wrapped.reset(seed=1), wrapped.step([0, 0])
    *_, truncations, infos = wrapped.step([365, 365])
    assert truncations.all() and all("illegal" in fault for fault in infos["fault"])
    with pytest.raises(ValueError, match="max_episode_steps must be 1 to"):
        make(max_episode_steps=0)
    with pytest.raises(ValueError, match="render_mode must be None, 'ansi' or 'rgb_array', not 'x'"):
        make(render_mode="x")


def test_a_seed_seeds_gymnasiums_dice():
    env = referee.vector_env("push", 2)
    env.reset(seed=5)
    assert env.np_random_seed == 5
    first = env.np_random.integers(2**60)
    other = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    due = env.np_random.integers(2**60)
    assert [each.np_random.integers(2**60) for each in other] == [due, due]
    env.reset(seed=5)
    assert env.np_random.integers(2**60) == first
    env.reset(seed=[7, 5])
    assert env.np_random_seed == 7


def actions_of(env, random):
    return random.integers(env.choices, size=env.action_shape)


@pytest.mark.parametrize("game", ["football", "push"])
def test_the_last_observation_is_that_of_a_game_that_is_not_restarted(game):
    modes = {mode: referee.vector_env(game, 4, autoreset_mode=mode, **SHORT[game]) for mode in AutoresetMode}
    same, after, never = (modes[mode] for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED))
    assert all(env.metadata["autoreset_mode"] is mode for mode, env in modes.items())
    for env in modes.values():
        env.reset(seed=9)
    random, ends = np.random.default_rng(1), "truncations" if game == "football" else "terminations"
    for turn in range(1, 20):
        actions = actions_of(same, random)
        told = {env: [each.copy() for each in env.step(actions)[:4]] for env in modes.values()}
        if not getattr(same, ends).any():
            continue
        infos = same._infos()  # Only `step` has the last observations.
        assert "final_obs" not in infos
        assert getattr(same, ends).all() and getattr(after, ends).all() and getattr(never, ends).all()
        assert all((first == second).all() for first, second in zip(told[after], told[never]))
        break
    # The same turn once more, with its infos.
    same.reset(seed=9)
    random = np.random.default_rng(1)
    for _ in range(turn):
        observations, _, terminations, truncations, infos = same.step(actions_of(same, random))
    assert infos["_final_obs"].all() and (terminations | truncations).all()
    assert all((infos["final_obs"][at] == never.observations[at]).all() for at in range(4))
    assert (observations != never.observations).any()
    # The next step restarts, and does not look at the actions.
    observations, rewards, terminations, truncations, _ = after.step(actions_of(after, random))
    assert (observations == same.observations).all() and not rewards.any()
    assert not terminations.any() and not truncations.any()
    # Without restarts a game waits for its reset; the others go on.
    with pytest.raises(ValueError, match=r'game 0 has ended: restart it by reset\(options={"reset_mask": ...}\)'):
        never.step(actions)
    ended = never.observations.copy()
    which = np.array([True, False, True, False])
    observations, _ = never.reset(options={"reset_mask": which})
    assert (observations[which] == same.observations[which]).all() and (observations[~which] == ended[~which]).all()
    with pytest.raises(ValueError, match="game 1 has ended"):
        never.step(actions)
    never.reset(seed=5, options={"reset_mask": ~which})
    never.step(actions)
    assert not never.terminations.any() and not never.truncations.any()


def test_games_of_different_lengths_keep_their_own_last_observations():
    parameters = {"p": 3, "k": 46, "max_turns": 400, "stall_turns": 3}
    env = referee.vector_env("football", 6, autoreset_mode="SameStep", **parameters)
    alone = referee.vector_env("football", 6, autoreset_mode=AutoresetMode.DISABLED, **parameters)
    env.reset(seed=3), alone.reset(seed=3)
    random, seen, over = np.random.default_rng(2), 0, np.zeros(6, bool)
    for _ in range(60):
        actions = actions_of(env, random)
        *_, terminations, truncations, infos = env.step(actions)
        alone.step(actions)
        ended = terminations | truncations
        assert ("final_obs" in infos) == ended.any()
        if ended.any():
            assert (infos["_final_obs"] == ended).all() and (ended == (alone.terminations | alone.truncations)).all()
            for at, last in enumerate(infos["final_obs"]):
                assert (last is None) != ended[at]
                assert last is None or (last == alone.observations[at]).all()
            seen += ended.sum()
            alone.reset(options={"reset_mask": ended})
        assert (env.observations == alone.observations).all()
    assert seen > 6


def test_wrong_modes_and_masks_are_named():
    with pytest.raises(ValueError, match="autoreset_mode must be one of NextStep, SameStep, Disabled, not 'never'"):
        referee.vector_env("push", 2, autoreset_mode="never")
    env = referee.vector_env("push", 2)
    for bad in ([True], [1, 0]):
        with pytest.raises(TypeError, match=r"reset_mask: expected booleans of shape \(2,\), not"):
            env.reset(options={"reset_mask": bad})


def test_footballs_observation_has_the_turn_the_last_turn_and_the_scores():
    env = referee.parallel_env("football", p=20, k=46, max_turns=70_000)
    env.reset(seed=2)
    while len(set(env.table.game.scores)) < 4:
        observations, *_ = env.step({agent: env.sample(agent) for agent in env.agents})
    scores = env.table.game.scores
    for seat, agent in enumerate(env.agents):
        told = observations[agent][6].ravel()
        assert not told[18:].any()
        numbers = [int.from_bytes(told[at : at + 3].tobytes(), "big") for at in range(0, 18, 3)]
        assert numbers == [env.table.game.turn, 70_000, *scores[seat:], *scores[:seat]]


def test_random_actions_within_the_masks_of_foosball_are_legal():
    env, checked, stepped = referee.parallel_env("foosball"), 0, set()
    _, infos = env.reset(seed=6)
    while env.agents:
        before = {agent: info["action_mask"] for agent, info in infos.items()}
        actions = {agent: env.action_space(agent).sample(mask) for agent, mask in before.items()}
        stepped |= {man for man, row in enumerate(before["seat_0"]) if row.sum() in (2, 3)}
        *_, infos = env.step(actions)
        assert not any("fault" in info for info in infos.values()), infos
        checked += 2
    assert checked == 1600 and len(stepped) > 22, "each man on a row steps, and tired ones are replaced"


def test_random_actions_within_the_masks_of_many_games_of_foosball_are_legal():
    env = referee.vector_env("foosball", 5)
    _, infos = env.reset(seed=1)
    games = [referee.Game("foosball", seed=1 + at) for at in range(5)]
    random = np.random.default_rng(3)
    for _ in range(450):
        assert infos["action_mask"] is env.masks and env.masks.shape == (5, 2, 26, 10)
        actions = (random.random(env.masks.shape) * env.masks).argmax(axis=-1)
        for game, answers in zip(games, actions):
            for seat, numbers in enumerate(answers):
                assert game.answer(seat, [int(row) - 5 if row else 100 for row in numbers]) is None
            game.play()
        *_, infos = env.step(actions)


NAMES = {
    "football": "still, random, greedy, sweeper, champion",
    "foosball": "still, chaser, planner",
    "push": "random, homeward, reader, planner",
    "target": "still, random, lurker, bayes",
}


@pytest.mark.parametrize("game", NAMES)
def test_an_unknown_rival_is_refused_with_the_names_of_the_house_bots(game):
    with pytest.raises(ValueError) as raised:
        gymnasium.make(f"referee/{game.capitalize()}-v1", rivals="nobody")
    assert str(raised.value) == f'{game}: no house bot "nobody" (there are: {NAMES[game]})'


def test_rivals_of_another_number_and_house_bots_of_a_judge_are_refused():
    with pytest.raises(ValueError, match="rivals: push has 5 other seats, not 2"):
        referee.env("push", rivals=["random", "reader"])
    with pytest.raises(ValueError, match="a judge has no house bots; rivals must be a function or None"):
        referee.env(TRON, rivals="random", choices=4, seats=2)
    with pytest.raises(ValueError, match="seat 1 has no house bot"):
        referee.Game("push").think(1)
    game = referee.Game("target")
    game.seat_bot(1, "still")
    with pytest.raises(ValueError, match="seat 1 is not asked in turn 0"):
        game.think(1)


def test_house_bots_as_rivals_play_as_they_do_at_the_referee(program, tmp_path):
    words = "play push random homeward reader planner homeward reader --turns 6 --seed 8 --sandbox off"
    words += " --turn-ms 100000 --first-ms 100000"
    subprocess.run([program, *words.split()], cwd=tmp_path, check=True, capture_output=True)
    [path] = (tmp_path / "games" / "logs").glob("*.csv")
    log = referee.Log(path)
    env = referee.env("push", seat=0, turns=6, rivals=["homeward", "reader", "planner", "homeward", "reader"])
    env.reset(seed=8)
    for turn in range(6):
        orders = log.moves["order"][(log.moves["turn"] == turn) & (log.moves["seat"] == 0)]
        slot, way = (int(number) for number in orders)
        *_, info = env.step(6 * slot + way)
        assert "fault" not in info
    assert env.table.game.outcome[0] == log.scores


@pytest.mark.parametrize(
    ("game", "rivals"),
    [("push", "random"), ("push", "planner"), ("football", "sweeper"), ("foosball", "chaser"), ("target", "random"), ("target", "bayes")],
)
def test_games_against_house_bots_go_on_equally_from_copies(game, rivals):
    short = {"target": {"seats": 3, "max_rounds": 40}}.get(game, SHORT.get(game, {}))
    env = referee.env(game, rivals=rivals, **short)
    env.reset(seed=7)
    draws = np.random.default_rng(1)

    def go_on(env, count):
        told = []
        for _ in range(count):
            observation, *rest, info = env.step(env.table.sample("seat_0"))
            told.append((observation.tolist(), rest))
            if rest[1] or rest[2]:
                break
        return told

    go_on(env, 3)
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
    due = go_on(env, 10)
    assert all(go_on(other, 10) == due for other in others)
    assert "fault" not in str(env.table.faults)


RIVALS = {"football": ["sweeper", "random", "greedy"], "foosball": "chaser", "push": "planner"}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("game", RIVALS)
def test_many_games_against_house_bots_are_the_games_of_one_seat(game, mode):
    seat, n, short = (1, 3, SHORT[game])
    many = referee.vector_env(game, n, seat=seat, rivals=RIVALS[game], threads=2, autoreset_mode=mode, **short)
    envs = [referee.env(game, seat=seat, rivals=RIVALS[game], **short) for _ in range(n)]
    assert many.single_observation_space == envs[0].observation_space
    assert many.single_action_space == envs[0].action_space
    observations, infos = many.reset(seed=7)
    looks, seeds = [env.reset(seed=7 + at) for at, env in enumerate(envs)], [7 + at for at in range(n)]
    random, ended = np.random.default_rng(1), np.zeros(n, bool)
    for turn in range(13 if game != "foosball" else 3):
        for at, (observation, info) in enumerate(looks):
            assert (observations[at] == observation).all(), (turn, at)
            assert (infos["action_mask"][at] == np.array(info["action_mask"])).all()
        actions = np.array([env.table.sample(f"seat_{seat}") for env in envs])
        if turn % 4 == 3:  # Illegal ones, too.
            actions = random.integers(many.choices, size=many.action_shape)
        observations, rewards, terminations, truncations, infos = many.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (n,)
        if ended.any() and mode is AutoresetMode.NEXT_STEP:
            seeds = [each + n for each in seeds]
            looks, ended = [env.reset(seed=each) for env, each in zip(envs, seeds)], np.zeros(n, bool)
            assert not rewards.any() and not terminations.any() and not truncations.any()
            continue
        for at, env in enumerate(envs):
            *looks[at], reward, over, cut, info = env.step(actions[at])
            looks[at] = looks[at][0], info
            assert rewards[at] == reward and (terminations[at], truncations[at]) == (over, cut)
        ended = terminations | truncations
        if ended.any():
            seeds = [each + n for each in seeds] if mode is not AutoresetMode.NEXT_STEP else seeds
            if mode is AutoresetMode.SAME_STEP:
                assert all((last == look[0]).all() for last, look in zip(infos["final_obs"], looks))
            if mode is AutoresetMode.DISABLED:
                observations, infos = many.reset(options={"reset_mask": ended})
            if mode is not AutoresetMode.NEXT_STEP:
                looks = [env.reset(seed=each) for env, each in zip(envs, seeds)]
    assert seeds != [7 + at for at in range(n)] or game == "foosball"


@pytest.mark.parametrize("rivals", [*RIVALS, None])
def test_many_games_against_house_bots_go_on_equally_from_copies(rivals):
    game = rivals or "push"
    rivals = rivals and RIVALS[rivals]
    env = referee.vector_env(game, 3, seat=1, rivals=rivals, autoreset_mode="NextStep", **SHORT[game])
    env.reset(seed=5)

    def go_on(env, seed, turns):
        random, told = np.random.default_rng(seed), []
        for _ in range(turns):
            *rest, infos = env.step(random.integers(env.choices, size=env.action_shape))
            told.append(([each.tolist() for each in rest], infos["action_mask"].tolist()))
        return told

    for turns in (2, 3, 2):
        go_on(env, turns, turns)
        others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
        due = go_on(env, 9, 4)
        assert all(go_on(other, 9, 4) == due for other in others)
    make, (made, _, *rest), _ = env.__reduce__()
    for wrong in ([1], [0, 0, 10**9], [0, 7]):
        with pytest.raises(ValueError, match="a pickled vector whose games do not follow their own rules"):
            make(made, [wrong] * 3, *rest)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_wrappers_for_rewards_take_a_vector_of_one_seat(mode):
    wrappers, parameters = gymnasium.wrappers.vector, {"rivals": "homeward", "turns": 4, "autoreset_mode": mode}
    counted = wrappers.RecordEpisodeStatistics(gymnasium.make_vec("referee/Push-v1", num_envs=3, **parameters))
    scaled = wrappers.NormalizeReward(wrappers.ClipReward(counted, -5, 5))
    plain = gymnasium.make_vec("referee/Push-v1", num_envs=3, **parameters)
    assert isinstance(plain, referee.VectorEnv) and plain.metadata["autoreset_mode"] is mode
    scaled.reset(seed=1), plain.reset(seed=1)
    scaled.action_space.seed(2)
    total, episodes = np.zeros(3), 0
    for _ in range(20):
        actions = scaled.action_space.sample()
        _, rewards, _, _, infos = scaled.step(actions)
        _, due, terminations, truncations, _ = plain.step(actions)
        total += due
        assert rewards.shape == (3,)
        if "episode" in infos:
            episodes += 1
            assert (terminations | truncations).all()
            assert infos["episode"]["r"] == pytest.approx(total) and (infos["episode"]["l"] == 4).all()
            total[:] = 0
    assert episodes >= 4 and counted.episode_count == 3 * episodes


def test_wrappers_for_one_reward_do_not_take_rewards_of_all_seats():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(referee.vector_env("push", 3, turns=2))
    env.reset(seed=1)
    with pytest.raises(ValueError):
        env.step(env.action_space.sample())


def test_a_vector_of_one_seat_has_no_observations_of_others():
    env = referee.vector_env("push", 2, seat=3)
    assert env.agents == ["seat_3"] and env.observations[0, -3] == 1 and env.masks.shape == (2, 366)
    with pytest.raises(ValueError, match="seen_by: these are the observations of seat 3 already"):
        env.seen_by(3)
    with pytest.raises(ValueError, match="target: its seats take turns; use aec_env"):
        referee.vector_env("target", 2, rivals="still")
    # So its environments are played one after the other.
    envs = gymnasium.make_vec("referee/Target-v1", num_envs=2, rivals="still", seats=3)
    envs.reset(seed=1)
    assert envs.step(envs.action_space.sample())[1].shape == (2,)


WITHOUT = """
import sys
sys.modules["gymnasium"] = None
import numpy as np, referee
env = referee.vector_env("push", 2, turns=1)
observations, _ = env.reset(seed=1)
*_, terminations, truncations, infos = env.step(np.zeros((2, 6), int))
assert terminations.all() and infos["_final_obs"].all() and env.metadata["autoreset_mode"] == "SameStep"
"""


def test_a_vector_env_works_with_numpy_alone():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)
