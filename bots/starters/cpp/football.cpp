static int sign(int a) { return (a > 0) - (a < 0); }

// Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
static Integers think(const Integers& q) {
    const int turn = q[0], seat = q[1], p = q[2], k = q[3];
    const int home = Integers{0, 31, 992, 1023}[seat];  // a cell is 32 * row + column
    const int* own = &q[10 + seat * p];                 // where your players are
    const int* balls = &q[10 + 4 * p];                  // the number of balls on each cell
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
