//! The schemas for editors in `docs/reference/schemas`: the program generates them; they accept what it reads
//! and refuse mistakes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use referee_contest::file;
use referee_contest::hill::{self, Hill};
use referee_games::catalog::GAMES;
use regex_lite::Regex;
use serde_json::Value;

use crate::called::Calls;
use crate::support::Place;

use super::document::project;

/// Reads the schema that the program prints.
fn printed(file: &str) -> Value {
    let printed = Place::new().call(&["schema", file]).with_status(0).out;
    serde_json::from_str(&printed).expect("JSON")
}

/// Whether a value is of a type.
fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no such type: {other}"),
    }
}

/// Whether a value fits a schema, by the keywords that the program uses.
fn fits(schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().expect("a schema");
    let each = |key: &str| schema[key].as_array().into_iter().flatten();
    keywords.iter().all(|(keyword, said)| match keyword.as_str() {
        "$schema" | "title" | "description" | "default" | "examples" | "then" => true,
        "type" => is_of(said.as_str().expect("a type"), value),
        "enum" => each("enum").any(|one| one == value),
        "const" => said == value,
        "pattern" => {
            let pattern = Regex::new(said.as_str().expect("a pattern")).expect("a pattern");
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= said.as_f64().expect("a number")),
        "maximum" => value.as_f64().is_none_or(|number| number <= said.as_f64().expect("a number")),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > said.as_f64().expect("a number")),
        "exclusiveMaximum" => value.as_f64().is_none_or(|number| number < said.as_f64().expect("a number")),
        "minItems" => {
            value.as_array().is_none_or(|list| list.len() as u64 >= said.as_u64().expect("a number"))
        }
        "items" => value.as_array().is_none_or(|list| list.iter().all(|item| fits(said, item))),
        "required" => each("required").all(|key| value.get(key.as_str().expect("a key")).is_some()),
        "properties" => {
            let known = said.as_object().expect("keys");
            known.iter().all(|(key, schema)| value.get(key).is_none_or(|value| fits(schema, value)))
        }
        "additionalProperties" => {
            assert_eq!(*said, Value::Bool(false), "a closed table");
            let has = |key: &String| schema["properties"].get(key).is_some();
            value.as_object().is_none_or(|table| table.keys().all(has))
        }
        "allOf" => each("allOf").all(|part| fits(part, value)),
        "anyOf" => each("anyOf").any(|part| fits(part, value)),
        "oneOf" => each("oneOf").filter(|part| fits(part, value)).count() == 1,
        "if" => !fits(said, value) || fits(&schema["then"], value),
        other => panic!("the test does not know {other}"),
    })
}

fn parsed(text: &str) -> Value {
    toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_schemas_of_the_book_are_those_of_the_program() {
    for file in ["hill", "tournament"] {
        let path = project(&format!("docs/reference/schemas/{file}.json"));
        let due = Place::new().call(&["schema", file]).with_status(0).out;
        if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
            fs::write(&path, &due).expect("the schema");
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text == due, "{} is of another program: REFEREE_WRITE_DOCS=1 writes it", path.display());
    }
}

#[test]
fn files_that_the_program_writes_or_comes_with_fit() {
    let (hill, tournament) = (printed("hill"), printed("tournament"));
    let place = Place::new();
    for entry in GAMES {
        place.call(&["hill", "new", entry.name, entry.name, "--seed", "7"]).with_status(0);
        let text = fs::read_to_string(place.path(entry.name).join("hill.toml")).expect("a hill");
        assert!(fits(&hill, &parsed(&text)), "{text}");
    }
    assert!(fits(
        &tournament,
        &parsed(&format!("{}[[entrant]]\nname = \"owl\"\nprogram = \"owl\"\n", file::example()))
    ));
    let files =
        fs::read_dir(project("tournaments")).expect("a folder").map(|entry| entry.expect("a file").path());
    let texts: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| fs::read_to_string(path).expect("a file"))
        .collect();
    assert!(texts.len() > 5, "{} files", texts.len());
    for text in texts {
        assert!(text.starts_with("#:schema ../docs/reference/schemas/tournament.json\n"), "{text}");
        assert!(fits(&tournament, &parsed(&text)), "{text}");
    }
}

/// A tournament's file to which lines can be added, and in which lines can be changed.
const CUP: &str = "name = 'cup'\ngame = 'football'\nparameters.p = 3\nformat.kind = 'rounds'\nformat.rounds = 4\n\
                   [[entrant]]\nname = 'fox'\nprogram = 'house:greedy'\n\
                   [[entrant]]\nname = 'owl'\nprogram = 'house:random'\n";

