static int max(int a, int b) { return a > b ? a : b; }
static int sign(int a) { return (a > 0) - (a < 0); }
static int square(int a, int b) { return (a / 32 - b / 32) * (a / 32 - b / 32) + (a % 32 - b % 32) * (a % 32 - b % 32); }
static int steps(int a, int b) { return max(abs(a / 32 - b / 32), abs(a % 32 - b % 32)); }

/* Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell. */
static int think(const int *q, int count, int *answer) {
    int turn = q[0], seat = q[1], p = q[2], k = q[3];
    int home = (int[]){0, 31, 992, 1023}[seat]; /* a cell is 32 * row + column */
    const int *own = q + 10 + seat * p;         /* where your players are */
    const int *balls = q + 10 + 4 * p;          /* the number of balls on each cell */
    for (int i = 0; i < p; i++) {
        int place = i * 256 / p, cell = own[i], best = cell, least = 1 << 30;
        for (int to = 0; to < 1024 && turn > 0; to++) {
            /* With a ball: of all cells in range the one nearest to home. Without: the nearest ball. */
            int fits = balls[cell] ? square(cell, to) <= k * k : balls[to] > 0;
            int cost = square(to, home) + (balls[cell] ? 0 : 2048 * steps(cell, to));
            if (fits && cost < least) least = cost, best = to;
        }
        answer[i] = turn == 0     ? 32 * abs(home / 32 - place / 16) + abs(home % 32 - place % 16) /* spread around home */
                  : balls[cell]   ? 9 + best
                  : /* a step */    3 * (sign(best / 32 - cell / 32) + 1) + sign(best % 32 - cell % 32) + 1;
    }
    return p;
}
