#!/usr/bin/env python3
"""Shows every kind of scene: two tokens walk over a grid or from point to point, regardless of the answers."""
import sys

ROWS, COLUMNS, TURNS = 5, 6, 8
SQUARES, HEXAGONS, TORUS, HEXAGONAL_TORUS, POINTS = range(5)
MAP = [(0, 0), (500, 100), (1000, 0), (900, 600), (1000, 1000), (400, 900), (0, 1000), (200, 500)]


def walk(seat):
    """The place of a seat's token: the first goes to the right, the second down, both over the edge."""
    if kind == POINTS:
        return (5 * seat + turn) % len(MAP)
    row, column = [(1, (4 + turn) % COLUMNS), ((3 + turn) % ROWS, 2)][seat]
    return row * COLUMNS + column


def facts():
    if kind == POINTS:
        print(f"fact points -1 -1 {len(MAP) + 1}")  # the last one is nowhere
        for point, (x, y) in enumerate(MAP):
            # The third one comes nearer from turn to turn.
            print(f"fact x -1 {point} {x - 50 * turn * (point == 2)}\nfact y -1 {point} {y + 40 * turn * (point == 2)}")
            print(f"fact from -1 {point} {point}\nfact to -1 {point} {(point + 1) % len(MAP)}")
    else:
        print(f"fact rows -1 -1 {ROWS}\nfact columns -1 -1 {COLUMNS}")
        print(f"fact hexagonal -1 -1 {int(kind in (HEXAGONS, HEXAGONAL_TORUS))}")
        print(f"fact torus -1 -1 {int(kind in (TORUS, HEXAGONAL_TORUS))}")
    for seat in range(2):
        print(f"fact score {seat} -1 {turn}\nfact player {seat} -1 {walk(seat)}")
    print(f"fact glyph 1 -1 {ord('K')}")
    print(f"fact from 0 100 {walk(0)}\nfact to 0 100 {walk(1)}")
    print(f"fact cell 0 3 0\nfact cell 1 4 {turn}\nfact cell -1 5 0")
    print("fact label -1 0 1\nfact label -1 4 2")


def show():
    if turn < TURNS:
        print("ask 0 0\nask 1 1")
    else:
        print("over turns\nscores 1 0")
    print("end")


for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print("game scenes 1\nabout all kinds of scenes\nseats 2 2\nturns 8\nlabel Alps\nlabel Berlin")
        print("parameter kind 0 0 4 squares, hexagons, a torus of each, points\nend")
    elif word == "start":
        turn, kind = 0, int(rest[1])
        show()
    elif word == "check":
        print("fine")
    elif word == "sample":
        print("answer 0")
    elif word == "go":
        turn += 1
        print(f"say -1 turn {turn} is over")
        show()
    elif word == "facts":
        facts()
        print("end")
    sys.stdout.flush()
