//! `referee proof`: signed checkpoints and receipts of a hill or a tournament. `referee witness`: keeps them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee_contest::hill::Hill;
use referee_contest::publish;
use referee_files::beneath::{self, Spot};
use referee_notary as notary;
use referee_notary::proof::note::Verifier;
use referee_notary::{Keys, Receipt, Signed, Verified};
use referee_record::error::Error;
use referee_record::text::count;

use referee_cli::out::{detail, note, say};
use referee_cli::shell;

/// Sign the records of a hill or a tournament, so that any later change is detected
#[derive(Debug, Subcommand)]
pub(crate) enum ProofCommand {
    /// Make a key and commit to the seed, unless there is a key already
    Begin {
        /// The folder of the hill or tournament
        dir: PathBuf,
    },
    /// Sign the current results
    ///
    /// `hill run` signs after each round, and `tournament run` after each batch.
    Checkpoint {
        /// The folder of the hill or tournament
        dir: PathBuf,
    },
    /// Compare all checkpoints with the results
    Verify {
        /// The folder of the hill or tournament
        dir: PathBuf,
        #[command(flatten)]
        key: KeyOption,
    },
    /// Print a receipt for a bot's submission, or for a game
    Receipt {
        /// The folder of the hill or tournament
        dir: PathBuf,
        /// The name of a bot, or of a game in a checkpoint
        name: String,
    },
    /// Replace the key with a new one, which the old key signs
    Rotate {
        /// The folder of the hill or tournament
        dir: PathBuf,
    },
    Witness(Witness),
    /// Publish the seed of the commitment, when the contest is over
    OpenSeed {
        /// The folder of the hill or tournament
        dir: PathBuf,
    },
    /// Write the signed list as static files (C2SP tlog-tiles)
    Tiles {
        /// The folder of the hill or tournament
        dir: PathBuf,
        /// The folder to write
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
}

/// Keep the last checkpoint, and detect a host that rewrites history
#[derive(Debug, Args)]
pub(crate) struct Witness {
    /// The folder of the hill or tournament, or a copy of it; or the address of a hill on the web
    /// (http://HOST/HILL)
    #[arg(value_name = "DIR|URL")]
    dir: PathBuf,
    /// The file in which the witness keeps what it saw
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    #[command(flatten)]
    key: KeyOption,
}

/// The key whose signatures are believed.
#[derive(Debug, Args)]
pub(crate) struct KeyOption {
    /// The public key, as the host announced it [default: the one in the folder]
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    key: Option<Verifier>,
}

fn parse_key(text: &str) -> Result<Verifier, String> {
    Verifier::parse(text).map_err(|fault| format!("{fault}; give the line from proof/key"))
}

impl KeyOption {
    /// Returns the keys of the hill, with the one that the user names among them.
    pub(crate) fn of(self, dir: &Path) -> Result<Keys, Error> {
        let place = dir.join("proof/key");
        Keys::read(dir)?.expect(self.key.as_ref()).map_err(|error| error.at(&place))
    }
}

impl ProofCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            ProofCommand::Begin { dir } => begin(&dir),
            ProofCommand::Checkpoint { dir } => {
                say(match notary::checkpoint(&dir)? {
                    Some(signed) => told(&signed),
                    None => "The last checkpoint covers all games already.".to_owned(),
                });
                Ok(())
            }
            ProofCommand::Verify { dir, key } => verify(&dir, key),
            ProofCommand::Receipt { dir, name } => {
                // A tournament's bots are in its plan, which its first checkpoint covers.
                let hill = if notary::is_tournament(&dir) {
                    None
                } else {
                    Some(Hill::open(&dir).map_err(referee_cli::usage)?)
                };
                let receipt = match hill {
                    Some(hill) if hill.entrants()?.last_submission(&name).is_some() => {
                        notary::of_bot(&hill, &name)
                    }
                    _ => notary::of_game(&dir, &name),
                };
                say(receipt?.trim_end());
                Ok(())
            }
            ProofCommand::Rotate { dir } => {
                let key = notary::rotate(&dir)?;
                say(format!("{}: a new key, signed by the old one. Announce it:\n  {key}", dir.display()));
                Ok(())
            }
            ProofCommand::Witness(witness) => witness.run(),
            ProofCommand::OpenSeed { dir } => {
                notary::open_seed(&dir)?;
                say(format!(
                    "{}: the seed is published; `referee proof verify` compares it",
                    dir.join("proof/seed").display()
                ));
                Ok(())
            }
            ProofCommand::Tiles { dir, to } => tiles(&dir, &to),
        }
    }
}

