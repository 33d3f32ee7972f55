#!/usr/bin/env python3
# A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
# better. What the integers of a question and of an answer mean stands in the referee's protocol.md.
import os
import sys


# Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
def football(q):
    turn, seat, p, k = q[:4]
    home = [0, 31, 992, 1023][seat]              # a cell is 32 * row + column
    own = q[10 + seat * p:10 + seat * p + p]     # where your players are
    balls = q[10 + 4 * p:]                       # how many balls lie on each cell

    def square(a, b):                            # the square of the straight distance
        return (a // 32 - b // 32) ** 2 + (a % 32 - b % 32) ** 2

    def steps(a, b):                             # how many turns a player needs from a to b
        return max(abs(a // 32 - b // 32), abs(a % 32 - b % 32))

    if turn == 0:                                # spread them over the 16x16 cells around home
        places = [i * 256 // p for i in range(p)]
        return [32 * abs(home // 32 - n // 16) + abs(home % 32 - n % 16) for n in places]
    homeward = sorted(range(1024), key=lambda cell: square(cell, home))
    targets = [cell for cell in range(1024) if balls[cell]]
    answer = []
    for cell in own:
        if balls[cell]:                          # kick: of all cells in range the one nearest to home
            answer.append(9 + next(to for to in homeward if square(cell, to) <= k * k))
        else:                                    # step to the nearest ball, and among equals homeward
            ball = min(targets, key=lambda to: 2048 * steps(cell, to) + square(to, home), default=cell)
            down = (ball // 32 > cell // 32) - (ball // 32 < cell // 32)
            right = (ball % 32 > cell % 32) - (ball % 32 < cell % 32)
            answer.append(3 * (down + 1) + right + 1)
    return answer


# comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
def foosball(q):
    round_, ball, rows = q[2], q[3], q[4:30]
    if round_ % 200 == 0:                        # a quarter begins: spread them; each time four others rest
        return [man % 9 - 4 if (man + round_ // 50) % 26 < 22 else 100 for man in range(26)]
    away = [man for man in range(26) if abs(rows[man]) <= 4 and rows[man] != ball]
    if away:                                     # within a quarter one man may take one step: towards the ball
        man = min(away, key=lambda man: abs(rows[man] - ball))
        rows[man] += 1 if rows[man] < ball else -1
    return rows


# Push. A slot and a direction: the push that adds most to your score in this turn.
def push(q):
    seat, coins = q[2], q[3:64]
    slots = [(r, c) for r in range(-4, 5) for c in range(max(-4, -4 - r), min(4, 4 - r) + 1)]  # rows, slanted columns
    ways = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]  # up-left, up-right, left, right, down-left, down-right
    homes = [(-4, 0), (-4, 4), (0, 4), (4, 0), (4, -4), (0, -4)]
    mine = [[3, 4, 5], [2, 4, 5], [0, 2, 4], [0, 1, 2], [0, 1, 3], [1, 3, 5]][seat]

    def steps(a, b):
        down, right = a[0] - b[0], a[1] - b[1]
        return max(abs(down), abs(right), abs(down + right))

    def bonus(slot):                             # what a coin is worth to you there
        nearest_other = min(steps(slot, homes[other]) for other in range(6) if other != seat)
        return max(0, nearest_other - steps(slot, homes[seat]))

    best, answer = -1000, [slots.index(homes[seat]), mine[0]]
    for number, slot in enumerate(slots):
        for way in mine:
            to = (slot[0] + ways[way][0], slot[1] + ways[way][1])
            if coins[number] and to in slots:
                gain = coins[number] * (bonus(to) - bonus(slot))
                if gain > best:
                    best, answer = gain, [number, way]
    return answer


walls = set()                                    # each wall is told once: remember it


# Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
def target(q):
    own, wall, enemies = q[0], q[1], q[2:]
    walls.add(wall)                              # 4096, no wall, does no harm

    def room(cell):
        def gap(a, b):                           # the shorter way round
            return min((a - b) % 64, (b - a) % 64)
        return min(gap(cell // 64, enemy // 64) + gap(cell % 64, enemy % 64) for enemy in enemies)

    best, answer = room(own), 2
    for move, (down, right) in [(0, (-1, 0)), (1, (0, -1)), (3, (0, 1)), (4, (1, 0))]:
        to = (own // 64 + down) % 64 * 64 + (own % 64 + right) % 64
        if to not in walls and to not in enemies and room(to) > best:
            best, answer = room(to), move
    return [answer]


game = os.environ.get("REFEREE_GAME", "none")
think = {"football": football, "foosball": foosball, "push": push, "target": target}.get(game)
if think is None:
    sys.exit(f"REFEREE_GAME is {game}, and I cannot play that")
print(f"I play {game} in seat {os.environ.get('REFEREE_SEAT')}", file=sys.stderr)  # debug to standard error only
for number, line in enumerate(sys.stdin, 1):     # one line is one question, until the game is over
    if not line.endswith("\n"):                  # the input has ended within a question
        break
    question = [int(word) for word in line.split()][1:]  # the first integer is only their number
    print(f"@{number}", *think(question), flush=True)    # the tag, the answer; flush it, or nobody sees it
