//! Settings shared by `hill.toml` and `tournaments/*.toml`: how values are read, and on which line each one is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::admission::handed_in;
use referee_record::error::Error;
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
        toml::Value::Array(_) => {
            return Err(format!("{name} must be a single value here: lists of values are for tournaments"));
        }
        other => return Err(format!("{name} must be a whole number or a word, not {other}")),
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
    relative.map_or(Ok(()), |path| Err(format!("{path:?} is not an absolute path: it must begin with /")))
}

/// Makes the error of a file of settings that is no TOML or has a value of the wrong type. It names the line and says
/// in plain words what to write.
pub fn unreadable(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    let at = error.span().map_or(0, |span| span.start);
    Error::line(path, line_at(text, at), in_plain_words(text, at, error.message()))
}

/// Translates a message of the TOML reader about the place at this byte. Rare messages stay as they are.
pub fn in_plain_words(text: &str, at: usize, message: &str) -> String {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim();
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    let bare = |part: &str| part.split('#').next().unwrap_or_default().trim().to_owned();
    let (key, value) = (bare(key), bare(value));
    let listed = |names: &str| names.split('`').skip(1).step_by(2).collect::<Vec<&str>>().join(", ");
    if key == "[entrant]" && (message == "duplicate key" || message.ends_with("expected a sequence")) {
        return "write [[entrant]], in double brackets, for each bot".to_owned();
    }
    if let Some(what) = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "))
        && let Some((found, expected)) = what.rsplit_once(", expected ")
        && let Some(due) = due_words(expected, message.starts_with("invalid value"))
    {
        return format!("{key} must be {due}, not {}", found_words(found));
    }
    if let Some((found, names)) =
        message.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    {
        return format!("{key} must be one of {}, not {found}", listed(names));
    }
    if let Some((found, names)) =
        message.strip_prefix("unknown field `").and_then(|rest| rest.split_once("`, expected "))
    {
        return format!("no such setting: {found} (there are: {})", listed(names));
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return match name {
            "entrant" => "no bots: write an [[entrant]] for each".to_owned(),
            _ => format!("the setting {name} is missing"),
        };
    }
    match message.split(", expected ").next().unwrap_or_default() {
        "duplicate key" => format!("{key} is there twice: remove one"),
        "key with no value" => "no value: write NAME = VALUE".to_owned(),
        "extra `=`" => "one = too many: write NAME = VALUE".to_owned(),
        "string values must be quoted" if value.is_empty() => format!("{key} has no value"),
        "string values must be quoted" if value.starts_with(['[', '{']) => {
            "a word in a list needs quotation marks".to_owned()
        }
        "string values must be quoted" if ["yes", "no"].contains(&&*value) => {
            format!("write {key} = true or {key} = false, not {value}")
        }
        "string values must be quoted" => {
            format!("not a number: {value}; write a word in quotation marks: {key} = \"{value}\"")
        }
        "invalid boolean" => format!("write {key} = true or {key} = false, not {value}"),
        "invalid basic string" | "invalid literal string" => "a quotation mark is not closed".to_owned(),
        "missing comma between array elements" | "unclosed array" => {
            "a list is not closed by ], or lacks a comma".to_owned()
        }
        "unclosed table" => "a closing ] is missing".to_owned(),
        "unexpected key or value" => "something is left over at the end of this line".to_owned(),
        "unexpected leading zero" => format!("{value} must not begin with 0"),
        "integer number overflowed" => format!("not a number, or too large: {value}"),
        "wanted string or table" => format!("{key} must be a word in quotation marks"),
        _ => message.to_owned(),
    }
}

/// Describes a type of serde in plain words, with its range if a number is out of range; `None` for types that no
/// setting has.
fn due_words(expected: &str, is_out_of_range: bool) -> Option<&'static str> {
    Some(match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" | "i64" if !is_out_of_range => "a whole number",
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or greater",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a word in quotation marks",
        "path string" => "a path in quotation marks",
        "a sequence" => "a list, such as [\"a\", \"b\"]",
        "a map" => "a table with settings of its own",
        _ => return None,
    })
}

/// Returns a value that serde has found, as it is in the file: `"two"`, `2.5`, `a list`.
fn found_words(found: &str) -> &str {
    match found {
        "map" => "a table",
        "sequence" => "a list",
        _ => found
            .split_once(' ')
            .map_or(found, |(_, value)| value)
            .trim_start_matches("point ")
            .trim_matches('`'),
    }
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
