//! The description of the addresses for programs, `openapi.json`. Its paths are those of the table of routes, its
//! components the schemas of rows and queries. A test compares it with the file in the repository.

use referee_rules::FaultKind;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Everybody, on a private hill too.
    Anybody,
    /// Everybody; on a private hill, accounts.
    Visitors,
    /// Accounts.
    Accounts,
}

/// The description of an address.
#[derive(Debug)]
pub(crate) struct About {
    summary: &'static str,
    who: Who,
    /// The status of the answer.
    status: u16,
    /// What the answer is.
    description: &'static str,
    /// The content types of the answer, each with its schema, if it is JSON.
    kinds: Vec<(&'static str, Option<Value>)>,
    /// The schema of the query.
    query: Option<Value>,
    /// The body of a request, in the form of OpenAPI.
    body: Option<Value>,
}

/// Returns the schema of a type.
fn schema<T: JsonSchema>() -> Value {
    // The version of JSON Schema of OpenAPI 3.1, without the name of that version in each.
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("title");
        // The description of the address says it better.
        schema.remove("description");
    }
    schema
}

impl About {
    /// An address that sends files, or events.
    pub(crate) fn new(summary: &'static str, description: &'static str, kinds: &[&'static str]) -> About {
        let kinds = kinds.iter().map(|kind| (*kind, None)).collect();
        About { summary, who: Who::Visitors, status: 200, description, kinds, query: None, body: None }
    }

    /// An address that sends a table with some facts about it. `facts` has the schema of each by its name.
    pub(crate) fn table<Row: JsonSchema>(
        summary: &'static str,
        description: &'static str,
        facts: Value,
    ) -> About {
        About::table_of(summary, description, facts, schema::<Row>())
    }

    /// An address that sends standings, in which a kind of fault has a column only if there was such a fault.
    pub(crate) fn standings<Row: JsonSchema>(
        summary: &'static str,
        description: &'static str,
        facts: Value,
    ) -> About {
        let mut row = schema::<Row>();
        // Standings of several sub-tournaments have no versions, and a mean share for each of these.
        row["required"] = json!(["place", "bot", "games", "mean_share"]);
        for (name, what) in [
            ("max_ms", "Longest answer in milliseconds"),
            ("p99_ms", "99 of 100 answers took no more milliseconds"),
        ] {
            row["properties"][name] = json!({ "type": ["number", "null"], "description": what });
        }
        row["patternProperties"] = json!({ "^share_[0-9]+$": { "type": ["number", "null"] } });
        for name in FaultKind::ALL.map(FaultKind::name).into_iter().chain(["faults"]) {
            row["properties"][name] = json!({ "type": "integer", "minimum": 0 });
        }
        About::table_of(summary, description, facts, row)
    }

    fn table_of(summary: &'static str, description: &'static str, facts: Value, row: Value) -> About {
        let mut properties =
            json!({ "schema": { "type": "integer" }, "rows": { "type": "array", "items": row } });
        if let (Some(all), Value::Object(facts)) = (properties.as_object_mut(), facts) {
            all.extend(facts);
        }
        let table = json!({
            "type": "object", "required": ["schema", "rows"], "properties": properties,
        });
        let mut about = About::new(summary, description, &["application/json", "text/csv"]);
        about.kinds[0].1 = Some(table);
        about
    }

    /// An address that sends JSON of a type.
    pub(crate) fn json<T: JsonSchema>(summary: &'static str, description: &'static str) -> About {
        let mut about = About::new(summary, description, &["application/json"]);
        about.kinds[0].1 = Some(schema::<T>());
        about
    }

    /// Adds the query.
    pub(crate) fn query<Query: JsonSchema>(self) -> About {
        About { query: Some(schema::<Query>()), ..self }
    }

    /// Sets who may ask. Without this, it is visitors.
    pub(crate) fn who(self, who: Who) -> About {
        About { who, ..self }
    }

    /// Sets the status of the answer. Without this, it is 200.
    pub(crate) fn status(self, status: u16) -> About {
        About { status, ..self }
    }

    /// Adds the body of a request: its content type and schema.
    pub(crate) fn body(self, description: &str, kind: &str, schema: Value) -> About {
        let content = Map::from_iter([(kind.to_owned(), json!({ "schema": schema }))]);
        About {
            body: Some(json!({ "required": true, "description": description, "content": content })),
            ..self
        }
    }

    /// Returns the description of this path in the form of OpenAPI.
    fn to_openapi(&self, path: &str) -> Value {
        let name_in_braces = |part: &str| Some(part.strip_prefix('{')?.strip_suffix('}')?.to_owned());
        let path_parameters = path.split('/').filter_map(name_in_braces).map(|name| {
            json!({
                "name": name, "in": "path", "required": true,
                "schema": schema_of_part(&name), "description": meaning_of_part(&name),
            })
        });
        let query_parameters = self.query.iter().flat_map(query_parameters);
        let parameters: Vec<Value> = path_parameters.chain(query_parameters).collect();
        let content = self.kinds.iter().map(|(kind, schema)| {
            let schema = schema.clone().unwrap_or_else(|| json!({ "type": "string" }));
            ((*kind).to_owned(), json!({ "schema": schema }))
        });
        let mut answer = json!({ "description": self.description });
        if !self.kinds.is_empty() {
            answer["content"] = content.collect::<Map<String, Value>>().into();
        }
        let is_api = path.contains("/api/");
        let refusal =
            json!({ "$ref": format!("#/components/responses/{}", if is_api { "Refused" } else { "Page" }) });
        let mut about = json!({
            "summary": self.summary,
            "operationId": operation_id(self.summary),
            "security": match self.who {
                Who::Anybody => json!([{}]),
                Who::Visitors => json!([{}, { "token": [] }]),
                Who::Accounts => json!([{ "token": [] }]),
            },
            "responses": {
                self.status.to_string(): answer,
                "4XX": refusal,
                "5XX": refusal,
            },
        });
        if !parameters.is_empty() {
            about["parameters"] = parameters.into();
        }
        if let Some(body) = &self.body {
            about["requestBody"] = body.clone();
        }
        about
    }
}

/// Returns the identifier of an address, made from its summary.
fn operation_id(summary: &str) -> String {
    let letters = |word: &str| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let words =
        summary.split(' ').map(|word| letters(&word.to_ascii_lowercase())).filter(|word| !word.is_empty());
    words.collect::<Vec<String>>().join("-")
}

/// Lists the parameters of a query, which has this schema.
fn query_parameters(query: &Value) -> Vec<Value> {
    let Some(properties) = query["properties"].as_object() else { return Vec::new() };
    let is_required =
        |name: &String| query["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        replace_null(&mut schema);
        json!({
            "name": name, "in": "query", "required": is_required(name), "schema": schema,
            "description": description.unwrap_or_default(),
        })
    };
    properties.iter().map(parameter).collect()
}

/// Changes the schema of a value that can be null to that of a parameter in a query. Such a parameter is left out or
/// empty where the value would be null.
fn replace_null(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    schema.remove("default");
    for value in schema.get_mut("enum").and_then(Value::as_array_mut).into_iter().flatten() {
        if value.is_null() {
            *value = "".into();
        }
    }
    // Of `["string", "null"]`, the first.
    if let Some(kind) = schema.get("type").and_then(|kinds| kinds.get(0)).cloned() {
        schema.insert("type".to_owned(), kind);
    }
}

/// Returns the schema of a part of an address.
fn schema_of_part(name: &str) -> Value {
    match name {
        "seat" => json!({ "type": "integer", "minimum": 0 }),
        "before" | "size" => json!({ "type": "integer", "minimum": 1 }),
        _ => json!({ "type": "string", "minLength": 1 }),
    }
}

/// Says what a part of an address is.
fn meaning_of_part(name: &str) -> &'static str {
    match name {
        "hill" => "Name of the hill: the name of its folder",
        "game" => "Name of the game, such as s001-r00001-t001-g1",
        "seat" => "Number of the seat, from 0",
        "receipt" => "The receipt of the submission",
        "file" => "Name of the file: `key` or `checkpoint`",
        "before" => "Number of entries of the shorter list",
        "size" => "Number of entries of the longer list",
        _ => "",
    }
}

