// Each answer is the sum of the question's integers, modulo 5.
import std.algorithm, std.array, std.conv, std.stdio;

void main() {
    foreach (line; stdin.byLineCopy) {
        writeln(line.split.map!(to!long).sum % 5);
        stdout.flush();
    }
}
