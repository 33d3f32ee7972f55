// Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
static Integers think(const Integers& q) {
    static std::vector<bool> walls(4097);  // each wall is sent only once: remember it
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
        if (!walls[to] && room(to) > best) best = room(to), answer = move;  // no room on an enemy's cell
    }
    return {answer};
}
