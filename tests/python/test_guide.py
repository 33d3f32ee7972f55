"""The programs of the guides on Python run, in their order, each guide in one folder."""

import os
import re
import subprocess
import sys

import referee
from conftest import ROOT


def blocks_of(guide):
    """Returns the commands and programs of a guide: kind, words after it, text."""
    page = (ROOT / "docs" / "guides" / guide).read_text()
    return re.findall(r"^```(python|sh) ?([\w. -]*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_programs_of_the_guide_run(program, tmp_path):
    ran = []
    for kind, name, text in blocks_of("python.md"):
        if kind == "sh" and name != "by-hand":
            words = text.replace("referee", program, 1).split()
            subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
        elif kind == "python":
            (tmp_path / name).write_text(text)
            done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, f"{name}: {done.stderr}"
            ran.append(name)
    assert ran == ["play.py", "own.py", "many.py", "rivals.py", "read.py", "bring.py", "plain.py"]
    subprocess.run([program, "check", "./plain", "--game", "push"], cwd=tmp_path, check=True, capture_output=True)


# After the learner: in positions of random games, the policies of the bot and of the training make the same choices.
ALIKE = """
for turn in range(3):
    boards = env.observations[:, place].astype(float)
    env.step(np.stack([actions[seat, choose(boards[:, seat], worth[turn], 1e9)] for seat in range(6)], axis=1))
lists, alike = {name: np.asarray(array).tolist() for name, array in weights.items()}, []
for seat in range(6):
    chosen = actions[seat, choose(env.observations[:, place[seat]].astype(float), worth[3], 0)]
    looks = zip(env.seen_by(seat), env.masks[:, seat])
    alike += [policy(bytes(look), bytes(mask), lists) == push for (look, mask), push in zip(looks, chosen)]
assert np.mean(alike) > 0.98, np.mean(alike)  # The bot's numbers are rounded.
"""


def test_the_learner_of_the_guide_learns_and_its_bot_plays_on_a_hill(program, tmp_path):
    (_, name, learner), (_, by_hand, _), (_, packaged, commands) = blocks_of("train.md")
    assert (name, by_hand, packaged) == ("train.py", "by-hand", "packaged")
    (tmp_path / name).write_text(learner + ALIKE)
    words = [sys.executable, name, "3", "200"]  # The guide has 10 updates of 1,000 games.
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, *_, last = ([float(mean) for mean in line.split()] for line in done.stdout.splitlines()[1:])
    assert last[1] > first[1] + 2 and last[1] > last[3] + 3, done.stdout

    # A few rounds here; a verdict needs some hundred.
    assert commands.count("--until-clear") == 1
    commands = commands.replace("--until-clear", "--rounds 5")
    os.symlink(program, tmp_path / "referee")
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", commands], cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = referee.results(tmp_path / "hill" / "results.csv")
    own = results["bot"] == "learned"
    assert own.sum() == 10 and not any(results["faults"][own]) and set(results["sandbox"]) == {"strict"}
    assert (results["score"][own] > 0).all(), "an invalid push makes the score 0"
