//! The board: standings as people read them, with who leads, whether that is settled, and what has changed.

use std::sync::Arc;

use crate::tables::measure::{Measure, Scale};
use crate::tables::sentence::{Part, Sentence};
use crate::tables::standing::StandingRow;
use maud::{Markup, html};
use referee_record::text::{apart, count};
use referee_show::drawing::interval::{Axis, Drawn};
use referee_show::drawing::mark::Mark;
use referee_show::drawing::ranks;
use referee_statistics::past::SeasonPast;
use referee_statistics::standings::places_of;
use serde_json::Value;

use super::{ContestSummary, SeasonSummary, View};
use crate::pages::parts::{bot, linked_sentence, named, plain, table};

/// Number of bots in the chart of places, in the matrix, and in the list of an earlier season.
pub const SHOWN: usize = 12;

/// Number of rounds from which a season is shown without the end of the season before.
pub const ROUNDS_LEAST: u32 = 10;

/// Maximum number of rounds of a season in a chart.
pub(super) const TIMES: usize = 60;

/// Number of last results that a row shows.
const LAST_RESULTS: usize = 5;

/// Maximum number of rows that show last results: reading them takes time, and others wait for the page.
const ROWS_WITH_LAST_RESULTS: usize = 100;

/// Maximum number of bots that are all listed at once, and number of bots that are listed at once if there are more.
const ALL_MAX: usize = 40;
const FIRST: usize = 30;

/// The standings of a season, a sub-tournament or a tournament, ready to be drawn.
#[derive(Debug)]
pub struct Board<'a> {
    pub(super) view: View<'a>,
    /// The season, sub-tournament or tournament.
    pub season: &'a SeasonSummary,
    pub(super) lines: Vec<Line<'a>>,
    scale: Scale,
    axis: Axis,
    earlier: EarlierPlaces,
}

/// The earlier places with which arrows compare.
#[derive(Debug, Default)]
struct EarlierPlaces {
    /// The place of each bot, by its name.
    places: Vec<(String, usize)>,
    /// When the bots had these places: `round 12`, `season 3`.
    when: String,
}

/// A row of the standings, and what else the page says of its bot.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) row: &'a StandingRow,
    author: &'a str,
    pub(super) mark: Mark,
    /// Whether the bot was not in the season before.
    is_new: bool,
    /// The bot's places in its last games, the latest last, each with the last place of that game.
    last_places: Vec<(u32, usize)>,
    /// Its place after each look at the season.
    course: Vec<Option<usize>>,
}

/// Which columns of the board have values.
struct ColumnsShown {
    points: bool,
    scores: bool,
    wins: bool,
    likely: bool,
    course: bool,
    last_places: bool,
}

