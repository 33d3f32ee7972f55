//! Sentences that name bots. On pages, the names are links to the bots.

use std::fmt;

use referee_record::text::{NAME, harmless};

/// A sentence that names bots. As text, each name is shortened and made visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Some words.
    Words(String),
    /// The name of a bot.
    Bot(String),
}

impl Sentence {
    /// Adds words.
    #[must_use]
    pub fn words(mut self, words: impl Into<String>) -> Sentence {
        self.parts.push(Part::Words(words.into()));
        self
    }

    /// Adds the name of a bot.
    #[must_use]
    pub fn bot(mut self, name: impl Into<String>) -> Sentence {
        self.parts.push(Part::Bot(name.into()));
        self
    }

    /// Adds names of bots, with `before_last` between the last two: `fox, owl and wolf`.
    #[must_use]
    pub fn bots<'n>(mut self, names: impl IntoIterator<Item = &'n str>, before_last: &str) -> Sentence {
        let names: Vec<&str> = names.into_iter().collect();
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                self = self.words(if index + 1 == names.len() { before_last } else { ", " });
            }
            self = self.bot(*name);
        }
        self
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Words(words) => f.write_str(words)?,
                Part::Bot(name) => f.write_str(&harmless(name, NAME))?,
            }
        }
        Ok(())
    }
}
