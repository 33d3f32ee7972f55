//! `referee new`: a folder with a bot to begin with. The bots are those of `bots/starters`, as they are there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use referee::catalog::{self, Entry, Seating};
use referee::error::Error;

use super::{bot, say, shell};

/// Begin a bot: write a small one, which plays, into a folder of its own
#[derive(Debug, Args)]
pub(super) struct New {
    /// What it shall be called; the folder, too
    #[arg(value_name = "BOTNAME")]
    name: String,
    /// The game that it shall play
    #[arg(long)]
    game: String,
    /// The language that it is written in: c, cpp, go, java, javascript, octave, python or rust
    #[arg(long, value_name = "LANGUAGE")]
    lang: String,
    /// Where its folder is made
    #[arg(long, default_value = ".")]
    dir: PathBuf,
}

impl New {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let New { name, game, lang, dir } = self;
        let entry = catalog::find(&game).map_err(|error| Error::input(error.to_string()))?;
        let starter = STARTERS.iter().find(|starter| starter.language == lang).ok_or_else(|| {
            let languages: Vec<&str> = STARTERS.iter().map(|starter| starter.language).collect();
            Error::input(format!("no starter in {lang} (there are: {})", languages.join(", ")))
        })?;
        if !bot::is_tidy_name(&name) {
            return Err(
                Error::input(format!("{name}: a bot's name has 1 to 32 letters, digits, - and _")).into()
            );
        }
        let folder = dir.join(&name);
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        fs::create_dir(&folder).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Error::input(format!("{} is there already; nothing was written", folder.display())).into()
            }
            _ => anyhow::Error::from(error).context(format!("cannot make {}", folder.display())),
        })?;
        let commands = next_commands(entry, &name);
        let readme = starter.readme(entry, &name, &commands);
        let files = starter
            .files
            .map(|(name, text)| (name, text, if name == starter.source() { 0o644 } else { 0o755 }));
        for (name, text, mode) in files.into_iter().chain([("README.md", readme.as_str(), 0o644)]) {
            write_new(&folder.join(name), text, mode)
                .with_context(|| format!("cannot write {}", folder.join(name).display()))?;
        }
        say(format!("{}: a bot to begin with, in {}. Next:\n", folder.display(), starter.source()));
        say(format!("    cd {}", shell(&folder)));
        commands.iter().for_each(|command| say(format!("    {command}")));
        Ok(())
    }
}

/// A bot to begin with, in one language.
struct Starter {
    language: &'static str,
    /// What builds or runs it.
    tool: &'static str,
    /// Names and texts: the source first.
    files: [(&'static str, &'static str); 3],
}

macro_rules! starter {
    ($language:literal, $source:literal, $tool:literal) => {
        Starter {
            language: $language,
            tool: $tool,
            files: [
                ($source, include_str!(concat!("../../bots/starters/", $language, "/", $source))),
                ("build", include_str!(concat!("../../bots/starters/", $language, "/build"))),
                ("run", include_str!(concat!("../../bots/starters/", $language, "/run"))),
            ],
        }
    };
}

const STARTERS: [Starter; 8] = [
    starter!("c", "bot.c", "cc"),
    starter!("cpp", "bot.cpp", "g++"),
    starter!("go", "bot.go", "go"),
    starter!("java", "Bot.java", "javac and jar; java where it plays"),
    starter!("javascript", "bot.js", "node, also where it plays"),
    starter!("octave", "bot.m", "octave-cli, also where it plays"),
    starter!("python", "bot.py", "python3, also where it plays"),
    starter!("rust", "bot.rs", "rustc"),
];

impl Starter {
    fn source(&self) -> &'static str {
        self.files[0].0
    }

    fn readme(&self, entry: &Entry, name: &str, commands: &[String]) -> String {
        let source = self.source();
        let commands: String = commands.iter().map(|command| format!("    {command}\n")).collect();
        format!(
            "# {name}\n\n\
             A bot for {}.\n\n\
             {commands}\n\
             `build` makes one file of `{source}`: `bot`, which is what plays and what is submitted (it needs {}).\n\
             `run` starts it by hand. `{source}` plays all games, each in a function of its own: keep the one for\n\
             {}, and make it better. What the integers mean stands in the referee's protocol.md.\n\n    \
             referee hill submit HILL ./bot --name {name}\n",
            entry.about, self.tool, entry.name
        )
    }
}

/// What to do next, in the folder of the bot: build it, see it play, have it checked.
fn next_commands(entry: &Entry, name: &str) -> [String; 3] {
    let house: Vec<&str> = bot::house_bots(entry.name).map(|bot| bot.name).collect();
    let opponents = match entry.seating {
        Seating::Fixed(seats) => seats - 1,
        Seating::Field { .. } => house.len(),
    };
    // The strongest of them last, so that it is there in any case.
    let from = house.len().saturating_sub(opponents);
    let opponents: Vec<&str> = house.iter().skip(from).cycle().take(opponents).copied().collect();
    let game = entry.name;
    [
        "./build".to_owned(),
        format!("referee play {game} ./bot {} --dir {name}-games", opponents.join(" ")),
        format!("referee check ./bot --game {game}"),
    ]
}

/// Writes a file that was not there.
fn write_new(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(text.as_bytes())
}
