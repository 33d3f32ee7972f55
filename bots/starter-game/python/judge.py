#!/usr/bin/env python3
"""Tron: two to four riders on a square grid, each with a trail that nobody can cross. The last one wins."""
import sys

STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # up, right, down, left
DESCRIPTION = """game tron 1
about Tron: two to four riders, each with a trail that nobody can cross; the last wins
seats 2 4
turns 1600
time 200 5000
parameter side 15 5 40 cells along each side of the grid
end"""


def start(count, size):
    global side, turn, riders, headings, trails, scores
    side, turn, scores, trails = size, 0, [0] * count, [0] * size * size
    corners = [(1, 1, 1), (side - 2, side - 2, 3), (1, side - 2, 2), (side - 2, 1, 0)][:count]
    print("draw corner 0", count, *range(count), flush=True)  # who begins where
    order = [int(word) for word in input().split()[1:]]
    riders = [corners[place][0] * side + corners[place][1] for place in order]
    headings = [corners[place][2] for place in order]
    for seat, cell in enumerate(riders):
        trails[cell] = seat + 1


def target(seat, direction):
    row, column = riders[seat] // side + STEPS[direction][0], riders[seat] % side + STEPS[direction][1]
    cell = row * side + column
    return cell if 0 <= row < side and 0 <= column < side and not trails[cell] else None


def play(answers):
    global turn
    for seat, answer in answers.items():
        headings[seat] = answer[0] if answer and 0 <= answer[0] < 4 else headings[seat]
    goals = {seat: target(seat, headings[seat]) for seat in answers}
    for seat, cell in goals.items():
        if cell is None or list(goals.values()).count(cell) > 1:
            print("effect out", seat, riders[seat])
            print("say", seat, f"seat {seat} is out")
            riders[seat] = -1
        else:
            riders[seat], scores[seat] = cell, scores[seat] + 1
    for seat, cell in goals.items():
        if cell is not None:
            trails[cell] = seat + 1
    turn += 1


def show():
    riding = [seat for seat, cell in enumerate(riders) if cell >= 0]
    for seat in riding if len(riding) > 1 else []:
        print("ask", seat, seat, turn, len(riders), side, *riders, *trails)
    if len(riding) < 2:
        print("over one_left\nscores", *scores)


def facts():
    print(f"fact rows -1 -1 {side}\nfact columns -1 -1 {side}")
    for seat, score in enumerate(scores):
        print("fact score", seat, -1, score)
    for seat, cell in enumerate(riders):
        print("fact player", seat, -1, cell) if cell >= 0 else None
    for cell, mark in enumerate(trails):
        print("fact cell", mark - 1, cell, 0) if mark else None


answers = {}
for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print(DESCRIPTION)
    elif word == "start":
        start(*map(int, rest))
        show()
        print("end")
    elif word == "check":
        seat, *answer = map(int, rest)
        if len(answer) != 1:
            print(f"malformed {len(answer)} integers instead of 1")
        else:
            print("fine" if 0 <= answer[0] < 4 else f"illegal 1 1 {answer[0]} is no direction from 0 to 3")
    elif word == "sample":
        print("draw sample 0 1 0 1 2 3", flush=True)
        print("answer", input().split()[1])
    elif word == "answer":
        answers[int(rest[0])] = [int(word) for word in rest[1:]]
    elif word == "fault":
        answers[int(rest[0])] = None
    elif word == "go":
        play(answers)
        answers = {}
        show()
        print("end")
    elif word == "facts":
        facts()
        print("end")
    sys.stdout.flush()
