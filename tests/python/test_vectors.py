"""Many games at once are the same games."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import referee

SHORT = {"football": {"p": 3, "k": 20, "max_turns": 25}, "foosball": {}, "push": {"turns": 12}}


def actions_of(envs, seats):
    return np.array([[env.sample(f"seat_{seat}") for seat in range(seats)] for env in envs])


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("reward", ["score", "share"])
@pytest.mark.parametrize("game", SHORT)
def test_each_game_is_what_one_alone_is(game, reward, threads):
    n = 4
    vector = referee.vector_env(game, n, reward=reward, threads=threads, **SHORT[game])
    vector.reset(seed=11)
    envs = [referee.parallel_env(game, reward=reward, **SHORT[game]) for _ in range(n)]
    looks = [env.reset(seed=11 + number) for number, env in enumerate(envs)]
    seeds, ended = [11 + number for number in range(n)], 0
    for _ in range(40):
        for seat, agent in enumerate(vector.agents):
            seen = vector.seen_by(seat)
            for number, (observations, infos) in enumerate(looks):
                assert np.array_equal(seen[number], observations[agent]), (game, number, agent)
                if vector.masks is not None:
                    assert np.array_equal(vector.masks[number, seat], infos[agent]["action_mask"])
        actions = actions_of(envs, len(vector.agents))
        _, rewards, terminations, truncations, _ = vector.step(actions)
        for number, env in enumerate(envs):
            chosen = dict(zip(vector.agents, actions[number]))
            observations, gained, over, cut, infos = env.step(chosen)
            assert list(gained.values()) == pytest.approx(rewards[number].tolist(), abs=1e-6)
            assert (terminations[number], truncations[number]) == (over["seat_0"], cut["seat_0"])
            over = over["seat_0"] or cut["seat_0"]
            looks[number] = observations, infos
            if over:
                ended += 1
                seeds[number] += n
                looks[number] = env.reset(seed=seeds[number])
    assert ended > 0 or game == "foosball"


def test_arrays_stay_where_they_are_and_cannot_be_overwritten():
    vector = referee.vector_env("push", 2)
    before = vector.observations
    observations, rewards, terminations, truncations, _ = vector.step(np.zeros((2, 6), np.int64))
    assert observations is before and rewards is vector.rewards
    assert terminations is vector.terminations and truncations is vector.truncations
    with pytest.raises(ValueError, match="read-only"):
        observations[0, 0] = 1


def test_bad_actions_name_the_game_and_the_seat():
    vector = referee.vector_env("football", 3, p=2)
    actions = np.zeros((3, 4, 2), np.int64)
    for value in (1033, -1, 2**40):
        actions[2, 1, 1] = value
        with pytest.raises(ValueError, match="game 2, seat_1, number 1: an action is 0 to 1032, not"):
            vector.step(actions)
    for bad in (actions[:2], actions.astype(float)):
        with pytest.raises(TypeError, match=r"actions: expected integers of shape \(3, 4, 2\), not"):
            vector.step(bad)
    with pytest.raises(ValueError, match="target: its seats take turns"):
        referee.vector_env("target", 2)
    with pytest.raises(ValueError, match="n must be 1 to 1048576, not 0"):
        referee.vector_env("push", 0)


def test_games_go_on_in_a_forked_process():
    vector = referee.vector_env("push", 8, threads=2)
    vector.step(np.zeros((8, 6), np.int32))
    child = os.fork()
    if child == 0:
        signal.alarm(100)  # It would wait for ever without threads of its own.
        vector.step(np.zeros((8, 6), np.int32))
        del vector
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    vector.step(np.zeros((8, 6), np.int32))


# In a process of its own, where no threads of other games are about to end.
THREADS = """
import os, time
import numpy as np
import referee

count = lambda: len(os.listdir("/proc/self/task"))
before = count()
vector = referee.vector_env("push", 8, threads=3)
assert count() == before, "none before they are needed"
for _ in range(5):
    vector.step(np.zeros((8, 6), np.int32))
    assert count() == before + 2
del vector
for _ in range(10_000):
    if count() == before:
        break
    time.sleep(0.01)
assert count() == before
"""


def test_threads_wait_between_steps_and_end_with_their_games():
    subprocess.run([sys.executable, "-c", THREADS], check=True)


def test_other_threads_run_while_games_are_stepped():
    # Python hands its lock over only where it is released: the other thread counts during a step, or never.
    vector = referee.vector_env("football", 4000, p=1)
    actions = np.full((4000, 4), 4, np.int32)
    counted, within, stop = [0], [], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    before_test = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=count, daemon=True)
        thread.start()
        for _ in range(200):
            before = counted[0]
            vector.step(actions)
            within.append(counted[0] - before)
            if within[-1]:
                break
    finally:
        stop.set()
        sys.setswitchinterval(before_test)
    thread.join()
    assert within[-1] > 0


def test_without_a_seed_each_vector_plays_its_own_games_and_a_seed_repeats_them():
    def played(vector):
        random = np.random.default_rng(1)
        for _ in range(40):
            vector.step(random.integers(0, vector.choices, vector.action_shape))
        return vector.observations.tobytes()

    def firsts(*seed):
        # With that many players, the draws of a game hardly ever come to the same.
        vector = referee.vector_env("football", 2, p=60, k=46, max_turns=60)
        first = vector.reset(*seed) is not None and played(vector)
        vector.reset()
        return [first, played(vector)]

    drawn = [look for _ in range(4) for look in firsts()]
    assert len(set(drawn)) == len(drawn)
    assert firsts(5) == firsts(5)


MEMORY = """
import resource, sys
import referee

game, seat, more = sys.argv[1], eval(sys.argv[2]), int(sys.argv[3]) << 20
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))
try:
    referee.vector_env(game, 1 << 16, seat=seat)
except MemoryError:
    print("MemoryError")
"""


@pytest.mark.parametrize(
    ("game", "seat", "mebibytes"),
    [
        ("football", None, [100, 400, 800]),
        ("football", 0, [100, 400, 800]),
        ("foosball", None, [30, 60]),
        ("foosball", 0, [30, 60, 150]),
        ("push", None, [30, 100]),
        ("push", 0, [30, 100]),
    ],
)
def test_more_games_than_memory_raise_memory_error(game, seat, mebibytes):
    for more in mebibytes:  # The greatest suffice for the arrays, and not for the games.
        words = [sys.executable, "-c", MEMORY, game, str(seat), str(more)]
        done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
        assert done.stdout == "MemoryError\n", (more, done.stderr)
