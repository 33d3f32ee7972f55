// A bot to begin with. It plays all four games, each in a function of its own: keep the one that you want and make it
// better. What the integers of a question and of an answer mean stands in the referee's protocol.md.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Integers = std::vector<int>;

static int sign(int a) { return (a > 0) - (a < 0); }

// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
static Integers football(const Integers& q) {
    const int turn = q[0], seat = q[1], p = q[2], k = q[3];
    const int home = Integers{0, 31, 992, 1023}[seat];  // a cell is 32 * row + column
    const int* own = &q[10 + seat * p];                 // where your players are
    const int* balls = &q[10 + 4 * p];                  // how many balls lie on each cell
    const auto down = [](int a, int b) { return b / 32 - a / 32; };
    const auto right = [](int a, int b) { return b % 32 - a % 32; };
    const auto square = [&](int a, int b) { return down(a, b) * down(a, b) + right(a, b) * right(a, b); };
    const auto steps = [&](int a, int b) { return std::max(std::abs(down(a, b)), std::abs(right(a, b))); };
    Integers answer;
    for (int i = 0; i < p; i++) {
        const int place = i * 256 / p, cell = own[i];
        // With a ball: of all cells in range the one nearest to home. Without: the nearest ball, among equals homeward.
        int best = cell, least = 1 << 30;
        for (int to = 0; to < 1024 && turn > 0; to++) {
            const bool fits = balls[cell] ? square(cell, to) <= k * k : balls[to] > 0;
            const int cost = square(to, home) + (balls[cell] ? 0 : 2048 * steps(cell, to));
            if (fits && cost < least) least = cost, best = to;
        }
        const int step = 3 * (sign(down(cell, best)) + 1) + sign(right(cell, best)) + 1;
        const int start = 32 * std::abs(home / 32 - place / 16) + std::abs(home % 32 - place % 16);  // around home
        answer.push_back(turn == 0 ? start : balls[cell] ? 9 + best : step);
    }
    return answer;
}

// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
static Integers foosball(const Integers& q) {
    int round = q[2], ball = q[3], nearest = -1;
    Integers rows(q.begin() + 4, q.begin() + 30);
    for (int man = 0; man < 26; man++) {
        if (round % 200 == 0)  // a quarter begins: spread them; each time four others rest
            rows[man] = (man + round / 50) % 26 < 22 ? man % 9 - 4 : 100;
        else if (std::abs(rows[man]) <= 4 && rows[man] != ball)
            if (nearest < 0 || std::abs(rows[man] - ball) < std::abs(rows[nearest] - ball)) nearest = man;
    }
    if (nearest >= 0) rows[nearest] += sign(ball - rows[nearest]);  // within a quarter one man may take one step
    return rows;
}

// Push. A slot and a direction: the push that adds most to your score in this turn.
static Integers push(const Integers& q) {
    struct Slot { int r, c; };  // row and slanted column
    static const Slot ways[] = {{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}};  // up-left, up-right, left, ...
    static const Slot homes[] = {{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}};
    static const int mine[6][3] = {{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}};
    const int seat = q[2], *coins = &q[3];
    const auto length = [](int r, int c) { return std::max({std::abs(r), std::abs(c), std::abs(r + c)}); };
    const auto bonus = [&](Slot slot) {  // what a coin is worth to you there
        const auto steps = [&](int i) { return length(slot.r - homes[i].r, slot.c - homes[i].c); };
        int nearest = 99;
        for (int other = 0; other < 6; other++) nearest = other == seat ? nearest : std::min(nearest, steps(other));
        return std::max(0, nearest - steps(seat));
    };
    Integers answer{0, mine[seat][0]};  // if there is nothing to push, anything is accepted
    int best = -1000, number = 0;
    for (int r = -4; r <= 4; r++)
        for (int c = std::max(-4, -4 - r); c <= std::min(4, 4 - r); c++, number++)
            for (int way : mine[seat]) {
                const Slot to{r + ways[way].r, c + ways[way].c};
                const int gain = coins[number] * (bonus(to) - bonus({r, c}));
                if (coins[number] > 0 && length(to.r, to.c) <= 4 && gain > best) best = gain, answer = {number, way};
            }
    return answer;
}

// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
static Integers target(const Integers& q) {
    static std::vector<bool> walls(4097);  // each wall is told once: remember it
    walls[q[1]] = true;                    // 4096, no wall, does no harm
    const auto gap = [](int a, int b) { return std::min((a - b + 64) % 64, (b - a + 64) % 64); };  // the shorter way
    const auto distance = [&](int a, int b) { return gap(a / 64, b / 64) + gap(a % 64, b % 64); };
    const auto room = [&](int cell) {
        int least = 99;
        for (size_t i = 2; i < q.size(); i++) least = std::min(least, distance(cell, q[i]));
        return least;
    };
    static const int moves[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
    int own = q[0], best = room(own), answer = 2;
    for (int move = 0; move < 5; move++) {
        const int to = (own / 64 + moves[move][0] + 64) % 64 * 64 + (own % 64 + moves[move][1] + 64) % 64;
        if (!walls[to] && room(to) > best) best = room(to), answer = move;  // where an enemy stands there is no room
    }
    return {answer};
}

int main() {
    const std::map<std::string, Integers (*)(const Integers&)> games{
        {"football", football}, {"foosball", foosball}, {"push", push}, {"target", target}};
    const char* game = std::getenv("REFEREE_GAME");
    const auto think = games.find(game ? game : "none");
    if (think == games.end()) return std::cerr << "REFEREE_GAME names no game that I can play\n", 2;
    std::cerr << "I play " << game << "\n";  // debug to standard error only
    std::string line;
    // One line is one question, until the game is over. Half a line is none.
    for (int number = 1; std::getline(std::cin, line) && !std::cin.eof(); number++) {
        std::istringstream words(line);
        Integers question;
        for (int integer; words >> integer;) question.push_back(integer);
        question.erase(question.begin());  // how many integers follow
        std::cout << '@' << number;  // the tag says which question this answers
        for (int integer : think->second(question)) std::cout << ' ' << integer;
        std::cout << std::endl;  // this flushes, or nobody sees it
    }
}
