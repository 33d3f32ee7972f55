//! The standings as people read them: who leads, whether that is settled, and what has changed.

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
use crate::pages::parts::{bot, named, plain, said, table};

/// Number of bots in the chart of places, in the matrix, and in the list of an earlier season.
pub const SHOWN: usize = 12;

/// Number of rounds from which on a season speaks for itself.
pub const ROUNDS_LEAST: u32 = 10;

/// Maximum number of times of a season in a chart.
pub(super) const TIMES: usize = 60;

/// Number of last results that a row shows.
const LAST: usize = 5;

/// Maximum number of rows for which they are read: the page is made while others wait for it.
const LAST_ROWS: usize = 100;

/// Number of bots up to which all are listed at once, and number of the first ones that are listed of more.
const ALL_MAX: usize = 40;
const FIRST: usize = 30;

/// The standings of a season, a sub-tournament or a tournament, ready to be drawn.
#[derive(Debug)]
pub struct Board<'a> {
    pub(super) view: View<'a>,
    /// What they are of.
    pub season: &'a SeasonSummary,
    pub(super) lines: Vec<Line<'a>>,
    /// What people read for a share, and with how many digits.
    scale: Scale,
    axis: Axis,
    /// The places to which arrows compare, by name, and what they are.
    earlier: (Vec<(String, usize)>, String),
}

/// A row of the standings, and what the page says of its bot besides.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) row: &'a StandingRow,
    author: &'a str,
    pub(super) mark: Mark,
    is_new: bool,
    /// Its places in its last games, the latest last, each with the last place.
    last: Vec<(u32, usize)>,
    /// Its places so far in the season.
    course: Vec<Option<usize>>,
}