impl<'a> Board<'a> {
    /// Prepares the standings of a season of a contest.
    pub fn new(view: View<'a>, season: &'a SeasonSummary) -> Board<'a> {
        // The place of each bot after each look.
        let looks: Vec<Vec<Option<usize>>> = season.looks.iter().map(|(_, means)| places_of(means)).collect();
        let last_season = view.contest.past.last();
        // Several sub-tournaments as a whole have no bots of their own, and all their games count.
        let season_number = if season.bots.is_empty() { None } else { Some(season.number) };
        let line = |(number, row): (usize, &'a StandingRow)| {
            let index = season.bots.iter().rposition(|bot| *bot == row.bot);
            Line {
                row,
                author: view.contest.authors.get(&row.bot).map_or("", |author| view.contest.person(author)),
                mark: view.contest.mark(&row.bot),
                is_new: last_season.is_some_and(|past| past.bots.iter().all(|bot| bot.name != row.bot)),
                last_places: if number < ROWS_WITH_LAST_RESULTS {
                    (view.last_places)(&row.bot, season_number, LAST_RESULTS)
                } else {
                    Vec::new()
                },
                course: looks.iter().map(|places| places[index?]).collect(),
            }
        };
        let rows = &season.standings.rows;
        let lines: Vec<Line<'_>> = rows.iter().enumerate().map(line).collect();
        let scale = season.standings.scale();
        let measure = scale.0;
        let means: Vec<f64> = rows.iter().map(|row| measure.value(row.mean_share)).collect();
        let bounds = rows.iter().filter_map(|row| values_of(measure, row.bounds()));
        let axis = Axis::new(&means, bounds, means.first().copied().unwrap_or_default(), measure.max());
        let earlier = EarlierPlaces::find(view, season, &looks);
        Board { view, season, lines, scale, axis, earlier }
    }

    /// Says who leads in one sentence, for previews of a link.
    pub fn in_short(&self) -> String {
        self.season.lead.as_ref().map_or(String::new(), |lead| to_text(&lead.sentence()))
    }

    /// Says how far the season is.
    pub fn heading(&self) -> String {
        heading(self.view.contest, self.season)
    }

    /// Draws the first three places of a tournament that is over.
    pub fn podium(&self) -> Markup {
        if !self.season.is_final || self.lines.len() <= 2 {
            return html! {};
        }
        let first = self.lines.iter().filter(|line| line.row.place <= 3).take(4);
        html! {
            ol.podium { @for line in first { li.{ "place" (line.row.place) } {
                span.number { (line.row.place) } (line.mark.icon()) b { (self.linked(&line.row.bot)) }
            } } }
        }
    }

    fn linked(&self, name: &str) -> Markup {
        bot(self.view.links, name)
    }

    /// Says who leads, and how sure that is.
    pub fn summary(&self) -> Markup {
        let season = self.season;
        let waiting = self.waiting();
        html! {
            @if let Some(lead) = &season.lead { p.lead { (linked_sentence(self.view.links, &lead.sentence())) } }
            @for sentence in &season.sentences { p { (apart(sentence)) } }
            (self.leader())
            @if !waiting.is_empty() {
                p { "New, and not in these standings yet: "
                    @for (number, (name, version)) in waiting.iter().enumerate() {
                        @if number > 0 { ", " } (self.view.contest.mark(name).icon()) " " (self.linked(name))
                        @if *version > 1 { " version " (version) }
                    } ". The next round begins " (self.view.contest.word_of_season()) " " (season.number + 1) "." }
            }
        }
    }

    /// The box with the leader, if one bot leads alone.
    fn leader(&self) -> Markup {
        let (Some(lead), Some(leader)) = (&self.season.lead, self.lines.first()) else { return html! {} };
        if lead.first.len() != 1 {
            return html! {};
        }
        let verdicts = &self.season.verdicts;
        let is_settled = verdicts.iter().any(|row| decides_for(&row.verdict, &leader.row.bot));
        let goes_on = self.view.is_hill && self.view.is_latest;
        html! {
            div.leader {
                p.called { (leader.mark.icon()) " " (self.linked(&leader.row.bot))
                    @if !leader.author.is_empty() { " by " (named(leader.author)) } }
                p { b { (self.scale.phrase(leader.row.mean_share)) } span { (self.axis.head()) (self.interval(leader)) } }
                p.small {
                    (self.first_since(leader))
                    @if is_settled { "Settled by the verdict." }
                    @else if lead.is_proven && goes_on { "Proven the best; no verdict yet." }
                    @else if lead.is_proven { "Proven the best." }
                    @else if goes_on { "Not settled yet." }
                }
            }
        }
    }

    /// Says since when the leader has been the first.
    fn first_since(&self, leader: &Line<'_>) -> Markup {
        if let Some(round) = self.season.lead.as_ref().and_then(|lead| lead.since) {
            let ago = count(self.season.rounds.saturating_sub(round).into(), "round");
            return html! { "First since round " (round) ", " (ago) " ago. " };
        }
        // Without a round it led in all looks of the season, or that is unknown.
        if leader.course.iter().flatten().any(|place| *place != 1) {
            return html! {};
        }
        let has_led = |past: &&Arc<SeasonPast>| {
            past.bots.iter().any(|bot| bot.place == 1 && bot.name == leader.row.bot)
        };
        match self.view.contest.past.iter().rev().take_while(has_led).last() {
            Some(past) => {
                html! { "First since " (self.view.contest.word_of_season()) " " (past.number) ". " }
            }
            None => html! {},
        }
    }

    /// Says why a bot of the standings plays no more: it was retired, or another version has replaced it.
    fn reason_for_absence(&self, name: &str) -> &'static str {
        match self.view.contest.field.iter().any(|event| event.bot.name == name) {
            true if self.view.is_latest => " (a new version waits)",
            true => " (another version plays)",
            false => " (retired)",
        }
    }

    /// Lists the bots of the field that are not in the standings, each with its version.
    fn waiting(&self) -> Vec<(&str, u32)> {
        // The field of a tournament does not change, and an earlier season of a hill had another field.
        if !self.view.is_hill || !self.view.is_latest {
            return Vec::new();
        }
        let field = self.view.contest.field.iter().map(|event| (&*event.bot.name, event.bot.version));
        let is_listed = |(name, version): &(&str, u32)| {
            self.lines.iter().any(|line| line.row.bot == *name && line.row.version == Some(*version))
        };
        field.filter(|bot| !is_listed(bot)).collect()
    }

    /// Draws the mean of a bot with its confidence interval.
    fn interval(&self, line: &Line<'_>) -> Markup {
        let rivals = self.season.lead.as_ref().and_then(|lead| lead.rivals.as_ref());
        let is_open = rivals.is_some_and(|rivals| rivals.contains(&line.row.bot));
        let mut words = format!("{} {}", plain(&line.row.bot), self.scale.text(line.row.mean_share));
        if let Some((low, high)) = line.row.bounds() {
            words += &format!(", between {} and {}", self.scale.text(low), self.scale.text(high));
        }
        if is_open {
            words += ", not proven to be behind the first";
        }
        let Scale(measure, _) = self.scale;
        let (mean, bounds) = (measure.value(line.row.mean_share), values_of(measure, line.row.bounds()));
        self.axis.row(Drawn { mean, bounds, is_open, mark: line.mark }, &words)
    }

    fn has_likely(&self) -> bool {
        self.lines.iter().any(|line| line.row.likely().is_some())
    }

    fn has_bounds(&self) -> bool {
        self.view.is_hill || self.lines.iter().any(|line| line.row.bounds().is_some())
    }

    /// The standings. Of many bots the others are behind a click, and so are all numbers, which a class does not need.
    pub fn table(&self) -> Markup {
        let all = &self.lines[..];
        let (first, others) = all.split_at(if all.len() > ALL_MAX { FIRST } else { all.len() });
        html! {
            (self.rows("Standings, best first", first))
            @if !others.is_empty() {
                details { summary { "The other " (others.len()) " bots" } (self.rows("The others, best first", others)) }
            }
            @if !self.view.contest.is_class {
                details { summary { "All numbers" }
                    (table("All numbers of the standings", &self.season.standings.sheet().in_full(), Some(self.view.links), None))
                }
            }
        }
    }

    /// Tells whether bots have places in their games: a bot that plays alone has none.
    fn has_last_places(&self) -> bool {
        self.lines.iter().flat_map(|line| &line.last_places).any(|(_, last)| *last > 1)
    }

    fn columns_shown(&self) -> ColumnsShown {
        let measure = self.scale.0;
        let has = |value: fn(&StandingRow) -> bool| self.lines.iter().any(|line| value(line.row));
        ColumnsShown {
            points: has(|row| row.points.is_some()),
            // The column of the result has the points.
            scores: !matches!(measure, Measure::Points(_)) && has(|row| row.mean_score.is_some()),
            // Where wins are measured, the column of the result has them.
            wins: measure != Measure::Wins && has(|row| row.wins.is_some()),
            likely: self.has_likely(),
            course: self.view.is_hill || !self.season.looks.is_empty(),
            last_places: self.has_last_places(),
        }
    }

    fn rows(&self, caption: &str, lines: &[Line<'_>]) -> Markup {
        let shown = self.columns_shown();
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.board {
                    caption.unseen { (caption) }
                    thead { tr {
                        th scope="col" .n { "place" }
                        th scope="col" { "bot" }
                        @if shown.points { th scope="col" .n { "points" } }
                        th scope="col" .n { (self.scale.0.head()) }
                        th scope="col" { @if self.has_bounds() { "with its interval" } (self.axis.head()) }
                        @if shown.scores { th.more scope="col" .n { "mean score" } }
                        @if shown.wins { th.more scope="col" .n { "games won" } }
                        th.more scope="col" .n { "games" }
                        @if shown.likely { th.more scope="col" .n { "likely places" } }
                        @if shown.course { th.more scope="col" { "course" } }
                        @if shown.last_places { th.more scope="col" { "last places" } }
                    } }
                    tbody { @for line in lines { (self.row(line, &shown)) } }
                }
            }
        }
    }

    fn row(&self, line: &Line<'_>, shown: &ColumnsShown) -> Markup {
        let row = line.row;
        html! { tr {
            td.n.place { (row.place) " " (self.arrow(line)) }
            th scope="row" {
                span.name { (line.mark.icon()) " " span {
                    (self.linked(&row.bot))
                    @if line.is_new { " " span.new { "new" } }
                    @if row.retired == Some(true) { (self.reason_for_absence(&row.bot)) }
                    @if !line.author.is_empty() { " " small.by { (named(line.author)) } }
                } }
            }
            @if shown.points { td.n { (row.points.map_or(String::new(), |points| points.to_string())) } }
            td.n.result { (self.scale.text(row.mean_share)) }
            td { (self.interval(line)) }
            @if shown.scores { td.more.n { (row.mean_score.map_or(String::new(), |score| format!("{score:.2}"))) } }
            @if shown.wins { td.more.n { (row.wins.map_or(String::new(), wins)) } }
            td.more.n { (row.games) }
            @if shown.likely { td.more.n { (row.likely().map(range).unwrap_or_default()) } }
            @if shown.course { td.more { (self.spark(line)) } }
            @if shown.last_places { td.more.last {
                @for (number, (place, last)) in line.last_places.iter().enumerate() {
                    @if number > 0 { " " }
                    span .won[*place == 1] .lost[*place > 1 && *place as usize == *last] { (place) }
                }
            } }
        } }
    }

    /// Shows how a bot's place has changed.
    fn arrow(&self, line: &Line<'_>) -> Markup {
        let EarlierPlaces { places, when } = &self.earlier;
        let Some((_, before)) = places.iter().find(|(name, _)| *name == line.row.bot) else {
            return html! {};
        };
        // The place now, among the bots that have an earlier place, too.
        let is_known = |name: &str| places.iter().any(|(known, _)| known == name);
        let is_better = |other: &&Line<'_>| other.row.place < line.row.place && is_known(&other.row.bot);
        let now = self.lines.iter().filter(is_better).count() + 1;
        let change = before.abs_diff(now);
        html! {
            @if now < *before { span.up title={ "up " (change) " since " (when) } { "▲" (change) } }
            @if now > *before { span.down title={ "down " (change) " since " (when) } { "▼" (change) } }
        }
    }

    /// Draws the course of a bot's place in a small chart; nothing before it has had places after two rounds.
    fn spark(&self, line: &Line<'_>) -> Markup {
        let mut rounds = self.season.looks.iter().zip(&line.course);
        let first = rounds.clone().find_map(|((round, _), place)| Some((*round, (*place)?)));
        let last = rounds.rfind(|(_, place)| place.is_some());
        let (Some((from, before)), Some(((to, _), Some(now)))) = (first, last) else { return html! {} };
        if from >= *to {
            return html! {};
        }
        let step = line.course.len().div_ceil(TIMES / 2).max(1);
        let mut places: Vec<Option<usize>> = line.course.iter().rev().step_by(step).copied().collect();
        places.reverse();
        let words = format!("place {before} after round {from}, {now} after round {to}");
        ranks::spark(&places, self.lines.len(), line.mark, &words)
    }

    /// Says how the table is to be read.
    pub fn legend(&self) -> Markup {
        let EarlierPlaces { places, when } = &self.earlier;
        let measured = match self.scale.0 {
            Measure::Points(_) => "a bot's mean points of a game",
            Measure::Wins => "the part of its games that a bot has won",
            Measure::Shares => "a bot's mean share of its games",
        };
        html! {
            details { summary { "How to read it" }
                p.small { (self.season.legend) }
                p.small {
                    "A dot is " (measured)
                    @if self.has_bounds() {
                        ", its line the confidence interval; a line without an end goes on beyond the axis"
                    }
                    ". The grey line across is the leader's mean"
                    @if self.has_likely() {
                        "; a bot with two black ticks there is not proven to be behind the leader. Likely places: those that it has in "
                        "80 % of resamplings of the rounds"
                    }
                    @if self.has_last_places() {
                        ". Last places: those in its last " (LAST_RESULTS) " games, the latest at the right: with a strong "
                        "frame where it won, with a dashed one where it was last"
                    }
                    "."
                    @if !places.is_empty() { " Arrows show the change of place since " (when) "." }
                }
            }
        }
    }

    /// Shows how the season before has ended, beside one that has just begun.
    pub fn before(&self) -> Markup {
        if self.season.rounds >= ROUNDS_LEAST {
            return html! {};
        }
        let title = self.view.contest.title_of_season();
        html! { @if let Some(past) = self.view.contest.past.last() {
            section {
                h2 { (title) " " (self.season.number) " has just begun" }
                p { (title) " " (past.number) " ended after " (count(past.rounds.into(), "round")) ":" }
                ol.ended { @for bot in past.bots.iter().take(SHOWN) {
                    li value=(bot.place) { span.name { (self.view.contest.mark(&bot.name).icon()) " "
                        span { (self.linked(&bot.name)) " " (self.scale.text(bot.mean_share)) } } }
                } }
            }
        } }
    }
}

