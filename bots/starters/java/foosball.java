    // comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
    static int[] think(int[] q) {
        int round = q[2], ball = q[3], nearest = -1;
        int[] rows = Arrays.copyOfRange(q, 4, 30);
        for (int man = 0; man < 26; man++) {
            if (round % 200 == 0) // a quarter begins: spread them; each time four others rest
                rows[man] = (man + round / 50) % 26 < 22 ? man % 9 - 4 : 100;
            else if (Math.abs(rows[man]) <= 4 && rows[man] != ball)
                if (nearest < 0 || Math.abs(rows[man] - ball) < Math.abs(rows[nearest] - ball)) nearest = man;
        }
        if (nearest >= 0) rows[nearest] += Integer.signum(ball - rows[nearest]); // one man may take one step
        return rows;
    }
