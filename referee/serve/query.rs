//! The queries of addresses, of pages and for programs: queries for games, and for tables.

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

use crate::index::{CompactTime, Filter};
use crate::refusal::Refusal;
use crate::site::Served;

/// Number of games on a page, and the maximum for a program in one answer.
pub(crate) const GAMES_ON_A_PAGE: usize = 50;
pub(crate) const GAMES_MAX: usize = 1000;

/// The query of an address. A parameter that this address does not know is refused: if it were ignored, the answer
/// would be one to another question.
#[derive(Debug)]
pub(crate) struct StrictQuery<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for StrictQuery<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<StrictQuery<T>, Refusal> {
        let query = serde_urlencoded::from_str(parts.uri.query().unwrap_or_default());
        query.map(StrictQuery).map_err(|error| Refusal::bad(format!("after the ? of the address: {error}")))
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

/// The schema of the parameter `fault`.
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

/// The schema of the parameter `limit`.
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

/// The schema of the parameter `format`.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
enum Format {
    Json,
    Csv,
}

impl GamesQuery {
    /// Completes the query for a contest: where there is one season only, a round needs no season.
    pub(crate) fn for_contest(mut self, served: &Served) -> GamesQuery {
        if self.season.is_empty() && !self.round.is_empty() && !served.has_seasons() {
            "1".clone_into(&mut self.season);
        }
        self
    }

    /// Returns the filter, and the maximum number of games. The query can ask for at most `limit_max` games.
    ///
    /// # Errors
    ///
    /// The parameter that is wrong.
    pub(crate) fn filter(&self, limit_max: usize) -> Result<(Filter, usize), Refusal> {
        let kinds = || FaultKind::ALL.map(FaultKind::name).join(", ");
        let fault = match &*self.fault {
            "" => None,
            name => Some(
                FaultKind::from_name(name)
                    .ok_or_else(|| Refusal::bad(format!("fault must be one of {}", kinds())))?,
            ),
        };
        let name = |text: &str| if text.is_empty() { None } else { Some(composed(text).into_owned()) };
        let filter = Filter {
            version: number("version", &self.version)?,
            season: number("season", &self.season)?,
            round: number("round", &self.round)?,
            since: moment("since", &self.since)?,
            until: moment("until", &self.until)?,
            before: number("before", &self.before)?,
            bot: name(&self.bot),
            opponent: name(&self.opponent),
            fault,
            end: if self.end.is_empty() { None } else { Some(self.end.clone()) },
        };
        let needs = |parameter: &str, container: &str| {
            Refusal::bad(format!("{parameter} counts within a {container}: give {container}, too"))
        };
        if filter.version.is_some() && filter.bot.is_none() {
            return Err(needs("version", "bot"));
        }
        if filter.round.is_some() && filter.season.is_none() {
            return Err(needs("round", "season"));
        }
        let limit = number("limit", &self.limit)?.unwrap_or(GAMES_ON_A_PAGE);
        if !(1..=limit_max).contains(&limit) {
            return Err(Refusal::bad(format!("limit must be from 1 to {limit_max}, not {limit}")));
        }
        Ok((filter, limit))
    }

    /// Tells whether the query is for a later page of the list, with older games.
    pub(crate) fn is_for_older_games(&self) -> bool {
        !self.before.is_empty()
    }

    /// Tells whether the query has no condition on games.
    pub(crate) fn is_unconditional(&self) -> bool {
        let GamesQuery { bot, version, opponent, fault, end, season, round, since, until, .. } = self;
        [bot, version, opponent, fault, end, season, round, since, until].into_iter().all(String::is_empty)
    }

    /// Returns the text of the query for the games before this number.
    pub(crate) fn for_games_before(self, before: usize) -> String {
        let older = GamesQuery { before: before.to_string(), ..self };
        serde_urlencoded::to_string(older).expect("plain words")
    }
}

/// Reads the value of a parameter that is a number; `None` if it is empty.
fn number<T: FromStr>(parameter: &str, text: &str) -> Result<Option<T>, Refusal> {
    let wrong = |_| Refusal::bad(format!("{parameter} must be a number"));
    if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(wrong) }
}

/// Reads the value of a parameter that is a date, or a date with a time (UTC); `None` if it is empty.
fn moment(parameter: &str, text: &str) -> Result<Option<CompactTime>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    let whole = if text.len() == "2026-12-31".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
    if !Moment::is_one(&whole) {
        let what = format!("{parameter} must be a date or a time (UTC): 2026-12-31 or 2026-12-31T23:59:59Z");
        return Err(Refusal::bad(what));
    }
    Ok(Some(CompactTime::parse(&whole)))
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
    fn refusal_of(query: &str) -> String {
        match serde_urlencoded::from_str::<GamesQuery>(query) {
            Err(error) => error.to_string(),
            Ok(query) => query.filter(GAMES_MAX).err().map_or(String::new(), |refusal| refusal.what),
        }
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
            assert_eq!(refusal_of(query), "", "{query}");
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
            assert!(refusal_of(query).contains(word), "{query}: {}", refusal_of(query));
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
            dates.map(CompactTime::parse).is_sorted_by(|one, next| one < next),
            "{:?}",
            dates.map(CompactTime::parse)
        );
        assert!(CompactTime::parse("9999-12-31T23:59:59Z") > CompactTime::parse("2127-12-31T23:59:58Z"));
    }
}
