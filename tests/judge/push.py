#!/usr/bin/env python3
"""Push, as a judge: docs/games/push.md in Python. It must leave the same log as the built-in game."""
import sys

ROWS = [5, 6, 7, 8, 9, 8, 7, 6, 5]
STEPS = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]  # NW NE W E SW SE: row, slant
NAMES = ["NW", "NE", "W", "E", "SW", "SE"]
HOMES = [0, 4, 34, 60, 56, 26]
WAYS = [[3, 5, 4], [5, 4, 2], [4, 2, 0], [2, 0, 1], [0, 1, 3], [1, 3, 5]]
NONE, EXECUTED, LOST, INVALID, NOTHING, SILENT = range(6)

PLACES = []
for row, length in enumerate(ROWS):
    first = -row if row < 4 else -4
    PLACES += [(row - 4, first + number) for number in range(length)]
SLOT = {place: slot for slot, place in enumerate(PLACES)}


def neighbour(slot, way):
    return SLOT.get((PLACES[slot][0] + STEPS[way][0], PLACES[slot][1] + STEPS[way][1]))


def steps(one, other):
    row, slant = PLACES[other][0] - PLACES[one][0], PLACES[other][1] - PLACES[one][1]
    return (abs(row) + abs(slant) + abs(row + slant)) // 2


def bonus(slot, seat):
    nearest = min(steps(slot, HOMES[other]) for other in range(6) if other != seat)
    return max(0, nearest - steps(slot, HOMES[seat]))


BONUS = [[bonus(slot, seat) for slot in range(61)] for seat in range(6)]


def is_valid(seat, slot, way):
    return 0 <= slot < 61 and way in WAYS[seat] and coins[slot] > 0 and neighbour(slot, way) is not None


def pushes(seat):
    return [(slot, way) for slot in range(61) for way in WAYS[seat] if is_valid(seat, slot, way)]


def refusal(seat, slot, way):
    if not 0 <= slot < 61:
        return f"{slot} is no slot"
    if not 0 <= way < 6:
        return f"{way} is no direction"
    if way not in WAYS[seat]:
        one, two, three = sorted(WAYS[seat])
        return f"seat {seat} pushes in directions {one}, {two} and {three}, not {way} ({NAMES[way]})"
    if coins[slot] == 0:
        return f"no coin on slot {slot}"
    if neighbour(slot, way) is None:
        return f"direction {way} ({NAMES[way]}) leads off the board from slot {slot}"
    return None


def check(seat, answer):
    if len(answer) != 2:
        return f"malformed {len(answer)} integers instead of 2"
    why = refusal(seat, *answer)
    return f"illegal 1 1 {why}" if why and pushes(seat) else "fine"


def draw(name, at, candidates):
    print("draw", name, at, 1, *candidates, flush=True)
    return int(input().split()[1])


def play(answers):
    """`answers`: by seat two integers, "bad" or None."""
    global coins, turn
    for seat in range(6):
        answer = answers[seat]
        slot, way = answer if isinstance(answer, list) else (61, 6)
        if answer is None:
            fate = SILENT
        elif answer != "bad" and is_valid(seat, slot, way):
            fate = EXECUTED
        else:
            fate = INVALID if pushes(seat) else NOTHING
        attempts[seat] = [slot if 0 <= slot < 61 else 61, way if 0 <= way < 6 else 6, fate]
    for seat in range(6):
        if attempts[seat][2] == INVALID and not void[seat]:
            void[seat] = True
            print("effect void", seat)
    for slot in sorted({slot for slot, _, fate in attempts if fate == EXECUTED}):
        rivals = [seat for seat in range(6) if attempts[seat][0] == slot and attempts[seat][2] == EXECUTED]
        if len({attempts[seat][1] for seat in rivals}) > 1:
            won = attempts[draw("push", slot, rivals)][1]
            for seat in rivals:
                if attempts[seat][1] != won:
                    attempts[seat][2] = LOST
    arriving = [0] * 61
    for slot, way, fate in attempts:
        if fate == EXECUTED:
            arriving[neighbour(slot, way)] += coins[slot]
            coins[slot] = 0
    coins = [pile + more for pile, more in zip(coins, arriving)]
    turn += 1


def score(seat):
    return 0 if void[seat] else sum(pile * worth for pile, worth in zip(coins, BONUS[seat]))


def show():
    if turn < turns:
        shared = coins + [number for attempt in attempts for number in attempt]
        for seat in range(6):
            print("ask", seat, turn, turns, seat, *shared)
    else:
        scores = [score(seat) for seat in range(6)]
        print("over turns\nscores", *scores)
        print("shares 244", *scores)
    print("end")


answers = {}
for line in sys.stdin:
    word, *rest = line.split()
    if word == "describe":
        print("game push 2\nabout Push, as a judge\nseats 6 6\nturns 1000000\ntime 1000 5000")
        print("parameter turns 100 1 1000000 number of turns\nend")
    elif word == "start":
        turn, turns = 0, int(rest[1])
        coins, void, attempts = [1] * 61, [False] * 6, [[61, 6, NONE] for _ in range(6)]
        show()
    elif word == "check":
        print(check(int(rest[0]), [int(number) for number in rest[1:]]))
    elif word == "sample":
        seat = int(rest[0])
        moves = pushes(seat) or [(HOMES[seat], WAYS[seat][0])]
        print("answer", *moves[draw("sample", 0, range(len(moves)))])
    elif word == "answer":
        answers[int(rest[0])] = [int(number) for number in rest[1:]]
    elif word == "fault":
        answers[int(rest[0])] = "bad" if rest[1] in ("malformed", "too_long") else None
    elif word == "go":
        play(answers)
        answers = {}
        show()
    elif word == "facts":
        for seat in range(6):
            print("fact score", seat, -1, score(seat))
        for slot, pile in enumerate(coins):
            if pile:
                print("fact coins", -1, slot, pile)
        print("end")
    sys.stdout.flush()
