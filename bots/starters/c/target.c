static int min(int a, int b) { return a < b ? a : b; }

/* How far the nearest of the enemies is from a cell. */
static int room(int cell, const int *enemy, int enemies) {
    int least = 99;
    for (int i = 0; i < enemies; i++) {
        int down = abs(cell / 64 - enemy[i] / 64), right = abs(cell % 64 - enemy[i] % 64);
        least = min(least, min(down, 64 - down) + min(right, 64 - right)); /* the shorter way round */
    }
    return least;
}

/* Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away. */
static int think(const int *q, int count, int *answer) {
    static char walls[4097]; /* each wall is sent only once: remember it */
    static const int moves[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
    int own = q[0], best = room(own, q + 2, count - 2);
    walls[q[1]] = 1, answer[0] = 2; /* 4096, no wall, does no harm */
    for (int move = 0; move < 5; move++) {
        int to = (own / 64 + moves[move][0] + 64) % 64 * 64 + (own % 64 + moves[move][1] + 64) % 64;
        int distance = room(to, q + 2, count - 2); /* on an enemy there is none */
        if (!walls[to] && distance > best) best = distance, answer[0] = move;
    }
    return 1;
}
