//! `referee new-game`: a folder with a small game to start from. It is the game of `bots/starter-game`, under
//! another name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use include_dir::File;
use referee_bots::STARTER_GAME;
use referee_games::catalog;
use referee_record::error::Error;

use crate::context::Context;
use crate::new::{new_folder, write_new};
use crate::out::say;
use crate::shell;

/// Write a small game of your own, into its own folder
#[derive(Debug, Args)]
pub(crate) struct NewGame {
    /// Name of the game and of its folder: lower-case letters and digits, beginning with a letter
    #[arg(value_name = "GAMENAME")]
    name: String,
    /// Its language: c, java, javascript or python (a judge), or rust (a crate)
    #[arg(long, value_name = "LANGUAGE")]
    lang: String,
    /// Parent folder for the new folder
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// With rust: folder of the referee's source, for the build [default: the folder `source` beside this program, or
    /// the one that it was built from]
    #[arg(long, value_name = "FOLDER")]
    source: Option<PathBuf>,
}

/// The name of the game in `bots/starter-game`.
const NAME: &str = "tron";

/// The type of its rules there.
const TYPE: &str = "Tron";

/// A language of starter games.
struct Language {
    /// The name of the language, and of the folder of its files.
    name: &'static str,
    /// The next steps, with a placeholder for the game's name.
    next: &'static [&'static str],
    /// Its files: the source, the target, and the permissions.
    files: &'static [(&'static str, &'static str, u32)],
}

const LANGUAGES: &[Language] = &[
    Language {
        name: "c",
        next: &["./build", "referee judge check judge", "referee play ./judge BOT BOT"],
        files: &[("judge.c", "judge.c", 0o644), ("build", "build", 0o755)],
    },
    Language {
        name: "java",
        next: &["./build", "referee judge check judge", "referee play ./judge BOT BOT"],
        files: &[("Judge.java", "Judge.java", 0o644), ("build", "build", 0o755)],
    },
    Language {
        name: "javascript",
        next: &["referee judge check judge.js", "referee play ./judge.js BOT BOT"],
        files: &[("judge.js", "judge.js", 0o755)],
    },
    Language {
        name: "python",
        next: &["referee judge check judge.py", "referee play ./judge.py BOT BOT"],
        files: &[("judge.py", "judge.py", 0o755)],
    },
    Language {
        name: "rust",
        next: &[
            "cargo test",
            "cargo run -- play tron straight straight",
            "cargo build --features serve   # for: target/debug/tron serve HILL",
        ],
        files: &[
            ("manifest.toml", "Cargo.toml", 0o644),
            ("main.rs", "src/main.rs", 0o644),
            ("serve.rs", "src/serve.rs", 0o644),
            ("game.rs", "src/game.rs", 0o644),
            ("straight.rs", "src/straight.rs", 0o644),
        ],
    },
];

impl NewGame {
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        let NewGame { name, lang, dir, source } = self;
        let language = LANGUAGES.iter().find(|language| language.name == lang).ok_or_else(|| {
            let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
            Error::input(format!("no starter game in {lang} (there are: {})", names.join(", ")))
        })?;
        check_name(&name)?;
        let source = match language.name {
            "rust" => Some(source_folder(context, source)?),
            _ => None,
        };
        let folder = new_folder(&dir, &name)?;
        let place = |below: &str| match &source {
            Some(path) => format!("{{ path = {:?} }}", path.join(below).display().to_string()),
            None => String::new(),
        };
        let (referee, rules, serve) = (place(""), place("referee/rules"), place("referee/serve"));
        for (from, to, mode) in language.files {
            let text = renamed(file(language, from), &name)
                .replace("\"REFEREE\"", &referee)
                .replace("\"RULES\"", &rules)
                .replace(
                    "{ path = \"SERVE\", optional = true }",
                    &serve.replace(" }", ", optional = true }"),
                );
            let path = folder.join(to);
            let made = fs::create_dir_all(path.parent().unwrap_or(&folder));
            made.and_then(|()| write_new(&path, &text, *mode))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        say(format!("{}: a small game. Next steps:\n", folder.display()));
        say(format!("    cd {}", shell(&folder)));
        language.next.iter().for_each(|command| say(format!("    {}", renamed(command, &name))));
        Ok(())
    }
}

/// Finds the source of the referee, with which a game in Rust is built, since no registry has the referee.
fn source_folder(context: &Context, given: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let is_source = |folder: &Path| folder.join("referee/rules/Cargo.toml").is_file();
    if let Some(given) = given {
        let folder = std::path::absolute(&given)?;
        if is_source(&folder) {
            return Ok(folder);
        }
        let what = "this is not the source of the referee: it has no referee/rules/Cargo.toml";
        return Err(Error::file(&given, what).into());
    }
    let beside = context.program()?.with_file_name("source");
    // A release knows no folder of the machine that built it.
    let is_release = option_env!("REFEREE_RELEASE").is_some();
    let built_in = if is_release { "" } else { env!("CARGO_MANIFEST_DIR") };
    let built_from = Path::new(built_in).ancestors().nth(2).map(Path::to_owned);
    let found = [Some(beside), built_from].into_iter().flatten().find(|folder| is_source(folder));
    found.ok_or_else(|| {
        let what = "a game in Rust is built with the source of the referee, which was not found; name its folder with \
                    --source FOLDER (an archive of a release has it in the folder source)";
        Error::input(what).into()
    })
}

/// Makes sure that a name fits a game: it is used as a word on the command line, a crate and a part of file
/// names.
fn check_name(name: &str) -> Result<(), Error> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_word = name.bytes().all(fits) && name.starts_with(|first: char| first.is_ascii_lowercase());
    if !is_word || name.len() > 20 {
        let what = "a game's name must have 1 to 20 lower-case letters and digits, and begin with a letter";
        return Err(Error::input(format!("{name}: {what}")));
    }
    match catalog::find(name) {
        Ok(_) => Err(Error::input(format!("{name}: a game has this name already; choose another"))),
        Err(_) => Ok(()),
    }
}

fn file(language: &Language, name: &str) -> &'static str {
    let file = STARTER_GAME.get_file(Path::new(language.name).join(name));
    file.and_then(File::contents_utf8).unwrap_or_else(|| panic!("bots/starter-game/{}/{name}", language.name))
}

/// Returns a file of the game under its new name.
fn renamed(text: &str, name: &str) -> String {
    let (first, rest) = name.split_at(1);
    text.replace(TYPE, &format!("{}{rest}", first.to_ascii_uppercase())).replace(NAME, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_is_written_is_there_and_gets_the_name() {
        for language in LANGUAGES {
            for (from, ..) in language.files {
                assert!(!file(language, from).is_empty());
            }
        }
        assert_eq!(renamed("impl Rules for Tron { // \"tron\"", "hex7"), "impl Rules for Hex7 { // \"hex7\"");
    }

    #[test]
    fn a_name_that_cannot_be_a_game_is_refused() {
        for name in ["", "Tron", "7up", "my-game", "a_b", "football", &"x".repeat(21)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_name("chess960").is_ok());
    }
}
