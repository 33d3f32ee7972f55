//! The entry of a game in a list of games: makes a game from its parameters, with its types hidden.

use std::any::Any;
use std::fmt;

use crate::board::Board;
use crate::game::{Game, Playing};
use crate::picture::Draw;
use crate::{HouseBot, Info, Listed, Parameter, Parameters, SEATS, Seat, Seating, Seed};

/// A game in the list.
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
    /// Draws its board as a picture, if it has one.
    pub picture: Option<Draw>,
    /// Number of columns of a board whose places are cells in rows.
    pub columns: Option<i64>,
    /// The ends of the game, each with its words. `{name}` is the value of a parameter.
    pub ends: &'static [(&'static str, &'static str)],
    /// Texts that its scene shows at places.
    pub labels: &'static [&'static str],
    /// Bots that come with it, the weakest first.
    pub bots: &'static [HouseBot],
    /// Makes games of it.
    pub maker: &'static dyn Maker,
}

/// Makes games with their types hidden. [`Entry::of`] uses the maker for rules in Rust; write another one for
/// rules in another language.
pub trait Maker: Any + fmt::Debug + Sync + std::panic::RefUnwindSafe {
    /// Describes the game with these parameters.
    fn info(&self, parameters: &Parameters) -> Info;

    /// Sets up a game by today's rules.
    fn start(&self, parameters: &Parameters, seed: Seed) -> Box<dyn Game>;

    /// Returns the SHA-256, in hexadecimal digits, of the program with the rules, unless it is this program.
    fn program(&self) -> Option<&str> {
        None
    }

    /// Sets up a game by an earlier version of its rules; `None` if the version is not known.
    fn start_earlier(&self, _parameters: &Parameters, _seed: Seed, _version: u32) -> Option<Box<dyn Game>> {
        None
    }
}

/// Number of digits of its program's digest at the end of a judge's name.
const DIGEST_DIGITS: usize = 16;

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

impl Entry {
    /// Returns a page in Markdown about a game that has no page in the book: what it is, its seats, its parameters. The
    /// rules themselves are known to the program that has them.
    pub fn described(&self) -> String {
        let seats = match self.seating {
            Seating::Fixed(1) => "1 seat".to_owned(),
            Seating::Fixed(seats) => format!("{seats} seats"),
            Seating::Range { least, most } => format!("{least} to {most} seats"),
            Seating::Teams(teams) => format!("{} teams of {} seats", teams.len(), teams[0].len()),
            Seating::Field { .. } => "as many seats as bots".to_owned(),
        };
        let mut text = format!("# {}\n\n{}\n\nA table has {seats}.\n\n", self.name, self.about);
        text += "| parameter | values | default | meaning |\n| --- | --- | --- | --- |\n";
        for Parameter { name, kind, default, help, .. } in self.parameters {
            text +=
                &format!("| `{name}` | {kind} | {} | {} |\n", kind.show(*default), help.replace('|', "\\|"));
        }
        text
    }

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
            picture: G::PICTURE,
            columns: G::COLUMNS,
            ends: G::ENDS,
            labels: G::LABELS,
            bots: &[],
            maker: &Typed::<G>(std::marker::PhantomData),
        }
    }

    /// Returns the name of the game for people: a judge's without the digest behind it.
    pub fn title(&self) -> &'static str {
        let digest = self.maker.program().and_then(|digest| digest.get(..DIGEST_DIGITS));
        let short = digest.and_then(|digest| self.name.strip_suffix(digest)?.strip_suffix('-'));
        short.unwrap_or(self.name)
    }

    /// Returns why a game has ended, in words. `parameters` are its parameters and their values.
    pub fn end(&self, reason: &str, parameters: &[(String, String)]) -> String {
        let Some((_, words)) = self.ends.iter().find(|(name, _)| *name == reason) else {
            return reason.replace('_', " ");
        };
        let mut sentence = (*words).to_owned();
        for (name, value) in parameters {
            sentence = sentence.replace(&format!("{{{name}}}"), value);
        }
        sentence
    }

    /// Returns a parameter of this name and its value in words: `time for an answer`, `1 s`.
    pub fn setting(&self, name: &str, value: &str) -> (String, String) {
        let Some(parameter) = self.parameters.iter().find(|parameter| parameter.name == name) else {
            return (name.replace('_', " "), value.to_owned());
        };
        let (Some(purpose), Ok(ms)) = (parameter.help.strip_prefix("milliseconds "), value.parse::<u64>())
        else {
            return (parameter.help.to_owned(), value.to_owned());
        };
        let time = if ms % 1000 == 0 { format!("{} s", ms / 1000) } else { format!("{ms} ms") };
        (format!("time {purpose}"), time)
    }

    /// Returns the entry with bots that come with the game, the weakest first.
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
            Seating::Teams(teams) if teams.len() == entrants => {
                let seats = Seat::first(seats_in(teams)).map(|seat| self.team(seat));
                return Ok((parameters, seats.collect()));
            }
            Seating::Teams(teams) if seats_in(teams) == entrants => entrants,
            Seating::Field { least } if entrants > 0 => entrants * least.div_ceil(entrants),
            _ => return Err(WrongNumber { name: self.name, seating: self.seating, entrants }),
        };
        let has_parameter = matches!(self.seating, Seating::Range { .. } | Seating::Field { .. });
        if has_parameter && parameters.set(SEATS, seats as i64).is_err() {
            return Err(WrongNumber { name: self.name, seating: self.seating, entrants });
        }
        Ok((parameters, (0..seats).map(|seat| seat % entrants).collect()))
    }

    /// Returns the number of the team of a seat: its own number where each plays for itself.
    pub fn team(&self, seat: Seat) -> usize {
        self.seating.team(seat)
    }

    /// Returns the number of the team of each seat; empty if each plays for itself.
    pub fn teams(&self) -> Vec<usize> {
        match self.seating {
            Seating::Teams(teams) => Seat::first(seats_in(teams)).map(|seat| self.team(seat)).collect(),
            Seating::Fixed(_) | Seating::Range { .. } | Seating::Field { .. } => Vec::new(),
        }
    }

    /// Returns the number of bots at a table of a hill or tournament, or `None` if one table seats the whole field.
    /// Each has a seat, or those of a team.
    pub fn table(&self, parameters: &Parameters) -> Option<usize> {
        match self.seating {
            Seating::Fixed(seats) => Some(seats),
            Seating::Teams(teams) => Some(teams.len()),
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
        if self.info(parameters).version == version {
            return Some(self.start(parameters, seed));
        }
        self.maker.start_earlier(parameters, seed, version)
    }
}

fn seats_in(teams: &[&[usize]]) -> usize {
    teams.iter().map(|team| team.len()).sum()
}

/// A number of bots that the game does not support.
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
            Seating::Teams(teams) => write!(
                f,
                "{name} is played by {} bots, each for a team, or by {}; you named {}",
                teams.len(),
                seats_in(teams),
                self.entrants
            ),
            Seating::Field { .. } => write!(f, "{name} cannot be played by {} bots", self.entrants),
        }
    }
}

impl std::error::Error for WrongNumber {}
