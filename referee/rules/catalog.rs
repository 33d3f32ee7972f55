//! The list of the games: makes a game of its name and parameters.
//!
//! A program adds games of its own at its start ([`add`]). A finder ([`find_by`]) looks for games that are not in the
//! list, such as one that only a record names.

use std::fmt;
use std::sync::{OnceLock, PoisonError, RwLock};

use crate::board::Board;
use referee_games::foosball::Foosball;
use referee_games::football::Football;
use crate::game::{Game, Playing};
use referee_games::push::Push;
use referee_games::target::Target;
use crate::{HouseBot, Info, Listed, Parameter, Parameters, Seed};
pub use crate::{SEATS, Seating};

/// One game of the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Number of seats at a table.
    pub seating: Seating,
    /// Settings that, each alone, make questions or answers as short or as long as possible.
    pub extremes: &'static [(&'static str, i64)],
    /// Its board for terminals, if it has one.
    pub board: Option<Board>,
    /// Its board for browsers, if it has one.
    pub page_board: Option<&'static str>,
    /// Texts that a scene of it shows at places.
    pub labels: &'static [&'static str],
    /// Bots that come with it, the weakest first.
    pub bots: &'static [HouseBot],
    /// Makes games of it.
    pub maker: &'static dyn Maker,
}

/// Makes games with their types hidden. [`Entry::of`] has the maker for rules in Rust; write another one for rules in
/// another language.
pub trait Maker: fmt::Debug + Sync + std::panic::RefUnwindSafe {
    /// Describes the game with these parameters.
    fn info(&self, parameters: &Parameters) -> Info;

    /// Sets up a game by today's rules.
    fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game>;

    /// Returns the SHA-256, in hexadecimal digits, of the program that has the rules, if that is not this program.
    fn program(&self) -> Option<&str> {
        None
    }

    /// Sets up a game by an earlier version of its rules, if that is still known.
    fn start_earlier(&self, _parameters: &Parameters, _seed: Seed, _version: u32) -> Option<Box<dyn Game>> {
        None
    }
}

/// Makes games by rules in Rust.
struct Typed<G>(std::marker::PhantomData<fn() -> G>);

impl<G> fmt::Debug for Typed<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::any::type_name::<G>())
    }
}

impl<G: Listed + fmt::Debug> Maker for Typed<G> {
    fn info(&self, parameters: &Parameters) -> Info {
        G::of_parameters(parameters).info()
    }

    fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game> {
        Box::new(Playing::new(G::of_parameters(parameters), seed))
    }

    fn start_earlier(&self, parameters: &Parameters, seed: Seed, version: u32) -> Option<Box<dyn Game>> {
        Some(Box::new(Playing::new(G::of_version(parameters, version)?, seed)))
    }
}

/// Makes the list of the games: a line each.
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

/// Does something with the typed rules of every game.
pub trait Visitor {
    /// Does it with one of them.
    fn visit<G: Listed + fmt::Debug>(&mut self);
}

impl Entry {
    /// Returns the entry of a game.
    pub const fn of<G: Listed + fmt::Debug>() -> Entry {
        Entry {
            name: G::NAME,
            about: G::ABOUT,
            parameters: G::PARAMETERS,
            seating: G::SEATING,
            extremes: G::EXTREMES,
            board: G::BOARD,
            page_board: G::PAGE_BOARD,
            labels: G::LABELS,
            bots: &[],
            maker: &Typed::<G>(std::marker::PhantomData),
        }
    }

    /// Returns the same, with bots that come with the game, the weakest first.
    #[must_use]
    pub const fn with_bots(self, bots: &'static [HouseBot]) -> Entry {
        Entry { bots, ..self }
    }

    /// Describes the game with these parameters, without setting one up.
    pub fn info(&self, parameters: &Parameters) -> Info {
        self.maker.info(parameters)
    }

