//! A format in files: `kind` and its parameters. Errors list the allowed values.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schedule::format::exam;
use crate::schedule::format::gauntlet::CHALLENGER;
use crate::schedule::format::rounds::{self, AUTHOR_SEATS, ONE_GAME, TWELVE};
use crate::schedule::format::{Contest, FORMAT_KINDS, Format, FormatKind, Seats};
use referee_rules::{BadParameter, ParameterKind, Parameters, Value};

/// The key of the kind.
const KIND: &str = "kind";

impl Format {
    /// Returns a kind of format with its defaults.
    ///
    /// # Errors
    ///
    /// If there is no kind of that name.
    pub fn new(kind: &str) -> Result<Format, BadFormat> {
        let found = FORMAT_KINDS.iter().find(|known| known.name == kind);
        let kind = found.ok_or_else(|| BadFormat::UnknownKind(kind.to_owned()))?;
        Ok(Format { kind, parameters: Parameters::defaults(kind.parameters) })
    }

    /// Sets one of its parameters to the value of a text.
    ///
    /// # Errors
    ///
    /// If there is no parameter of that name, or the value is not allowed.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), BadFormat> {
        self.parameters.set_text(name, text).map_err(BadFormat::Parameter)
    }
}

/// The first kind, with its defaults.
impl Default for Format {
    fn default() -> Format {
        Format { kind: &FORMAT_KINDS[0], parameters: Parameters::defaults(FORMAT_KINDS[0].parameters) }
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.kind.name == other.kind.name && self.parameters == other.parameters
    }
}

/// `knockout blocks=1 ...`
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name, self.parameters)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({self})")
    }
}

/// Writes all parameters, including defaults.
impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = (KIND, Scalar::Word(self.kind.name.to_owned()));
        let parameters = self.parameters.iter().map(|(name, value)| match value {
            Value::Integer(number) => (name, Scalar::Integer(number)),
            Value::Word(word) => (name, Scalar::Word(word.to_owned())),
        });
        serializer.collect_map(std::iter::once(kind).chain(parameters))
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        let mut table: BTreeMap<String, Scalar> = BTreeMap::deserialize(deserializer)?;
        let kind = table.remove(KIND).ok_or_else(|| D::Error::custom(BadFormat::NoKind))?;
        let mut format = Format::new(&kind.to_string()).map_err(D::Error::custom)?;
        let is_switch = |name: &str| {
            let parameter = format.kind.parameters.iter().find(|parameter| parameter.name == name);
            parameter.is_none_or(|found| matches!(found.kind, ParameterKind::Integer { min: 0, max: 1 }))
        };
        if let Some((name, value)) =
            table.iter().find(|(name, value)| matches!(value, Scalar::Truth(_)) && !is_switch(name))
        {
            return Err(D::Error::custom(format!("{name} is a whole number or a word, not {value}")));
        }
        for (name, value) in table {
            let value = match value {
                Scalar::Truth(truth) => Scalar::Integer(truth.into()),
                other => other,
            };
            format.set(&name, &value.to_string()).map_err(D::Error::custom)?;
        }
        Ok(format)
    }
}

/// A value in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "a whole number or a word")]
enum Scalar {
    Integer(i64),
    /// Stands for 0 or 1.
    Truth(bool),
    Word(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Integer(number) => number.fmt(f),
            Scalar::Truth(truth) => truth.fmt(f),
            Scalar::Word(word) => f.write_str(word),
        }
    }
}

/// Returns tables of all settings, in Markdown.
pub fn schema() -> String {
    let mut text = String::new();
    for (index, kind) in FORMAT_KINDS.iter().enumerate() {
        let FormatKind { name, about, parameters, seats, .. } = kind;
        text += if index > 0 { "\n" } else { "" };
        text += &format!("## `kind = \"{name}\"`\n\n{about}. For {seats}.\n\n");
        text += "| key | default | values | meaning |\n| --- | --- | --- | --- |\n";
        for parameter in *parameters {
            let default = parameter.kind.show(parameter.default);
            text +=
                &format!("| `{}` | {default} | {} | {} |\n", parameter.name, parameter.kind, parameter.help);
        }
    }
    text
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Seats::Any => "all games",
            Seats::Table => "games with tables of a fixed number of seats",
            Seats::Two => "games of two seats",
        })
    }
}

/// Makes sure that a format supports a contest.
pub(super) fn check(format: &Format, contest: &Contest) -> Result<(), BadFormat> {
    let FormatKind { name, seats, parameters, .. } = *format.kind;
    let game = contest.entry.name;
    let suits = match seats {
        Seats::Any => true,
        // Bots that play alone are compared round by round.
        Seats::Table => contest.seats().is_some_and(|seats| seats > 1),
        Seats::Two => contest.seats() == Some(2),
    };
    if !suits {
        return Err(BadFormat::Unsuited { kind: name, wants: seats, game, seats: contest.seats() });
    }
    if contest.entrants == 0 {
        return Err(BadFormat::NoEntrants);
    }
    let is_known = |wanted: &str| parameters.iter().any(|parameter| parameter.name == wanted);
    if is_known(CHALLENGER) && format.parameters.get(CHALLENGER) as usize > contest.entrants {
        return Err(BadFormat::NoSuchEntrant {
            number: format.parameters.get(CHALLENGER),
            entrants: contest.entrants,
        });
    }
    if is_known(exam::PANEL) && exam::panel(&format.parameters) >= contest.entrants {
        return Err(BadFormat::NoStudent {
            panel: exam::panel(&format.parameters),
            entrants: contest.entrants,
        });
    }
    let has_block = |block| format.parameters.iter().any(|(_, value)| value == Value::Word(block));
    if has_block(ONE_GAME) && !rounds::is_uniform(&format.parameters) {
        return Err(BadFormat::NotByLot);
    }
    if is_known(AUTHOR_SEATS) && format.parameters.get(AUTHOR_SEATS) > 0 {
        check_apart(
            contest,
            format.parameters.get(AUTHOR_SEATS) as usize,
            rounds::is_uniform(&format.parameters),
        )?;
    }
    if has_block(TWELVE) && contest.seats() != Some(4) {
        return Err(BadFormat::NotOfFour { game });
    }
    Ok(())
}

