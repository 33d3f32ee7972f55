#!/usr/bin/env python3
# A bot to begin with: a line is a question, a line is its answer. The function `think` plays: make it better. What the
# integers mean stands in the referee's protocol.md.
import os
import sys


# The game's function goes here.


game, seat = os.environ.get("REFEREE_GAME"), os.environ.get("REFEREE_SEAT")
print(f"I play {game} in seat {seat}", file=sys.stderr)  # debug to standard error only
for number, line in enumerate(sys.stdin, 1):     # one line is one question, until the game is over
    if not line.endswith("\n"):                  # the input has ended within a question
        break
    question = [int(word) for word in line.split()][1:]  # the first integer is only their number
    print(f"@{number}", *think(question), flush=True)    # the tag, the answer; flush it, or nobody sees it
