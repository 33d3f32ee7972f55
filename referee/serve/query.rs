//! Queries in addresses, of pages and for programs: for the games of a hill, and for tables.

use referee_rules::FaultKind;
use serde::{Deserialize, Serialize};

use crate::index::Filter;
use crate::refusal::Refusal;

/// Number of games on a page, and the maximum for a program in one answer.
pub(crate) const GAMES_ON_A_PAGE: usize = 50;
const GAMES_MAX: usize = 1000;

/// A query for games. An empty value, which a form sends for an empty field, is no condition.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct GamesQuery {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) bot: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) opponent: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) fault: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) end: String,
    before: String,
    #[serde(skip_serializing)]
    limit: String,
    #[serde(skip_serializing)]
    pub(crate) format: String,
}

impl GamesQuery {
    /// Returns the filter, and the maximum number of games.
    ///
    /// # Errors
    ///
    /// The parameter that is wrong.
    pub(crate) fn filter(&self) -> Result<(Filter, usize), Refusal> {
        let number = |word: &str, text: &str, usual| match text {
            "" => Ok(usual),
            text => text.parse().map(Some).map_err(|_| Refusal::bad(format!("{word} must be a number"))),
        };
        let kinds = || FaultKind::ALL.map(FaultKind::name).join(", ");
        let fault = match &*self.fault {
            "" => None,
            name => Some(
                FaultKind::from_name(name)
                    .ok_or_else(|| Refusal::bad(format!("fault must be one of {}", kinds())))?,
            ),
        };
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let before = number("before", &self.before, None)?;
        let limit = number("limit", &self.limit, Some(GAMES_ON_A_PAGE))?.unwrap_or(GAMES_ON_A_PAGE);
        let [bot, opponent, end] = [&self.bot, &self.opponent, &self.end].map(some);
        let filter = Filter { bot, opponent, fault, end, before };
        Ok((filter, limit.clamp(1, GAMES_MAX)))
    }

    /// Tells whether the query asks for older games than the last.
    pub(crate) fn is_older(&self) -> bool {
        !self.before.is_empty()
    }

    /// Returns the query for older games.
    pub(crate) fn older(self, before: usize) -> String {
        let older = GamesQuery { before: before.to_string(), ..self };
        serde_urlencoded::to_string(older).expect("plain words")
    }
}

/// A query for a table for programs: its format, `json` (also if empty) or `csv`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TableQuery {
    pub(crate) format: String,
}
