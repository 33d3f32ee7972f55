//! What can be set about a game: names, defaults, ranges.

use std::fmt;

/// One thing that can be set about a game. All are whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in files, and (with `-` for `_`) on the command line.
    pub name: &'static str,
    /// Its one-letter form on the command line, if it has one.
    pub short: Option<char>,
    /// What holds if nobody says otherwise.
    pub default: i64,
    /// The least value.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
    /// What it means, in a few words.
    pub help: &'static str,
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

    /// Sets one of them.
    ///
    /// # Errors
    ///
    /// Says what can be set, or the range, if the name or the value is not among them.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), BadParameter> {
        let Some(index) = self.known.iter().position(|parameter| parameter.name == name) else {
            let known = self.known.iter().map(|parameter| parameter.name).collect();
            return Err(BadParameter::Unknown { name: name.to_owned(), known });
        };
        let parameter = self.known[index];
        if !(parameter.min..=parameter.max).contains(&value) {
            return Err(BadParameter::OutOfRange { parameter, value });
        }
        self.values[index] = value;
        Ok(())
    }

    /// Returns the value of one of them.
    ///
    /// # Panics
    ///
    /// Panics if there is none of that name: the game asks for its own.
    pub fn get(&self, name: &str) -> i64 {
        let index = self.known.iter().position(|parameter| parameter.name == name);
        self.values[index.unwrap_or_else(|| panic!("no parameter named {name}"))]
    }

    /// Goes through names and values in the game's own order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, i64)> {
        self.known.iter().zip(&self.values).map(|(parameter, value)| (parameter.name, *value))
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

/// A parameter that the game does not have, or a value that it cannot take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadParameter {
    /// There is none of that name.
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The value is not within the range.
    OutOfRange {
        /// Which one.
        parameter: Parameter,
        /// What was asked for.
        value: i64,
    },
}

impl fmt::Display for BadParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadParameter::Unknown { name, known } => {
                write!(f, "no such parameter: {name} (there are {})", known.join(", "))
            }
            BadParameter::OutOfRange { parameter: Parameter { name, min, max, help, .. }, value } => {
                write!(f, "{name} = {value} is out of range: from {min} to {max} ({help})")
            }
        }
    }
}

impl std::error::Error for BadParameter {}
