//! `referee hill proof`: signed checkpoints and receipts of a hill, and a witness who keeps them.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee::error::Error;
use referee::notary::{self, Receipt, Seen, Verified};
use referee::record::beneath::Spot;
use referee::text::count;
use referee::tournament::hill::Hill;
use referee::tournament::publish;
use referee_proof::note::Verifier;

use super::{note, say, shell};

/// Sign the records of a hill, so that nobody can rewrite them unseen
#[derive(Debug, Subcommand)]
pub(super) enum ProofCommand {
    /// Give a hill a key, and commit to its seed
    Begin {
        /// The folder of the hill
        dir: PathBuf,
    },
    /// Sign the results as they are now; `hill run` does it after each run
    Checkpoint {
        /// The folder of the hill
        dir: PathBuf,
    },
    /// Compare all checkpoints with the results
    Verify {
        /// The folder of the hill
        dir: PathBuf,
        #[command(flatten)]
        key: KeyOption,
    },
    /// Print a receipt for a bot's submission, or for a game
    Receipt {
        /// The folder of the hill
        dir: PathBuf,
        /// The name of a bot, or of a game that a checkpoint has
        name: String,
    },
    /// Keep the last checkpoint, and find a host who rewrites history
    Witness {
        /// The folder of the hill, or a copy of it
        dir: PathBuf,
        /// The file in which the witness keeps what it saw
        #[arg(long, value_name = "FILE")]
        state: PathBuf,
        #[command(flatten)]
        key: KeyOption,
    },
    /// Publish the seed that was committed to, when the contest is over
    OpenSeed {
        /// The folder of the hill
        dir: PathBuf,
    },
    /// Write the signed list as static files (C2SP tlog-tiles)
    Tiles {
        /// The folder of the hill
        dir: PathBuf,
        /// The folder to write
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
}

/// Whose signatures are believed.
#[derive(Debug, Args)]
pub(super) struct KeyOption {
    /// The public key of the hill, as its host announced it [default: the one in the folder]
    #[arg(long, value_name = "KEY", value_parser = parse_key)]
    key: Option<Verifier>,
}

fn parse_key(text: &str) -> Result<Verifier, String> {
    Verifier::parse(text).map_err(|fault| format!("{fault}; give the line in proof/key"))
}

impl KeyOption {
    /// Returns the key that the user names, or else that of the hill.
    pub(super) fn of(self, dir: &Path) -> Result<Verifier, Error> {
        self.key.map_or_else(|| notary::key(dir), Ok)
    }
}

impl ProofCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self {
            ProofCommand::Begin { dir } => begin(&dir),
            ProofCommand::Checkpoint { dir } => {
                let hill = Hill::open(&dir).map_err(super::usage)?;
                say(match notary::checkpoint(&hill)? {
                    Some(signed) => told(&signed),
                    None => "The last checkpoint has all games already.".to_owned(),
                });
                Ok(())
            }
            ProofCommand::Verify { dir, key } => verify(&dir, key),
            ProofCommand::Receipt { dir, name } => {
                let hill = Hill::open(&dir).map_err(super::usage)?;
                let is_bot = hill.entrants()?.last_submission(&name).is_some();
                let receipt =
                    if is_bot { notary::of_bot(&hill, &name) } else { notary::of_game(&hill, &name) };
                say(receipt?.trim_end());
                Ok(())
            }
            ProofCommand::Witness { dir, state, key } => {
                let Seen { key, before, now } = notary::observe(&dir, &state, key.key.as_ref())?;
                say(match before {
                    None => format!(
                        "{}: {} kept; from now on this key is believed: {key}",
                        dir.display(),
                        games(now)
                    ),
                    Some(before) => format!(
                        "{}: {} as before, {} now: nothing was rewritten",
                        dir.display(),
                        games(before),
                        now
                    ),
                });
                Ok(())
            }
            ProofCommand::OpenSeed { dir } => {
                notary::open_seed(&dir)?;
                say(format!(
                    "{}: the seed is open; `referee hill proof verify` compares it",
                    dir.join("proof/seed").display()
                ));
                Ok(())
            }
            ProofCommand::Tiles { dir, to } => tiles(&dir, &to),
        }
    }
}

fn games(number: u64) -> String {
    count(number, "game")
}

fn told(signed: &notary::Signed) -> String {
    format!("{}: a checkpoint of {}", signed.path.display(), games(signed.checkpoint.size))
}

fn begin(dir: &Path) -> anyhow::Result<()> {
    let hill = Hill::open(dir).map_err(super::usage)?;
    let key = notary::begin(&hill)?;
    let first = notary::checkpoint(&hill)?;
    say(format!(
        "{}: signed from now on. Announce this key where the host cannot change it later:\n  {key}",
        dir.display()
    ));
    first.iter().for_each(|first| say(told(first)));
    note("  Keep proof/private to yourself: leave it out of what you publish.");
    Ok(())
}

fn verify(dir: &Path, key: KeyOption) -> anyhow::Result<()> {
    let key = key.of(dir)?;
    let Verified { checkpoints, signed, games: all, is_seed_open, .. } = notary::verify(dir, &key)?;
    let seed = if is_seed_open { "; the seed is open, and is the one that was committed to" } else { "" };
    say(format!(
        "{}: {} by {}: the first {} agree{}{seed}",
        dir.display(),
        count(checkpoints as u64, "checkpoint"),
        key.name(),
        games(signed),
        if all > signed { format!(", {} more are not signed yet", all - signed) } else { String::new() },
    ));
    Ok(())
}

fn tiles(dir: &Path, to: &Path) -> anyhow::Result<()> {
    let files = notary::tiles(dir, &notary::key(dir)?)?;
    Error::create_folder(to)?;
    for file in &files {
        publish::replace(Spot::below(to, &file.path), &file.content)?;
    }
    say(format!("{}: {} to publish as they are", to.display(), count(files.len() as u64, "file")));
    Ok(())
}

/// Signs what a run has added, if the hill has a notary.
pub(super) fn after_run(hill: &Hill) -> anyhow::Result<()> {
    if notary::is_there(hill.root())
        && let Some(signed) = notary::checkpoint(hill)?
    {
        note(told(&signed));
    }
    Ok(())
}

/// Says how an author gets a receipt, if the hill has a notary.
pub(super) fn after_submission(hill: &Hill, name: &str) -> Option<String> {
    let command =
        || format!("\n  a receipt for its author: referee hill proof receipt {} {name}", shell(hill.root()));
    notary::is_there(hill.root()).then(command)
}

/// Checks a receipt against a hill. Returns what agrees.
pub(super) fn check_receipt(dir: &Path, file: &Path, key: KeyOption) -> anyhow::Result<String> {
    let key = key.of(dir)?;
    let text = Spot::from(file).read_text(1 << 20).map_err(Error::system(file, "read the receipt"))?;
    Ok(match notary::check(dir, &key, file, &text)? {
        Receipt::Bot(name, version) => format!("the submission of {name} version {version} is there"),
        Receipt::Game(game) => format!("game {game} is there, unchanged"),
    })
}
