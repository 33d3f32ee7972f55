#!/usr/bin/env python3
# A task for one: say a number; the distance to a hidden one, which is drawn, is lost.
import sys
for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print("game solo 1\nabout guess a number\nseats 1 1\nturns 3\nend")
    elif word == "start":
        print("draw goal 0 1", *range(0, 1000, 7), flush=True)
        goal, turn, score = int(input().split()[1]), 0, 0
        print("ask 0", turn, "\nend")
    elif word == "check":
        print("fine" if len(rest) == 2 else "malformed one number")
    elif word == "sample":
        print("draw s 0 1", *range(0, 1000, 50), flush=True)
        print("answer", input().split()[1])
    elif word == "answer":
        given = int(rest[1])
    elif word == "fault":
        given = None
    elif word == "go":
        score -= abs(goal - given) if given is not None and abs(given) < 10**6 else 10**6
        turn += 1
        if turn < 3: print("ask 0", turn, "\nend")
        else: print("over done\nscores", score, "\nend")
    elif word == "facts":
        print("fact score 0 -1", max(score, -2**31+1), "\nend")
    sys.stdout.flush()
