//! `referee new`: writes a folder with a small bot. The bot consists of a language's frame from `bots/starters` and
//! the function of one game.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use include_dir::File;
use referee_bots::STARTERS;
use referee_games::catalog::{self, Entry};

use referee_record::error::Error;
use referee_record::names;
use referee_rules::Parameters;

use crate::context::Context;
use crate::{bot, say, shell};

/// Write a small bot that plays, into a folder of its own
#[derive(Debug, Args)]
pub(super) struct New {
    /// Name of the bot and of its folder
    #[arg(value_name = "BOTNAME")]
    name: String,
    /// The game
    #[arg(long)]
    game: String,
    /// The language: c, cpp, go, java, javascript, octave, python or rust
    #[arg(long, value_name = "LANGUAGE")]
    lang: String,
    /// The machine that it is built for: this one, or WebAssembly (in c and rust)
    #[arg(long, value_enum, default_value = "native")]
    target: Target,
    /// The folder in which the bot's folder is made
    #[arg(long, default_value = ".")]
    dir: PathBuf,
}

/// The machine that a bot is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    Native,
    Wasm,
}

impl Target {
    /// Returns the file that plays.
    fn program(self) -> &'static str {
        match self {
            Target::Native => "bot",
            Target::Wasm => "bot.wasm",
        }
    }
}

impl New {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let New { name, game, lang, target, dir } = self;
        let entry = catalog::find(&game).map_err(|error| Error::input(error.to_string()))?;
        let starter = LANGUAGES.iter().find(|starter| starter.language == lang).ok_or_else(|| {
            let languages: Vec<&str> = LANGUAGES.iter().map(|starter| starter.language).collect();
            Error::input(format!("no starter in {lang} (there are: {})", languages.join(", ")))
        })?;
        let source = starter.source_for(entry);
        let build = starter.build_for(target)?;
        let name = names::check_new(&name).map_err(Error::input)?;
        let folder = new_folder(&dir, &name)?;
        // The commands are called in the new folder.
        let judge = (game != entry.name).then(|| std::path::absolute(&game)).transpose()?;
        let commands = next_commands(entry, judge.as_deref(), &name, target.program());
        let rules = if judge.is_some() { "rules.md".to_owned() } else { format!("{}.md", entry.name) };
        let readme = starter.readme(entry, &name, target, &rules, &commands);
        let page = context.page(entry.name).map(str::to_owned).or(judge.as_deref().and_then(rules_beside));
        let page = page.unwrap_or_else(|| entry.described());
        let mut files = vec![
            (starter.source, source.as_str(), 0o644),
            (rules.as_str(), &page, 0o644),
            ("build", build, 0o755),
            ("README.md", &readme, 0o644),
            (SUBMIT, text_of(Path::new(SUBMIT)), 0o755),
        ];
        if target == Target::Native {
            files.push(("run", starter.file("run"), 0o755));
        }
        for (name, text, mode) in files {
            write_new(&folder.join(name), text, mode)
                .with_context(|| format!("cannot write {}", folder.join(name).display()))?;
        }
        say(format!("{}: a small bot in {}. Next steps:\n", folder.display(), starter.source));
        say(format!("    cd {}", shell(&folder)));
        commands.iter().for_each(|command| say(format!("    {command}")));
        Ok(())
    }
}

/// Returns the rules that lie beside a judge, in `rules.md`.
fn rules_beside(judge: &Path) -> Option<String> {
    const BYTES_MAX: u64 = 1 << 20;
    let file = judge.with_file_name("rules.md");
    let is_short =
        fs::metadata(&file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= BYTES_MAX);
    if is_short { fs::read_to_string(&file).ok() } else { None }
}

/// The script that submits a bot from any system.
const SUBMIT: &str = "submit.py";

/// Returns a file of the starters.
fn text_of(path: &Path) -> &'static str {
    let file = STARTERS.get_file(path);
    file.and_then(File::contents_utf8).unwrap_or_else(|| panic!("bots/starters/{}", path.display()))
}

/// Mark of the line in a frame that the function of a game replaces.
const PLACE: &str = "The game's function goes here.";

/// The name of the file with a function for games that have none of their own.
const ANY: &str = "any";

/// The starter of a language.
struct Starter {
    /// The name of the language, and of the folder of its files.
    language: &'static str,
    /// The name of the frame, and of the file that is made of it.
    source: &'static str,
    /// The programs that build and run the bot.
    tool: &'static str,
    /// The programs that build the bot for WebAssembly; `None` if it cannot be built for that.
    wasm: Option<&'static str>,
}

