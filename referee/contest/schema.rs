//! JSON schemas of `hill.toml` and of a tournament's file, for editors. They follow from the definitions of games,
//! formats and limits. The readers decide what is valid; some of their rules are beyond a schema.

use serde_json::{Map, Value as Json, json};

use crate::admission::handed_in;
use crate::runner::tries::LOST_BEHIND_MAX;
use referee_games::catalog::{self, Entry};
use referee_rules::{Parameter, ParameterKind};
use referee_sandbox::{Choice, Limits, Tier};
use referee_statistics::schedule::format::{FORMAT_KINDS, Format};
use referee_statistics::stop_rule::{EDITION, Method, StopRule, Until};
use referee_table::process::Timekeeping;

/// A bot's name.
const NAME: &str = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,31}$";

/// Returns the schema of `hill.toml`.
pub fn hill() -> Json {
    let rounds = Format::default();
    let of_rounds = |name: &str| {
        let found = rounds.kind().parameters.iter().find(|parameter| parameter.name == name);
        value(found.expect("rounds have a deal and a block"))
    };
    let mut keys = common();
    keys.extend(object([
        // The game of a judge has a name that no program knows: the hill keeps the judge.
        ("game", json!({ "type": "string", "description": "name of the game; set once, by hill new" })),
        ("deal", of_rounds("deal")),
        ("block", of_rounds("block")),
        (
            "method",
            words(
                Method::OF_WINNER.map(Method::name),
                Method::default().name(),
                "how --until-clear reaches a verdict",
            ),
        ),
        (
            "until",
            words(
                Until::ALL.map(Until::of_hill),
                Until::default().of_hill(),
                "what a new season is played for",
            ),
        ),
        ("racing", flag("with until = \"ranked\", whether bots whose pairs are all decided sit out")),
        ("bands", bands()),
        ("capacity", integer(2..=u32::MAX.into(), None, "maximum number of bots")),
        ("rank_by", of_rounds("rank_by")),
        ("author_seats", of_rounds("author_seats")),
        ("bots", words(["any", "wasm"], "any", "what can be submitted: any program, or only WebAssembly")),
        ("live", flag("whether a game can be watched on the web while it is played")),
        ("parameters", json!({ "type": "object", "description": "parameters of the game" })),
    ]));
    document("hill.toml of referee", keys, &["game", "seed"], |entry| parameters(entry.parameters, value))
}

/// Returns the schema of a tournament's file.
pub fn tournament() -> Json {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let names = words(catalog::all().map(|entry| entry.name), Json::Null, "name of the game");
    let judge = json!({ "type": "string", "pattern": "/", "description": "path of a judge, from this file's folder" });
    let mut keys = common();
    keys.extend(object([
        ("game", json!({ "anyOf": [names, judge] })),
        ("name", json!({ "type": "string", "pattern": NAME, "description": "name of the tournament" })),
        ("batch", integer(1..=u32::MAX.into(), Some(50), "games that are committed together")),
        ("format", format()),
        ("stop", stop()),
        ("machines", machines()),
        (
            "parameters",
            json!({
                "type": "object",
                "description": "parameters of the game; lists of the same length make sub-tournaments",
            }),
        ),
        (
            "entrant",
            json!({
                "type": "array",
                "description": "the bots",
                "minItems": 2,
                "items": closed(
                    object([
                        ("name", json!({ "type": "string", "pattern": NAME, "description": "name of the bot" })),
                        ("program", text("path from this file's folder, or house:NAME (see: referee bots)")),
                        ("arguments", json!({ "type": "array", "items": { "type": "string" } })),
                        ("allow_fork", flag("whether the bot may start other programs")),
                        ("author", text("the bot's author, for author_bots and author_seats")),
                    ]),
                    &["name", "program"],
                ),
            }),
        ),
    ]));
    let required = ["name", "game", "format", "entrant"];
    document("a tournament's file of referee", keys, &required, |entry| {
        parameters(entry.parameters, |parameter| {
            let one = value(parameter);
            let about = one["description"].clone();
            let list = json!({ "type": "array", "minItems": 1, "items": one });
            json!({ "description": about, "anyOf": [one, list] })
        })
    })
}

