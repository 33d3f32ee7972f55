//! The command `referee proof`, for signed checkpoints and receipts of a hill or a tournament, and `referee witness`,
//! which keeps the last checkpoint.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use referee_contest::hill::Hill;
use referee_notary as notary;
use referee_notary::proof::note::Verifier;
use referee_notary::{Signed, Verified};
use referee_record::error::Error;
use referee_record::text::count;

use crate::out::{detail, note, say};
use crate::shell;

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
        #[arg(value_parser = crate::bot::composed)]
        name: String,
    },
    Witness(Box<Witness>),
    /// Publish the seed of the commitment, when the contest is over
    OpenSeed {
        /// The folder of the hill or tournament
        dir: PathBuf,
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
    /// Tells whether the user names a key.
    pub(crate) fn is_given(&self) -> bool {
        self.key.is_some()
    }

    /// Returns the key of the hill, which must be the one that the user names.
    pub(crate) fn verifier(self, dir: &Path) -> Result<Verifier, Error> {
        let place = dir.join("proof/key");
        notary::expect(notary::key(dir)?, self.key.as_ref()).map_err(|error| error.at(&place))
    }
}

impl ProofCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            ProofCommand::Begin { dir } => begin(&dir),
            ProofCommand::Checkpoint { dir } => {
                say(match notary::checkpoint(&dir)? {
                    Some(signed) => coverage(&signed),
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
                    Some(Hill::open(&dir).map_err(crate::usage)?)
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
            ProofCommand::Witness(witness) => witness.run(),
            ProofCommand::OpenSeed { dir } => {
                notary::open_seed(&dir)?;
                say(format!(
                    "{}: the seed is published; `referee proof verify` compares it",
                    dir.join("proof/seed").display()
                ));
                Ok(())
            }
        }
    }
}

impl Witness {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let Witness { dir, state, key } = self;
        let observed = match dir.to_str().filter(|address| address.contains("://")) {
            #[cfg(not(feature = "web"))]
            Some(_) => return Err(crate::addition::without_web("a hill at an address").into()),
            #[cfg(feature = "web")]
            Some(address) => {
                let list = format!("{}/proof", crate::web::checked(address)?);
                let fetch = |path: &str| crate::web::fetch(&format!("{list}/{path}"));
                notary::observe_served(fetch, &state, key.key.as_ref())
                    .map_err(|error| if error.place().is_none() { error.at(&dir) } else { error })?
            }
            None => notary::observe(&dir, &state, key.key.as_ref())?,
        };
        let (place, now) = (dir.display(), observed.now);
        say(match observed.before {
            None => {
                format!("{place}: {} kept. This witness now trusts the key {}", entries(now), observed.key)
            }
            Some(before) => {
                format!("{place}: {} as before, {now} now: nothing was rewritten", entries(before))
            }
        });
        Ok(())
    }
}

/// Returns a number of entries of a signed list in words.
pub(crate) fn entries(number: u64) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

/// Returns the text that says what a checkpoint covers: games of a hill, or entries of a tournament's list.
pub(crate) fn coverage(signed: &Signed) -> String {
    let covered = if signed.checkpoint.origin.starts_with("referee/hill/") {
        count(signed.games, "game")
    } else {
        entries(signed.checkpoint.size)
    };
    format!("{}: a checkpoint of {covered}", signed.path.display())
}

/// Returns the sentence about the signatures of a contest. `is_trusted` says that the user has named the key.
pub(crate) fn summary(verified: &Verified, origin: &str, is_trusted: bool) -> String {
    let Verified { checkpoints, signed, entries: all, games, is_seed_open, unnamed, last } = verified;
    let (covered, unsigned) = if origin.starts_with("referee/hill/") {
        (count(last.games, "game"), games - last.games)
    } else {
        (entries(*signed), all - signed)
    };
    let unsigned = if unsigned > 0 { format!(", {unsigned} more are not signed yet") } else { String::new() };
    let seed = if *is_seed_open { "; the published seed matches the commitment" } else { "" };
    let unnamed = match unnamed[..] {
        [] => String::new(),
        _ => format!(
            "; the beginning does not name these editions, so the records choose: {}",
            unnamed.join(", ")
        ),
    };
    let trust =
        if is_trusted { "" } else { "; the key is the one in the folder: compare it, or name it with --key" };
    let checkpoints = count(*checkpoints as u64, "checkpoint");
    // "the first game agrees", and "the first 3 games agree".
    let agrees = match covered.strip_prefix("1 ") {
        Some(one) => format!("the first {one} agrees"),
        None => format!("the first {covered} agree"),
    };
    format!("{checkpoints} by {origin}: {agrees}{unsigned}{seed}{unnamed}{trust}")
}

fn begin(dir: &Path) -> anyhow::Result<()> {
    let key = notary::begin(dir).map_err(crate::usage)?;
    let first = notary::checkpoint(dir)?;
    say(format!(
        "{}: will be signed. Announce this key where the host cannot change it later:\n  {key}",
        dir.display()
    ));
    first.iter().for_each(|first| say(coverage(first)));
    note("  Keep proof/private secret: do not publish it.");
    if !notary::says_signed(dir)? {
        note(
            "  The plan does not say signed = true: an audit without --key cannot notice that the folder proof is gone.",
        );
    }
    Ok(())
}

/// Gives a new hill or tournament a key, unless it has one.
pub(crate) fn begin_for_new(root: &Path) -> Result<(), Error> {
    if notary::is_there(root) {
        return Ok(());
    }
    notary::begin(root)?;
    notary::checkpoint(root)?;
    let what = if notary::is_tournament(root) { "batch" } else { "round" };
    let key = root.join("proof/key");
    note(format!(
        "Each {what} will be signed. Before you publish results, announce the key in {} \
         (see `referee docs proof`).",
        key.display()
    ));
    Ok(())
}

fn verify(dir: &Path, key: KeyOption) -> anyhow::Result<()> {
    let is_trusted = key.is_given();
    let key = key.verifier(dir)?;
    let verified = notary::verify(dir, &key)?;
    say(format!("{}: {}", dir.display(), summary(&verified, key.name(), is_trusted)));
    Ok(())
}

/// Compares results that were made again with all checkpoints, if the hill has a notary.
pub(crate) fn after_repair(root: &Path) -> Result<(), Error> {
    if notary::is_there(root) {
        let last = notary::verify(root, &notary::key(root)?)?.last;
        say(format!("{} agrees with the results", coverage(&last)));
    }
    Ok(())
}

/// Prints the command that makes a receipt for an author, if the hill has a notary.
pub(crate) fn after_submission(root: &Path, name: &str) {
    if notary::is_there(root) {
        detail(format!("a receipt for its author: referee proof receipt {} {name}", shell(root)));
    }
}
