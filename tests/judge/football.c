/* Parallel Football, as a judge: docs/games/football.md in C. It must leave the same log as the built-in game.
   cc -O2 -o football football.c */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEAMS = 4, SIDE = 32, CELLS = SIDE * SIDE, BALLS = 1020, PLAYERS_MAX = 255, ANSWER_MAX = 40000 };
enum { STAY = 4, KICK = 9, ALL = TEAMS * PLAYERS_MAX };

static const int HOMES[TEAMS] = {0, SIDE - 1, CELLS - SIDE, CELLS - 1};

static int p, k, max_turns, stall_turns, turn_ms;
static int turn, goalless, left, scores[TEAMS], players[ALL], balls[CELLS];
static long long given[TEAMS][PLAYERS_MAX]; /* the orders of this turn */
static int given_count[TEAMS];              /* 0: a fault */

typedef struct { int player, from, to; } Kick;

static char text[1 << 15], *end = text; /* numbers that end a line */

/* Writes a blank and a number, and returns where they end. printf would take most of a turn. */
static inline char *written(char *to, unsigned value) {
    char digits[10], *start = digits + sizeof digits;
    *to++ = ' ';
    if (value < 10) return *to = '0' + value, to + 1;
    for (; value; value /= 10) *--start = '0' + value % 10;
    size_t count = digits + sizeof digits - start;
    return memcpy(to, start, count), to + count;
}

static void number(unsigned value) { end = written(end, value); }

static void end_line(void) {
    *end++ = '\n';
    fwrite(text, 1, end - text, stdout);
    end = text;
}

/* Reads the integers of a line. Returns how many there are. */
static int integers(char *text, long long *values, int most) {
    int count = 0;
    for (char *end; count < most; text = end, count++) {
        values[count] = strtoll(text, &end, 10);
        if (end == text) break;
    }
    return count;
}

/* Has the referee draw, and reads the result into `drawn`. */
static void drawn(long long *drawn, int count) {
    static char *line;
    static size_t room;
    end_line();
    fflush(stdout);
    if (getline(&line, &room, stdin) < 0) exit(0);
    integers(line + strlen("drawn"), drawn, count);
}

static int square(int from, int to) {
    int rows = from / SIDE - to / SIDE, columns = from % SIDE - to % SIDE;
    return rows * rows + columns * columns;
}

/* Returns the cell that a step leads to, or -1 off the grid. */
static int step(int cell, int order) {
    int row = cell / SIDE + order / 3 - 1, column = cell % SIDE + order % 3 - 1;
    return 0 <= row && row < SIDE && 0 <= column && column < SIDE ? row * SIDE + column : -1;
}

static bool is_cell(long long order) { return 0 <= order && order < CELLS; }
static bool is_kick(long long order) { return KICK <= order && order < KICK + CELLS; }

/* Tells whether an order of a player is wrong, and optionally why. `order` NULL: there is none. */
static bool is_bad(int player, const long long *order, char *why, size_t room) {
    int cell = turn ? players[player] : -1;
    if (!order) return snprintf(why, room, "no cell to start on"), true;
    if (!turn) return is_cell(*order) ? false : (snprintf(why, room, "%lld is no cell", *order), true);
    if (0 <= *order && *order < KICK) {
        if (step(cell, *order) >= 0) return false;
        return snprintf(why, room, "step %lld leads off the grid from cell %d", *order, cell), true;
    }
    if (!is_kick(*order)) return snprintf(why, room, "%lld is no order", *order), true;
    int to = *order - KICK, far = square(cell, to);
    if (far > k * k)
        return snprintf(why, room, "kick from %d to %d is out of range (%d > %d*%d)", cell, to, far, k, k), true;
    return balls[cell] ? false : (snprintf(why, room, "no ball to kick on cell %d", cell), true);
}

