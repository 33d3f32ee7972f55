//! Settings shared by `hill.toml` and `tournaments/*.toml`: how values are read, and on which line each one is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::admission::handed_in;
use referee_rules::{Parameters, Seed};
use referee_sandbox::Limits;
use referee_table::process::Timekeeping;

/// The lines of `[limits]`.
pub type LimitLines = BTreeMap<String, Spanned<toml::Value>>;

/// A seed in a file: a number, or a text for large and hexadecimal ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a seed is a whole number, or a text such as \"0x1f\"")]
pub enum SeedLine {
    /// `7`
    Number(i64),
    /// `"0x1f"`
    Text(String),
}

impl SeedLine {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn seed(&self) -> Result<Seed, String> {
        let text = match self {
            SeedLine::Number(number) => number.to_string(),
            SeedLine::Text(text) => text.clone(),
        };
        text.parse::<Seed>().map_err(|error| error.to_string())
    }
}

/// Sets a parameter of a game to a value of a file.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn set(parameters: &mut Parameters, name: &str, value: &toml::Value) -> Result<(), String> {
    let text = match value {
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::String(word) => word.clone(),
        _ => return Err(format!("{name} is neither a whole number nor a word")),
    };
    parameters.set_text(name, &text).map_err(|error| error.to_string())
}

/// Reads the limits of each bot. Those left out have their defaults.
///
/// # Errors
///
/// Says what is wrong, and at which bytes of the file.
pub fn limits(lines: &LimitLines) -> Result<Limits, (Range<usize>, String)> {
    let mut limits = Limits::default();
    for (name, value) in lines {
        let wrong = |what: String| (value.span(), what);
        let key = Limits::key(name).ok_or_else(|| {
            let names = Limits::KEYS.map(|key| key.name).join(", ");
            wrong(format!("no such limit: {name} (there are: {names})"))
        })?;
        let text = value.get_ref().to_string();
        limits.set(key, &text).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(limits)
}

/// Finds a clock, the time that bots are charged, by its name.
///
/// # Errors
///
/// If there is none of that name; lists the names.
pub fn clock(word: &str) -> Result<Timekeeping, String> {
    let found = Timekeeping::ALL.into_iter().find(|clock| clock.name() == word);
    let names = Timekeeping::ALL.map(Timekeeping::name).join(", ");
    found.ok_or_else(|| format!("no such clock: {word} (there are: {names})"))
}

/// Reads the size of the largest program, in MiB.
///
/// # Errors
///
/// If it is out of range; says the range.
pub fn program_mib(value: Option<&toml::Value>) -> Result<u64, String> {
    let Some(value) = value else { return Ok(handed_in::MIB) };
    let range = handed_in::MIB_RANGE;
    let found = value.as_integer().and_then(|value| u64::try_from(value).ok());
    found.filter(|value| range.contains(value)).ok_or_else(|| {
        format!(
            "program_mib = {value} is out of range: it is a whole number of MiB from {} to {} (leave it out for {})",
            range.start(),
            range.end(),
            handed_in::MIB
        )
    })
}

/// Makes sure that the host's interpreters are absolute paths, which mean the same wherever a command is called.
/// Whether they exist is checked when bots are started.
///
/// # Errors
///
/// Names the first that is not an absolute path.
pub fn interpreters(paths: &[PathBuf]) -> Result<(), String> {
    let relative = paths.iter().find(|path| !path.is_absolute());
    relative.map_or(Ok(()), |path| Err(format!("{path:?} is not an absolute path")))
}

/// Returns the line of a byte of a text, from 1.
pub fn line_at(text: &str, byte: usize) -> u64 {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count() as u64
}

/// Maximum length of a file of settings that people write, in bytes: enough for a thousand entrants.
pub const FILE_MAX: u64 = 1 << 20;

/// Maximum length of a plan, in bytes: enough for ten thousand entrants.
pub const PLAN_MAX: u64 = 4 << 20;

/// Returns the line, from 1, with the name of an entrant, whose number counts from 0.
pub fn line_of_entrant(text: &str, number: usize) -> u64 {
    let mut entrants = 0;
    let is_it = |line: &str| {
        entrants += usize::from(line.trim() == "[[entrant]]");
        entrants == number + 1 && line.trim_start().starts_with("name")
    };
    text.lines().position(is_it).map_or(1, |index| index as u64 + 1)
}

/// Returns the line of a key, from 1.
pub fn line_of_key(text: &str, key: &str) -> u64 {
    let is_it = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(is_it).map_or(1, |index| index as u64 + 1)
}
