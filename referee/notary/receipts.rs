//! Receipts: signed statements for authors, with which they can prove that a program or a game was there.

use std::path::Path;

use crate::proof::checkpoint::Checkpoint;
use crate::proof::tree::{self, Hash};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::checkpoints::{agrees, roots_at};
use crate::keys::Keys;
use crate::list::List;
use crate::{Notary, entries, forged, verify};
use referee_contest::admission::entrants::{Entrants, Event};
use referee_contest::hill::Hill;
use referee_record::error::{Error, ErrorKind};

const BOT: &str = "referee receipt of a submission";
const GAME: &str = "referee receipt of a game";

/// A receipt that agrees with the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// A submission: the bot's name and version.
    Bot(String, u32),
    /// A game.
    Game(String),
}

/// Returns the lines of a receipt for a submission.
fn bot_text(origin: &str, event: &Event) -> String {
    let Event { date, name, version, digest, arguments, .. } = event;
    format!("{BOT}\n{origin}\n{name} {version}\n{digest}\n{date}\narguments: {arguments}\n")
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
    Ok(notary.signer.sign(&bot_text(notary.keys.origin(), event)))
}

/// Signs that a game is covered by the last checkpoint, with the proof.
///
/// # Errors
///
/// If the hill has no notary, or no checkpoint with this game.
pub fn of_game(root: &Path, game: &str) -> Result<String, Error> {
    let notary = Notary::open(root)?;
    let of_tournament = if entries::is_tournament(root) { entries::entry_of(root, game)? } else { None };
    let entry = of_tournament.as_deref().unwrap_or(game);
    let size = verify(root, &notary.keys)?.signed as usize;
    let (mut leaves, mut found) = (Vec::new(), None);
    List::of(root).read_on(|name, text, _| {
        if leaves.len() < size {
            if name == entry {
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
    let text =
        format!("{GAME}\n{}\n{entry}\n{index}\n{leaf}\n{size}\n{whole}\n{proof}", notary.keys.origin());
    Ok(notary.signer.sign(&text))
}

/// Checks a receipt against the records of a hill.
///
/// # Errors
///
/// What is wrong: the receipt is forged or incomplete, or the records do not agree with it.
pub fn check(root: &Path, keys: &Keys, path: &Path, note: &str) -> Result<Receipt, Error> {
    let text = keys.open(note).map_err(|fault| forged(path, fault))?;
    let wrong = |what: &str| Error::file(path, what);
    let lines: Vec<&str> = text.lines().collect();
    if lines.get(1) != Some(&keys.origin()) {
        return Err(wrong("the receipt is for another list"));
    }
    match lines[0] {
        BOT => check_bot(root, keys, text, &lines).ok_or_else(|| wrong("the receipt is incomplete"))?,
        GAME => {
            let told = GameReceipt::read(&lines).ok_or_else(|| wrong("the receipt is incomplete"))?;
            told.check(root)
        }
        _ => return Err(wrong("this is not a receipt for a submission or a game")),
    }
    .map_err(|error| error.at(path))
}

fn check_bot(root: &Path, keys: &Keys, text: &str, lines: &[&str]) -> Option<Result<Receipt, Error>> {
    let (name, version) = lines.get(2)?.rsplit_once(' ')?;
    let version: u32 = version.parse().ok()?;
    let found = || -> Result<Receipt, Error> {
        let entrants = Entrants::read(root)?;
        let tampered = |what: String| Error::new(ErrorKind::Tampered, what);
        let Some(event) = entrants.submission(name, version) else {
            return Err(tampered(format!(
                "entrants.csv has no submission {name} version {version}: it was removed"
            )));
        };
        if bot_text(keys.origin(), event) != text {
            let what =
                format!("entrants.csv does not agree about {name} version {version}: its row was changed");
            return Err(tampered(what));
        }
        Ok(Receipt::Bot(name.to_owned(), version))
    };
    Some(found())
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
        let [_, _, game, index, leaf, size, root, proof @ ..] = lines else { return None };
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
        let (mut at, mut count) = (None, 0);
        List::of(root).read_on(|name, text, _| {
            if name == *game {
                at = Some((count, tree::leaf(text)));
            }
            count += 1;
        })?;
        match at {
            None => return tampered(format!("the results have no game {game}: it was removed")),
            Some((_, found)) if found != *leaf => {
                return tampered(format!(
                    "the rows of game {game} differ from the receipt: they were changed"
                ));
            }
            Some((found, _)) if found != *index => {
                return tampered(format!(
                    "game {game} is number {found} in the results, not {index}: the results were rewritten"
                ));
            }
            Some(_) => {}
        }
        let roots = roots_at(root, std::iter::once(*size as u64))?;
        let then =
            Checkpoint { origin: String::new(), size: *size as u64, root: self.root, more: Vec::new() };
        agrees(&then, &roots).map_err(|what| Error::new(ErrorKind::Tampered, what))?;
        if entries::is_tournament(root) {
            entries::check(root, |name| name == *game)?;
        }
        Ok(Receipt::Game((*game).to_owned()))
    }
}

/// Checks a checkpoint that somebody kept against the records of a hill.
///
/// # Errors
///
/// If it is not signed by this key, or the results do not agree with it.
pub(super) fn check_kept(root: &Path, keys: &Keys, path: &Path, note: &str) -> Result<Checkpoint, Error> {
    let kept = keys.checkpoint(note).map_err(|error| error.at(path))?;
    let roots = roots_at(root, std::iter::once(kept.size))?;
    agrees(&kept, &roots).map_err(|what| Error::file(path, what).or(ErrorKind::Tampered))?;
    Ok(kept)
}
