//! Files of settings, and errors about them in the words of the file. A file is compared with the schema of its type
//! ([`crate::schema`]), so an error names the line, the key, what is there and what can be there.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::admission::check;
use crate::schema::{self, Gone, Settings, expectation, listed};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_rules::Value;
use referee_sandbox::{Choice, Tier};
use referee_statistics::stop_rule::Until;
use referee_table::process::Timekeeping;

/// Maximum length of a file of settings that people write, in bytes: enough for a thousand entrants.
pub const FILE_MAX: u64 = 1 << 20;

/// Maximum length of a plan, in bytes: enough for ten thousand entrants.
pub const PLAN_MAX: u64 = 4 << 20;

/// A key whose value no error may show.
const SECRET: &str = "secret";

/// Reads the text of a file of settings. The error is the first mistake, with its line.
pub fn read<T: Settings>(path: &Path, text: &str) -> Result<T, Error> {
    let wrong = |(at, what): Wrong| Error::line(path, line_at(text, at), what);
    let schema = schema::with_markdown::<T>();
    let place = Place { text, root: &schema };
    let mut table = parse(&place).map_err(wrong)?;
    if let Some(gone) = T::GONE.iter().filter_map(|gone| take_gone(table.get_mut(), gone).err()).min() {
        return Err(wrong(gone));
    }
    check_table(&place, &schema, "", table.get_ref(), 0).map_err(wrong)?;
    check_sizes(&place, table.get_ref()).map_err(wrong)?;
    let read = T::deserialize(toml::de::Deserializer::from(table));
    read.map_err(|error| wrong(misfit(&error)))
}

/// Takes a setting that is gone out of a table. It is a mistake unless it has its usual value.
fn take_gone(table: &mut DeTable, gone: &Gone) -> Result<(), Wrong> {
    let at = table.get_key_value(gone.key).map_or(0, |(key, _)| key.span().start);
    match table.remove(gone.key) {
        Some(value) if gone.usual.is_none() || value.get_ref().as_str() != gone.usual => {
            Err((at, gone.said.to_owned()))
        }
        _ => Ok(()),
    }
}

/// Returns the mistake that a reader of TOML has found.
fn misfit(error: &toml::de::Error) -> Wrong {
    (error.span().map_or(0, |span| span.start), error.message().to_owned())
}

/// Makes an error about a key of a file, with its line. Keys within tables and lists have a `.` between them:
/// `entrant.0.name`.
pub fn wrong(path: &Path, text: &str, key: &str, what: impl Into<String>) -> Error {
    Error::line(path, line_of(text, key), what.into())
}

/// Returns the line of a key, as for [`wrong`].
pub fn line_of(text: &str, key: &str) -> u64 {
    Lines::new(text).line(key)
}

/// A file whose lines are looked up.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    table: Option<DeValue<'a>>,
}

impl<'a> Lines<'a> {
    /// Parses a text. If it is no TOML, each key is on its first line.
    pub fn new(text: &'a str) -> Lines<'a> {
        let table = DeTable::parse(text).ok().map(|table| DeValue::Table(table.into_inner()));
        Lines { text, table }
    }

    /// Returns the line of a key, from 1; that of a table is that of its name. Where there is no such key, it is the
    /// line of the table that lacks it.
    pub fn line(&self, key: &str) -> u64 {
        let (mut byte, mut inside) = (0, self.table.as_ref());
        for part in key.split('.') {
            let next = match inside {
                Some(DeValue::Table(table)) => {
                    table.get_key_value(part).map(|(key, value)| (key.span(), value))
                }
                Some(DeValue::Array(items)) => part
                    .parse::<usize>()
                    .ok()
                    .and_then(|number| items.get(number))
                    .map(|item| (item.span(), item)),
                _ => None,
            };
            let Some((span, value)) = next else { break };
            (byte, inside) = (span.start, Some(value.get_ref()));
        }
        line_at(self.text, byte)
    }
}

/// Returns the line of a byte of a text, from 1.
pub fn line_at(text: &str, byte: usize) -> u64 {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count() as u64
}

/// The byte of a mistake, and what is wrong.
type Wrong = (usize, String);

/// The file that is read, and the schema of the whole of it; null if it is not known.
struct Place<'a> {
    text: &'a str,
    root: &'a Json,
}

impl Place<'_> {
    /// Returns the game that the file names.
    fn game(&self) -> Option<String> {
        let table = DeTable::parse(self.text).ok()?.into_inner();
        table.get("game")?.get_ref().as_str().map(str::to_owned)
    }
}

