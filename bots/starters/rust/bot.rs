//! A bot to begin with: a line is a question, a line is its answer. The function `think` plays: make it better. What the
//! integers mean stands in the referee's protocol.md.

use std::io::{self, BufRead, Write};

// The game's function goes here.

fn main() -> io::Result<()> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    // Debug to standard error only.
    eprintln!("I play {} in seat {}", variable("REFEREE_GAME"), variable("REFEREE_SEAT"));
    let mut memory = Memory::default();
    let (mut input, mut line, mut number) = (io::stdin().lock(), String::new(), 0);
    // One line is one question, until the game is over: how many integers follow, then they. Half a line is none.
    while input.read_line(&mut line)? > 0 && line.ends_with('\n') {
        number += 1;
        let question: Vec<i32> =
            line.split_whitespace().skip(1).map(|word| word.parse().expect("an integer")).collect();
        line.clear();
        let words: String = think(&question, &mut memory).iter().map(|value| format!(" {value}")).collect();
        println!("@{number}{words}"); // the tag `@i` says which question this answers
        io::stdout().flush()?; // or nobody sees it
    }
    Ok(())
}
