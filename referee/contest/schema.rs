//! What a file of settings can say, as a JSON schema: made of the types that the file is read into, their doc comments,
//! and the definitions of games, formats and limits. From it follow the errors of the reader ([`crate::settings`]), the
//! comments in the files that the program writes, the reference pages and the schemas for editors.

use std::fmt::{self, Write as _};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};

use referee_games::catalog::{self, Entry};
use referee_rules::{Parameter, ParameterKind};
use referee_sandbox::Limits;
use referee_statistics::schedule::format::{FORMAT_KINDS, FormatKind};

/// A bot's name. Of letters outside of ASCII it says nothing: not all that read patterns know their kinds.
pub const NAME: &str = r"^[^\x00-/:-@\[-\^`{-\x7f][^\x00-,./:-@\[-\^`{-\x7f]{0,31}$";

/// The name of a tournament.
pub(crate) const PLAIN_NAME: &str = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,31}$";

/// A random seed.
pub(crate) const SEED: &str = "^(0x[0-9A-Fa-f]{1,16}|[0-9]{1,20})$";

/// Maximum length of a line of a comment.
const COLUMNS: usize = 98;

/// A file of settings.
pub trait Settings: DeserializeOwned + JsonSchema {
    /// Settings that earlier versions had.
    const GONE: &[Gone] = &[];

    /// Adds what other definitions say: those of games and formats.
    fn complete(_schema: &mut Json) {}
}

/// A setting that an earlier version had.
#[derive(Clone, Copy, Debug)]
pub struct Gone {
    /// Its key.
    pub key: &'static str,
    /// Its value that means what happens without the setting, which is passed over.
    pub usual: Option<&'static str>,
    /// What is said of any other value.
    pub said: &'static str,
}

pub(crate) const LOST_BEHIND_MAX: Gone = Gone {
    key: "lost_behind_max",
    usual: None,
    said: "the setting lost_behind_max is gone: remove this line; the number is 3",
};

/// Makes the schema of a file, with Markdown in its descriptions, as the reference pages have them.
pub fn with_markdown<T: Settings>() -> Json {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    T::complete(&mut schema);
    schema
}

/// Makes the schema of a file for editors, whose descriptions are plain text.
pub(crate) fn for_editors<T: Settings>() -> Json {
    let mut schema = with_markdown::<T>();
    each_table(&mut schema, &mut |table| {
        if let Some(Json::String(text)) = table.get_mut("description") {
            *text = plain(text);
        }
    });
    schema
}

/// Says in the words of a schema for TOML what `schemars` says for JSON and Rust.
fn simplify(schema: &mut Json) {
    each_table(schema, &mut |table| {
        // TOML has no null: a key is left out.
        if let Some(Json::Array(types)) = table.get_mut("type") {
            types.retain(|one| one != "null");
            let only = types.pop();
            table.extend(only.map(|only| ("type".to_owned(), only)));
        }
        if let Some(Json::Array(branches)) = table.get_mut("anyOf") {
            branches.retain(|one| one["type"] != "null");
            if let [only] = &mut branches[..] {
                let only = only.take();
                table.remove("anyOf");
                table.extend(
                    only.as_object().into_iter().flatten().map(|(key, said)| (key.clone(), said.clone())),
                );
            }
        }
        if table.get("default").is_some_and(|usual| usual.is_null() || usual.is_object()) {
            table.remove("default");
        }
        if table.remove("format").is_some_and(|kind| kind == "uint32") {
            table.entry("maximum").or_insert(u32::MAX.into());
        }
        // Words of an enum, each with a description.
        let words = table.get("oneOf").and_then(Json::as_array);
        if let Some(words) =
            words.and_then(|all| all.iter().map(|one| one.get("const").cloned()).collect::<Option<Vec<_>>>())
        {
            table.remove("oneOf");
            table.extend([("type".to_owned(), json!("string")), ("enum".to_owned(), words.into())]);
        }
        for key in table.get("required").and_then(Json::as_array).cloned().into_iter().flatten() {
            let said =
                table.get_mut("properties").and_then(|keys| keys.get_mut(key.as_str()?)?.as_object_mut());
            said.map(|said| said.remove("default"));
        }
        if let Some(Json::String(text)) = table.get_mut("description") {
            *text = text.replace('\n', " ");
        }
    });
}

