//! Parameters of a game: names, defaults, ranges.

use std::fmt;
use std::ops::RangeInclusive;

/// A setting of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in files, and (with `-` for `_`) on the command line.
    pub name: &'static str,
    /// Its one-letter form on the command line, if it has one.
    pub short: Option<char>,
    /// Its default: a number, or the index of a choice.
    pub default: i64,
    /// Its possible values.
    pub kind: ParameterKind,
    /// Its meaning, in a few words.
    pub help: &'static str,
}

impl Parameter {
    /// Returns a parameter that is a whole number in a range.
    pub const fn integer(
        name: &'static str,
        default: i64,
        range: RangeInclusive<i64>,
        help: &'static str,
    ) -> Parameter {
        let kind = ParameterKind::Integer { min: *range.start(), max: *range.end() };
        Parameter { name, short: None, default, kind, help }
    }

    /// Returns the parameter for the time limit of an answer, in milliseconds.
    pub const fn turn_ms(default: i64) -> Parameter {
        Parameter::integer("turn_ms", default, 1..=HOUR_MS, "milliseconds for an answer")
    }

    /// Returns the parameter for the time limit of the first answer, in milliseconds. Its default is the same in all
    /// games.
    pub const fn first_ms() -> Parameter {
        Parameter::integer("first_ms", 5_000, 1..=HOUR_MS, "milliseconds for the first answer of a game")
    }

    /// Returns the parameter with a one-letter form.
    pub const fn letter(self, letter: char) -> Parameter {
        Parameter { short: Some(letter), ..self }
    }
}

/// Maximum of a time limit, in milliseconds.
const HOUR_MS: i64 = 3_600_000;

/// The possible values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number.
    Integer {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// One of these words. Inside the referee its value is the index; outside it is the word.
    Choice(&'static [&'static str]),
}

/// `1 to 46`, `text or server2013`
impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterKind::Integer { min, max } => write!(f, "{min} to {max}"),
            ParameterKind::Choice(words) => f.write_str(&words.join(" or ")),
        }
    }
}

impl ParameterKind {
    /// Returns a value of this kind as it is written.
    pub fn show(self, value: i64) -> Value {
        match self {
            ParameterKind::Integer { .. } => Value::Integer(value),
            ParameterKind::Choice(words) => Value::Word(words[value as usize]),
        }
    }

    fn allows(self, value: i64) -> bool {
        match self {
            ParameterKind::Integer { min, max } => (min..=max).contains(&value),
            ParameterKind::Choice(words) => (0..words.len() as i64).contains(&value),
        }
    }

    fn read(self, text: &str) -> Option<i64> {
        match self {
            ParameterKind::Integer { .. } => text.parse().ok(),
            ParameterKind::Choice(words) => Some(words.iter().position(|word| *word == text)? as i64),
        }
    }
}

/// The value of a parameter as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A choice.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(number) => number.fmt(f),
            Value::Word(word) => f.write_str(word),
        }
    }
}

/// The parameters of one game with a value for each, in the game's own order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    known: &'static [Parameter],
    values: Vec<i64>,
}

impl Parameters {
    /// Returns the defaults.
    pub fn defaults(known: &'static [Parameter]) -> Parameters {
        Parameters { known, values: known.iter().map(|parameter| parameter.default).collect() }
    }