/// Compares a table with its schema, `said`. `name` is the key of the table, and `at` its byte.
fn check_table(place: &Place, said: &Json, name: &str, table: &DeTable, at: usize) -> Result<(), Wrong> {
    let known = said["properties"].as_object();
    let mut mistakes = Vec::new();
    for (key, value) in table {
        let (start, key) = (key.span().start, &**key.get_ref());
        match known.and_then(|known| known.get(key)) {
            Some(said) => mistakes.extend(check(place, said, key, value).err()),
            None if said["additionalProperties"] == false => {
                let names = known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
                mistakes.push((start, no_such_setting(place, name, key, names)));
            }
            None => {}
        }
    }
    if let Some(first) = mistakes.into_iter().min() {
        return Err(first);
    }
    let required = said["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let missing: Vec<&str> = required.filter(|key| !table.contains_key(*key)).collect();
    match &missing[..] {
        [] => Ok(()),
        [only] if said["properties"][*only]["items"]["type"] == "object" => {
            Err((at, format!("there is no [[{only}]]: write one for each")))
        }
        [only] => Err((
            at,
            format!("the setting {only} is missing: it must be {}", expectation(&said["properties"][*only])),
        )),
        several => Err((at, format!("settings are missing: {}", several.join(", ")))),
    }
}

/// Returns the message that a table has no setting with this key, but those with these names.
fn no_such_setting(place: &Place, table: &str, key: &str, names: Vec<&str>) -> String {
    let nearest = names.iter().min_by_key(|name| strsim::osa_distance(name, key));
    let is_near = |name: &&&str| strsim::osa_distance(name, key) <= 1 + key.len() / 4;
    let hint = match nearest.filter(is_near) {
        _ if !place.root["properties"][key].is_null() => {
            format!("; {key} belongs above the first table: move the line up, before all [brackets]")
        }
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => String::new(),
    };
    let inside = if table.is_empty() { String::new() } else { format!(" in {table}") };
    format!("no such setting{inside}: {key}{hint} (there are: {})", names.join(", "))
}

/// Compares a value with its schema.
fn check(place: &Place, said: &Json, key: &str, value: &Spanned<DeValue>) -> Result<(), Wrong> {
    if let Some(kinds) = said["oneOf"].as_array() {
        return check_kind(place, kinds, key, value);
    }
    if fits(place, said, key, value)? {
        return Ok(());
    }
    let at = value.span().start;
    let is_above = |max: f64| matches!(value.get_ref(), DeValue::Integer(found) if number(found) > max);
    match said["maximum"].as_f64() {
        _ if schema::is_seed(said) && is_above(0.0) => Err((at, above_seeds(key, &found(place, key, value)))),
        // The expectation leaves out a maximum that hardly any value reaches.
        Some(max) if max >= f64::from(u32::MAX) && is_above(max) => {
            Err((at, format!("{key} must be at most {max}, not {}", found(place, key, value))))
        }
        _ => Err((at, format!("{key} must be {}, not {}", expectation(said), found(place, key, value)))),
    }
}

/// Returns the value of a number, which can have any number of digits.
fn number(found: &DeInteger) -> f64 {
    i128::from_str_radix(found.as_str(), found.radix()).map_or(f64::NAN, |number| number as f64)
}

/// Tells whether a number is within the bounds of a schema.
fn is_within(said: &Json, number: f64) -> bool {
    let keeps = |key: &str, compare: fn(&f64, &f64) -> bool| {
        said[key].as_f64().is_none_or(|bound| compare(&number, &bound))
    };
    keeps("minimum", f64::ge)
        && keeps("maximum", f64::le)
        && keeps("exclusiveMinimum", f64::gt)
        && keeps("exclusiveMaximum", f64::lt)
}

/// Tells whether a value has the type of its schema, and is in its bounds. A mistake inside a table or list, or in its
/// brackets, is an error.
fn fits(place: &Place, said: &Json, key: &str, value: &Spanned<DeValue>) -> Result<bool, Wrong> {
    let at = value.span().start;
    Ok(match (said["type"].as_str(), value.get_ref()) {
        _ if said["anyOf"].is_array() => {
            said["anyOf"].as_array().into_iter().flatten().any(|said| check(place, said, key, value).is_ok())
        }
        (_, DeValue::String(word)) if said["enum"].is_array() => {
            said["enum"].as_array().into_iter().flatten().any(|one| one == &**word)
        }
        (_, DeValue::Integer(found)) if said["enum"].is_array() => {
            let found = number(found);
            said["enum"].as_array().into_iter().flatten().any(|one| one.as_f64() == Some(found))
        }
        _ if said["enum"].is_array() => false,
        (Some("boolean"), DeValue::Boolean(_)) | (Some("string"), DeValue::String(_)) | (None, _) => true,
        (Some("integer" | "number"), DeValue::Integer(found)) => is_within(said, number(found)),
        (Some("number"), DeValue::Float(found)) => {
            found.as_str().parse().is_ok_and(|number| is_within(said, number))
        }
        (Some("array"), DeValue::Array(items)) => {
            // Tables are named by their settings.
            let each = |item: &Spanned<DeValue>| match item.get_ref() {
                DeValue::Table(_) => key.to_owned(),
                _ => format!("each item of {key}"),
            };
            let mistakes =
                items.iter().filter_map(|item| check(place, &said["items"], &each(item), item).err());
            if let Some(first) = mistakes.min() {
                return Err(first);
            }
            true
        }
        (Some("object"), DeValue::Table(table)) => {
            check_table(place, said, key, table, at)?;
            true
        }
        (Some("array"), DeValue::Table(_)) if said["items"]["type"] == "object" => {
            return Err((at, format!("write [[{key}]], in double brackets, for each")));
        }
        (Some("object"), DeValue::Array(_)) => {
            return Err((at, format!("write [{key}], in single brackets, once")));
        }
        _ => false,
    })
}

/// Compares a table with the schema of the kind that it names.
fn check_kind(place: &Place, kinds: &[Json], key: &str, value: &Spanned<DeValue>) -> Result<(), Wrong> {
    const KIND: &str = "kind";
    let at = value.span().start;
    let DeValue::Table(table) = value.get_ref() else {
        return Err((at, format!("{key} must be a table of settings, not {}", found(place, key, value))));
    };
    let names = || listed(kinds.iter().map(|kind| kind["properties"][KIND]["const"].to_string()).collect());
    let Some((name, named)) = table.get_key_value(KIND) else {
        return Err((at, format!("the setting kind is missing in {key}: it must be {}", names())));
    };
    let of_kind = |kind: &&Json| kind["properties"][KIND]["const"].as_str() == named.get_ref().as_str();
    match kinds.iter().find(of_kind) {
        Some(said) => check_table(place, said, key, table, at),
        None => {
            Err((name.span().start, format!("kind must be {}, not {}", names(), found(place, KIND, named))))
        }
    }
}

/// Returns the message that a number is too large for a seed.
fn above_seeds(key: &str, found: &str) -> String {
    let (max, unquoted_max) = (u64::MAX, i64::MAX);
    format!("{key} must be at most {max}, in quotation marks if it is above {unquoted_max}, not {found}")
}

/// Makes sure that each whole number fits into 64 bits, also where the schema allows anything.
fn check_sizes(place: &Place, table: &DeTable) -> Result<(), Wrong> {
    table.iter().try_for_each(|(key, value)| check_size(place, key.get_ref(), value))
}

fn check_size(place: &Place, key: &str, value: &Spanned<DeValue>) -> Result<(), Wrong> {
    match value.get_ref() {
        DeValue::Integer(number) if i64::from_str_radix(number.as_str(), number.radix()).is_err() => {
            if schema::named(place.root, key).first().is_some_and(|said| schema::is_seed(said)) {
                return Err((value.span().start, above_seeds(key, &found(place, key, value))));
            }
            let bounds = schema::bounds_of(place.root, place.game(), key);
            let (min, max) = bounds.unwrap_or((i64::MIN, i64::MAX));
            let bound = if number.as_str().starts_with('-') {
                format!("at least {min}")
            } else {
                format!("at most {max}")
            };
            Err((value.span().start, format!("{key} must be {bound}, not {}", found(place, key, value))))
        }
        DeValue::Array(items) => items.iter().try_for_each(|item| check_size(place, key, item)),
        DeValue::Table(table) => check_sizes(place, table),
        _ => Ok(()),
    }
}

/// Returns a value for a message, as it is in the file.
fn found(place: &Place, key: &str, value: &Spanned<DeValue>) -> String {
    const LONGEST: usize = 60;
    let text = place.text.get(value.span()).unwrap_or_default();
    match value.get_ref() {
        _ if key == SECRET => "what is there".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::String(word) if word.parse::<f64>().is_ok() || word.parse::<bool>().is_ok() => {
            format!("the text {text}")
        }
        _ if text.chars().count() > LONGEST || text.contains('\n') => {
            let start = text.lines().next().unwrap_or_default();
            format!("{}...", start.chars().take(LONGEST).collect::<String>())
        }
        _ => text.to_owned(),
    }
}

/// Reads a text as a table, whatever its keys.
///
/// # Errors
///
/// If it is no TOML: names the line.
pub(crate) fn table(path: &Path, text: &str) -> Result<toml::Table, Error> {
    let wrong = |(at, what): Wrong| Error::line(path, line_at(text, at), what);
    let place = Place { text, root: &Json::Null };
    let table = parse(&place).map_err(wrong)?;
    check_sizes(&place, table.get_ref()).map_err(wrong)?;
    let read = Deserialize::deserialize(toml::de::Deserializer::from(table));
    read.map_err(|error: toml::de::Error| wrong(misfit(&error)))
}

/// Parses a text as TOML. If that fails, the error has the words of the parser, and what the setting of the line must
/// be.
fn parse<'a>(place: &Place<'a>) -> Result<Spanned<DeTable<'a>>, Wrong> {
    DeTable::parse(place.text).map_err(|error| {
        let (at, what) = misfit(&error);
        let key = key_of_line(place.text, at);
        match schema::named(place.root, key)[..] {
            [said, ..] => (at, format!("{what} ({key} must be {})", expectation(said))),
            [] => (at, what),
        }
    })
}

