# Push. A slot and a direction: the push that adds most to your score in this turn.
def think(q):
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
