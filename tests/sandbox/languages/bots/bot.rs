// Each answer is the sum of the question's integers, modulo 5.
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        println!("{}", line.split(' ').map(|word| word.parse::<u64>().unwrap()).sum::<u64>() % 5);
    }
}