/* Writes the verdict on an answer. Tells whether it has the right shape. */
static bool check(int seat, const long long *answer, int count) {
    if (turn ? count != p : count > p) {
        printf("malformed %d integers instead of %d\n", count, p);
        return false;
    }
    char why[100], first[100] = "";
    int bad = 0, first_bad = 0;
    for (int player = 0; player < p; player++) {
        if (!is_bad(seat * p + player, player < count ? answer + player : NULL, why, sizeof why)) continue;
        if (!bad++) strcpy(first, why), first_bad = player;
    }
    if (bad) printf("illegal %d %d player %d: %s\n", bad, p, first_bad, first);
    else fputs("fine\n", stdout);
    return true;
}

/* An answer counts, unless `go` does not come. */
static void take(int seat, const long long *answer, int count) {
    given_count[seat] = count < p ? count : p;
    memcpy(given[seat], answer, given_count[seat] * sizeof *answer);
}

/* A random answer that is allowed. */
static void sample(int seat) {
    long long order, chosen[PLAYERS_MAX];
    for (int player = 0; player < p; player++) {
        printf("draw sample %d 1", player);
        for (order = 0; order < KICK + CELLS; order++)
            if (!is_bad(seat * p + player, &order, NULL, 0)) number(order);
        drawn(chosen + player, 1);
    }
    fputs("answer", stdout);
    for (int player = 0; player < p; player++) number(chosen[player]);
    end_line();
}

static int by_cell(const void *one, const void *other) {
    const Kick *a = one, *b = other;
    return a->from != b->from ? a->from - b->from : a->player - b->player;
}

/* Takes the balls from their cells. If more players kick than there are balls, chance decides. Returns the kicks that are
   carried out: first those that nobody contests, by player, then the others, by cell. */
static int take_balls(const Kick *kicks, int count, Kick *carried) {
    static int kickers[CELLS];
    static Kick rivals[ALL];
    int done = 0, rival_count = 0;
    for (int i = 0; i < count; i++) kickers[kicks[i].from]++;
    for (int i = 0; i < count; i++)
        if (kickers[kicks[i].from] > balls[kicks[i].from]) rivals[rival_count++] = kicks[i];
        else carried[done++] = kicks[i];
    for (int i = 0; i < count; i++) kickers[kicks[i].from] = 0;
    for (int i = 0; i < done; i++) balls[carried[i].from]--;
    qsort(rivals, rival_count, sizeof *rivals, by_cell);
    for (int first = 0, end; first < rival_count; first = end) {
        int cell = rivals[first].from;
        long long won[ALL];
        printf("pick kick %d %d", cell, balls[cell]);
        for (end = first; end < rival_count && rivals[end].from == cell; end++) number(rivals[end].player);
        drawn(won, balls[cell]);
        for (int i = first, next = 0; i < end; i++)
            if (next < balls[cell] && rivals[i].player == won[next]) carried[done++] = rivals[i], next++;
        balls[cell] = 0;
    }
    return done;
}

static void play(void) {
    static Kick kicks[ALL], carried[ALL];
    int count = 0;
    for (int player = 0; player < TEAMS * p; player++) {
        int seat = player / p, has_order = player % p < given_count[seat];
        long long order = has_order ? given[seat][player % p] : turn ? STAY : HOMES[seat];
        if (!turn) players[player] = is_cell(order) ? (int)order : HOMES[seat];
        else if (is_bad(player, &order, NULL, 0)) continue;
        else if (is_kick(order)) kicks[count++] = (Kick){player, players[player], order - KICK};
        else players[player] = step(players[player], order);
    }
    count = take_balls(kicks, count, carried);
    int left_before = left;
    for (int i = 0, owner; i < count; i++) {
        for (owner = 0; owner < TEAMS && HOMES[owner] != carried[i].to; owner++) {}
        if (owner == TEAMS) {
            balls[carried[i].to]++;
        } else {
            scores[owner]++, left--;
            printf("effect goal %d %d %d\n", owner, carried[i].player, carried[i].from);
        }
    }
    if (turn++) goalless = left < left_before ? 0 : goalless + 1;
}

