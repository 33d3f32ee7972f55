#!/usr/bin/env python3
# A starter bot: it reads a question, one line, and writes an answer, one line. The function `think` plays: make
# it better. The referee's protocol.md says what the integers mean.
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
