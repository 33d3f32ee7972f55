//! The question that ends a season, the method that answers it, and the edition of the stop rule.

use std::cmp::Ordering;
use std::fmt;

use referee_record::older::of_earlier_version;
use serde::{Deserialize, Serialize};

/// The edition of the rule, which records name. Those before this one are of versions before 0.3, and not read.
pub const EDITION: u32 = 6;

/// Returns why a record of another edition cannot be read.
pub fn fault_of_edition(edition: u32) -> Option<String> {
    match edition.cmp(&EDITION) {
        Ordering::Less => Some(of_earlier_version(&format!("edition {edition} of the stop rule"))),
        Ordering::Equal => None,
        Ordering::Greater => Some(format!(
            "edition {edition} of the stop rule, of a later version: this one knows edition {EDITION}"
        )),
    }
}

/// The question whose answer ends a season.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// Which bot is the best, or that some are equally good.
    #[default]
    Winner,
    /// For each pair of bots, which of the two is better, or that they differ by no more than epsilon.
    Ranked,
}

impl Until {
    /// All of them.
    pub const ALL: [Until; 2] = [Until::Winner, Until::Ranked];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Until::Winner => "winner",
            Until::Ranked => "ranked",
        }
    }

    /// Returns its name in the settings of a hill, which are named after the options `--until-clear` and
    /// `--until-ranked`.
    pub fn of_hill(self) -> &'static str {
        match self {
            Until::Winner => "clear",
            Until::Ranked => "ranked",
        }
    }

    /// Returns the question with this name in the settings of a hill.
    ///
    /// # Errors
    ///
    /// If there is none: lists the names.
    pub fn by_hill(word: &str) -> Result<Until, String> {
        let found = Until::ALL.into_iter().find(|until| until.of_hill() == word);
        found.ok_or_else(|| format!("until must be one of clear, ranked, not {word}"))
    }
}

impl std::str::FromStr for Until {
    type Err = String;

    fn from_str(word: &str) -> Result<Until, String> {
        let found = Until::ALL.into_iter().find(|until| until.name() == word);
        found.ok_or_else(|| format!("a season is played until winner or ranked, not until {word}"))
    }
}

/// The method of the verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Bets against the hypothesis that a bot is the best, or as good as another: right for any results, if rounds do
    /// not depend on each other.
    #[default]
    Betting,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 1] = [Method::Betting];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Method::Betting => "betting",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Method {
    type Err = String;

    fn from_str(word: &str) -> Result<Method, String> {
        if word == "hedged" {
            return Err(of_earlier_version("method hedged"));
        }
        if let "asymptotic" | "sign" = word {
            return Err(format!(
                "the method {word} is gone: begin a new hill or tournament, or use an earlier version of the referee"
            ));
        }
        let found = Method::ALL.into_iter().find(|method| method.name() == word);
        let names = Method::ALL.map(Method::name).join(", ");
        found.ok_or_else(|| format!("no such method: {word} (there are: {names})"))
    }
}
