//! Checkpoints: the size of a list at some time, and the root of its tree, as the text of a signed note.
//!
//! The lines are: the origin (the name of the list), the size, the root in base64, and any further lines of its owner.
//!
//! Source: C2SP `tlog-checkpoint`, version 1.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::proof::tree::Hash;

/// A list at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the list: not empty.
    pub origin: String,
    /// The number of its entries.
    pub size: u64,
    /// The root over the entries.
    pub root: Hash,
    /// Further lines; none of them is empty.
    pub more: Vec<String>,
}

impl Checkpoint {
    /// Reads the text of a note. `None` if it is not a checkpoint.
    pub fn parse(text: &str) -> Option<Checkpoint> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let is_plain =
            size.bytes().all(|digit| digit.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
        let more: Vec<String> = lines.map(str::to_owned).collect();
        if origin.is_empty() || !is_plain || more.iter().any(String::is_empty) {
            return None;
        }
        let root = STANDARD.decode(root).ok()?.try_into().ok()?;
        Some(Checkpoint { origin: origin.to_owned(), size: size.parse().ok()?, root, more })
    }

    /// Returns the rest of the first further line that begins with a word and a blank.
    pub fn value(&self, word: &str) -> Option<&str> {
        self.more.iter().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))
    }
}

/// The text to sign.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root))?;
        self.more.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_as_it_is_written() {
        for more in [vec![], vec!["chain 12".to_owned(), "seed 34".to_owned()]] {
            let checkpoint = Checkpoint { origin: "example/fox".to_owned(), size: 12, root: [3; 32], more };
            assert_eq!(Checkpoint::parse(&checkpoint.to_string()), Some(checkpoint));
        }
        let root = STANDARD.encode([3; 32]);
        for wrong in [
            "",
            "a\n",
            "a\n1\n",
            "a\n01\nROOT\n",
            "a\n-1\nROOT\n",
            "\n1\nROOT\n",
            "a\n1\nROOT",
            "a\n1\nAA==\n",
            "a\n1\nROOT\n\n",
        ] {
            assert_eq!(Checkpoint::parse(&wrong.replace("ROOT", &root)), None, "{wrong:?}");
        }
    }
}
