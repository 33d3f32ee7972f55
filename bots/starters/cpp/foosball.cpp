static int sign(int a) { return (a > 0) - (a < 0); }

// comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
static Integers think(const Integers& q) {
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
