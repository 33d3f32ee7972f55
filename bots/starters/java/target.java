    static final boolean[] walls = new boolean[4097]; // each wall is sent only once: remember it

    // Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
    static int[] think(int[] q) {
        int own = q[0], best = room(own, q), answer = 2;
        walls[q[1]] = true; // 4096, no wall, does no harm
        int[][] moves = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
        for (int move = 0; move < 5; move++) {
            int to = Math.floorMod(own / 64 + moves[move][0], 64) * 64 + Math.floorMod(own % 64 + moves[move][1], 64);
            if (walls[to] || room(to, q) <= best) continue; // no room on an enemy's cell
            best = room(to, q);
            answer = move;
        }
        return new int[] {answer};
    }

    static int gap(int a, int b) { return Math.min((a - b + 64) % 64, (b - a + 64) % 64); } // the shorter way round
    static int distance(int a, int b) { return gap(a / 64, b / 64) + gap(a % 64, b % 64); }
    static int room(int at, int[] q) { return Arrays.stream(q).skip(2).map(to -> distance(at, to)).min().getAsInt(); }
