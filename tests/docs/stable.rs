//! What `docs/reference/stability.md` promises to keep is in the program: commands, settings, columns, statuses, rules.

use std::collections::BTreeSet;
use std::fs;

use referee_contest::class::settings::ClassSettings;
use referee_contest::schema;
use referee_games::catalog::GAMES;
use referee_rules::Parameters;
use referee_testutil::stable;
use serde_json::Value;

use crate::called::Calls;
use crate::support::Place;

use super::document::{Document, project};

/// The list. Its lines are sorted.
const LIST: &str = "tests/docs/stable.txt";

#[test]
fn what_is_promised_is_there() {
    let mut now = commands();
    for file in ["hill", "tournament"] {
        let schema: Value =
            serde_json::from_str(&Place::new().call(&["schema", file]).with_status(0).out).expect("JSON");
        now.extend(settings(&schema).into_iter().map(|key| format!("setting {file} {key}")));
    }
    let class = schema::with_markdown::<ClassSettings>();
    now.extend(settings(&class).into_iter().map(|key| format!("setting class {key}")));
    now.extend(columns());
    let statuses = Document::read("docs/reference/exit-statuses.md");
    let rows = statuses.tables.iter().flat_map(|table| &table.rows);
    let is_number = |cell: &&String| cell.parse::<u8>().is_ok();
    now.extend(rows.map(|row| &row[0]).filter(is_number).map(|status| format!("status {status}")));
    for game in GAMES {
        let defaults = Parameters::defaults(game.parameters);
        now.insert(format!("rules {} {}", game.name, game.info(&defaults).version));
        now.extend(defaults.iter().map(|(name, value)| format!("parameter {} {name} {value}", game.name)));
    }
    stable::hold(LIST, &now);
}

/// Lists commands and their long options. Those of all commands stand at the program alone.
fn commands() -> BTreeSet<String> {
    let script = Place::new().call(&["completions", "bash"]).with_status(0).out;
    let mut found = BTreeSet::new();
    let mut everywhere: Option<Vec<&str>> = None;
    let mut lines = script.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some(name) = line.strip_suffix(')').filter(|name| name.starts_with("referee")) else { continue };
        let words = name.replace("__subcmd__", " ");
        let Some(options) = lines.peek().and_then(|next| next.strip_prefix("opts=\"")) else { continue };
        let long: Vec<&str> =
            options.trim_end_matches('"').split(' ').filter(|option| option.starts_with("--")).collect();
        found.insert(format!("command {words}"));
        let own = long.iter().filter(|option| !everywhere.as_ref().is_some_and(|all| all.contains(option)));
        found.extend(own.map(|option| format!("command {words} {option}")));
        everywhere.get_or_insert(long);
    }
    found
}

/// Lists the keys of a schema, those of tables after a dot.
fn settings(schema: &Value) -> Vec<String> {
    let Some(keys) = schema["properties"].as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in keys {
        found.push(key.clone());
        let inner = if value["items"].is_object() { settings(&value["items"]) } else { settings(value) };
        found.extend(inner.into_iter().map(|more| format!("{key}.{more}")));
    }
    found
}

/// Lists the columns of records. The page is held by its own test.
fn columns() -> BTreeSet<String> {
    let page = fs::read_to_string(project("docs/records.md")).expect("the page");
    let mut found = BTreeSet::new();
    for part in page.split("<!-- ").skip(1) {
        let Some((table, rows)) = part.split_once(" -->\n\n") else { continue };
        let rows = rows.lines().take_while(|line| line.starts_with('|')).skip(2);
        found.extend(rows.filter_map(|row| Some(format!("column {table} {}", row.split('`').nth(1)?))));
    }
    found
}
