"""Recorded games of the original programs give the same positions and scores through Python.

Chance is not forced: among branches with other seeds, the one with the recorded result is used.
"""

import gzip
import json

import referee


def lines(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def as_recorded(game, answers, agrees):
    """Returns the branch of a game whose turn ends as recorded."""
    for seed in range(5000):
        branch = game.branch(seed)
        for seat, integers in enumerate(answers):
            branch.answer(seat, integers)
        branch.play()
        if agrees(branch):
            return branch
    raise AssertionError(f"turn {game.turn}: no chance makes it end as recorded")


def test_push(originals):
    turns = 0
    for record in lines(originals / "push" / "original-games.jsonl.gz"):
        game = referee.Game("push", turns=record["turns"])
        for played in record["rounds"]:
            # "No move at all" was an invalid attempt then: an empty line is.
            answers = [attempt or [] for attempt in played["attempts"]]
            game = as_recorded(game, answers, lambda branch: branch.question(0)[3:64] == played["after"])
            assert game.scores == played["scores"]
            turns += 1
        assert game.outcome[0] == record["rounds"][-1]["scores"]
    assert turns == 2410


def test_foosball(originals):
    rounds = 0
    for path in sorted((originals / "comfoosball").glob("*.jsonl.gz")):
        game = referee.Game("foosball", variant="server2013")
        for played in lines(path):
            state = played["state"]
            # The other team's men are on the rows of its roster.
            answers = [played["sent"], [-row for row in state[56:82]]]
            game = as_recorded(game, answers, lambda branch: branch.question(0) == state)
            assert game.scores == state[:2]
            rounds += 1
        assert game.outcome is not None
    assert rounds == 2400