/// Calls a function for each table of a schema, the inner ones first.
fn each_table(schema: &mut Json, with: &mut impl FnMut(&mut Map<String, Json>)) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(|item| each_table(item, with)),
        Json::Object(table) => {
            for (keyword, inner) in table.iter_mut() {
                match inner {
                    Json::Object(keys) if keyword == "properties" => {
                        keys.values_mut().for_each(|inner| each_table(inner, with));
                    }
                    inner => each_table(inner, with),
                }
            }
            with(table);
        }
        _ => {}
    }
}

/// Leaves out the targets of links.
fn plain(markdown: &str) -> String {
    let (mut text, mut rest) = (String::new(), markdown);
    while let Some((before, behind)) = rest.split_once("](") {
        let (start, link) = before.rsplit_once('[').unwrap_or((before, ""));
        text += start;
        text += link;
        rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    text + rest
}

/// A word of a list.
pub(crate) fn words(all: &[&str]) -> Schema {
    said(json!({ "type": "string", "enum": all }))
}

pub(crate) fn said(said: Json) -> Schema {
    Schema::try_from(said).expect("a schema")
}

/// A seed: a number, or a text for large and hexadecimal ones.
pub(crate) fn seed(_: &mut SchemaGenerator) -> Schema {
    said(
        json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": i64::MAX }, { "type": "string", "pattern": SEED }] }),
    )
}

/// Tells whether a value is a seed.
pub(crate) fn is_seed(said: &Json) -> bool {
    said["anyOf"].as_array().is_some_and(|branches| branches.iter().any(|one| one["pattern"] == SEED))
}

/// Returns what a schema says of keys of this name, whatever their table, the outer ones first.
pub(crate) fn named<'a>(schema: &'a Json, key: &str) -> Vec<&'a Json> {
    let mut found: Vec<&Json> = schema["properties"].get(key).into_iter().collect();
    match schema {
        Json::Object(table) => found.extend(table.values().flat_map(|inner| named(inner, key))),
        Json::Array(items) => found.extend(items.iter().flat_map(|inner| named(inner, key))),
        _ => {}
    }
    found
}

/// Returns the bounds of a key that is a whole number; the parameters of a game are those of this one.
pub(crate) fn bounds_of(schema: &Json, game: Option<String>, key: &str) -> Option<(i64, i64)> {
    let of_game = schema["allOf"].as_array().into_iter().flatten();
    let of_game = of_game.filter(|one| one["if"]["properties"]["game"]["const"].as_str() == game.as_deref());
    let said = of_game.flat_map(|one| named(&one["then"], key)).chain(named(schema, key));
    let mut bounds = said.filter_map(|said| {
        let said = if said["anyOf"].is_array() { &said["anyOf"][0] } else { said };
        Some((said["minimum"].as_i64()?, said["maximum"].as_i64()?))
    });
    bounds.next()
}

/// Absolute paths.
pub(crate) fn absolute_paths(_: &mut SchemaGenerator) -> Schema {
    said(json!({ "type": "array", "items": { "type": "string", "pattern": "^/" } }))
}

/// `[limits]`.
pub(crate) fn limits(_: &mut SchemaGenerator) -> Schema {
    let usual = json!(Limits::default());
    let limits = const { &Limits::KEYS }.iter().map(|key| {
        let unit = if key.about.contains(key.unit) { String::new() } else { format!(", in {}", key.unit) };
        let (usual, about) = (usual[key.name].as_i64().unwrap_or_default(), format!("{}{unit}", key.about));
        (key.name, integer(key.least as i64, key.most as i64, usual, &about))
    });
    said(closed(limits))
}

/// `[parameters]` of a file whose game is not known yet.
pub(crate) fn any_table(_: &mut SchemaGenerator) -> Schema {
    said(json!({ "type": "object" }))
}

/// Tables of parameters.
pub(crate) fn any_tables(_: &mut SchemaGenerator) -> Schema {
    said(json!({ "type": "array", "items": { "type": "object" } }))
}

