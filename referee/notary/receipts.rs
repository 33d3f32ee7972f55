//! Receipts: signed statements for authors, with which they can prove that a program or a game was there.

use std::path::Path;

use crate::proof::checkpoint::Checkpoint;
use crate::proof::note::Verifier;
use crate::proof::tree::{self, Hash};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::checkpoints::{agrees, roots_at};
use crate::keys;
use crate::list::List;
use crate::{Notary, beginning, verify};
use referee_contest::admission::by::By;
use referee_contest::admission::entrants::{Entrants, Event, EventKind};
use referee_contest::bot::Bot;
use referee_contest::hill::Hill;
use referee_record::error::{Error, ErrorKind};

const BOT: &str = "referee receipt of a submission";
const GAME: &str = "referee receipt of a game";

/// A receipt that agrees with the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// A submission.
    Bot {
        /// The bot's name.
        name: String,
        /// Its version.
        version: u32,
        /// What became of it.
        fate: Fate,
    },
    /// A game.
    Game(String),
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It plays.
    Plays,
    /// A later version took its place.
    Superseded {
        /// The later version.
        version: u32,
        /// When it was submitted.
        date: String,
        /// Its author; empty if unknown.
        author: String,
        /// Who submitted it.
        by: By,
    },
    /// It was retired at this time.
    Retired(String, By),
    /// It was banned at this time.
    Banned(String),
}

/// Returns what became of a submission.
fn fate(entrants: &Entrants, submission: &Event) -> Fate {
    let Some(later) = entrants.end_of(submission) else {
        // A ban of an earlier version took out the named bot alone.
        return entrants.ban_of(&submission.bot).map_or(Fate::Plays, |ban| Fate::Banned(ban.date.clone()));
    };
    let Event { date, event, bot, by } = later.clone();
    match event {
        EventKind::Retired => Fate::Retired(date, by),
        EventKind::Banned | EventKind::AuthorBanned => Fate::Banned(date),
        EventKind::Submitted | EventKind::Admitted => {
            Fate::Superseded { version: bot.version, date, author: bot.author, by }
        }
    }
}

/// Returns the lines of a receipt for a submission to the list of this name.
fn bot_text(origin: &str, beginning: &Hash, event: &Event) -> String {
    let (date, Bot { name, version, digest, author, .. }) = (&event.date, &event.bot);
    let arguments = event.bot.arguments_cell();
    let (beginning, built) = (beginning::line(beginning), event.bot.built().unwrap_or_default());
    format!(
        "{BOT}\n{origin}\n{beginning}\n{name} {version}\n{digest}\n{date}\nauthor: {author}\n\
         arguments: {arguments}\n{built}"
    )
}

/// Signs that a bot was submitted: the last version of this name.
///
/// # Errors
///
/// If the hill has no notary, or no such bot.
pub fn of_bot(hill: &Hill, name: &str) -> Result<String, Error> {
    let notary = Notary::open(hill.root())?;
    let entrants = hill.entrants()?;
    let Some(event) = entrants.last_submission(name) else {
        return Err(Error::input(format!("{}: no bot named {name} was submitted", hill.root().display())));
    };
    let beginning = beginning::leaf(hill.root())?;
    Ok(notary.signer.sign(&bot_text(notary.key.name(), &beginning, event)))
}

/// Signs that a game is covered by the last checkpoint, with the proof.
///
/// # Errors
///
/// If the hill has no notary, or no checkpoint with this game.
pub fn of_game(root: &Path, game: &str) -> Result<String, Error> {
    let notary = Notary::open(root)?;
    let size = verify(root, &notary.key)?.signed as usize;
    let (mut leaves, mut found) = (Vec::new(), None);
    List::new(root).read_on(|name, text, _| {
        if leaves.len() < size {
            if name == game {
                found = Some(leaves.len());
            }
            leaves.push(tree::leaf(text));
        }
    })?;
    let Some(index) = found else {
        let what = format!("game {game} is in no checkpoint yet: make one with `referee proof checkpoint`");
        return Err(Error::file(root, what));
    };
    let proof = tree::inclusion(&leaves, index).expect("a game of the list");
    let proof: String = proof.iter().map(|hash| format!("beside {}\n", STANDARD.encode(hash))).collect();
    let (leaf, whole) = (STANDARD.encode(leaves[index]), STANDARD.encode(tree::root(&leaves)));
    let (origin, beginning) = (notary.key.name(), beginning::line(&leaves[0]));
    let text = format!("{GAME}\n{origin}\n{beginning}\n{game}\n{index}\n{leaf}\n{size}\n{whole}\n{proof}");
    Ok(notary.signer.sign(&text))
}

