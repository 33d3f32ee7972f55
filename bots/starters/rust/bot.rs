//! A starter bot: it reads a question, one line, and writes an answer, one line. The function `think` plays: make
//! it better. The referee's protocol.md says what the integers mean.

use std::io::{self, BufRead, Write};

// The game's function goes here.

fn main() -> io::Result<()> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    // Debug to standard error only.
    eprintln!("I play {} in seat {}", variable("REFEREE_GAME"), variable("REFEREE_SEAT"));
    let mut memory = Memory::default();
    let (mut input, mut line, mut number) = (io::stdin().lock(), String::new(), 0);
    // Each line is a question: the number of its integers, then the integers. Half a line is no question.
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
