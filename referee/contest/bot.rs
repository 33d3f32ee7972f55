//! A bot: a program with its arguments under a name. Hills and tournaments have the same types for bots.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use referee_record::schema::{CellForm, CellKind};
use referee_record::{BotName, Digest, identity, names};

/// A bot as it is handed in, before its program is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBot {
    /// Its name.
    pub name: String,
    /// Its program, or on a hill a source of one: a file, a folder, or an archive.
    pub file: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Whether it may start other programs.
    pub allow_fork: bool,
    /// Its program, as its author or the host has named it.
    pub source: String,
    /// Its author; empty if unknown.
    pub author: String,
    /// What its program was built from, if a hill has built it.
    pub built: Option<Built>,
}

/// What a program was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// SHA-256 of its source.
    pub source: Digest,
    /// SHA-256 of what it was built with.
    pub toolchain: Digest,
}

/// A bot whose program is in the store of its contest. A plan lists its bots in this form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bot {
    /// Its name.
    pub name: String,
    /// Number of the program under this name, from 1. A tournament has one program under each name.
    #[serde(skip, default = "first")]
    pub version: u32,
    /// SHA-256 of its program.
    #[schemars(with = "String")]
    pub digest: Digest,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Whether it may start other programs.
    pub allow_fork: bool,
    /// Its name in the file.
    pub source: String,
    /// Its author; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// Contact of its author; empty if unknown.
    #[serde(skip)]
    pub contact: String,
    /// SHA-256 of its source; `None` if the program was handed in ready to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub source_digest: Option<Digest>,
    /// SHA-256 of what its source was built with; `None` likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub toolchain: Option<Digest>,
    /// Its identity in results. It comes last, because it follows from the others.
    #[schemars(with = "String")]
    pub identity: Digest,
}

fn first() -> u32 {
    1
}

impl Bot {
    /// Returns the line of signed texts that names source and toolchain; `None` if the program was handed in ready to
    /// run.
    pub fn built(&self) -> Option<String> {
        let (source, toolchain) = (self.source_digest.as_ref()?, self.toolchain.as_ref()?);
        Some(format!("built {source} {toolchain}\n"))
    }

    /// Returns a bot without anything, to be filled in.
    pub fn blank() -> Bot {
        Bot {
            name: String::new(),
            version: first(),
            digest: Digest::blank(),
            arguments: Vec::new(),
            allow_fork: false,
            source: String::new(),
            author: String::new(),
            contact: String::new(),
            source_digest: None,
            toolchain: None,
            identity: Digest::blank(),
        }
    }

    /// Returns the bot's name, version and identity, as in records.
    pub fn bot_name(&self) -> BotName {
        BotName { name: self.name.clone(), version: self.version, digest: self.identity.clone() }
    }

    /// Tells whether it is a bot of the referee itself, which all have one program and differ by their arguments.
    pub fn is_house(&self) -> bool {
        self.identity != identity::bot_digest(&self.digest, &self.arguments)
    }

    /// Tells whether another bot has the same program, or one built from the same source, whatever its name, its
    /// arguments and what it may do. House bots are the same if their game and name are.
    pub fn has_program_of(&self, other: &Bot) -> bool {
        let is_same_source = self.source_digest.is_some() && self.source_digest == other.source_digest;
        // The first arguments of a house bot: the command, its game and its name.
        let is_same_call = self.arguments.iter().take(3).eq(other.arguments.iter().take(3));
        let is_same_program = self.digest == other.digest || is_same_source;
        if !is_same_program && !is_same_call {
            return false;
        }
        match (self.is_house(), other.is_house()) {
            (true, true) => is_same_call,
            (false, false) => is_same_program,
            _ => false,
        }
    }

    /// Returns its arguments in one cell: separated by blanks. If an argument is empty or has a blank, the cell begins
    /// with a blank, and all arguments are quoted as in a shell.
    pub fn arguments_cell(&self) -> String {
        let mut cell = String::new();
        Words::write(&self.arguments, &mut cell);
        cell
    }

    /// Makes sure that this is a valid name of an author.
    ///
    /// # Errors
    ///
    /// Names the rule.
    pub fn check_author(author: &str) -> Result<(), String> {
        names::check_plain("an author", author).map(drop)
    }

    /// Makes sure that arguments can be written into a table.
    ///
    /// # Errors
    ///
    /// Names an argument with an invisible character.
    pub fn check_arguments(arguments: &[String]) -> Result<(), String> {
        match arguments.iter().find(|word| names::check_text(word).is_err()) {
            Some(bad) => Err(format!("an argument with an invisible character: {bad:?}")),
            None => Ok(()),
        }
    }
}

/// Arguments in one cell, see [`Bot::arguments_cell`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words;

impl CellKind for Words {
    const KIND: &'static str = "text";
}

impl CellForm<Vec<String>> for Words {
    fn write(words: &Vec<String>, text: &mut String) {
        let is_plain = |word: &String| !word.is_empty() && !word.contains(char::is_whitespace);
        if words.iter().all(is_plain) {
            text.push_str(&words.join(" "));
            return;
        }
        for word in words {
            text.push(' ');
            // Only an argument with a zero byte cannot be quoted, and no program can have one.
            text.push_str(&shlex::try_quote(word).unwrap_or_default());
        }
    }

    fn read(cell: &str) -> Result<Vec<String>, String> {
        let quoted = cell.strip_prefix(' ').and_then(shlex::split);
        let words = quoted.unwrap_or_else(|| cell.split_whitespace().map(str::to_owned).collect());
        Bot::check_arguments(&words)?;
        let mut written = String::new();
        Words::write(&words, &mut written);
        if written == cell {
            Ok(words)
        } else {
            Err(format!("{cell:?}; the only form of these arguments is {written:?}"))
        }
    }
}