/// Says how far a season is, and by which change of the field it began: `11 rounds, 44 games since fox came (season
/// 2)`.
pub fn heading(contest: &ContestSummary, season: &SeasonSummary) -> String {
    let SeasonSummary { number, so_far, .. } = season;
    let Some(change) = field_change(contest, season) else { return so_far.clone() };
    let rounds_and_games =
        so_far.strip_prefix(&format!("{} {number}, ", contest.title_of_season())).unwrap_or(so_far);
    format!("{rounds_and_games} since {change} ({} {number})", contest.word_of_season())
}

/// Says which change of the field has begun a season: who came, whose version changed, or who left.
fn field_change(contest: &ContestSummary, season: &SeasonSummary) -> Option<String> {
    let past = &contest.past.last()?.bots;
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for (name, version) in season.bots.iter().zip(&season.versions) {
        if past.iter().all(|bot| bot.name != *name) {
            new.push(&**name);
        } else if past.iter().all(|bot| bot.name != *name || bot.version != *version) {
            changed.push(&**name);
        }
    }
    let gone: Vec<&str> =
        past.iter().map(|bot| &*bot.name).filter(|name| season.bots.iter().all(|bot| bot != name)).collect();
    let (names, verb) = if !new.is_empty() {
        (new, "came")
    } else if !changed.is_empty() {
        (changed, "changed")
    } else {
        (gone, "left")
    };
    match &names[..] {
        [] => None,
        [name] => Some(format!("{} {verb}", plain(name))),
        [name, other] => Some(format!("{} and {} {verb}", plain(name), plain(other))),
        many => Some(format!("{} bots {verb}", many.len())),
    }
}

