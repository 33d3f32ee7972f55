static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }

static const int homes[6][2] = {{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}}; /* rows and slanted columns */

static int length(int r, int c) { return max(max(abs(r), abs(c)), abs(r + c)); }

/* What a coin is worth to you there. */
static int bonus(int r, int c, int seat) {
    int nearest = 99;
    for (int other = 0; other < 6; other++)
        if (other != seat) nearest = min(nearest, length(r - homes[other][0], c - homes[other][1]));
    return max(0, nearest - length(r - homes[seat][0], c - homes[seat][1]));
}

/* Push. A slot and a direction: the push that adds most to your score in this turn. */
static int think(const int *q, int count, int *answer) {
    static const int ways[6][2] = {{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}}; /* up-left, up-right, ... */
    static const int mine[6][3] = {{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}};
    int seat = q[2], best = -1000, slot = 0;
    const int *coins = q + 3;
    answer[0] = 0, answer[1] = mine[seat][0]; /* if there is nothing to push, anything is accepted */
    for (int r = -4; r <= 4; r++)
        for (int c = max(-4, -4 - r); c <= min(4, 4 - r); c++, slot++)
            for (int i = 0; i < 3; i++) {
                int way = mine[seat][i], to_r = r + ways[way][0], to_c = c + ways[way][1];
                int gain = coins[slot] * (bonus(to_r, to_c, seat) - bonus(r, c, seat));
                if (coins[slot] > 0 && length(to_r, to_c) <= 4 && gain > best)
                    best = gain, answer[0] = slot, answer[1] = way;
            }
    return 2;
}
