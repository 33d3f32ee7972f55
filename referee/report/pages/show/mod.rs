//! The pages of a contest, for a report and for a server: its summary at a moment, and the parts of pages that are made
//! from that.

pub mod board;
pub mod bot;
pub mod contest;
pub mod course;
pub mod games;
pub mod head;
mod matrix;
pub mod season;
pub mod tournament;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::tables::lead::Lead;
use crate::tables::sheet::Sheet;
use crate::tables::standing::{PairRow, Standings};
use maud::Markup;
use referee_contest::accounts;
use referee_contest::admission::entrants::{Entrants, Event};
use referee_contest::bot::Bot;
use referee_contest::class::roll::Deadlines;
use referee_contest::hill::Hill;
use referee_contest::plan::Plan;
use referee_record::error::Error;
use referee_show::drawing::mark::Mark;
use referee_statistics::past::SeasonPast;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pages::parts::Links;

/// A function that returns the places of a bot in its last games, the latest last, each with the last place of that
/// game. Its arguments are the bot, the number of the season or sub-tournament whose games count (`None`: all), and the
/// maximum number of games.
pub type LastPlaces<'a> = dyn Fn(&str, Option<u32>, usize) -> Vec<(u32, usize)> + 'a;

/// A contest as pages show it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The contest.
    pub contest: &'a ContestSummary,
    /// The addresses of its pages.
    pub links: &'a dyn Links,
    /// Whether it is a hill; else a tournament.
    pub is_hill: bool,
    /// Whether the season is the latest one of its hill.
    pub is_latest: bool,
    /// Finds the places of bots in their last games.
    pub last_places: &'a LastPlaces<'a>,
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("seen", self.contest).finish_non_exhaustive()
    }
}

/// The summary of a hill or a tournament.
#[derive(Debug, Default)]
pub struct ContestSummary {
    /// The bots that play, in their order.
    pub field: Vec<Entered>,
    /// The author of each bot that was ever admitted: an account.
    pub authors: BTreeMap<String, String>,
    /// Accounts, each with its name as it is shown.
    pub people: BTreeMap<String, String>,
    /// The mark of each bot that was ever admitted.
    pub marks: BTreeMap<String, Mark>,
    /// The last season of a hill; a tournament as a whole.
    pub season: Option<SeasonSummary>,
    /// The sub-tournaments, if there are several, each with the parameters in which it differs from others.
    pub sets: Vec<(String, SeasonSummary)>,
    /// The matches of each sub-tournament, if its format has matches.
    pub cups: Vec<CupSummary>,
    /// Whether it is the practice of a class.
    pub is_class: bool,
    /// The earlier seasons, in their order.
    pub past: Vec<Arc<SeasonPast>>,
}

/// A bot that plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Entered {
    /// The bot.
    pub bot: Bot,
    /// When it was submitted to its hill (UTC); `None` in a tournament.
    pub date: Option<String>,
}

/// The matches of a sub-tournament.
#[derive(Debug)]
pub struct CupSummary {
    /// All matches, in their order.
    pub matches: Sheet,
    /// The drawing of the bracket of a knockout; `None` for other formats.
    pub bracket: Option<Markup>,
}

/// The last season of a hill, a sub-tournament, or a tournament as a whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SeasonSummary {
    /// Its number; that of a tournament as a whole is 1.
    pub number: u32,
    /// How far it is, for a heading: `Season 3, 12 rounds, 48 games`.
    pub so_far: String,
    /// Number of complete rounds.
    pub rounds: u32,
    /// Whether games of earlier seasons count in the standings.
    pub carried: bool,
    /// The standings.
    pub standings: Standings,
    /// Who leads; `None` if no game counts.
    pub lead: Option<Lead>,
    /// The explanation of the standings.
    pub legend: String,
    /// The results of each bot against each other.
    pub pairs: Vec<PairRow>,
    /// Sentences about it, for people.
    #[serde(rename = "told")]
    pub sentences: Vec<String>,
    /// Whether the places of a tournament are final.
    pub is_final: bool,
    /// Its verdicts.
    pub verdicts: Vec<VerdictSummary>,
    /// The names of its bots, and the number of each one's program.
    pub bots: Vec<String>,
    /// See [`bots`](SeasonSummary::bots).
    pub versions: Vec<u32>,
    /// Rounds, each with the mean share of each of these bots after it; `None` before the bot's first game.
    pub looks: Vec<(u32, Vec<Option<f64>>)>,
}

/// A verdict.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictSummary {
    /// For people.
    #[serde(rename = "told")]
    pub sentence: String,
    /// For programs.
    pub verdict: Value,
}

impl Entered {
    /// A bot that was submitted to a hill.
    pub fn submitted(submission: &Event) -> Entered {
        Entered { bot: submission.bot.clone(), date: Some(submission.date.clone()) }
    }
}

impl ContestSummary {
    /// Returns the word for a season: pages of a class call it practice.
    pub fn word_of_season(&self) -> &'static str {
        if self.is_class { "practice" } else { "season" }
    }

    /// Likewise at the beginning of a sentence.
    pub fn title_of_season(&self) -> &'static str {
        if self.is_class { "Practice" } else { "Season" }
    }

    /// Returns a summary of a hill with its entrants alone: those that play, and author and mark of each bot that was
    /// ever admitted.
    pub fn entrants_of(hill: &Hill, entrants: &Entrants) -> Result<ContestSummary, Error> {
        let submission = |bot: &Bot| entrants.last_submission(&bot.name).map(Entered::submitted);
        let field = entrants.field().into_iter().filter_map(submission).collect();
        let contest = ContestSummary::with_field(field, entrants.submissions().map(|event| &event.bot));
        let is_class = Deadlines::is_at(hill.root());
        Ok(ContestSummary { people: accounts::shown(hill.root())?, is_class, ..contest })
    }

    /// Returns a summary of a tournament with its entrants alone.
    pub fn entrants_in(plan: &Plan) -> ContestSummary {
        let bots = &plan.contents.entrant;
        let entered = |bot: &Bot| Entered { bot: bot.clone(), date: None };
        ContestSummary::with_field(bots.iter().map(entered).collect(), bots.iter())
    }

    /// Returns a summary with a field alone. `all` are the bots that ever played, in the order of their marks.
    fn with_field<'b>(field: Vec<Entered>, all: impl Iterator<Item = &'b Bot>) -> ContestSummary {
        let (mut authors, mut marks) = (BTreeMap::new(), BTreeMap::new());
        for bot in all {
            authors.insert(bot.name.clone(), bot.author.clone());
            let next = Mark::of(marks.len());
            marks.entry(bot.name.clone()).or_insert(next);
        }
        ContestSummary { field, authors, marks, ..ContestSummary::default() }
    }

    /// Returns the name of an author as it is shown.
    pub fn person<'a>(&'a self, author: &'a str) -> &'a str {
        self.people.get(author).map_or(author, |name| name)
    }

    /// Returns the mark of a bot.
    pub fn mark(&self, name: &str) -> Mark {
        // A bot that was not admitted yet gets the mark that the next admitted bot will have.
        self.marks.get(name).copied().unwrap_or_else(|| Mark::of(self.marks.len()))
    }
}