/// `[format]`: the parameters of the kind that it names.
pub(crate) fn format(_: &mut SchemaGenerator) -> Schema {
    let of_kind = |kind: &FormatKind| {
        let mut schema = parameters(kind.parameters, parameter);
        schema["properties"]["kind"] = json!({ "const": kind.name });
        schema["required"] = json!(["kind"]);
        schema["description"] = format!("{}. For {}.", kind.about, kind.seats).into();
        schema
    };
    said(json!({ "type": "object", "oneOf": FORMAT_KINDS.iter().map(of_kind).collect::<Vec<Json>>() }))
}

/// Says for each game which parameters it has.
pub(crate) fn games(schema: &mut Json, schema_of: impl Fn(&Parameter) -> Json) {
    let of_game = |entry: &Entry| {
        json!({
            "if": { "properties": { "game": { "const": entry.name } }, "required": ["game"] },
            "then": { "properties": { "parameters": parameters(entry.parameters, &schema_of) } },
        })
    };
    schema["allOf"] = catalog::all().map(of_game).collect();
}

/// A table with these parameters and no others.
pub(crate) fn parameters(known: &[Parameter], schema_of: impl Fn(&Parameter) -> Json) -> Json {
    closed(known.iter().map(|parameter| (parameter.name, schema_of(parameter))))
}

/// The schema of a parameter.
pub(crate) fn parameter(parameter: &Parameter) -> Json {
    match parameter.kind {
        ParameterKind::Integer { min, max } => integer(min, max, parameter.default, parameter.help),
        // A word of digits can be written as a number.
        ParameterKind::Choice(names) => {
            let numbers = names.iter().filter_map(|name| name.parse::<i64>().ok()).map(Json::from);
            let all: Vec<Json> = names.iter().map(|name| Json::from(*name)).chain(numbers).collect();
            let usual = parameter.kind.show(parameter.default).to_string();
            json!({ "enum": all, "default": usual, "description": parameter.help })
        }
    }
}

fn integer(least: i64, most: i64, usual: i64, about: &str) -> Json {
    json!({ "type": "integer", "minimum": least, "maximum": most, "default": usual, "description": about })
}

/// A table with these keys and no others.
fn closed<'a>(keys: impl Iterator<Item = (&'a str, Json)>) -> Json {
    let keys: Map<String, Json> = keys.map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({ "type": "object", "additionalProperties": false, "properties": keys })
}

/// Says what a value has to be.
pub(crate) fn expectation(schema: &Json) -> String {
    let any = |branches: &[Json]| listed(branches.iter().map(expectation).collect());
    if let Some(branches) = schema["anyOf"].as_array() {
        return any(branches);
    }
    if let Some(words) = schema["enum"].as_array() {
        return listed(words.iter().filter(|word| word.is_string()).map(Json::to_string).collect());
    }
    match schema["type"].as_str().unwrap_or_default() {
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", range(schema)),
        "number" => format!("a number{}", range(schema)),
        "string" => "a text in quotation marks".to_owned(),
        "array" => match schema["items"]["type"].as_str() {
            Some("object") => "a table of its own for each".to_owned(),
            Some("string") => "a list of texts, such as [\"a\", \"b\"]".to_owned(),
            _ => format!("a list, each {}", expectation(&schema["items"])),
        },
        _ => "a table of settings".to_owned(),
    }
}

/// `a, b or c`
pub(crate) fn listed(mut all: Vec<String>) -> String {
    match all.pop() {
        Some(last) if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        last => last.unwrap_or_default(),
    }
}

fn range(schema: &Json) -> String {
    let most = schema["maximum"].as_f64().filter(|most| *most < f64::from(u32::MAX));
    if let (Some(least), Some(_)) = (schema["minimum"].as_f64(), most) {
        return format!(" from {least} to {}", schema["maximum"]);
    }
    let bounds = [("minimum", "at least"), ("exclusiveMinimum", "above"), ("exclusiveMaximum", "below")];
    let bounds = bounds.iter().filter_map(|(key, words)| Some(format!("{words} {}", schema[*key].as_f64()?)));
    let bounds = bounds.collect::<Vec<String>>().join(" and ");
    if bounds.is_empty() { bounds } else { format!(", {bounds}") }
}