static void show(void) {
    const char *over = !left ? "no_balls" : turn > max_turns ? "max_turns" :
        stall_turns && goalless >= stall_turns ? "stalled" : NULL;
    if (over) {
        printf("over %s\nscores %d %d %d %d\n", over, scores[0], scores[1], scores[2], scores[3]);
        printf("shares %d %d %d %d %d\n", BALLS, scores[0], scores[1], scores[2], scores[3]);
    } else {
        for (int seat = 0; seat < TEAMS; seat++) printf("ask %d %d %d\n", seat, turn, seat);
        fputs("shared", stdout);
        number(p), number(k), number(max_turns), number(turn_ms);
        for (int seat = 0; seat < TEAMS; seat++) number(scores[seat]);
        for (int player = 0; player < TEAMS * p; player++) number(turn ? players[player] : CELLS);
        char *to = end; /* stays in a register */
        for (int cell = 0; cell < CELLS; cell++) to = written(to, balls[cell]);
        end = to;
        end_line();
    }
    fputs("end\n", stdout);
}

static void start(char *rest) {
    long long values[7] = {0};
    integers(rest, values, 7); /* seats, four parameters, two limits */
    p = values[1], k = values[2], max_turns = values[3], stall_turns = values[4], turn_ms = values[5];
    turn = goalless = 0, left = BALLS;
    memset(scores, 0, sizeof scores);
    for (int cell = 0; cell < CELLS; cell++) balls[cell] = 1;
    for (int seat = 0; seat < TEAMS; seat++) balls[HOMES[seat]] = 0;
}

static void facts(void) {
    for (int seat = 0; seat < TEAMS; seat++) printf("fact score %d -1 %d\n", seat, scores[seat]);
    for (int player = 0; turn && player < TEAMS * p; player++)
        printf("fact player %d %d %d\n", player / p, player % p, players[player]);
    for (int cell = 0; cell < CELLS; cell++)
        if (balls[cell]) printf("fact balls -1 %d %d\n", cell, balls[cell]);
    puts("end");
}

static const char DESCRIPTION[] =
    "game football 1\nabout Parallel Football, as a judge\nseats 4 4\nturns 1000000\ntime 100 5000\nlimits\nahead\n"
    "parameter p 10 1 255 players of each team\nparameter k 10 1 46 kick range, in cells\n"
    "parameter max_turns 50000 1 999999 end the game after this many turns of orders\n"
    "parameter stall_turns 2000 0 1000000 end the game after this many turns without a goal (0: never)\nend\n";

int main(void) {
    static char out[1 << 16], *line;
    static long long values[ANSWER_MAX];
    bool malformed = false; /* one of the answers that were checked since the last reply */
    size_t room = 0;
    setvbuf(stdout, out, _IOFBF, sizeof out);
    while (getline(&line, &room, stdin) > 0) {
        char *rest = line + strcspn(line, " \n"), *more;
        if (*rest) *rest++ = 0;
        int seat = strtol(rest, &more, 10);
        if (!strcmp(line, "answer")) {
            take(seat, values, integers(more, values, ANSWER_MAX));
        } else if (!strcmp(line, "fault")) {
            given_count[seat] = 0;
        } else if (!strcmp(line, "check")) {
            int count = integers(more, values, ANSWER_MAX);
            malformed |= !check(seat, values, count); /* not flushed before `verdicts` or `ahead` */
            take(seat, values, count);
        } else {
            if (!strcmp(line, "go") || (!strcmp(line, "ahead") && !malformed)) play(), show();
            else if (!strcmp(line, "describe")) fputs(DESCRIPTION, stdout);
            else if (!strcmp(line, "start")) start(rest), show();
            else if (!strcmp(line, "sample")) sample(seat);
            else if (!strcmp(line, "facts")) facts();
            malformed = false;
            fflush(stdout);
        }
    }
    return 0;
}
