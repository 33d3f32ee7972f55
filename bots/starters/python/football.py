# Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
def think(q):
    turn, seat, p, k = q[:4]
    home = [0, 31, 992, 1023][seat]              # a cell is 32 * row + column
    own = q[10 + seat * p:10 + seat * p + p]     # where your players are
    balls = q[10 + 4 * p:]                       # the number of balls on each cell

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