impl<'a> Board<'a> {
    /// Prepares the standings of a season of a contest.
    pub fn new(view: View<'a>, season: &'a SeasonSummary) -> Board<'a> {
        let looks: Vec<Vec<Option<usize>>> = season.looks.iter().map(|(_, means)| places_of(means)).collect();
        let last_season = view.contest.past.last();
        // Several sub-tournaments as a whole have no bots of their own.
        let season_number = (!season.bots.is_empty()).then_some(season.number);
        let line = |(number, row): (usize, &'a StandingRow)| {
            let at = season.bots.iter().rposition(|bot| *bot == row.bot);
            Line {
                row,
                author: view.contest.authors.get(&row.bot).map_or("", |author| view.contest.person(author)),
                mark: view.contest.mark(&row.bot),
                is_new: last_season.is_some_and(|past| past.bots.iter().all(|bot| bot.name != row.bot)),
                last: if number < LAST_ROWS {
                    (view.last_places)(&row.bot, season_number, LAST)
                } else {
                    Vec::new()
                },
                course: looks.iter().map(|places| places[at?]).collect(),
            }
        };
        let rows = &season.standings.rows;
        let lines: Vec<Line<'_>> = rows.iter().enumerate().map(line).collect();
        let scale = season.standings.scale();
        let measure = scale.0;
        let means: Vec<f64> = rows.iter().map(|row| measure.value(row.mean_share)).collect();
        let bounds = rows.iter().filter_map(|row| value_of(measure, row.bounds()));
        let axis = Axis::new(&means, bounds, means.first().copied().unwrap_or_default(), measure.most());
        let earlier = earlier(view, season, &looks);
        Board { view, season, lines, scale, axis, earlier }
    }

    /// Says who leads in one sentence, for previews of a link.
    pub fn in_short(&self) -> String {
        self.season.lead.as_ref().map_or(String::new(), |lead| in_words(&lead.sentence()))
    }

    /// Says how far it is.
    pub fn heading(&self) -> String {
        heading(self.view.contest, self.season)
    }

    /// Draws the first three places of a tournament that is over.
    pub fn podium(&self) -> Markup {
        let is_over = self.season.is_final && self.lines.len() > 2;
        let first = self.lines.iter().filter(|line| is_over && line.row.place <= 3).take(4);
        html! { @if is_over {
            ol.podium { @for line in first { li.{ "place" (line.row.place) } {
                span.number { (line.row.place) } (line.mark.icon()) b { (self.linked(&line.row.bot)) }
            } } }
        } }
    }

    fn linked(&self, name: &str) -> Markup {
        bot(self.view.links, name)
    }

    /// Says who leads, and how sure that is.
    pub fn summary(&self) -> Markup {
        let (season, is_hill) = (self.season, self.view.is_hill);
        let leader = self.lines.first();
        let is_settled = leader
            .is_some_and(|leader| season.verdicts.iter().any(|row| names(&row.verdict, &leader.row.bot)));
        html! {
            @if let Some(lead) = &season.lead { p.lead { (said(self.view.links, &lead.sentence())) } }
            @for sentence in &season.sentences { p { (apart(sentence)) } }
            @if let Some(leader) = leader.filter(|_| season.lead.as_ref().is_some_and(|lead| lead.first.len() == 1)) {
                div.leader {
                    p.called { (leader.mark.icon()) " " (self.linked(&leader.row.bot))
                        @if !leader.author.is_empty() { " by " (named(leader.author)) } }
                    p { b { (self.scale.phrase(leader.row.mean_share)) } span { (self.axis.head()) (self.drawn(leader)) } }
                    p.small {
                        (self.since(&leader.row.bot))
                        @let is_clear = season.lead.as_ref().is_some_and(|lead| lead.is_proven);
                        @if is_settled { "Settled by the verdict." }
                        @else if is_clear && is_hill && self.view.is_latest { "Proven the best; no verdict yet." }
                        @else if is_clear { "Proven the best." }
                        @else if is_hill && self.view.is_latest { "Not settled yet." }
                    }
                }
            }
            @let waiting = self.waiting();
            @if !waiting.is_empty() {
                p { "New, and not in these standings yet: "
                    @for (number, (name, version)) in waiting.iter().enumerate() {
                        @if number > 0 { ", " } (self.view.contest.mark(name).icon()) " " (self.linked(name))
                        @if *version > 1 { " version " (version) }
                    } ". The next round begins season " (season.number + 1) "." }
            }
        }
    }

    /// Says since when a bot has been the first.
    fn since(&self, name: &str) -> Markup {
        let season = self.season;
        let led = |past: &&Arc<SeasonPast>| past.bots.iter().any(|bot| bot.place == 1 && bot.name == name);
        let round = season.lead.as_ref().and_then(|lead| lead.since);
        // Without a round it led in all looks of the season, or nothing is known.
        let mine = self.lines.iter().find(|line| line.row.bot == name);
        let always = mine.is_some_and(|line| line.course.iter().flatten().all(|place| *place == 1));
        let earlier = self.view.contest.past.iter().rev().take_while(led).last();
        match (round, earlier.filter(|_| round.is_none() && always)) {
            (Some(round), _) => {
                let ago = count(season.rounds.saturating_sub(round).into(), "round");
                html! { "First since round " (round) ", " (ago) " ago. " }
            }
            (None, Some(past)) => html! { "First since season " (past.number) ". " },
            (None, None) => html! {},
        }
    }

    /// Says of a bot that plays no more why: it was retired, or another version has taken its place.
    fn gone(&self, name: &str) -> &'static str {
        match self.view.contest.field.iter().any(|event| event.bot.name == name) {
            true if self.view.is_latest => " (a new version waits)",
            true => " (another version plays)",
            false => " (retired)",
        }
    }

    /// Lists the bots of the field that the standings do not have, each with its version.
    fn waiting(&self) -> Vec<(&str, u32)> {
        // The field of a tournament does not change; an earlier season of a hill has had another one.
        let field = self.view.contest.field.iter().filter(|_| self.view.is_hill && self.view.is_latest);
        let field = field.map(|event| (&*event.bot.name, event.bot.version));
        let is_listed = |(name, version): &(&str, u32)| {
            self.lines.iter().any(|line| line.row.bot == *name && line.row.version == Some(*version))
        };
        field.filter(|bot| !is_listed(bot)).collect()
    }

    fn drawn(&self, line: &Line<'_>) -> Markup {
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
        let (mean, bounds) = (measure.value(line.row.mean_share), value_of(measure, line.row.bounds()));
        self.axis.row(Drawn { mean, bounds, is_open, mark: line.mark }, &words)
    }

    fn has_likely(&self) -> bool {
        self.lines.iter().any(|line| line.row.likely().is_some())
    }

    fn has_bounds(&self) -> bool {
        self.view.is_hill || self.lines.iter().any(|line| line.row.bounds().is_some())
    }

    /// The standings, or the first of many with the others a click away; all numbers are another one.
    pub fn table(&self) -> Markup {
        let all = &self.lines[..];
        let (first, others) = all.split_at(if all.len() > ALL_MAX { FIRST } else { all.len() });
        html! {
            (self.rows("Standings, best first", first))
            @if !others.is_empty() {
                details { summary { "The other " (others.len()) " bots" } (self.rows("The others, best first", others)) }
            }
            details { summary { "All numbers" }
                (table("All numbers of the standings", &self.season.standings.sheet().in_full(), Some(self.view.links), None))
            }
        }
    }

    /// Tells whether bots have places in their games: alone, a bot has none.
    fn has_last(&self) -> bool {
        self.lines.iter().flat_map(|line| &line.last).any(|(_, last)| *last > 1)
    }

    fn rows(&self, caption: &str, lines: &[Line<'_>]) -> Markup {
        let (has_likely, has_bounds) = (self.has_likely(), self.has_bounds());
        let has_points = self.lines.iter().any(|line| line.row.points.is_some());
        let has_course = self.view.is_hill || !self.season.looks.is_empty();
        let Scale(measure, _) = self.scale;
        let has_last = self.has_last();
        // Where wins are measured, the column of the result has them.
        let has_wins = measure != Measure::Wins && self.lines.iter().any(|line| line.row.wins.is_some());
        let has_scores = match measure {
            Measure::Points(_) => false,
            Measure::Wins | Measure::Shares => self.lines.iter().any(|line| line.row.mean_score.is_some()),
        };
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.board {
                    caption.unseen { (caption) }
                    thead { tr {
                        th scope="col" .n { "place" }
                        th scope="col" { "bot" }
                        @if has_points { th scope="col" .n { "points" } }
                        th scope="col" .n { (measure.head()) }
                        th scope="col" { @if has_bounds { "with its interval" } (self.axis.head()) }
                        @if has_scores { th.more scope="col" .n { "mean score" } }
                        @if has_wins { th.more scope="col" .n { "games won" } }
                        th.more scope="col" .n { "games" }
                        @if has_likely { th.more scope="col" .n { "likely places" } }
                        @if has_course { th.more scope="col" { "course" } }
                        @if has_last { th.more scope="col" { "last places" } }
                    } }
                    tbody { @for line in lines { tr {
                        td.n.place { (line.row.place) " " (self.arrow(line)) }
                        th scope="row" {
                            span.name { (line.mark.icon()) " " span {
                                (self.linked(&line.row.bot))
                                @if line.is_new { " " span.new { "new" } }
                                @if line.row.retired == Some(true) { (self.gone(&line.row.bot)) }
                                @if !line.author.is_empty() { " " small.by { (named(line.author)) } }
                            } }
                        }
                        @if has_points { td.n { (line.row.points.map_or(String::new(), |points| points.to_string())) } }
                        td.n.result { (self.scale.text(line.row.mean_share)) }
                        td { (self.drawn(line)) }
                        @if has_scores { td.more.n { (line.row.mean_score.map_or(String::new(), |score| format!("{score:.2}"))) } }
                        @if has_wins { td.more.n { (line.row.wins.map_or(String::new(), wins)) } }
                        td.more.n { (line.row.games) }
                        @if has_likely { td.more.n { (line.row.likely().map(range).unwrap_or_default()) } }
                        @if has_course { td.more { (self.spark(line)) } }
                        @if has_last { td.more.last { @for (number, (place, bots)) in line.last.iter().enumerate() {
                            @if number > 0 { " " }
                            span .won[*place == 1] .lost[*place > 1 && *place as usize == *bots] { (place) }
                        } } }
                    } } }
                }
            }
        }
    }

    /// Shows how a bot's place has changed.
    fn arrow(&self, line: &Line<'_>) -> Markup {
        let (places, since) = &self.earlier;
        let before = places.iter().find(|(name, _)| *name == line.row.bot).map(|(_, place)| *place as u64);
        let now = self.place_now(line);
        html! {
            @if let Some((before, now)) = before.zip(now) {
                @if now < before { span.up title={ "up " (before - now) " since " (since) } { "▲" (before - now) } }
                @if now > before { span.down title={ "down " (now - before) " since " (since) } { "▼" (now - before) } }
            }
        }
    }

    /// Returns the place that an arrow compares: among the bots that have an earlier place, too.
    fn place_now(&self, line: &Line<'_>) -> Option<u64> {
        let (places, _) = &self.earlier;
        let is_known = |name: &str| places.iter().any(|(known, _)| known == name);
        if !is_known(&line.row.bot) {
            return None;
        }
        let better =
            self.lines.iter().filter(|other| other.row.place < line.row.place && is_known(&other.row.bot));
        Some(better.count() as u64 + 1)
    }

    fn spark(&self, line: &Line<'_>) -> Markup {
        let rounds = || self.season.looks.iter().zip(&line.course);
        let first = rounds().find_map(|((round, _), place)| Some((*round, (*place)?)));
        let last = rounds().rev().find_map(|((round, _), place)| Some((*round, (*place)?)));
        let step = line.course.len().div_ceil(TIMES / 2).max(1);
        let mut some: Vec<Option<usize>> = line.course.iter().rev().step_by(step).copied().collect();
        some.reverse();
        html! { @if let Some(((from, before), (to, now))) = first.zip(last).filter(|(first, last)| first.0 < last.0) {
            @let words = format!("place {before} after round {from}, {now} after round {to}");
            (ranks::spark(&some, self.lines.len(), line.mark, &words))
        } }
    }

    /// Says how the table is to be read.
    pub fn legend(&self) -> Markup {
        let (places, since) = &self.earlier;
        let measured = match self.scale.0 {
            Measure::Points(_) => "a bot's mean points of a game",
            Measure::Wins => "the part of its games that a bot has won",
            Measure::Shares => "a bot's mean share of its games",
        };
        html! {
            details { summary { "How to read it" }
                p.small { (self.season.legend) }
                p.small {
                    "A dot is " (measured) @if self.has_bounds() { ", its line the confidence interval; a line without an end goes on beyond the axis" }
                    ". The grey line across is the leader's mean"
                    @if self.has_likely() {
                        "; a bot with two black ticks there is not proven to be behind the leader. Likely places: those that it has in "
                        "80 % of resamplings of the rounds"
                    }
                    @if self.has_last() {
                        ". Last places: those in its last " (LAST) " games, the latest at the right: with a strong frame where it "
                        "won, with a dashed one where it was last"
                    }
                    "."
                    @if !places.is_empty() { " Arrows show the change of place since " (since) "." }
                }
            }
        }
    }

    /// Shows how the season before has ended, beside one that has just begun.
    pub fn before(&self) -> Markup {
        let past = self.view.contest.past.last().filter(|_| self.season.rounds < ROUNDS_LEAST);
        html! { @if let Some(past) = past {
            section {
                h2 { "Season " (self.season.number) " has just begun" }
                p { "Season " (past.number) " ended after " (count(past.rounds.into(), "round")) ":" }
                ol.ended { @for bot in past.bots.iter().take(SHOWN) {
                    li value=(bot.place) { span.name { (self.view.contest.mark(&bot.name).icon()) " "
                        span { (self.linked(&bot.name)) " " (self.scale.text(bot.mean_share)) } } }
                } }
            }
        } }
    }
}