impl Witness {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Witness { dir, state, key } = self;
        let seen = match dir.to_str().filter(|address| address.contains("://")) {
            Some(address) => {
                let list = format!("{}/proof", referee_web::checked(address)?);
                let fetch = |path: &str| referee_web::fetch(&format!("{list}/{path}"));
                notary::observe_served(fetch, &state, key.key.as_ref())
                    .map_err(|error| if error.place().is_none() { error.at(&dir) } else { error })?
            }
            None => notary::observe(&dir, &state, key.key.as_ref())?,
        };
        let (place, now) = (dir.display(), seen.now);
        say(match seen.before {
            None => format!(
                "{place}: {} kept. This witness now trusts the key {}",
                entries(now, seen.key.name()),
                seen.key
            ),
            Some(before) => {
                format!(
                    "{place}: {} as before, {now} now: nothing was rewritten",
                    entries(before, seen.key.name())
                )
            }
        });
        Ok(())
    }
}

/// Returns a number of entries in words: games of a hill, or lines of a tournament's list.
fn entries(number: u64, origin: &str) -> String {
    count(number, if origin.starts_with("referee/tournament/") { "line" } else { "game" })
}

pub(crate) fn told(signed: &Signed) -> String {
    format!(
        "{}: a checkpoint of {}",
        signed.path.display(),
        entries(signed.checkpoint.size, &signed.checkpoint.origin)
    )
}

fn begin(dir: &Path) -> anyhow::Result<()> {
    let key = notary::begin(dir).map_err(referee_cli::usage)?;
    let first = notary::checkpoint(dir)?;
    say(format!(
        "{}: will be signed. Announce this key where the host cannot change it later:\n  {key}",
        dir.display()
    ));
    first.iter().for_each(|first| say(told(first)));
    note("  Keep proof/private secret: do not publish it.");
    Ok(())
}

/// Gives a new hill a key.
pub(crate) fn of_new(hill: &Hill) -> Result<(), Error> {
    notary::begin(hill.root())?;
    notary::checkpoint(hill.root())?;
    let key = hill.root().join("proof/key");
    note(format!(
        "Each round will be signed. Before you publish results, announce the key in {} \
         (see `referee docs proof`).",
        key.display()
    ));
    Ok(())
}

fn verify(dir: &Path, key: KeyOption) -> anyhow::Result<()> {
    let keys = key.of(dir)?;
    let Verified { checkpoints, signed, entries: all, is_seed_open, .. } = notary::verify(dir, &keys)?;
    let seed = if is_seed_open { "; the published seed matches the commitment" } else { "" };
    say(format!(
        "{}: {} by {}: the first {} agree{}{seed}",
        dir.display(),
        count(checkpoints as u64, "checkpoint"),
        keys.origin(),
        entries(signed, keys.origin()),
        if all > signed { format!(", {} more are not signed yet", all - signed) } else { String::new() },
    ));
    Ok(())
}

/// Compares results that were made again with all checkpoints, if the hill has a notary.
pub(crate) fn after_repair(hill: &Hill) -> Result<Option<String>, Error> {
    if !notary::is_there(hill.root()) {
        return Ok(None);
    }
    let keys = Keys::read(hill.root())?;
    let last = notary::verify(hill.root(), &keys)?.last;
    Ok(last.map(|last| format!("{} agrees with the results", told(&last))))
}

fn tiles(dir: &Path, to: &Path) -> anyhow::Result<()> {
    let files = notary::tiles(dir, &Keys::read(dir)?)?;
    beneath::create_folder(to)?;
    for file in &files {
        publish::replace(Spot::below(to, &file.path), &file.content)?;
    }
    say(format!("{}: {} to publish unchanged", to.display(), count(files.len() as u64, "file")));
    Ok(())
}

/// Tells an author how to get a receipt, if the hill has a notary.
pub(crate) fn after_submission(hill: &Hill, name: &str) {
    if notary::is_there(hill.root()) {
        detail(format!("a receipt for its author: referee proof receipt {} {name}", shell(hill.root())));
    }
}

/// Checks a receipt against a hill. Returns a sentence about what agrees.
pub(crate) fn check_receipt(dir: &Path, file: &Path, key: KeyOption) -> anyhow::Result<String> {
    let keys = key.of(dir)?;
    let text = Spot::from(file).read_text(1 << 20).map_err(Error::system(file, "read the receipt"))?;
    Ok(match notary::check(dir, &keys, file, &text)? {
        Receipt::Bot(name, version) => format!("the submission of {name} version {version} is there"),
        Receipt::Game(entry) if entry.contains(',') => format!("the entry {entry} is there, unchanged"),
        Receipt::Game(game) => format!("game {game} is there, unchanged"),
    })
}
