#!/usr/bin/env python3
# Four seats, two teams: each seat says 0 to 9 in a turn; the team with the greater sum has a point.
import sys
TEAMS = [[0, 2], [1, 3]]
for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print("game pairs 1\nabout the greater sum wins\nseats 4 4\nteam 0 2\nteam 1 3\nturns 5\nend")
    elif word == "start":
        turn, score, given = 0, [0]*4, {}
        print(*(f"ask {s} {turn}" for s in range(4)), "end", sep="\n")
    elif word == "check":
        print("fine" if len(rest) == 2 and 0 <= int(rest[1]) <= 9 else "illegal 1 1 0 to 9" if len(rest) == 2 else "malformed one number")
    elif word == "sample":
        print("draw s 0 1 0 1 2 3 4 5 6 7 8 9", flush=True)
        print("answer", input().split()[1])
    elif word == "answer":
        given[int(rest[0])] = int(rest[1]) if 0 <= int(rest[1]) <= 9 else 0
    elif word == "fault":
        given[int(rest[0])] = 0
    elif word == "go":
        sums = [sum(given[s] for s in t) for t in TEAMS]
        for t, own in zip(TEAMS, sums):
            for s in t: score[s] += own == max(sums)
        turn += 1
        if turn < 5: print(*(f"ask {s} {turn}" for s in range(4)), "end", sep="\n")
        else: print("over done\nscores", *score, "\nend")
    elif word == "facts":
        for s in range(4):
            print("fact score", s, -1, score[s]); print("fact player", s, -1, s)
        print("fact rows -1 -1 2\nfact columns -1 -1 2\nend")
    sys.stdout.flush()