/// Returns the path of a route as OpenAPI writes it.
pub(crate) fn path(route: &str) -> String {
    route.replace("{*", "{")
}

/// Returns the text of `openapi.json` for some addresses: the method, the route and the description of each.
pub(crate) fn description<'a>(all: impl IntoIterator<Item = (&'a str, &'a str, &'a About)>) -> String {
    let mut paths = Map::new();
    for (method, route, about) in all {
        let path = path(route);
        let operation = about.to_openapi(&path);
        paths.entry(path).or_insert_with(|| json!({}))[method] = operation;
    }
    let description = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Hills of the referee",
            "version": "1",
            "license": { "name": "MIT or Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "description": "A table consists of a schema number, facts and rows. New columns are added at the end. A \
                refusal is JSON with `error`.",
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http", "scheme": "bearer", "description": "The token from `referee hill invite`",
                },
            },
            "responses": {
                "Refused": {
                    "description": "Refused: `error` says why and how to fix it",
                    "content": { "application/json": { "schema": {
                        "type": "object", "required": ["error"], "properties": { "error": { "type": "string" } },
                    } } },
                },
                "Page": {
                    "description": "Refused: the page says why and how to fix it",
                    "content": { "text/html": { "schema": { "type": "string" } } },
                },
            },
        },
    });
    serde_json::to_string_pretty(&description).expect("plain values") + "\n"
}