/// Says how far a season is: of a hill, since when its bots are those that they are.
pub fn heading(contest: &ContestSummary, season: &SeasonSummary) -> String {
    let SeasonSummary { number, so_far, .. } = season;
    let Some(why) = change(contest, season) else { return so_far.clone() };
    let far = so_far.strip_prefix(&format!("Season {number}, ")).unwrap_or(so_far);
    format!("{far} since {why} (season {number})")
}

/// Says what has begun a season: who came, whose new version, or who left.
fn change(contest: &ContestSummary, season: &SeasonSummary) -> Option<String> {
    let past = &contest.past.last()?.bots;
    let now: Vec<(&str, u32)> =
        season.bots.iter().map(String::as_str).zip(season.versions.iter().copied()).collect();
    let is_new = |name: &&str| past.iter().all(|bot| bot.name != *name);
    let has_changed = |name: &str, version| past.iter().all(|bot| bot.name != name || bot.version != version);
    let came: Vec<&str> = now.iter().map(|(name, _)| *name).filter(is_new).collect();
    let changed: Vec<&str> =
        now.iter().filter(|(name, version)| has_changed(name, *version)).map(|(name, _)| *name).collect();
    let is_gone = |name: &&str| now.iter().all(|(bot, _)| bot != name);
    let left: Vec<&str> = past.iter().map(|bot| &*bot.name).filter(is_gone).collect();
    let (names, what) = match (&came[..], &changed[..], &left[..]) {
        ([], [], []) => return None,
        ([], [], left) => (left, "left"),
        ([], changed, _) => (changed, "changed"),
        (came, ..) => (came, "came"),
    };
    Some(match names {
        [name] => format!("{} {what}", plain(name)),
        [name, other] => format!("{} and {} {what}", plain(name), plain(other)),
        many => format!("{} bots {what}", many.len()),
    })
}

