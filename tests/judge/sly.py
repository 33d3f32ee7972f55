#!/usr/bin/env python3
"""A judge of a small game with one mistake: CODE runs at POINT, and can change what is printed there."""
POINT, CODE = "none", "pass"
import os, random, signal, sys, time


class Game:
    """The position: seats answer a number from 0 to 9 in each turn, and the greatest sum wins."""


g = Game()


def at(point, **known):
    if POINT in (point, "any"):
        exec(CODE, globals(), {"point": point, **known})


def say(point, lines, **known):
    at(point, out=lines, **known)
    print(*lines, sep="\n", flush=True)


def show(lines):
    if g.turn < g.length:
        lines += [f"ask {seat} {g.turn} {seat} {' '.join(map(str, g.sums))}" for seat in range(g.seats)]
        say("ask", lines + ["end"])
    else:
        lines += ["over turns", "scores " + " ".join(map(str, g.sums))]
        say("over", lines + ["end"])


for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        say("describe", ["game sly 1", "seats 2 4", "turns 6", "parameter side 5 1 9 unused", "parameter length 4 1 6 turns", "label Alps", "end"])
    elif word == "start":
        g.seats, g.side, g.length = map(int, rest)
        g.turn, g.sums, g.given, g.checks, g.lost = 0, [0] * g.seats, {}, 0, {}
        at("start")
        show([])
    elif word == "check":
        seat, *numbers = map(int, rest)
        g.checks += 1
        good = len(numbers) == 1 and 0 <= numbers[0] <= 9
        say("check", ["fine" if good else "malformed a number from 0 to 9 is due"], seat=seat, numbers=numbers)
    elif word == "sample":
        print("draw sample 0 1 0 1 2 3 4 5 6 7 8 9", flush=True)
        number = int(input().split()[1])
        say("sample", [f"answer {number}"], seat=int(rest[0]))
    elif word == "answer":
        g.given[int(rest[0])] = int(rest[1])
        at("answer", seat=int(rest[0]), number=int(rest[1]))
    elif word == "fault":
        seat, kind = int(rest[0]), rest[1]
        g.lost[seat] = g.lost.get(seat, 0) + 1
        at("fault", seat=seat, kind=kind)
    elif word == "go":
        lines = [f"effect sum {seat} {number}" for seat, number in g.given.items()]
        at("go", out=lines)
        for seat, number in g.given.items():
            g.sums[seat] += number
        g.turn, g.given = g.turn + 1, {}
        show(lines)
    elif word == "facts":
        lines = [f"fact score {seat} -1 {score}" for seat, score in enumerate(g.sums)]
        lines += ["fact rows -1 -1 3", "fact columns -1 -1 4", "fact player 0 -1 0", "fact player 1 0 11"]
        say("facts", lines + ["end"])
