// Push. A slot and a direction: the push that adds most to your score in this turn.
static Integers think(const Integers& q) {
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
