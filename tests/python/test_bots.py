"""A policy becomes one file with the same observations as in the environment, and plays on a hill."""

import os
import subprocess
import sys

import numpy as np
import pytest
import referee


def greedy(observation, mask, weights):
    """The first allowed choice with the greatest weight, for arrays and lists."""
    weight = weights["weight"]
    return max((at for at in range(len(mask)) if mask[at]), key=lambda at: (weight[at], -at))


def layers(observation, mask, weights):
    """A network of two layers."""
    hidden = np.maximum(observation.astype(np.float32).ravel() @ weights["first"], 0)
    logits = hidden @ weights["second"]
    return int(np.argmax(np.where(mask, logits, -np.inf)))


def each_player(observation, mask, weights):
    return [int(np.flatnonzero(row)[-1]) for row in mask]



RANDOM = np.random.default_rng(4)
WEIGHT = {"weight": RANDOM.random(366).round(3)}
NETWORK = {"first": RANDOM.normal(size=(86, 16)), "second": RANDOM.normal(size=(16, 366))}
MOVES = {"first": RANDOM.normal(size=(12288, 4)), "second": RANDOM.normal(size=(4, 5))}


@pytest.mark.parametrize(
    ("game", "policy", "weights", "numpy", "parameters"),
    [
        ("push", greedy, WEIGHT, False, {"turns": 12}),
        ("push", layers, NETWORK, True, {"turns": 12}),
        ("target", layers, MOVES, True, {"seats": 3, "max_rounds": 20}),
        ("football", each_player, {}, True, {"p": 2, "k": 5, "max_turns": 10}),
    ],
)
def test_a_bot_answers_as_its_policy_does_in_the_environment(game, policy, weights, numpy, parameters, tmp_path):
    bot = tmp_path / "bot"
    kept = {name: parameters[name] for name in ("p",) if name in parameters}
    referee.to_bot(policy, bot, game=game, weights=weights, numpy=numpy, **kept)
    env = referee.aec_env(game, **parameters)
    env.reset(seed=2)
    process = subprocess.Popen([sys.executable, bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    asked = 0
    for agent in env.agent_iter():
        observation, _, over, cut, info = env.last()
        if over or cut:
            break
        action = env.sample(agent)
        if agent == "seat_0":
            asked += 1
            question = env.table.game.question(0)
            process.stdin.write(f"{len(question)} {' '.join(map(str, question))}\n")
            process.stdin.flush()
            action = policy(observation, np.array(info["action_mask"]), weights)
            integers = env.table.seen[agent].integers(list(np.atleast_1d(action)))
            assert process.stdout.readline() == f"@{asked} {' '.join(map(str, integers))}\n"
        env.step(np.array(action) if env.action_space(agent).shape else action)
    process.stdin.close()
    process.stdout.close()
    assert process.wait() == 0 and asked > 5


@pytest.mark.parametrize(("policy", "weights", "numpy"), [(greedy, WEIGHT, False), (layers, NETWORK, True)])
def test_a_bot_plays_on_a_hill_within_its_sandbox(program, policy, weights, numpy, tmp_path):
    # The host lists the folders with numpy: the virtual environment, and its base Python.
    path = f"{sys.prefix}/bin:{os.environ['PATH']}" if numpy else os.environ["PATH"]

    def run(*words):
        done = subprocess.run(
            [program, *words], cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PATH": path}
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"

    run("hill", "new", "hill", "push", "--turns", "10", "--seed", "1", "--turn-ms", "20000", "--first-ms", "60000")
    if numpy:
        file = tmp_path / "hill" / "hill.toml"
        listed = f'interpreters = ["{sys.prefix}", "{sys.base_prefix}"]'
        file.write_text(file.read_text().replace("interpreters = []", listed))
    bot = tmp_path / "learned"
    referee.to_bot(policy, bot, game="push", weights=weights, numpy=numpy)
    assert os.access(bot, os.X_OK)
    for entrant in ("./learned", "homeward", "random", "reader"):
        run("hill", "submit", "hill", entrant)
    run("hill", "run", "hill", "--rounds", "1")
    results = referee.results(tmp_path / "hill" / "results.csv")
    own = results["bot"] == "learned"
    assert own.any() and not any(results["faults"][own]), results["faults"][own]
    # An invalid push would make the score 0.
    assert (results["score"][own] > 0).all() and set(results["sandbox"]) == {"strict"}


def test_a_policy_that_a_file_cannot_hold_is_refused(tmp_path):
    outside = 3

    def closure(observation, mask, weights):
        return outside

    def globals_of_the_module(observation, mask, weights):
        return WEIGHT

    for policy, words in [
        (closure, "closure uses outside: pass it in weights, or import it inside"),
        (globals_of_the_module, "globals_of_the_module uses WEIGHT: pass it in weights"),
        (lambda observation, mask, weights: 0, "a policy must be a function defined with def, not"),
        (layers, "layers uses np: pass it in weights, or import it inside"),
    ]:
        with pytest.raises(TypeError, match=words):
            referee.to_bot(policy, tmp_path / "bot", game="push", numpy=policy is not layers)
    with pytest.raises(ValueError, match="no such game: chess"):
        referee.to_bot(greedy, tmp_path / "bot", game="chess")
    assert not (tmp_path / "bot").exists()
