// A bot to begin with. It plays all four games, each in a method of its own: keep the one that you want and make it
// better. What the integers of a question and of an answer mean stands in the referee's protocol.md.
import java.io.*;
import java.util.*;
import java.util.stream.*;

public class Bot {
    // Parallel Football. Turn 0: a cell for each player. Later: 0 to 8 is a step, 9 + cell a kick to that cell.
    static int[] football(int[] q) {
        int turn = q[0], seat = q[1], p = q[2], k = q[3];
        int home = new int[] {0, 31, 992, 1023}[seat]; // a cell is 32 * row + column
        int own = 10 + seat * p;                       // from here on: where your players are
        int balls = 10 + 4 * p;                        // from here on: how many balls lie on each cell
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

    // comFoosball. A row, -4 to 4, for each of 26 men; 100 is the bench. Exactly 22 stand on rows.
    static int[] foosball(int[] q) {
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

    static final int[][] HOMES = {{-4, 0}, {-4, 4}, {0, 4}, {4, 0}, {4, -4}, {0, -4}}; // rows and slanted columns
    static final int[][] WAYS = {{-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}};  // up-left, up-right, left, ...
    static final int[][] MINE = {{3, 4, 5}, {2, 4, 5}, {0, 2, 4}, {0, 1, 2}, {0, 1, 3}, {1, 3, 5}};

    // Push. A slot and a direction: the push that adds most to your score in this turn.
    static int[] push(int[] q) {
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

    static final boolean[] walls = new boolean[4097]; // each wall is told once: remember it

    // Invisible Target. 0 up, 1 left, 2 stay, 3 right, 4 down: to where the nearest enemy is farthest away.
    static int[] target(int[] q) {
        int own = q[0], best = room(own, q), answer = 2;
        walls[q[1]] = true; // 4096, no wall, does no harm
        int[][] moves = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
        for (int move = 0; move < 5; move++) {
            int to = Math.floorMod(own / 64 + moves[move][0], 64) * 64 + Math.floorMod(own % 64 + moves[move][1], 64);
            if (walls[to] || room(to, q) <= best) continue; // where an enemy stands there is no room at all
            best = room(to, q);
            answer = move;
        }
        return new int[] {answer};
    }

    static int gap(int a, int b) { return Math.min((a - b + 64) % 64, (b - a + 64) % 64); } // the shorter way round
    static int distance(int a, int b) { return gap(a / 64, b / 64) + gap(a % 64, b % 64); }
    static int room(int at, int[] q) { return Arrays.stream(q).skip(2).map(to -> distance(at, to)).min().getAsInt(); }

    public static void main(String[] arguments) throws IOException {
        String game = System.getenv().getOrDefault("REFEREE_GAME", "none");
        System.err.println("I play " + game); // debug to standard error only
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String line;
        for (int number = 1; (line = input.readLine()) != null; number++) { // a line a question, until the game is over
            String[] integers = line.split(" "); // how many follow, then they
            if (integers.length != Integer.parseInt(integers[0]) + 1) break; // the input has ended within a question
            int[] question = Stream.of(integers).skip(1).mapToInt(Integer::parseInt).toArray();
            int[] answer = switch (game) {
                case "football" -> football(question);
                case "foosball" -> foosball(question);
                case "push" -> push(question);
                case "target" -> target(question);
                default -> throw new IllegalArgumentException("REFEREE_GAME is " + game + ", and I cannot play that");
            };
            String words = IntStream.of(answer).mapToObj(value -> " " + value).collect(Collectors.joining());
            System.out.print("@" + number + words + "\n"); // the tag says which question this answers
            System.out.flush(); // or nobody sees it
        }
    }
}