#[test]
fn a_mistake_in_a_tournament_is_refused_by_the_reader_and_by_the_schema() {
    let schema = printed("tournament");
    let read = |text: &str| file::parse(Path::new("cup.toml"), text).is_ok();
    assert!(read(CUP) && fits(&schema, &parsed(CUP)));
    let judged = CUP.replace("'football'\nparameters.p = 3", "'./judge'\nparameters.size = 3");
    assert!(fits(&schema, &parsed(&judged)), "the schema knows no game of a judge");
    for (line, wrong) in [
        ("name = 'cup'", "name = '-cup'"),
        ("name = 'cup'", "name = 'cup'\nsize = 3"),
        ("game = 'football'", "game = 'footbal'"),
        ("parameters.p = 3", "parameters.p = 0"),
        ("parameters.p = 3", "parameters.p = 256"),
        ("parameters.p = 3", "parameters.p = []"),
        ("parameters.p = 3", "parameters.turns = 3"),
        ("format.kind = 'rounds'", "format.kind = 'league'"),
        ("format.rounds = 4", "format.rounds = 0"),
        ("format.rounds = 4", "format.cycles = 4"),
        ("format.rounds = 4", "format.deal = 'fair'"),
        ("format.rounds = 4", "format.rounds = 4\nlimits.tasks = 0"),
        ("format.rounds = 4", "format.rounds = 4\nlimits.memory = 3"),
        ("format.rounds = 4", "format.rounds = 4\nstop.alpha = 2.0"),
        ("format.rounds = 4", "format.rounds = 4\nstop.method = 'luck'"),
        ("name = 'cup'", "name = 'cup'\nclock = 'sun'"),
        ("name = 'cup'", "name = 'cup'\nsandbox = 'none'"),
        ("name = 'cup'", "name = 'cup'\nseed = 'seven'"),
        ("name = 'cup'", "name = 'cup'\nbatch = 0"),
        ("name = 'cup'", "name = 'cup'\nprogram_mib = 0"),
        ("name = 'cup'", "name = 'cup'\ncompress = 'yes'"),
        ("name = 'cup'", "name = 'cup'\ninterpreters = ['python3']"),
        ("name = 'fox'", "nickname = 'fox'"),
        ("program = 'house:greedy'", "program = 3"),
    ] {
        let text = CUP.replacen(line, wrong, 1);
        assert_ne!(text, CUP, "{line}");
        assert!(!read(&text), "the reader takes {wrong}");
        assert!(!fits(&schema, &parsed(&text)), "the schema takes {wrong}");
    }
}

#[test]
fn a_mistake_in_a_hill_is_refused_by_the_reader_and_by_the_schema() {
    let schema = printed("hill");
    let place = Place::new();
    place.call(&["hill", "new", "hill", "push", "--seed", "7", "--capacity", "5"]).with_status(0);
    let path = place.path("hill").join("hill.toml");
    let good = fs::read_to_string(&path).expect("a hill");
    for (line, wrong) in [
        ("game = \"push\"", "game = \"push\"\nsize = 3"),
        ("game = \"push\"\n", ""),
        ("seed = \"0x0000000000000007\"", "seed = \"seven\""),
        ("sandbox = \"auto\"", "sandbox = \"none\""),
        ("clock = \"charged\"", "clock = \"sun\""),
        ("interpreters = []", "interpreters = [\"python3\"]"),
        ("block = \"one-game\"", "block = \"two-games\""),
        ("until = \"clear\"", "until = \"winner\""),
        ("racing = false", "racing = \"no\""),
        ("capacity = 5", "capacity = 1"),
        ("program_mib = 256", "program_mib = 0"),
        ("compress = false", "compress = \"no\""),
        ("turns = 100", "turns = 0"),
        ("turns = 100", "rounds = 100"),
        ("tasks = 32", "tasks = 0"),
        ("tasks = 32", "threads = 32"),
    ] {
        let text = good.replacen(line, wrong, 1);
        assert_ne!(text, good, "{line}");
        fs::write(&path, &text).expect("a hill");
        assert!(Hill::open(&place.path("hill")).is_err(), "the reader takes {wrong}");
        assert!(!fits(&schema, &parsed(&text)), "the schema takes {wrong}");
    }
}

/// Returns the keys in an error about an unknown key.
fn keys_in(error: &str) -> BTreeSet<String> {
    let list = error.split_once("(there are: ").and_then(|(_, list)| list.split_once(')'));
    let (list, _) = list.unwrap_or_else(|| panic!("{error}"));
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_tables_of_keys_are_those_of_the_program() {
    let path = project("docs/reference/hill-toml.md");
    let text = fs::read_to_string(&path).expect("the page");
    let mut due = text.clone();
    for (file, table) in ["hill.toml", "limits"].into_iter().zip(hill::reference()) {
        let mark = format!("<!-- {file} -->\n\n");
        let start = due.find(&mark).unwrap_or_else(|| panic!("{file} has a table")) + mark.len();
        let length = due[start..].find("\n\n").expect("text behind it") + 1;
        due.replace_range(start..start + length, &table);
    }
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        fs::write(&path, &due).expect("the page");
    }
    assert_eq!(text, due, "REFEREE_WRITE_DOCS=1 writes the tables anew");
}

#[test]
fn the_schemas_have_every_key_that_is_read() {
    let known = |file: &str| printed(file)["properties"].as_object().expect("keys").keys().cloned().collect();
    let error = file::parse(Path::new("cup.toml"), "size = 3").expect_err("no such key").to_string();
    assert_eq!(keys_in(&error), known("tournament"));
    let place = Place::new();
    place.call(&["hill", "new", "hill", "push"]).with_status(0);
    fs::write(place.path("hill").join("hill.toml"), "size = 3").expect("a file");
    let error = Hill::open(&place.path("hill")).expect_err("no such key").to_string();
    assert_eq!(keys_in(&error), known("hill"));
}
