    // Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
    static int[] think(int[] q) {
        int turn = q[0], seat = q[1], p = q[2], k = q[3];
        int home = new int[] {0, 31, 992, 1023}[seat]; // a cell is 32 * row + column
        int own = 10 + seat * p;                       // the first of the cells of your players
        int balls = 10 + 4 * p;                        // the first of the numbers of balls on the cells
        int[] answer = new int[p];
        for (int i = 0; i < p; i++) {
            int place = i * 256 / p, cell = turn == 0 ? home : q[own + i], best = cell, least = Integer.MAX_VALUE;
            boolean kicks = q[balls + cell] > 0;
            for (int to = 0; to < 1024; to++) {
                // With a ball: of all cells in range the one nearest to home. Without: the nearest ball.
                boolean fits = kicks ? square(cell, to) <= k * k : q[balls + to] > 0;
                int cost = square(to, home) + (kicks ? 0 : 2048 * steps(cell, to));
                if (fits && cost < least) { least = cost; best = to; }
            }
            if (turn == 0) // spread them over the 16x16 cells around home
                answer[i] = 32 * Math.abs(home / 32 - place / 16) + Math.abs(home % 32 - place % 16);
            else if (kicks) answer[i] = 9 + best;
            else answer[i] = 3 * (Integer.signum(down(cell, best)) + 1) + Integer.signum(right(cell, best)) + 1;
        }
        return answer;
    }

    static int down(int a, int b) { return b / 32 - a / 32; }
    static int right(int a, int b) { return b % 32 - a % 32; }
    static int square(int a, int b) { return down(a, b) * down(a, b) + right(a, b) * right(a, b); }
    static int steps(int a, int b) { return Math.max(Math.abs(down(a, b)), Math.abs(right(a, b))); }
