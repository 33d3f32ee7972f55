    static final int[][] HOMES = {{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}}; // rows and slanted columns
    static final int[][] WAYS = {{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}};  // up-left, up-right, left, ...
    static final int[][] MINE = {{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}};

    // Push. A slot and a direction: the push that adds most to your score in this turn.
    static int[] think(int[] q) {
        int seat = q[2], best = -1000, number = 0;
        int[] answer = {0, MINE[seat][0]}; // if there is nothing to push, anything is accepted
        for (int r = -4; r <= 4; r++)
            for (int c = Math.max(-4, -4 - r); c <= Math.min(4, 4 - r); c++, number++)
                for (int way : MINE[seat]) {
                    int coins = q[3 + number], toR = r + WAYS[way][0], toC = c + WAYS[way][1];
                    int gain = coins * (bonus(toR, toC, seat) - bonus(r, c, seat));
                    if (coins == 0 || length(toR, toC) > 4 || gain <= best) continue;
                    best = gain;
                    answer = new int[] {number, way};
                }
        return answer;
    }

    static int length(int r, int c) { return Math.max(Math.max(Math.abs(r), Math.abs(c)), Math.abs(r + c)); }
    static int steps(int r, int c, int seat) { return length(r - HOMES[seat][0], c - HOMES[seat][1]); }

    static int bonus(int r, int c, int seat) { // what a coin is worth to you there
        IntStream others = IntStream.range(0, 6).filter(other -> other != seat);
        return Math.max(0, others.map(other -> steps(r, c, other)).min().getAsInt() - steps(r, c, seat));
    }