/// Makes sure that the bots of each author can sit apart.
fn check_apart(contest: &Contest, at_table_max: usize, is_uniform: bool) -> Result<(), BadFormat> {
    let Some(seats) = contest.seats().filter(|_| is_uniform) else { return Err(BadFormat::NotApart) };
    // The last table may be smaller; fillers come later.
    let room = contest.entrants / seats * at_table_max + at_table_max.min(contest.entrants % seats);
    let mut bots: BTreeMap<&str, usize> = BTreeMap::new();
    for author in contest.authors.iter().filter(|author| !author.is_empty()) {
        *bots.entry(author).or_default() += 1;
    }
    match bots.into_iter().find(|(_, bots)| *bots > room) {
        Some((author, bots)) => {
            Err(BadFormat::TooManyOfAuthor { author: author.to_owned(), bots, room, at_table_max })
        }
        None => Ok(()),
    }
}

/// A mistake in a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadFormat {
    /// The kind is missing.
    NoKind,
    /// There is no such kind.
    UnknownKind(String),
    /// There is no such parameter, or the value is not allowed.
    Parameter(BadParameter),
    /// The format does not support the game.
    Unsuited {
        /// The format.
        kind: &'static str,
        /// The games that it supports.
        wants: Seats,
        /// The game.
        game: &'static str,
        /// The number of seats at a table there; `None` for the whole field.
        seats: Option<usize>,
    },
    /// There is no entrant.
    NoEntrants,
    /// The challenger is not an entrant.
    NoSuchEntrant {
        /// Its number.
        number: i64,
        /// The number of entrants.
        entrants: usize,
    },
    /// All entrants of an exam are its panel.
    NoStudent {
        /// The size of the panel.
        panel: usize,
        /// The number of entrants.
        entrants: usize,
    },
    /// Blocks of 12 are for tables of four.
    NotOfFour {
        /// The game.
        game: &'static str,
    },
    /// Blocks of one game are for deals that draw seats by lot.
    NotByLot,
    /// Bots of an author sit apart only with uniform deals.
    NotApart,
    /// This number of bots of one author cannot sit apart.
    TooManyOfAuthor {
        /// The author.
        author: String,
        /// The number of the author's bots.
        bots: usize,
        /// The number that can sit apart.
        room: usize,
        /// The maximum number at a table.
        at_table_max: usize,
    },
}

impl fmt::Display for BadFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = || FORMAT_KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        match self {
            BadFormat::NoKind => write!(f, "the kind is missing: write kind = one of {}", kinds()),
            BadFormat::UnknownKind(name) => {
                write!(f, "no such kind of format: {name} (there are {})", kinds())
            }
            BadFormat::Parameter(error) => error.fmt(f),
            BadFormat::Unsuited { kind, game, seats: Some(1), .. } => {
                write!(f, "{kind} is for games with opponents; {game} has one seat (use rounds)")
            }
            BadFormat::Unsuited { kind, wants, game, seats: Some(seats) } => {
                write!(f, "{kind} is for {wants}; {game} has {seats} (use rounds, round-robin or gauntlet)")
            }
            BadFormat::Unsuited { kind, wants, game, seats: None } => {
                write!(f, "{kind} is for {wants}; {game} seats the whole field in one game (use rounds)")
            }
            BadFormat::NoEntrants => f.write_str("a tournament needs entrants"),
            BadFormat::NoSuchEntrant { number, entrants } => {
                write!(f, "challenger = {number} is too high: there are {entrants} entrants")
            }
            BadFormat::NoStudent { panel, entrants } => write!(
                f,
                "panel = {panel}, and there are {entrants} entrants: an exam has students behind its panel"
            ),
            BadFormat::NotOfFour { game } => {
                write!(f, "block = {TWELVE} is for tables of four, not for {game}: leave it out")
            }
            BadFormat::NotByLot => {
                write!(f, "block = \"{ONE_GAME}\" draws seats by lot and is only for deal = \"uniform\"")
            }
            BadFormat::NotApart => {
                write!(f, "{AUTHOR_SEATS} is for tables dealt with deal = \"uniform\": leave it out")
            }
            BadFormat::TooManyOfAuthor { author, bots, room, at_table_max } => {
                write!(
                    f,
                    "{AUTHOR_SEATS} = {at_table_max}: {author} has {bots} bots, but the tables have room for {room}; take \
                     some out, or set it higher"
                )
            }
        }
    }
}

impl std::error::Error for BadFormat {}
