// Tron: two to four riders on a square grid, each with a trail that nobody can cross. The last one wins.
import java.io.*;
import java.util.*;
import java.util.stream.*;

public class Judge {
    static final String DESCRIPTION = """
        game tron 1
        about Tron: two to four riders, each with a trail that nobody can cross; the last wins
        seats 2 4
        turns 1600
        time 200 5000
        parameter side 15 5 40 cells along each side of the grid
        end
        """;
    static final int[][] STEPS = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}}; // up, right, down, left

    static final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    static final StringBuilder output = new StringBuilder();

    static int seats, side, turn;
    static int[] riders, headings, scores, trails; // a rider's cell is -1 if it is out

    static void say(String line) {
        output.append(line).append('\n');
    }

    static void flush() {
        System.out.print(output);
        System.out.flush();
        output.setLength(0);
    }

    static String join(int[] values) {
        return IntStream.of(values).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }

    /** Has the referee draw. */
    static int[] draw(String name, int count, int[] candidates) throws IOException {
        say("draw " + name + " 0 " + count + " " + join(candidates));
        flush();
        return Stream.of(input.readLine().split(" ")).skip(1).mapToInt(Integer::parseInt).toArray();
    }

    static void start(int riderCount, int size) throws IOException {
        seats = riderCount;
        side = size;
        turn = 0;
        int[][] corners = {{1, 1, 1}, {side - 2, side - 2, 3}, {1, side - 2, 2}, {side - 2, 1, 0}};
        int[] order = draw("corner", seats, IntStream.range(0, seats).toArray()); // who begins where
        riders = new int[seats];
        headings = new int[seats];
        scores = new int[seats];
        trails = new int[side * side];
        for (int seat = 0; seat < seats; seat++) {
            int[] corner = corners[order[seat]];
            riders[seat] = corner[0] * side + corner[1];
            headings[seat] = corner[2];
            trails[riders[seat]] = seat + 1;
        }
    }

    /** Returns the cell that a rider goes to, or -1 if there is none. */
    static int target(int seat) {
        int row = riders[seat] / side + STEPS[headings[seat]][0];
        int column = riders[seat] % side + STEPS[headings[seat]][1];
        if (row < 0 || row >= side || column < 0 || column >= side) return -1;
        return trails[row * side + column] == 0 ? row * side + column : -1;
    }

    static void play() {
        int[] goals = IntStream.range(0, seats).map(seat -> riders[seat] < 0 ? -1 : target(seat)).toArray();
        for (int seat = 0; seat < seats; seat++) {
            if (riders[seat] < 0) continue;
            int goal = goals[seat];
            if (goal < 0 || IntStream.of(goals).filter(other -> other == goal).count() > 1) {
                say("effect out " + seat + " " + riders[seat]);
                say("say " + seat + " seat " + seat + " is out");
                riders[seat] = -1;
            } else {
                riders[seat] = goal;
                scores[seat]++;
            }
        }
        for (int seat = 0; seat < seats; seat++) {
            if (goals[seat] >= 0) trails[goals[seat]] = seat + 1;
        }
        turn++;
    }

    static void show() {
        int[] riding = IntStream.range(0, seats).filter(seat -> riders[seat] >= 0).toArray();
        if (riding.length > 1) {
            for (int seat : riding) {
                String own = "ask " + seat + " " + seat + " " + turn + " " + seats + " " + side;
                say(own + " " + join(riders) + " " + join(trails));
            }
        } else {
            say("over one_left\nscores " + join(scores));
        }
        say("end");
    }

    static void check(long[] answer) {
        if (answer.length != 1) say("malformed " + answer.length + " integers instead of 1");
        else if (0 <= answer[0] && answer[0] < 4) say("fine");
        else say("illegal 1 1 " + answer[0] + " is no direction from 0 to 3");
    }

    static void facts() {
        say("fact rows -1 -1 " + side + "\nfact columns -1 -1 " + side);
        for (int seat = 0; seat < seats; seat++) {
            say("fact score " + seat + " -1 " + scores[seat]);
            if (riders[seat] >= 0) say("fact player " + seat + " -1 " + riders[seat]);
        }
        for (int cell = 0; cell < side * side; cell++) {
            if (trails[cell] > 0) say("fact cell " + (trails[cell] - 1) + " " + cell + " 0");
        }
        say("end");
    }

    public static void main(String[] arguments) throws IOException {
        String line;
        while ((line = input.readLine()) != null) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "describe" -> output.append(DESCRIPTION);
                case "start" -> {
                    start(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                    show();
                }
                case "check" -> check(Stream.of(words).skip(2).mapToLong(Long::parseLong).toArray());
                case "sample" -> say("answer " + draw("sample", 1, new int[] {0, 1, 2, 3})[0]);
                case "answer" -> { // without one, a rider goes on as before
                    long direction = Long.parseLong(words[2]);
                    if (0 <= direction && direction < 4) headings[Integer.parseInt(words[1])] = (int) direction;
                }
                case "go" -> {
                    play();
                    show();
                }
                case "facts" -> facts();
            }
            flush();
        }
    }
}