/// Writes a file of settings: each key with what it means as a comment. Keys that have no value in this table are there
/// as comments, with an example or the default.
///
/// `keys` are in the order in which they are written; `tables` has the keys of each table, likewise.
pub(crate) fn written(
    schema: &Json,
    values: &toml::Table,
    keys: &[String],
    tables: &[(&str, Vec<String>)],
) -> String {
    let about = plain(schema["description"].as_str().unwrap_or_default());
    let (mut text, mut below) = (comment(&about) + "\n", String::new());
    for key in keys {
        let said = &schema["properties"][key];
        let about = plain(said["description"].as_str().unwrap_or_default());
        let items = if said["type"] == "array" { &said["items"] } else { said };
        if let Some(properties) = items["properties"].as_object().filter(|_| items["type"] == "object") {
            let (start, end) = if items == said { ("[", "]") } else { ("[[", "]]") };
            let first = values.get(key).map(|value| value.as_array().map_or(value, |all| &all[0]));
            let first = first.and_then(toml::Value::as_table);
            let _ = write!(below, "\n{}{start}{key}{end}\n", comment(&about));
            let (_, keys) = tables.iter().find(|(table, _)| table == key).expect("each table has an order");
            for key in keys {
                let said = &properties[key];
                let about = plain(said["description"].as_str().unwrap_or_default());
                below += &entry(key, first.and_then(|table| table.get(key)), said, &about);
            }
        } else if let Some(known) = values.get(key).and_then(toml::Value::as_table) {
            let _ = write!(below, "\n{}[{key}]\n{known}", comment(&about));
        } else {
            let line = line_of(key, values.get(key), said);
            if !line.is_empty() {
                let _ = writeln!(text, "{}{line}", comment(&about));
            }
        }
    }
    text + &below
}

/// A key of a table, with its comment at the end of the line, if that has room; nothing for a key without a value.
fn entry(key: &str, value: Option<&toml::Value>, said: &Json, about: &str) -> String {
    let line = line_of(key, value, said);
    let short = format!("{line} # {about}\n");
    match short.chars().count() <= COLUMNS {
        _ if line.is_empty() => line,
        true => short,
        false => format!("{}{line}\n", comment(about)),
    }
}

fn line_of(key: &str, value: Option<&toml::Value>, said: &Json) -> String {
    let example = || toml::Value::try_from(said["examples"].get(0).or(said.get("default"))?).ok();
    let example = || example().map(|value| format!("# {key} = {value}"));
    value.map(|value| format!("{key} = {value}")).or_else(example).unwrap_or_default()
}

/// Breaks a text into lines of a comment.
fn comment(text: &str) -> String {
    let (mut lines, mut length) = (String::new(), COLUMNS);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        length += 1 + word.chars().count();
        if length > COLUMNS {
            length = 2 + word.chars().count();
            lines += if lines.is_empty() { "# " } else { "\n# " };
        } else {
            lines.push(' ');
        }
        lines += word;
    }
    if lines.is_empty() { lines } else { lines + "\n" }
}

/// Describes the keys of a file, or of one of its tables, in a table of Markdown.
pub(crate) fn reference(schema: &Json, table: &str, keys: &[String]) -> String {
    let said = if table.is_empty() { schema } else { &schema["properties"][table] };
    let said = if said["type"] == "array" { &said["items"] } else { said };
    let mut text = "| key | values | default | meaning |\n| --- | --- | --- | --- |\n".to_owned();
    for key in keys {
        let said = &said["properties"][key];
        if said["type"] == "object" || said["items"]["type"] == "object" {
            continue;
        }
        let usual = said.get("default").map_or(String::new(), |usual| format!("`{usual}`"));
        let about = said["description"].as_str().unwrap_or_default();
        let _ = writeln!(text, "| `{key}` | {} | {usual} | {about} |", expectation(said));
    }
    text
}

/// Lists the keys of a struct, in their order. Those that are left out for their value are not among them.
pub(crate) fn keys_of(one: &impl Serialize) -> Vec<String> {
    struct Keys;
    impl<'de> Visitor<'de> for Keys {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a struct")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
            let mut keys = Vec::new();
            while let Some((key, IgnoredAny)) = map.next_entry()? {
                keys.push(key);
            }
            Ok(keys)
        }
    }
    let text = serde_json::to_string(one).expect("plain values");
    serde_json::Deserializer::from_str(&text).deserialize_map(Keys).expect("a struct")
}
