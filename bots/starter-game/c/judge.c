/* Tron: two to four riders on a square grid, each with a trail that nobody can cross. The last one wins. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIDERS = 4, SIDE_MAX = 40 };

static const char DESCRIPTION[] =
    "game tron 1\n"
    "about Tron: two to four riders, each with a trail that nobody can cross; the last wins\n"
    "seats 2 4\n"
    "turns 1600\n"
    "time 200 5000\n"
    "parameter side 15 5 40 cells along each side of the grid\n"
    "end\n";
static const int STEPS[4][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}}; /* up, right, down, left */

static int seats, side, turn;
static int riders[RIDERS]; /* the cell of each, or -1 if it is out */
static int headings[RIDERS], scores[RIDERS], trails[SIDE_MAX * SIDE_MAX];
static char line[1 << 17];

/* Reads the integers of a text. Returns how many there are; no more than `most` are kept. */
static int integers(char *text, long long *values, int most) {
    int count = 0;
    for (char *end; ; text = end, count++) {
        long long value = strtoll(text, &end, 10);
        if (end == text) return count;
        if (count < most) values[count] = value;
    }
}

/* Reads what the referee has drawn. */
static void read_drawn(long long *drawn, int count) {
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) exit(0);
    integers(line + strlen("drawn"), drawn, count);
}

static void start(int riders_count, int size) {
    seats = riders_count, side = size, turn = 0;
    const int corners[RIDERS][3] = {{1, 1, 1}, {side - 2, side - 2, 3}, {1, side - 2, 2}, {side - 2, 1, 0}};
    long long order[RIDERS];
    printf("draw corner 0 %d", seats); /* who begins where */
    for (int seat = 0; seat < seats; seat++) printf(" %d", seat);
    puts("");
    read_drawn(order, seats);
    memset(trails, 0, sizeof trails);
    for (int seat = 0; seat < seats; seat++) {
        const int *corner = corners[order[seat]];
        riders[seat] = corner[0] * side + corner[1];
        headings[seat] = corner[2];
        scores[seat] = 0;
        trails[riders[seat]] = seat + 1;
    }
}

/* Returns the cell that a rider goes to, or -1 if there is none. */
static int target(int seat) {
    int row = riders[seat] / side + STEPS[headings[seat]][0];
    int column = riders[seat] % side + STEPS[headings[seat]][1];
    if (row < 0 || row >= side || column < 0 || column >= side) return -1;
    return trails[row * side + column] ? -1 : row * side + column;
}

static void play(void) {
    int goals[RIDERS];
    for (int seat = 0; seat < seats; seat++) goals[seat] = riders[seat] < 0 ? -1 : target(seat);
    for (int seat = 0; seat < seats; seat++) {
        if (riders[seat] < 0) continue;
        int rivals = 0;
        for (int other = 0; other < seats; other++) rivals += goals[other] == goals[seat];
        if (goals[seat] < 0 || rivals > 1) {
            printf("effect out %d %d\nsay %d seat %d is out\n", seat, riders[seat], seat, seat);
            riders[seat] = -1;
        } else {
            riders[seat] = goals[seat];
            scores[seat]++;
        }
    }
    for (int seat = 0; seat < seats; seat++)
        if (goals[seat] >= 0) trails[goals[seat]] = seat + 1;
    turn++;
}

static void show(void) {
    int riding = 0;
    for (int seat = 0; seat < seats; seat++) riding += riders[seat] >= 0;
    for (int seat = 0; riding > 1 && seat < seats; seat++) {
        if (riders[seat] < 0) continue;
        printf("ask %d %d %d %d %d", seat, seat, turn, seats, side);
        for (int other = 0; other < seats; other++) printf(" %d", riders[other]);
        for (int cell = 0; cell < side * side; cell++) printf(" %d", trails[cell]);
        puts("");
    }
    if (riding < 2) {
        printf("over one_left\nscores");
        for (int seat = 0; seat < seats; seat++) printf(" %d", scores[seat]);
        puts("");
    }
    puts("end");
}

static void check(const long long *answer, int count) {
    if (count != 1) printf("malformed %d integers instead of 1\n", count);
    else if (0 <= *answer && *answer < 4) puts("fine");
    else printf("illegal 1 1 %lld is no direction from 0 to 3\n", *answer);
}

static void facts(void) {
    printf("fact rows -1 -1 %d\nfact columns -1 -1 %d\n", side, side);
    for (int seat = 0; seat < seats; seat++) {
        printf("fact score %d -1 %d\n", seat, scores[seat]);
        if (riders[seat] >= 0) printf("fact player %d -1 %d\n", seat, riders[seat]);
    }
    for (int cell = 0; cell < side * side; cell++)
        if (trails[cell]) printf("fact cell %d %d 0\n", trails[cell] - 1, cell);
    puts("end");
}

int main(void) {
    long long values[2] = {0}; /* the seat, and its answer */
    while (fgets(line, sizeof line, stdin)) {
        char *rest = line + strcspn(line, " \n");
        if (*rest) *rest++ = 0;
        int count = integers(rest, values, 2);
        if (!strcmp(line, "describe")) {
            fputs(DESCRIPTION, stdout);
        } else if (!strcmp(line, "start")) {
            start(values[0], values[1]);
            show();
        } else if (!strcmp(line, "check")) {
            check(values + 1, count - 1);
        } else if (!strcmp(line, "sample")) {
            long long direction;
            puts("draw sample 0 1 0 1 2 3");
            read_drawn(&direction, 1);
            printf("answer %lld\n", direction);
        } else if (!strcmp(line, "answer")) { /* without one, a rider goes on as before */
            if (0 <= values[1] && values[1] < 4) headings[values[0]] = values[1];
        } else if (!strcmp(line, "go")) {
            play();
            show();
        } else if (!strcmp(line, "facts")) {
            facts();
        }
        fflush(stdout);
    }
    return 0;
}
