//! Queries in addresses, of pages and for programs: for the games of a hill, and for tables.

use std::borrow::Cow;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use referee_record::forms::Moment;
use referee_record::names::composed;
use referee_rules::FaultKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::index::{Began, Filter};
use crate::refusal::Refusal;
use crate::site::Served;

/// Number of games on a page, and the maximum for a program in one answer.
pub(crate) const GAMES_ON_A_PAGE: usize = 50;
pub(crate) const GAMES_MAX: usize = 1000;

/// The query of an address. A word that this address does not know is refused: it would be no condition, and the answer
/// one to another question.
#[derive(Debug)]
pub(crate) struct Asks<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asks<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asks<T>, Refusal> {
        let query = serde_urlencoded::from_str(parts.uri.query().unwrap_or_default());
        query.map(Asks).map_err(|error| Refusal::bad(format!("after the ? of the address: {error}")))
    }
}

/// A query for games. An empty value, which a form sends for an empty field, is no condition.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GamesQuery {
    /// Games of this bot
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) bot: String,
    /// Of `bot`: games of this version
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<u32>")]
    pub(crate) version: String,
    /// Games in which this bot played, too
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) opponent: String,
    /// Games with this fault. With `bot`, only faults of that bot count
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Fault")]
    pub(crate) fault: String,
    /// Games that ended for this reason, as in the column `end`
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) end: String,
    /// Games of this season
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<u32>")]
    pub(crate) season: String,
    /// Of `season`: games of this round
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<u32>")]
    pub(crate) round: String,
    /// Games that began at this date or time (UTC) or later
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) since: String,
    /// Games that began before this date or time (UTC)
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(with = "Option<String>")]
    pub(crate) until: String,
    /// Games before this number, which is `next` of the previous answer
    #[schemars(with = "Option<usize>")]
    before: String,
    /// Maximum number of games, from 1 to 1000 (default: 50)
    #[serde(skip_serializing)]
    #[schemars(with = "Limit")]
    limit: String,
    /// json (default) or csv
    #[serde(skip_serializing)]
    #[schemars(with = "Option<Format>")]
    pub(crate) format: String,
}

/// The kinds of faults.
#[derive(Debug)]
struct Fault;

impl JsonSchema for Fault {
    fn schema_name() -> Cow<'static, str> {
        "Fault".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = FaultKind::ALL.map(FaultKind::name).into_iter().chain([""]);
        json_schema!({ "type": "string", "enum": names.collect::<Vec<&str>>() })
    }
}

/// The numbers of games that can be asked for.
#[derive(Debug)]
struct Limit;

impl JsonSchema for Limit {
    fn schema_name() -> Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": GAMES_MAX })
    }
}

/// The formats of tables.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a word of queries")]
enum Format {
    Json,
    Csv,
}

impl GamesQuery {
    /// The query as a contest understands it: where there is one season only, a round needs none.
    pub(crate) fn for_contest(self, served: &Served) -> GamesQuery {
        let season = if self.season.is_empty() && !self.round.is_empty() && !served.has_seasons() {
            "1".to_owned()
        } else {
            self.season
        };
        GamesQuery { season, ..self }
    }

    /// Returns the filter, and the maximum number of games, of which there can be `most`.
    ///
    /// # Errors
    ///
    /// The parameter that is wrong.
    pub(crate) fn filter(&self, most: usize) -> Result<(Filter, usize), Refusal> {
        let kinds = || FaultKind::ALL.map(FaultKind::name).join(", ");
        let fault = match &*self.fault {
            "" => None,
            name => Some(
                FaultKind::from_name(name)
                    .ok_or_else(|| Refusal::bad(format!("fault must be one of {}", kinds())))?,
            ),
        };
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let [bot, opponent, end] = [&self.bot, &self.opponent, &self.end].map(some);
        let [bot, opponent] = [bot, opponent].map(|name| name.map(|name| composed(&name).into_owned()));
        let filter = Filter {
            version: number("version", &self.version)?,
            season: number("season", &self.season)?,
            round: number("round", &self.round)?,
            since: began("since", &self.since)?,
            until: began("until", &self.until)?,
            before: number("before", &self.before)?,
            bot,
            opponent,
            fault,
            end,
        };
        for (word, container, is_alone) in [
            ("version", "bot", filter.version.is_some() && filter.bot.is_none()),
            ("round", "season", filter.round.is_some() && filter.season.is_none()),
        ] {
            if is_alone {
                return Err(Refusal::bad(format!(
                    "{word} counts within a {container}: give {container}, too"
                )));
            }
        }
        let limit = number("limit", &self.limit)?.unwrap_or(GAMES_ON_A_PAGE);
        if (1..=most).contains(&limit) {
            Ok((filter, limit))
        } else {
            Err(Refusal::bad(format!("limit must be from 1 to {most}, not {limit}")))
        }
    }