/// The keys that both files have.
fn common() -> Map<String, Json> {
    let limits = Limits::KEYS.iter().map(|key| {
        let about = format!("in {}, {} to {}", key.unit(), key.least, key.most);
        (key.name, integer(key.least as i64..=key.most as i64, Some(key.usual() as i64), &about))
    });
    let (least, most) = (*handed_in::MIB_RANGE.start() as i64, *handed_in::MIB_RANGE.end() as i64);
    let tiers = [Tier::Strict, Tier::Landlock, Tier::Off].map(|tier| Choice::Only(tier).name());
    let sandboxes = std::iter::once(Choice::Auto.name()).chain(tiers);
    let clocks = Timekeeping::ALL.map(Timekeeping::name);
    let seed = "^(0x[0-9A-Fa-f]{1,16}|[0-9]{1,20})$";
    object([
        (
            "seed",
            json!({
                "anyOf": [{ "type": "string", "pattern": seed }, { "type": "integer", "minimum": 0 }],
                "description": "random seed; keep it secret",
            }),
        ),
        ("sandbox", words(sandboxes, Choice::default().name(), "confinement of bots")),
        ("clock", words(clocks, Timekeeping::default().name(), "time that a bot is charged")),
        (
            "interpreters",
            json!({
                "type": "array",
                "items": { "type": "string", "pattern": "^/" },
                "description": "interpreters and folders of runtimes, besides those that PATH finds",
            }),
        ),
        ("program_mib", integer(least..=most, Some(handed_in::MIB as i64), "largest program, in MiB")),
        (
            "author_bots",
            integer(0..=u32::MAX.into(), Some(0), "maximum number of bots of one author; 0: any number"),
        ),
        ("compress", flag("whether logs are compressed as they are written")),
        (
            "lost_max",
            integer(
                0..=u32::MAX.into(),
                None,
                "attempts at a game that are lost with their runner, after which it is given up; 0: never; by default 10, in weaker tiers than strict 2",
            ),
        ),
        (
            "lost_behind_max",
            integer(
                0..=u32::MAX.into(),
                Some(LOST_BEHIND_MAX.into()),
                "lost attempts at a game whose logs tell the scores, after which it is given up if the same bot alone was last in all of them; 0: never",
            ),
        ),
        ("limits", closed(object(limits), &[])),
    ])
}

/// A file with these keys. `parameters` returns the schema of a game's parameters.
fn document(
    title: &str,
    keys: Map<String, Json>,
    required: &[&str],
    parameters: impl Fn(&Entry) -> Json,
) -> Json {
    let of_game = |entry: &Entry| {
        json!({
            "if": { "properties": { "game": { "const": entry.name } }, "required": ["game"] },
            "then": { "properties": { "parameters": parameters(entry) } },
        })
    };
    let games: Vec<Json> = catalog::all().map(of_game).collect();
    let mut schema = closed(keys, required);
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = title.into();
    schema["allOf"] = games.into();
    schema
}

/// `[format]`: the parameters of the kind that it names.
fn format() -> Json {
    let of_kind = |kind: &referee_statistics::schedule::format::FormatKind| {
        let mut schema = parameters(kind.parameters, value);
        schema["properties"]["kind"] = json!({ "const": kind.name });
        schema["required"] = json!(["kind"]);
        schema["description"] = format!("{}. For {}.", kind.about, kind.seats).into();
        schema
    };
    json!({ "type": "object", "oneOf": FORMAT_KINDS.iter().map(of_kind).collect::<Vec<Json>>() })
}

