//! A bot that always gives the same answer, for the measurements that start bots.

use std::io::{self, BufRead, Write};

/// Answers every line with the same line.
pub(crate) fn be_one() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut question = Vec::new();
    while input.read_until(b'\n', &mut question)? > 0 {
        output.write_all(b"7\n")?;
        output.flush()?;
        question.clear();
    }
    Ok(())
}
