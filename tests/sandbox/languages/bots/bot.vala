// Each answer is the sum of the question's integers, modulo 5.
void main () {
    string? line;
    while ((line = stdin.read_line ()) != null) {
        int sum = 0;
        foreach (var word in line.split (" ")) sum += int.parse (word);
        stdout.printf ("%d\n", sum % 5);
        stdout.flush ();
    }
}