/// Returns bounds of a share as people read them.
fn value_of(measure: Measure, bounds: Option<(f64, f64)>) -> Option<(f64, f64)> {
    bounds.map(|(low, high)| (measure.value(low), measure.value(high)))
}

/// Writes a number of wins; one that is shared counts as a part.
fn wins(wins: f64) -> String {
    let text = format!("{wins:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Writes a range of places as `1-3`, or as `2`.
fn range((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Returns earlier places of the bots, by name, and when they had them.
fn earlier(
    view: View<'_>,
    season: &SeasonSummary,
    looks: &[Vec<Option<usize>>],
) -> (Vec<(String, usize)>, String) {
    if let Some(past) = view.contest.past.last().filter(|_| season.rounds < ROUNDS_LEAST) {
        let places = past.bots.iter().map(|bot| (bot.name.clone(), bot.place)).collect();
        return (places, format!("season {}", past.number));
    }
    let then = season.rounds - season.rounds.div_ceil(10).min(season.rounds);
    let Some(at) = season.looks.iter().rposition(|(round, _)| *round <= then) else {
        return Default::default();
    };
    let places = season.bots.iter().zip(&looks[at]).filter_map(|(bot, place)| Some((bot.clone(), (*place)?)));
    (places.collect(), format!("round {}", season.looks[at].0))
}

/// Tells whether a verdict has decided that a bot is the first.
fn names(verdict: &Value, name: &str) -> bool {
    let is_named = |row: &Value| row["bot"] == name;
    let all = |column: &str| verdict[column].as_array().cloned().unwrap_or_default();
    match verdict["verdict"].as_str() {
        Some("clear_king") => all("kings").iter().any(is_named),
        Some("ranked") => all("ranking").iter().any(|row| row["place"] == 1 && is_named(row)),
        _ => false,
    }
}

/// A sentence in a line that is not HTML.
pub fn in_words(sentence: &Sentence) -> String {
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
            // Who came is told before whose new version, and that before who left.
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
