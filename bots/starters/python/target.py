walls = set()                                    # each wall is sent only once: remember it


# Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
def think(q):
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
