"""Judges as environments: games whose rules are a program. The judge runs unconfined, since it is the author's own.

Draws are determined by the seed, but they differ from those of `referee play` with the same seed.
"""

from __future__ import annotations

import subprocess
from array import array
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from . import arguments
from .seen import Seen

Line = list[Any]
# Maximum for sizes of questions and answers.
NUMBERS_MAX = 1 << 20


class Judge:
    """One game, with a process of its own. It implements the parts of `Game` that environments use.

    An answer has `width` numbers, each one of `choices`, from 0. `length` is the maximum number of integers in a
    question; by default, the length of the first questions.
    """

    def __init__(
        self, path: str, *, choices: int = 0, width: int = 1, length: int = 0, seed: int = 0, **parameters: int
    ) -> None:
        if choices == 0:
            raise ValueError(f"{path}: give choices=N if numbers are 0 to N - 1, width=M for M numbers")
        choices = arguments.whole(f"{path}: choices", choices, 1, NUMBERS_MAX)
        width = arguments.whole(f"{path}: width", width, 1, NUMBERS_MAX)
        length = arguments.whole(f"{path}: length", length, 0, NUMBERS_MAX)
        seed = arguments.whole("seed", seed, 0, arguments.SEED_MAX)
        self.made = {"choices": choices, "width": width, "length": length, "seed": seed, **parameters}
        self.done: list[tuple[int, list[int] | None] | None] = []
        self.path, self.choices, self.width, self.random = path, choices, width, np.random.default_rng(seed)
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines = list(self.ask([["describe"]], "end"))
        self.words = {line[0]: line[1:] for line in lines}
        self.teams = [[int(seat) for seat in line[1:]] for line in lines if line[0] == "team"]
        if not {"game", "seats"} <= self.words.keys():
            raise ValueError(f"{path}: its description has no line game or seats; `referee judge check` explains it")
        self.name, self.version = self.words["game"][0], int(self.words["game"][1])
        low, high = map(int, self.words["seats"])
        ranges = {"seats": [high, low, high]}
        ranges |= {line[1]: [int(number) for number in line[2:5]] for line in lines if line[0] == "parameter"}
        for name, value in parameters.items():
            if name not in ranges:
                raise ValueError(f"{path}: no such parameter: {name} (there are: {', '.join(ranges)})")
            parameters[name] = arguments.whole(f"{path}: {name}", value, ranges[name][1], ranges[name][2])
        values = [parameters.get(name, default) for name, (default, _, _) in ranges.items()]
        limits = self.words.get("time", ["1000", "5000"]) if "limits" in self.words else []
        self.seats = values[0]
        self.outcome: tuple[list[int], list[float], str] | None = None
        self.questions: dict[int, list[int]] = {seat: [] for seat in range(self.seats)}
        self.read([["start", *values, *limits]])
        self.length = length or max(map(len, self.questions.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns how an equal game is made: a judge of its own is told the same answers."""
        return restored, (self.path, self.made, list(self.done))

    def __del__(self) -> None:
        if process := getattr(self, "process", None):
            process.kill()
            process.communicate()

    def write(self, lines: Sequence[Line]) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write("".join(" ".join(map(str, line)) + "\n" for line in lines))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # The next read reports that the judge has ended.

    def ask(self, request: Sequence[Line], *last: str) -> Iterator[list[str]]:
        """Yields the lines of a reply as words, up to one that begins with a word of `last`. Makes the draws."""
        assert self.process.stdout
        self.write(request)
        while line := self.process.stdout.readline():
            words = line.split() or [""]
            if words[0] in ("draw", "pick"):
                drawn = self.random.choice(len(words) - 4, int(words[3]), replace=False).tolist()
                self.write([["drawn", *(words[4 + at] for at in (drawn if words[0] == "draw" else sorted(drawn)))]])
            elif words[0] != "end":
                yield words
            if words[0] in last:
                return
        raise RuntimeError(f"{self.path} ended with status {self.process.wait()}; last request: {request[-1][0]}")

    def read(self, request: Sequence[Line]) -> None:
        """Sends a request, and reads the position that is the reply."""
        asked, shared, ends = dict[int, list[int]](), list[int](), dict[str, list[str]]()
        for word, *rest in self.ask(request, "end"):
            if word == "ask":
                asked[int(rest[0])] = [int(number) for number in rest[1:]]
            elif word == "shared":
                shared += map(int, rest)
            else:
                ends[word] = rest
        self.asked, self.given = sorted(asked), dict[int, Line]()
        self.questions |= {seat: question + shared for seat, question in asked.items()}
        if "over" in ends:
            scores, [most, *parts] = ([int(word) for word in ends.get(key, ["1"])] for key in ("scores", "shares"))
            shares = [part / most for part in parts] or [self.beaten(scores, seat) for seat in range(self.seats)]
            self.outcome = scores, shares, ends["over"][0]

    def beaten(self, scores: list[int], seat: int) -> float:
        """Returns the part of the seats of others, or of other teams, that have less than a seat; 1 if there are none."""
        own = next((team for team in self.teams if seat in team), [seat])
        others = [score for other, score in enumerate(scores) if other not in own]
        return sum((other < scores[seat]) + (other == scores[seat]) / 2 for other in others) / len(others) if others else 1

    @property
    def facts(self) -> list[list[str]]:
        """The facts of the position: thing, seat, index, value."""
        return [words[1:] for words in self.ask([["facts"]], "end")]

    @property
    def scores(self) -> list[int]:
        """The scores: from the facts, until the game is over."""
        told = {int(seat): int(value) for thing, seat, _, value in self.facts if thing == "score"}
        return self.outcome[0] if self.outcome else [told.get(seat, 0) for seat in range(self.seats)]

    def question(self, seat: int) -> list[int]:
        """Returns the integers of a seat's question, or of its previous one."""
        return self.questions[seat]

    def check(self, seat: int, integers: list[int]) -> str | None:
        """Returns the fault of an answer."""
        at_once = [["verdicts"]] if self.words.keys() & {"together", "ahead"} else []
        [[verdict, *rest]] = self.ask([["check", seat, *integers], *at_once], "fine", "illegal", "malformed")
        if verdict == "illegal":
            return f"illegal: {rest[0]} of {rest[1]}: {' '.join(rest[2:])}"
        return None if verdict == "fine" else f"malformed: {' '.join(rest)}"

    def answer(self, seat: int, integers: list[int] | None) -> str | None:
        """Takes an answer and returns its fault. The answer of a seat that is not asked is dropped."""
        if seat not in self.asked:
            return None
        fault = "late" if integers is None else self.check(seat, integers)
        self.done.append((seat, integers))
        kind, answer = (fault or "").split(":")[0], ["answer", seat, *(integers or [])]
        self.given[seat] = ["fault", seat, kind] if kind in ("late", "malformed") else answer
        return fault

    def play(self) -> None:
        """Plays the turn. An asked seat without an answer counts as late."""
        self.read([*(self.given.get(seat, ["fault", seat, "late"]) for seat in self.asked), ["go"]])
        self.done.append(None)

    def sample(self, seat: int, seed: int) -> NDArray[np.int64]:
        """Returns a random legal answer for an asked seat, and zeros for any other."""
        kept, self.random = self.random, np.random.default_rng(seed)
        [[_, *integers]] = self.ask([["sample", seat]], "answer") if seat in self.asked else [["", *[0] * self.width]]
        self.random = kept
        return np.array(integers, np.int64)

    def text(self) -> str:
        return "\n".join(map(" ".join, self.facts))


def restored(path: str, made: dict[str, int], done: Sequence[tuple[int, list[int] | None] | None]) -> Judge:
    """Starts a judge, and plays a game up to where another one is."""
    judge = Judge(path, **made)
    for step in done:
        if step is None:
            judge.play()
        else:
            judge.answer(*step)
    return judge


class View(Seen):
    """The question of a seat: integers of 64 bits, with zeros up to the length. The mask asks the judge."""

    integer = "i8"

    def __init__(self, judge: Judge, seat: int) -> None:
        self.judge, self.seat, self.shape = judge, seat, (judge.length,)
        self.choices, self.width = judge.choices, judge.width

    def see(self, question: Sequence[int]) -> tuple[bytes, bytes]:
        judge, count = self.judge, len(question)
        if count > judge.length:
            raise ValueError(f"{judge.path}: a question of {count} integers; give length={count} or more")
        seen, mask = array("q", question).tobytes().ljust(8 * judge.length, b"\0"), b"\1" * (self.choices * self.width)
        if self.width == 1 and self.seat in judge.asked:
            mask = bytes(judge.check(self.seat, [number]) is None for number in range(self.choices))
        return seen, mask