    /// Tells whether the query asks for older games than the last.
    pub(crate) fn is_older(&self) -> bool {
        !self.before.is_empty()
    }

    /// Tells whether the query has no condition on games.
    pub(crate) fn is_plain(&self) -> bool {
        let GamesQuery { bot, version, opponent, fault, end, season, round, since, until, .. } = self;
        [bot, version, opponent, fault, end, season, round, since, until].into_iter().all(String::is_empty)
    }

    /// Returns the query for older games.
    pub(crate) fn older(self, before: usize) -> String {
        let older = GamesQuery { before: before.to_string(), ..self };
        serde_urlencoded::to_string(older).expect("plain words")
    }
}

/// Reads a number; nothing is no condition.
fn number<T: FromStr>(word: &str, text: &str) -> Result<Option<T>, Refusal> {
    let wrong = |_| Refusal::bad(format!("{word} must be a number"));
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(wrong) }
}

/// Reads a date, or a date with a time (UTC); nothing is no condition.
fn began(word: &str, text: &str) -> Result<Option<Began>, Refusal> {
    let whole = if text.len() == "2026-12-31".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
    match Moment::is_one(&whole) {
        _ if text.is_empty() => Ok(None),
        true => Ok(Some(Began::parse(&whole))),
        false => {
            let what = format!("{word} must be a date or a time (UTC): 2026-12-31 or 2026-12-31T23:59:59Z");
            Err(Refusal::bad(what))
        }
    }
}

/// A query for a table for programs: its format, `json` (also if empty) or `csv`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TableQuery {
    /// json (default) or csv
    #[schemars(with = "Option<Format>")]
    pub(crate) format: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns why a query for games is refused; empty if it is not.
    fn refused(query: &str) -> String {
        let asked = serde_urlencoded::from_str::<GamesQuery>(query);
        let read = asked
            .map_err(|error| error.to_string())
            .and_then(|asked| asked.filter(GAMES_MAX).map_err(|why| why.what));
        read.err().unwrap_or_default()
    }

    #[test]
    fn a_query_is_understood_whole_or_refused_by_its_word() {
        for query in [
            "",
            "bot=",
            "bot=fox&version=2",
            "season=1&round=3",
            "limit=1",
            "limit=1000",
            "since=2026-12-31&until=2027-01-01T06:00:00Z",
        ] {
            assert_eq!(refused(query), "", "{query}");
        }
        for (query, word) in [
            ("bott=fox", "bott"),
            ("bot=fox&bot=owl", "bot"),
            ("version=2", "version"),
            ("round=2", "round"),
            ("season=first", "season"),
            ("season=-1", "season"),
            ("season=99999999999", "season"),
            ("since=yesterday", "since"),
            ("since=2026-02-30", "since"),
            ("until=2026-12-31T25:00:00Z", "until"),
            ("fault=sleepy", "fault"),
            ("limit=1e9", "limit"),
            ("limit=0", "from 1 to 1000"),
            ("limit=1001", "from 1 to 1000"),
        ] {
            assert!(refused(query).contains(word), "{query}: {}", refused(query));
        }
    }

    #[test]
    fn dates_as_numbers_are_in_the_order_of_time() {
        let dates = [
            "1970-01-01T00:00:00Z",
            "2000-01-01T00:00:01Z",
            "2026-01-31T23:59:59Z",
            "2026-02-01T00:00:00Z",
            "2026-12-31T23:59:59Z",
            "2027-01-01T00:00:00Z",
            "2127-12-31T23:59:59Z",
        ];
        assert!(
            dates.map(Began::parse).is_sorted_by(|one, next| one < next),
            "{:?}",
            dates.map(Began::parse)
        );
        assert!(Began::parse("9999-12-31T23:59:59Z") > Began::parse("2127-12-31T23:59:58Z"));
    }
}