/// Checks a receipt against the records of a hill.
///
/// # Errors
///
/// What is wrong: the receipt is forged or incomplete, or the records do not agree with it.
pub fn check(root: &Path, key: &Verifier, path: &Path, note: &str) -> Result<Receipt, Error> {
    let text = keys::open_given(key, path, note)?;
    let wrong = |what: &str| Error::file(path, what);
    let lines: Vec<&str> = text.lines().collect();
    if ![BOT, GAME].contains(&lines[0]) {
        return Err(wrong(
            "this is not a receipt for a submission or a game; a checkpoint is given with --note",
        ));
    }
    if lines.get(1) != Some(&key.name()) {
        return Err(wrong(&format!(
            "this is a receipt of {}, not of {}: name the folder that it is for",
            lines.get(1).unwrap_or(&"another list"),
            key.name()
        )));
    }
    let beginning = beginning::leaf(root)?;
    match lines.get(2).and_then(|line| line.strip_prefix("beginning ")) {
        None => return Err(wrong("the receipt is incomplete")),
        Some(named) if named != STANDARD.encode(beginning) => {
            let what = "the receipt names another beginning than proof/beginning: seed or settings were exchanged \
                        after it was signed";
            return Err(Error::record(path, what));
        }
        Some(_) => {}
    }
    match lines[0] {
        BOT if lines.last().is_some_and(|line| line.starts_with("signed: ")) => {
            return Err(wrong("the author has signed this submission, which this version does not check"));
        }
        BOT => {
            let (name, version) = bot_of(&lines).ok_or_else(|| wrong("the receipt is incomplete"))?;
            check_bot(root, key, &beginning, text, name, version)
        }
        _ => {
            let receipt = GameReceipt::read(&lines).ok_or_else(|| wrong("the receipt is incomplete"))?;
            receipt.check(root)
        }
    }
    .map_err(|error| error.at(path))
}

/// Returns the name and the version in the lines of a receipt for a submission.
fn bot_of<'a>(lines: &[&'a str]) -> Option<(&'a str, u32)> {
    let (name, version) = lines.get(3)?.rsplit_once(' ')?;
    Some((name, version.parse().ok()?))
}

fn check_bot(
    root: &Path,
    key: &Verifier,
    beginning: &Hash,
    text: &str,
    name: &str,
    version: u32,
) -> Result<Receipt, Error> {
    let entrants = Entrants::read(root)?;
    let tampered = |what: String| Error::new(ErrorKind::Tampered, what);
    let Some(event) = entrants.submission(name, version) else {
        return Err(tampered(format!(
            "entrants.csv has no submission {name} version {version}: it was removed"
        )));
    };
    let mut expected = bot_text(key.name(), beginning, event);
    // Earlier versions did not sign what a program was built from.
    if !text.lines().any(|line| line.starts_with("built ")) {
        let built = event.bot.built().unwrap_or_default();
        expected.truncate(expected.len() - built.len());
    }
    if expected != text {
        let what = format!("entrants.csv does not agree about {name} version {version}: its row was changed");
        return Err(tampered(what));
    }
    Ok(Receipt::Bot { name: name.to_owned(), version, fate: fate(&entrants, event) })
}

/// The content of a receipt for a game.
struct GameReceipt<'a> {
    game: &'a str,
    index: usize,
    leaf: Hash,
    size: usize,
    root: Hash,
    proof: Vec<Hash>,
}

impl<'a> GameReceipt<'a> {
    fn read(lines: &[&'a str]) -> Option<GameReceipt<'a>> {
        let [_, _, _, game, index, leaf, size, root, proof @ ..] = lines else { return None };
        let hash = |text: &str| -> Option<Hash> { STANDARD.decode(text).ok()?.try_into().ok() };
        let proof: Option<Vec<Hash>> = proof.iter().map(|line| hash(line.strip_prefix("beside ")?)).collect();
        Some(GameReceipt {
            game,
            index: index.parse().ok()?,
            leaf: hash(leaf)?,
            size: size.parse().ok()?,
            root: hash(root)?,
            proof: proof?,
        })
    }

    fn check(&self, root: &Path) -> Result<Receipt, Error> {
        let GameReceipt { game, index, leaf, size, .. } = self;
        let tampered = |what: String| Err(Error::new(ErrorKind::Tampered, what));
        if tree::root_by_inclusion(leaf, *index, *size, &self.proof) != Some(self.root) {
            return tampered("the proof in the receipt is wrong".to_owned());
        }
        let (mut entry, mut count) = (None, 0);
        List::new(root).read_on(|name, text, _| {
            if name == *game {
                entry = Some((count, tree::leaf(text)));
            }
            count += 1;
        })?;
        match entry {
            None => return tampered(format!("the results have no game {game}: it was removed")),
            Some((_, found)) if found != *leaf => {
                return tampered(format!(
                    "the rows of game {game} differ from the receipt: they were changed"
                ));
            }
            Some((found, _)) if found != *index => {
                return tampered(format!(
                    "game {game} is entry {found} of the list, not {index}: the results were rewritten"
                ));
            }
            Some(_) => {}
        }
        let roots = roots_at(root, std::iter::once(*size as u64))?;
        let checkpoint =
            Checkpoint { origin: String::new(), size: *size as u64, root: self.root, more: Vec::new() };
        agrees(&checkpoint, &roots).map(drop).map_err(|what| Error::new(ErrorKind::Tampered, what))?;
        Ok(Receipt::Game((*game).to_owned()))
    }
}