/// Returns bounds of a share as people read them.
fn values_of(measure: Measure, bounds: Option<(f64, f64)>) -> Option<(f64, f64)> {
    bounds.map(|(low, high)| (measure.value(low), measure.value(high)))
}

/// Writes a number of wins. A shared win counts as a part.
fn wins(wins: f64) -> String {
    let text = format!("{wins:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Writes a range of places as `1-3`, or as `2`.
fn range((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

impl EarlierPlaces {
    /// Finds the places to compare with: early in a season the last ones of the season before, later those after about
    /// nine tenths of its rounds. `looks` has the place of each bot after each look.
    fn find(view: View<'_>, season: &SeasonSummary, looks: &[Vec<Option<usize>>]) -> EarlierPlaces {
        if season.rounds < ROUNDS_LEAST
            && let Some(past) = view.contest.past.last()
        {
            let places = past.bots.iter().map(|bot| (bot.name.clone(), bot.place)).collect();
            return EarlierPlaces {
                places,
                when: format!("{} {}", view.contest.word_of_season(), past.number),
            };
        }
        let round = season.rounds - season.rounds.div_ceil(10).min(season.rounds);
        let Some(look) = season.looks.iter().rposition(|(other, _)| *other <= round) else {
            return EarlierPlaces::default();
        };
        let places = season.bots.iter().zip(&looks[look]);
        let places = places.filter_map(|(bot, place)| Some((bot.clone(), (*place)?))).collect();
        EarlierPlaces { places, when: format!("round {}", season.looks[look].0) }
    }
}

/// Tells whether a verdict has decided that a bot is the first.
fn decides_for(verdict: &Value, name: &str) -> bool {
    let is_of_bot = |row: &Value| row["bot"] == name;
    let rows = |column: &str| verdict[column].as_array().cloned().unwrap_or_default();
    match verdict["verdict"].as_str() {
        Some("clear_king") => rows("kings").iter().any(is_of_bot),
        Some("ranked") => rows("ranking").iter().any(|row| row["place"] == 1 && is_of_bot(row)),
        _ => false,
    }
}

/// Returns a sentence for a line that is not HTML.
pub fn to_text(sentence: &Sentence) -> String {
    let part = |part: &Part| match part {
        Part::Words(words) => words.clone(),
        Part::Bot(name) => plain(name),
    };
    sentence.parts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_statistics::past::Placed;

    fn contest(past: &[(&str, u32)]) -> ContestSummary {
        let placed = |(name, version): &(&str, u32)| Placed {
            name: (*name).to_owned(),
            version: *version,
            place: 1,
            likely: None,
            games: 4,
            mean_share: 0.5,
        };
        let bots = past.iter().map(placed).collect();
        let season = SeasonPast { number: 1, rounds: 4, bots, course: Vec::new() };
        ContestSummary { past: vec![Arc::new(season)], ..ContestSummary::default() }
    }

    fn season(bots: &[(&str, u32)]) -> SeasonSummary {
        let (bots, versions) = bots.iter().map(|(name, version)| ((*name).to_owned(), *version)).unzip();
        let so_far = "Season 2, 11 rounds, 44 games".to_owned();
        SeasonSummary { number: 2, so_far, bots, versions, ..SeasonSummary::default() }
    }

    #[test]
    fn a_season_of_a_hill_is_told_by_what_has_begun_it() {
        let field: &[(&str, u32)] = &[("fox", 1), ("owl", 2)];
        for (past, now, change) in [
            (&[("owl", 2)][..], field, "fox came"),
            (&[][..], field, "fox and owl came"),
            (&[("fox", 1), ("owl", 1)], field, "owl changed"),
            (&[("fox", 1), ("owl", 2), ("elk", 1)], field, "elk left"),
            // A new bot counts before a new version, and that before a bot that left.
            (&[("owl", 1), ("elk", 1)], field, "fox came"),
            (&[], &[("a", 1), ("b", 1), ("c", 1)], "3 bots came"),
        ] {
            let heading_found = heading(&contest(past), &season(now));
            assert_eq!(heading_found, format!("11 rounds, 44 games since {change} (season 2)"));
        }
        assert_eq!(heading(&contest(field), &season(field)), "Season 2, 11 rounds, 44 games");
        assert_eq!(heading(&ContestSummary::default(), &season(field)), "Season 2, 11 rounds, 44 games");
    }
}
