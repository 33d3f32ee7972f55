static int sign(int a) { return (a > 0) - (a < 0); }

/* comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows. */
static int think(const int *q, int count, int *answer) {
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