    /// Seats entrants at one table: returns the parameters of the game, and for each seat the index of its entrant.
    /// Copies of an entrant sit as far apart as possible.
    ///
    /// # Errors
    ///
    /// If this number of entrants cannot play the game.
    pub fn seat(
        &self,
        parameters: &Parameters,
        entrants: usize,
    ) -> Result<(Parameters, Vec<usize>), WrongNumber> {
        let mut parameters = parameters.clone();
        let seats = match self.seating {
            Seating::Fixed(seats) if seats == entrants => seats,
            Seating::Range { least, most } if (least..=most).contains(&entrants) => entrants,
            Seating::Field { least } if entrants > 0 => entrants * least.div_ceil(entrants),
            _ => return Err(WrongNumber { name: self.name, seating: self.seating, entrants }),
        };
        let is_told = !matches!(self.seating, Seating::Fixed(_));
        if is_told && parameters.set(SEATS, seats as i64).is_err() {
            return Err(WrongNumber { name: self.name, seating: self.seating, entrants });
        }
        Ok((parameters, (0..seats).map(|seat| seat % entrants).collect()))
    }

    /// Returns the number of seats at a table of a hill or tournament, or `None` if one table seats the whole field.
    pub fn table(&self, parameters: &Parameters) -> Option<usize> {
        match self.seating {
            Seating::Fixed(seats) => Some(seats),
            Seating::Range { .. } => Some(parameters.get(SEATS) as usize),
            Seating::Field { .. } => None,
        }
    }

    /// Sets up a game.
    pub fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game> {
        self.maker.start(parameters, seed)
    }

    /// Sets up a game by the version of the rules that a record names; `None` if this program does not know that
    /// version.
    pub fn start_by_version(
        &self,
        parameters: &Parameters,
        seed: Seed,
        version: u32,
    ) -> Option<Box<dyn Game>> {
        match self.info(parameters).version == version {
            true => Some(self.start(parameters, seed)),
            false => self.maker.start_earlier(parameters, seed, version),
        }
    }
}

/// The games that were added, in that order.
static ADDED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

static FINDER: OnceLock<Finder> = OnceLock::new();

/// Looks for a game that is not in the list, by its name. `None`: no game that it could find has such a name. Otherwise
/// the game, or why there is none.
pub type Finder = fn(&str) -> Option<Result<Entry, String>>;

/// Adds a game to the list: from now on it is found by its name.
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
/// If there is no such game: names those that there are, or gives the finder's reason.
pub fn find(name: &str) -> Result<&'static Entry, UnknownGame> {
    let known = || all().find(|entry| entry.name == name);
    if let Some(entry) = known() {
        return Ok(entry);
    }
    let unknown = |why| UnknownGame { name: name.to_owned(), why };
    match FINDER.get().and_then(|finder| finder(name)) {
        None => Err(unknown(None)),
        Some(Err(why)) => Err(unknown(Some(why))),
        // Another thread may have found it meanwhile.
        Some(Ok(entry)) => add(entry).or_else(|_| known().ok_or_else(|| unknown(None))),
    }
}

/// A game whose name another game has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameTaken(&'static str);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there are two games named {}; give yours another name", self.0)
    }
}

impl std::error::Error for NameTaken {}

/// A number of bots that cannot play a game.
#[derive(Clone, Copy, Debug)]
pub struct WrongNumber {
    name: &'static str,
    seating: Seating,
    entrants: usize,
}

impl fmt::Display for WrongNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        match self.seating {
            Seating::Fixed(seats) => {
                write!(f, "{name} is played by {seats} bots; you named {}", self.entrants)
            }
            Seating::Range { least, most } => {
                write!(f, "{name} is played by {least} to {most} bots; you named {}", self.entrants)
            }
            Seating::Field { .. } => write!(f, "{name} cannot be played by {} bots", self.entrants),
        }
    }
}

impl std::error::Error for WrongNumber {}

/// A name that no game has.
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
        write!(f, "no such game: {} (there is: {})", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownGame {}