    /// Sets a parameter: to a number, or to a choice by its index.
    ///
    /// # Errors
    ///
    /// If the game has no such parameter, or the value is out of its range. The error lists what is possible.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), BadParameter> {
        let index = self.find(name)?;
        let parameter = self.known[index];
        if !parameter.kind.allows(value) {
            return Err(BadParameter::OutOfRange { parameter, value: value.to_string() });
        }
        self.values[index] = value;
        Ok(())
    }

    /// Sets a parameter to the value of a text: a number, or the word of a choice.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), BadParameter> {
        let parameter = self.known[self.find(name)?];
        match parameter.kind.read(text) {
            Some(value) => self.set(name, value),
            None => Err(BadParameter::OutOfRange { parameter, value: text.to_owned() }),
        }
    }

    fn find(&self, name: &str) -> Result<usize, BadParameter> {
        self.known.iter().position(|parameter| parameter.name == name).ok_or_else(|| {
            let known = self.known.iter().map(|parameter| parameter.name).collect();
            BadParameter::Unknown { name: name.to_owned(), known }
        })
    }

    /// Returns the value of a parameter: a number, or the index of a choice.
    ///
    /// # Panics
    ///
    /// Panics if there is none of that name: a game reads only its own parameters.
    pub fn get(&self, name: &str) -> i64 {
        self.values[self.find(name).unwrap_or_else(|error| panic!("{error}"))]
    }

    /// Iterates over names and values in the game's own order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> {
        self.known
            .iter()
            .zip(&self.values)
            .map(|(parameter, value)| (parameter.name, parameter.kind.show(*value)))
    }
}

/// `p=10 k=10 ...`
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            write!(f, "{}{name}={value}", if index > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

/// A parameter that the game does not have, or a value out of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadParameter {
    /// There is none of that name.
    Unknown {
        /// The name that was given.
        name: String,
        /// The names of the game's parameters.
        known: Vec<&'static str>,
    },
    /// The value is out of its range.
    OutOfRange {
        /// The parameter.
        parameter: Parameter,
        /// The value that was given.
        value: String,
    },
}

impl fmt::Display for BadParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadParameter::Unknown { name, known } => {
                write!(f, "no such parameter: {name} (there are {})", known.join(", "))
            }
            BadParameter::OutOfRange { parameter, .. } => f.write_str(&self.said_of(parameter.name)),
        }
    }
}

impl BadParameter {
    /// Describes the mistake, with this name for the parameter: the option that the user has written.
    pub fn said_of(&self, name: &str) -> String {
        let BadParameter::OutOfRange { parameter: Parameter { kind, help, .. }, value } = self else {
            return self.to_string();
        };
        let condition = match (kind, value.parse::<i128>()) {
            (ParameterKind::Choice(words), _) => format!("must be {}", words.join(" or ")),
            (ParameterKind::Integer { .. }, Err(_)) => "must be a whole number".to_owned(),
            (ParameterKind::Integer { min, .. }, Ok(number)) if number < i128::from(*min) => {
                format!("must be at least {min}")
            }
            (ParameterKind::Integer { max, .. }, Ok(_)) => format!("must be at most {max}"),
        };
        format!("{name} {condition}, not {value} ({help})")
    }
}

impl std::error::Error for BadParameter {}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Parameter] = &[
        Parameter {
            name: "k",
            short: None,
            default: 10,
            kind: ParameterKind::Integer { min: 1, max: 46 },
            help: "range",
        },
        Parameter {
            name: "how",
            short: None,
            default: 0,
            kind: ParameterKind::Choice(&["plain", "odd"]),
            help: "order",
        },
    ];

    #[test]
    fn a_choice_is_a_word_outside_and_an_index_inside() {
        let mut parameters = Parameters::defaults(KNOWN);
        assert_eq!(parameters.to_string(), "k=10 how=plain");
        parameters.set_text("how", "odd").unwrap();
        parameters.set_text("k", "46").unwrap();
        assert_eq!((parameters.get("how"), parameters.get("k")), (1, 46));
        assert_eq!(parameters.to_string(), "k=46 how=odd");
    }

    #[test]
    fn what_cannot_be_set_is_told_with_what_can() {
        let mut parameters = Parameters::defaults(KNOWN);
        let mut wrong = |name, text| parameters.set_text(name, text).unwrap_err().to_string();
        assert_eq!(wrong("how", "1"), "how must be plain or odd, not 1 (order)");
        assert_eq!(wrong("k", "47"), "k must be at most 46, not 47 (range)");
        assert_eq!(wrong("k", "0"), "k must be at least 1, not 0 (range)");
        assert_eq!(wrong("k", "x"), "k must be a whole number, not x (range)");
        assert_eq!(wrong("x", "1"), "no such parameter: x (there are k, how)");
        assert!(parameters.set("how", 2).is_err() && parameters.set("how", -1).is_err());
    }
}