/// Returns what is before the `=` of the line of this byte.
fn key_of_line(text: &str, at: usize) -> &str {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    text[start..].split(['=', '\n']).next().unwrap_or_default().trim()
}

/// A number or a word: a seed, or a setting whose words can be numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// `7`
    Number(i64),
    /// `"0x1f"`
    Text(String),
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scalar::Number(number) => number.fmt(f),
            Scalar::Text(text) => f.write_str(text),
        }
    }
}

impl From<Value> for Scalar {
    fn from(value: Value) -> Scalar {
        match value {
            Value::Integer(number) => Scalar::Number(number),
            Value::Word(word) => Scalar::Text(word.to_owned()),
        }
    }
}

/// A value that is one of a few words in a file.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// All of them, each with its word.
    fn all() -> Vec<(Self, &'static str)>;
}

impl Word for Choice {
    fn all() -> Vec<(Choice, &'static str)> {
        let tiers = [Tier::Strict, Tier::Landlock, Tier::Off].map(Choice::Only);
        [Choice::Auto].into_iter().chain(tiers).map(|one| (one, one.name())).collect()
    }
}

impl Word for Timekeeping {
    fn all() -> Vec<(Timekeeping, &'static str)> {
        Timekeeping::ALL.map(|one| (one, one.name())).to_vec()
    }
}