/// `[stop]`.
fn stop() -> Json {
    let StopRule { alpha, epsilon, min_rounds, .. } = StopRule::default();
    let part = |usual: f64, about: &str| json!({ "type": "number", "minimum": 0, "maximum": 1, "default": usual, "description": about });
    let count = |usual: u32, about: &str| integer(1..=u32::MAX.into(), Some(usual.into()), about);
    let keys = object([
        (
            "until",
            words(
                Until::ALL.map(Until::name),
                Until::default().name(),
                "what is to be clear: the best bot (winner), or the places of all (ranked)",
            ),
        ),
        (
            "method",
            words(Method::ALL.map(Method::name), Method::default().name(), "how a verdict is reached"),
        ),
        (
            "edition",
            integer(EDITION.into()..=EDITION.into(), None, "edition of the stop rule; a plan names it"),
        ),
        ("alpha", part(alpha, "probability of a wrong verdict")),
        ("epsilon", part(epsilon, "smallest difference of mean shares that matters")),
        ("min_rounds", count(min_rounds, "minimum number of rounds before a verdict")),
        ("look_every", count(10, "minimum number of rounds between two looks")),
        (
            "racing",
            json!({ "type": "boolean", "default": false, "description": "whether bots that the verdict no longer depends on leave the race" }),
        ),
        ("bands", bands()),
    ]);
    closed(keys, &[])
}

/// The sizes of bands.
fn bands() -> Json {
    let about =
        "with until = \"ranked\": grade bands, best first, as parts of the field or numbers of places";
    json!({ "type": "array", "description": about, "minItems": 1, "items": { "type": "number", "exclusiveMinimum": 0 } })
}

/// `[machines]`.
fn machines() -> Json {
    let slower = "maximum slowness of a machine as a multiple of the reference; 0: no limit";
    let keys = object([
        ("slower_max", json!({ "type": "number", "minimum": 0, "default": 4, "description": slower })),
        ("calibration_us", integer(1..=i64::MAX, None, "the reference, in microseconds")),
    ]);
    closed(keys, &[])
}

/// A table with these parameters and no others.
fn parameters(known: &[Parameter], schema: impl Fn(&Parameter) -> Json) -> Json {
    closed(object(known.iter().map(|parameter| (parameter.name, schema(parameter)))), &[])
}

/// The schema of a parameter.
fn value(parameter: &Parameter) -> Json {
    let usual = parameter.kind.show(parameter.default).to_string();
    match parameter.kind {
        ParameterKind::Integer { min, max } => integer(min..=max, Some(parameter.default), parameter.help),
        // A word of digits can be written as a number.
        ParameterKind::Choice(names) => {
            let numbers = names.iter().filter_map(|name| name.parse::<i64>().ok()).map(Json::from);
            let all: Vec<Json> = names.iter().map(|name| Json::from(*name)).chain(numbers).collect();
            json!({ "enum": all, "default": usual, "description": parameter.help })
        }
    }
}

fn integer(range: std::ops::RangeInclusive<i64>, usual: Option<i64>, about: &str) -> Json {
    let mut schema =
        json!({ "type": "integer", "minimum": range.start(), "maximum": range.end(), "description": about });
    if let Some(usual) = usual {
        schema["default"] = usual.into();
    }
    schema
}

fn words<'a>(all: impl IntoIterator<Item = &'a str>, usual: impl Into<Json>, about: &str) -> Json {
    let all: Vec<&str> = all.into_iter().collect();
    let mut schema = json!({ "type": "string", "enum": all, "description": about });
    match usual.into() {
        Json::Null => {}
        usual => schema["default"] = usual,
    }
    schema
}

fn flag(about: &str) -> Json {
    json!({ "type": "boolean", "default": false, "description": about })
}

fn object<'a>(keys: impl IntoIterator<Item = (&'a str, Json)>) -> Map<String, Json> {
    keys.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// A table with these keys and no others.
fn closed(keys: Map<String, Json>, required: &[&str]) -> Json {
    json!({ "type": "object", "additionalProperties": false, "properties": keys, "required": required })
}
