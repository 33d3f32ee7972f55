/* A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
 * better. What the integers of a question and of an answer mean stands in the referee's protocol.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int min(int a, int b) { return a < b ? a : b; }
static int max(int a, int b) { return a > b ? a : b; }
static int sign(int a) { return (a > 0) - (a < 0); }
static int square(int a, int b) { return (a / 32 - b / 32) * (a / 32 - b / 32) + (a % 32 - b % 32) * (a % 32 - b % 32); }
static int steps(int a, int b) { return max(abs(a / 32 - b / 32), abs(a % 32 - b % 32)); }

/* Each game reads the question q (without its count), fills in the answer and returns how many integers that has. */

/* Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell. */
static int football(const int *q, int *answer) {
    int turn = q[0], seat = q[1], p = q[2], k = q[3];
    int home = (int[]){0, 31, 992, 1023}[seat]; /* a cell is 32 * row + column */
    const int *own = q + 10 + seat * p;         /* where your players are */
    const int *balls = q + 10 + 4 * p;          /* how many balls lie on each cell */
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

/* comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows. */
static int foosball(const int *q, int *answer) {
    int round = q[2], ball = q[3], nearest = -1;
    for (int man = 0; man < 26; man++) {
        answer[man] = q[4 + man];
        if (round % 200 == 0) /* a quarter begins: spread them; each time four others rest */
            answer[man] = (man + round / 50) % 26 < 22 ? man % 9 - 4 : 100;
        else if (abs(answer[man]) <= 4 && answer[man] != ball)
            if (nearest < 0 || abs(answer[man] - ball) < abs(answer[nearest] - ball)) nearest = man;
    }
    if (nearest >= 0) answer[nearest] += sign(ball - answer[nearest]); /* one man may take one step: towards the ball */
    return 26;
}

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
static int push(const int *q, int *answer) {
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

static int enemies; /* how many: known from the count of the question */
static int room(int cell, const int *enemy) {
    int least = 99;
    for (int i = 0; i < enemies; i++) {
        int down = abs(cell / 64 - enemy[i] / 64), right = abs(cell % 64 - enemy[i] % 64);
        least = min(least, min(down, 64 - down) + min(right, 64 - right)); /* the shorter way round */
    }
    return least;
}

/* Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away. */
static int target(const int *q, int *answer) {
    static char walls[4097]; /* each wall is told once: remember it */
    static const int moves[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
    int own = q[0], best = room(own, q + 2);
    walls[q[1]] = 1, answer[0] = 2; /* 4096, no wall, does no harm */
    for (int move = 0; move < 5; move++) {
        int to = (own / 64 + moves[move][0] + 64) % 64 * 64 + (own % 64 + moves[move][1] + 64) % 64;
        if (!walls[to] && room(to, q + 2) > best) best = room(to, q + 2), answer[0] = move; /* no room on an enemy */
    }
    return 1;
}

int main(void) {
    static int q[1 << 16], answer[256];
    const char *game = getenv("REFEREE_GAME") ? getenv("REFEREE_GAME") : "none";
    int (*think)(const int *, int *) = !strcmp(game, "football") ? football : !strcmp(game, "foosball") ? foosball
                                     : !strcmp(game, "push")     ? push     : !strcmp(game, "target")   ? target : NULL;
    if (!think) return fprintf(stderr, "REFEREE_GAME is %s, and I cannot play that\n", game), 2;
    fprintf(stderr, "I play %s\n", game); /* debug to standard error only */
    /* A question is how many integers follow, then they; so it goes until the game is over. */
    for (int number = 1, count; scanf("%d", &count) == 1; number++) {
        for (int i = 0; i < count; i++)
            if (scanf("%d", &q[i]) != 1) return 0; /* the input has ended within a question */
        enemies = count - 2;
        int length = think(q, answer);
        printf("@%d", number); /* the tag says which question this answers */
        for (int i = 0; i < length; i++) printf(" %d", answer[i]);
        printf("\n"), fflush(stdout); /* or nobody sees it */
    }
}
