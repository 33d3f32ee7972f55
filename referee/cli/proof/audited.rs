//! The part of `referee audit` about signatures: the key, all checkpoints, and receipts and notes that others kept.

use std::path::{Path, PathBuf};

use clap::Args;
use referee_contest::admission::by::By;
use referee_contest::hill::Hill;
use referee_files::beneath::Spot;
use referee_notary as notary;
use referee_notary::{Fate, Receipt};
use referee_record::error::{Error, ErrorKind};

use crate::proof::commands::{KeyOption, entries, summary};

/// Options of `referee audit` about signatures.
#[derive(Debug, Args)]
pub(crate) struct AuditOptions {
    #[command(flatten)]
    key: KeyOption,
    /// Also check a receipt: its submission or its game must be there, unchanged. Can be given several times
    #[arg(long, value_name = "FILE")]
    receipt: Vec<PathBuf>,
    /// Also check a note that somebody kept, a checkpoint or the file of a witness: the records must continue it. Can
    /// be given several times
    #[arg(long, value_name = "FILE")]
    note: Vec<PathBuf>,
}

/// Checks the signatures of a hill or a tournament. Returns lines to say; `None` if the path is something else, or
/// nothing is signed there.
pub(crate) fn audited(path: &Path, options: AuditOptions) -> Result<Option<Vec<String>>, Error> {
    let AuditOptions { key, receipt, note } = options;
    let is_asked = key.is_given() || !receipt.is_empty() || !note.is_empty();
    let is_hill = path.is_dir() && Hill::is_at(path);
    let is_contest = is_hill || path.is_dir() && notary::is_tournament(path);
    if !is_contest && is_asked {
        let what = "--key, --receipt and --note are for the folder of a hill or a tournament: name it alone. Of records that \
                    a server sends, the column `chain` of results.csv has the `chain` of a note";
        return Err(Error::file(path, what));
    }
    if !is_contest || !is_asked && !notary::is_there(path) && !notary::says_signed(path)? {
        return Ok(None);
    }
    if !notary::is_there(path) && !notary::says_signed(path)? {
        let what = "nothing is signed here, but a key, a receipt or a note was given: the signatures were removed, or this \
                    is another contest";
        return Err(Error::new(ErrorKind::Failed, what).at(path));
    }
    let is_trusted = key.is_given();
    let failed =
        |error: Error| if error.kind() == ErrorKind::Input { error.or(ErrorKind::Failed) } else { error };
    let key = key.verifier(path).map_err(failed)?;
    let read =
        |file: &Path| Spot::from(file).read_text(1 << 20).map_err(Error::system(file, "read the note"));
    let mut lines = Vec::new();
    // Receipts and notes come first, since they name more exactly what was changed.
    for file in &receipt {
        let receipt = notary::check(path, &key, file, &read(file)?)?;
        lines.push(format!("{}: {}", file.display(), sentence_of(receipt)));
    }
    for file in &note {
        let checkpoint = notary::check_note(path, &key, file, &read(file)?)?;
        let size = entries(checkpoint.size);
        lines.push(format!("{}: the note of {size} agrees: the records continue it", file.display()));
    }
    let verified = notary::verify(path, &key).map_err(failed)?;
    // Receipts and notes confirm the commitment to the seed, but only the published seed can be compared with it.
    if !(receipt.is_empty() && note.is_empty() || verified.is_seed_open) {
        let what = "the seed is not published: nobody can compare it with the commitment yet";
        lines.insert(0, format!("{}: {what}", path.display()));
    }
    lines.insert(0, format!("{}: {}", path.display(), summary(&verified, key.name(), is_trusted)));
    Ok(Some(lines))
}

/// Returns the sentence about a receipt that agrees.
fn sentence_of(receipt: Receipt) -> String {
    match receipt {
        Receipt::Bot { name, version, fate } => {
            let fate = match fate {
                Fate::Plays => "and plays".to_owned(),
                Fate::Superseded { version, date, author, by } => {
                    let by = match (by, &*author) {
                        (By::Host, "") => "the host".to_owned(),
                        (By::Host, author) => format!("the host, for {author},"),
                        (By::Author, author) => format!("{author} through the web"),
                        (_, "") => "an unknown author".to_owned(),
                        (_, author) => author.to_owned(),
                    };
                    format!("but was replaced: version {version} was submitted by {by} on {date}")
                }
                Fate::Retired(date, by) => format!("but was retired on {date}{}", by_whom(by)),
                Fate::Banned(date) => format!("but was banned on {date}"),
            };
            format!("the submission of {name} version {version} is there, {fate}")
        }
        Receipt::Game(entry) if entry.contains(',') => format!("the entry {entry} is there, unchanged"),
        Receipt::Game(game) => format!("game {game} is there, unchanged"),
    }
}

/// Returns the words that say who has retired a bot.
fn by_whom(by: By) -> &'static str {
    match by {
        By::Unknown => "",
        By::Host => " by the host",
        By::Author => " by its author, through the web",
        By::Capacity => " by a run, since the hill had more bots than its capacity",
    }
}