const LANGUAGES: [Starter; 8] = [
    Starter { language: "c", source: "bot.c", tool: "cc", wasm: Some("clang, lld and wasi-libc") },
    Starter { language: "cpp", source: "bot.cpp", tool: "g++", wasm: None },
    Starter { language: "go", source: "bot.go", tool: "go", wasm: None },
    Starter { language: "java", source: "Bot.java", tool: "javac and jar; java where it plays", wasm: None },
    Starter { language: "javascript", source: "bot.js", tool: "node, also where it plays", wasm: None },
    Starter { language: "octave", source: "bot.m", tool: "octave-cli, also where it plays", wasm: None },
    Starter { language: "python", source: "bot.py", tool: "python3, also where it plays", wasm: None },
    Starter {
        language: "rust",
        source: "bot.rs",
        tool: "rustc",
        wasm: Some("rustc, with `rustup target add wasm32-wasip1`"),
    },
];

impl Starter {
    /// Returns a file of its folder that every language has.
    fn file(&self, name: &str) -> &'static str {
        text_of(&Path::new(self.language).join(name))
    }

    /// Returns the script that builds it.
    fn build_for(&self, target: Target) -> Result<&'static str, Error> {
        if target == Target::Native {
            return Ok(self.file("build"));
        }
        self.wasm.map(|_| self.file("build-wasm")).ok_or_else(|| {
            let others = LANGUAGES.iter().filter(|starter| starter.wasm.is_some());
            let others: Vec<&str> = others.map(|starter| starter.language).collect();
            Error::input(format!(
                "no starter in {} is built for WebAssembly (there is one in {})",
                self.language,
                others.join(", ")
            ))
        })
    }

    /// Returns the function of a game in this language, or a frame for any game.
    fn function(&self, entry: &Entry) -> &'static str {
        let ending = Path::new(self.source).extension().unwrap_or_default();
        let file = |name: &str| STARTERS.get_file(Path::new(self.language).join(name).with_extension(ending));
        file(entry.name).and_then(File::contents_utf8).unwrap_or_else(|| {
            file(ANY).and_then(File::contents_utf8).unwrap_or_else(|| panic!("{} has {ANY}", self.language))
        })
    }

    /// Returns the source of a bot: the frame with the function of a game in it.
    fn source_for(&self, entry: &Entry) -> String {
        let function = self.function(entry);
        let frame = self.file(self.source).lines();
        let lines = frame.map(|line| if line.contains(PLACE) { function.trim_end() } else { line });
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    fn readme(&self, entry: &Entry, name: &str, target: Target, rules: &str, commands: &[String]) -> String {
        let (source, program) = (self.source, target.program());
        let commands: String = commands.iter().map(|command| format!("    {command}\n")).collect();
        let tool = if target == Target::Wasm { self.wasm.unwrap_or_default() } else { self.tool };
        let by_hand = match target {
            Target::Native => "`run` starts it by hand.",
            Target::Wasm => "The referee must have WebAssembly: `referee docs wasm`.",
        };
        format!(
            "# {name}\n\n\
             A bot for {}.\n\n\
             {commands}\n\
             - `build` makes `{program}` of `{source}`: the file that plays and is submitted. It needs {tool}.\n\
             - {by_hand}\n\
             - The function `think` in `{source}` plays: make it better.\n\
             - `{rules}` contains the rules and explains each integer. `referee docs protocol` explains the protocol.\n\n    \
             referee hill submit HILL ./{program} --name {name}\n\n\
             `HILL` is a folder or an address. `python3 submit.py https://... {program} --name {name}` submits to an \
             address from any system, with the token in the environment variable `REFEREE_TOKEN`.\n",
            entry.about
        )
    }
}

/// Returns the next steps in the folder of the bot: build it, play with it, check it.
fn next_commands(entry: &Entry, judge: Option<&Path>, name: &str, program: &str) -> [String; 3] {
    let house: Vec<&str> = bot::house_bots(entry.name).map(|bot| bot.name).collect();
    let seats = entry.table(&Parameters::defaults(entry.parameters));
    let opponents = seats.map_or(house.len(), |seats| seats - 1);
    let itself = format!("./{program}");
    // Without house bots it plays against itself. The strongest bots come last in the list, so they are among the
    // opponents in any case.
    let strongest = &house[house.len().saturating_sub(opponents)..];
    let rivals = if house.is_empty() { &[itself.as_str()][..] } else { strongest };
    let opponents = rivals.iter().cycle().take(opponents).copied();
    let bots: Vec<&str> = std::iter::once(&*itself).chain(opponents).collect();
    let game = judge.map_or_else(|| entry.name.to_owned(), |file| shell(file).to_string());
    [
        "./build".to_owned(),
        format!("referee play {game} {} --dir {name}-games", bots.join(" ")),
        format!("referee check ./{program} --game {game}"),
    ]
}

/// Makes a folder that was not there, and its parents. Returns its path.
pub fn new_folder(parent: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let folder = parent.join(name);
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    match fs::create_dir(&folder) {
        Ok(()) => Ok(folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::input(format!("{} exists already; nothing was written", folder.display())).into())
        }
        Err(error) => Err(anyhow::Error::from(error).context(format!("cannot make {}", folder.display()))),
    }
}

/// Writes a file that was not there.
pub fn write_new(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(text.as_bytes())
}