/// As a hill names them.
impl Word for Until {
    fn all() -> Vec<(Until, &'static str)> {
        Until::ALL.map(|one| (one, one.of_hill())).to_vec()
    }
}

/// Writes and reads words, for `#[serde(with)]`.
pub(crate) mod word {
    use schemars::{Schema, SchemaGenerator};
    use serde::de::Error as _;
    use serde::ser::Error as _;

    use super::{Deserialize, Deserializer, Serializer, Word};

    pub(crate) fn schema<T: Word>(_: &mut SchemaGenerator) -> Schema {
        crate::schema::words(&T::all().into_iter().map(|(_, word)| word).collect::<Vec<_>>())
    }

    pub(crate) fn serialize<T: Word, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        let (_, word) =
            T::all().into_iter().find(|(one, _)| one == value).ok_or(S::Error::custom("no word"))?;
        serializer.serialize_str(word)
    }

    pub(crate) fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = T::all().into_iter().find(|(_, known)| *known == word);
        found.map(|(value, _)| value).ok_or_else(|| D::Error::custom(format!("no such word: {word}")))
    }
}

/// Returns the interpreters that a file of settings or a plan lists; none if it is no such file. They are read before
/// anything else of the file, because its judge is started by them.
pub fn interpreters_in(file: &Spot) -> Vec<PathBuf> {
    let text = if file.is_file() { file.read_text(SETTINGS_MAX).unwrap_or_default() } else { String::new() };
    let value = text.parse::<toml::Table>().ok().and_then(|mut table| table.remove("interpreters"));
    let paths: Vec<PathBuf> = value.and_then(|value| value.try_into().ok()).unwrap_or_default();
    paths.into_iter().filter(|path| path.is_absolute()).collect()
}

/// Maximum length of a file of settings, or of a plan, that is read for its interpreters, in bytes.
const SETTINGS_MAX: u64 = 16 << 20;

/// The part of the answers that may be late in a check game, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct LatePercent(#[schemars(range(max = 100))] pub u32);

impl Default for LatePercent {
    fn default() -> LatePercent {
        LatePercent(check::LATE_PERCENT)
    }
}

/// Whether logs are compressed, for `#[serde(with)]`.
pub(crate) mod compressed {
    use referee_record::file::Form;

    use super::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(form: &Form, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*form == Form::Gzip)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Form, D::Error> {
        bool::deserialize(deserializer).map(Form::compressed_if)
    }
}
