// Each answer is the sum of the question's integers, modulo 5.
using System;

class Bot {
    static void Main() {
        string line;
        while ((line = Console.ReadLine()) != null) {
            long sum = 0;
            foreach (var word in line.Split(' ')) sum += long.Parse(word);
            Console.WriteLine(sum % 5);
        }
    }
}
