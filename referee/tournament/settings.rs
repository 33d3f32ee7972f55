//! What the files `hill.toml` and `tournaments/*.toml` have in common: how values are read, and on which line one stands.

use crate::rules::Parameters;
use crate::table::process::Timekeeping;

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

/// Finds what bots are charged by its name.
///
/// # Errors
///
/// Says what there is.
pub fn clock(word: &str) -> Result<Timekeeping, String> {
    let found = Timekeeping::ALL.into_iter().find(|clock| clock.name() == word);
    let names = Timekeeping::ALL.map(Timekeeping::name).join(", ");
    found.ok_or_else(|| format!("no such clock: {word} (there are: {names})"))
}

/// Returns the line on which a byte of a text stands, from 1.
pub fn line_at(text: &str, byte: usize) -> u64 {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count() as u64
}

/// Returns the line on which a key is set.
pub fn line_of_key(text: &str, key: &str) -> u64 {
    let is_it = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(is_it).map_or(1, |index| index as u64 + 1)
}
