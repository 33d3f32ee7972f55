//! The list of the games: makes a game from its name and parameters.
//!
//! A program adds games of its own at its start ([`add`]). A finder ([`find_by`]) looks for games that are
//! not in the list, such as a game that only a record names.

use std::fmt;
use std::sync::{OnceLock, PoisonError, RwLock};

use referee_rules::Listed;
pub use referee_rules::entry::{Entry, Maker, WrongNumber};
pub use referee_rules::{SEATS, Seating};

use crate::foosball::Foosball;
use crate::football::Football;
use crate::push::Push;
use crate::target::Target;

/// Makes the list of the games, one line each.
macro_rules! games {
    ($($game:ty,)*) => {
        /// The games that come with the referee.
        pub const GAMES: &[Entry] = &[$(Entry::of::<$game>()),*];

        /// Goes through all games with the types of their rules, in the order of [`GAMES`].
        pub fn visit(visitor: &mut impl Visitor) {
            $(visitor.visit::<$game>();)*
        }
    };
}

games! {
    Football,
    Foosball,
    Push,
    Target,
}

/// An operation on the typed rules of every game.
pub trait Visitor {
    /// Applies it to one game.
    fn visit<G: Listed + fmt::Debug>(&mut self);
}

/// The games that were added, in that order.
static ADDED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

/// The finder, which owns what it needs: names of games occur wherever records are read.
static FINDER: OnceLock<Finder> = OnceLock::new();

/// Looks for a game that is not in the list, by its name. `None` if the name is not of the finder's form.
/// Otherwise the game, or the reason why it cannot be used.
pub type Finder = Box<dyn Fn(&str) -> Option<Result<Entry, String>> + Send + Sync>;

/// Adds a game to the list, so that it is found by its name.
///
/// # Errors
///
/// If another game has that name.
pub fn add(entry: Entry) -> Result<&'static Entry, NameTaken> {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    if GAMES.iter().chain(added.iter().copied()).any(|other| other.name == entry.name) {
        return Err(NameTaken(entry.name));
    }
    let entry: &'static Entry = Box::leak(Box::new(entry));
    added.push(entry);
    Ok(entry)
}

/// Sets the finder of games that are not in the list. Only the first call counts.
pub fn find_by(finder: Finder) {
    let _ = FINDER.set(finder);
}

/// Returns all games: those that come with the referee, and those that were added.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner).clone();
    GAMES.iter().chain(added)
}

/// Finds a game by its name.
///
/// # Errors
///
/// If there is no such game. The error lists the games, or gives the finder's reason.
pub fn find(name: &str) -> Result<&'static Entry, UnknownGame> {
    let known = || all().find(|entry| entry.name == name);
    if let Some(entry) = known() {
        return Ok(entry);
    }
    let unknown = |why| UnknownGame { name: name.to_owned(), why };
    match FINDER.get().and_then(|finder| finder(name)) {
        None => Err(unknown(None)),
        Some(Err(why)) => Err(unknown(Some(why))),
        // Another thread may have found the game meanwhile.
        Some(Ok(entry)) => add(entry).or_else(|_| known().ok_or_else(|| unknown(None))),
    }
}

/// A game whose name is taken by another game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTaken(&'static str);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are two games named {}; give yours another name", self.0)
    }
}

impl std::error::Error for NameTaken {}

/// A name without a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGame {
    name: String,
    /// The finder's reason.
    why: Option<String>,
}

impl fmt::Display for UnknownGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = &self.why {
            return f.write_str(why);
        }
        let names: Vec<&str> = all().map(|entry| entry.name).collect();
        write!(f, "no such game: {} (there are: {})", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownGame {}
