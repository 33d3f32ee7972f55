//! The first page of a hill: who leads, whether that is settled, and what has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use referee_drawing::interval::{Axis, Drawn};
use referee_drawing::mark::Mark;
use referee_drawing::ranks::{self, Places, Times};
use referee_record::text::{apart, count};
use referee_report::parts::{said, time};
use referee_statistics::company;
use referee_tables::lead::digits;
use referee_tables::standing::{PairRow, StandingRow};
use serde_json::Value;

use crate::access::Asked;
use crate::api::known;
use crate::index::Filter;
use crate::layout::{self, Whole};
use crate::pages::{HTML, in_words, linked, named, plain, table};
use crate::refusal::Refusal;
use crate::site::Served;
use crate::snapshot::{CupSeen, SeasonPast, SeasonSeen, Snapshot};

/// Number of bots in the table of who finishes before whom that fit half of a wide page.
const HALF_MAX: usize = 8;

/// Number of last results that a row shows.
const LAST: usize = 5;

/// Maximum number of rows for which they are read: the page is made while others wait for it.
const LAST_ROWS: usize = 100;

/// Number of games of a round that are looked at.
const GAMES_OF_ROUND: usize = 10_000;

/// Number of bots in the chart, in the matrix, and in the list of an earlier season.
const SHOWN: usize = 12;

/// The last place in the chart.
const PLACES: usize = 20;

/// Number of rounds from which on a season speaks for itself, and of earlier seasons in the chart.
const ROUNDS_LEAST: u32 = 10;
const SEASONS: usize = 6;

/// Maximum number of times of a season in the chart.
const TIMES: usize = 60;

pub(crate) async fn page(asked: Asked, headers: HeaderMap) -> Result<Response, Refusal> {
    let served = &asked.served;
    let (snapshot, rounds) = (known(served)?, served.rounds.borrow().clone());
    let (until, message) =
        (served.steer.until().filter(|_| served.is_hill), served.steer.now.borrow().message.clone());
    let stamp = format!("{} {rounds} {until:?} {message}", snapshot.number);
    let address = format!("/{}", served.name);
    let make = || Ok::<_, Infallible>(made(served, &snapshot, &rounds, until.as_deref(), &message).0.into());
    let Ok(kept) = asked.site.shelf.get(&address, &stamp, HTML, make);
    Ok(kept.answer(&headers))
}

/// Returns the page. `rounds` is the state of the rounds that this server plays, or empty; `until` the end of
/// submissions.
fn made(served: &Served, snapshot: &Snapshot, rounds: &str, until: Option<&str>, message: &str) -> Whole {
    let board = snapshot.season.as_ref().map(|season| Board::of(served, snapshot, season));
    let body = html! {
        @if !message.is_empty() { p.message role="note" { (message) } }
        @match &board {
            Some(board) => {
                section {
                    h2 { (board.season.so_far) }
                    (board.summary())
                    @if let Some(until) = until { (deadline(until)) }
                }
                section.wide {
                    h2 { "Standings" }
                    (board.table())
                    (board.legend())
                }
                @if snapshot.sets.is_empty() { @for cup in &snapshot.cups { (matches(served, cup)) } }
                (board.course())
                @if board.season.rounds < ROUNDS_LEAST && let Some(past) = snapshot.past.last() { (board.before(past)) }
                (board.matrix())
                @for (number, (name, set)) in snapshot.sets.iter().enumerate() {
                    (of_set(served, snapshot, (name, set), number))
                }
            }
            None => section {
                h2 { "No game has been played yet" }
                p.lead { (count(snapshot.field.len() as u64, "bot")) " so far. "
                    @if served.is_hill { a href={ "/" (served.name) "/submit" } { "Submit one" } "." } }
                p { "The host starts the games. On the host's machine: " code { "referee " (served.kind()) " run " (served.name) } }
                @if let Some(until) = until { (deadline(until)) }
            },
        }
        section {
            details open[board.is_none()] {
                summary { (if served.is_hill { "On the hill now: " } else { "Its field: " }) (count(snapshot.field.len() as u64, "bot")) }
                ul { @for event in &snapshot.field {
                    li { (snapshot.mark(&event.bot.name).icon()) " " (linked(served, &event.bot.name)) " version " (event.bot.version)
                        @if !event.bot.author.is_empty() { " by " (named(&event.bot.author)) } @if let Some(date) = &event.date { ", since " (time(date)) } }
                } }
            }
            details { summary { "Settings of the games" } p { (served.parameters) } }
        }
        @if !rounds.is_empty() { p.small { (rounds) } }
        @if board.is_some() { (downloads(served)) }
    };
    let about = board.as_ref().map_or(String::new(), Board::in_short);
    // The index can be ahead of the snapshot: then the picture is that of a later game.
    let last = served.followed.index().find(&Filter::default(), 1).unwrap_or_default();
    let game = last.first().map_or("", |(_, game)| &*game.id);
    layout::first_page(served, snapshot.number, &about, game, &body)
}

/// The standings of a sub-tournament, and who finishes before whom in it.
fn of_set(served: &Served, snapshot: &Snapshot, (name, set): (&str, &SeasonSeen), number: usize) -> Markup {
    let board = Board::of(served, snapshot, set);
    html! {
        section.wide {
            h2 { "Sub-tournament " (number + 1) @if !name.is_empty() { ": " (name) } }
            (board.table())
            p.small { (set.legend) }
        }
        @if let Some(cup) = snapshot.cups.get(number) { (matches(served, cup)) }
        (board.matrix())
    }
}

/// The matches of a cup, and the bracket of a knockout.
fn matches(served: &Served, cup: &CupSeen) -> Markup {
    let all = table(served, "Matches, in their order", &cup.matches.for_people(), None);
    html! {
        section.wide {
            h2 { "Matches" }
            @if let Some(bracket) = &cup.bracket {
                div.scroll tabindex="0" role="group" aria-label="The bracket" { (bracket) }
                details { summary { "As a table" } (all) }
            } @else { (all) }
        }
    }
}

/// Says when submissions end. A script counts down.
fn deadline(until: &str) -> Markup {
    html! { p { "Submissions end " span.until { (time(until)) } "." } }
}

/// The standings of a season, ready to be drawn.
struct Board<'a> {
    served: &'a Served,
    snapshot: &'a Snapshot,
    season: &'a SeasonSeen,
    lines: Vec<Line<'a>>,
    axis: Axis,
    /// The number of digits that all results have.
    digits: usize,
    /// The places to which arrows compare, by name, and what they are.
    earlier: (Vec<(String, usize)>, String),
}

/// Returns the number of digits behind the point that the results of a season have.
pub(crate) fn digits_of(season: &SeasonSeen) -> usize {
    let errors = season.standings.rows.iter().filter_map(|row| row.mean_error);
    let error = errors.fold(0.0, f64::max);
    if error > 0.0 { digits(error) } else { 3 }
}

/// A row of the standings, and what the page says of its bot besides.
struct Line<'a> {
    row: &'a StandingRow,
    author: &'a str,
    mark: Mark,
    is_new: bool,
    /// Its places in its last games, the latest last, each with the number of bots.
    last: Vec<(u32, usize)>,
    /// Its places so far in the season.
    course: Vec<Option<usize>>,
}

impl<'a> Board<'a> {
    fn of(served: &'a Served, snapshot: &'a Snapshot, season: &'a SeasonSeen) -> Board<'a> {
        let looks: Vec<Vec<Option<usize>>> =
            season.looks.iter().map(|(_, means)| ranks::places_of(means)).collect();
        let line = |(number, row): (usize, &'a StandingRow)| {
            let at = season.bots.iter().rposition(|bot| *bot == row.bot);
            let last_season = snapshot.past.last();
            Line {
                row,
                author: snapshot.authors.get(&row.bot).map_or("", |author| author),
                mark: snapshot.mark(&row.bot),
                is_new: last_season.is_some_and(|past| past.bots.iter().all(|bot| bot.name != row.bot)),
                last: if number < LAST_ROWS { last(served, &row.bot) } else { Vec::new() },
                course: looks.iter().map(|places| places[at?]).collect(),
            }
        };
        let rows = &season.standings.rows;
        let lines: Vec<Line<'_>> = rows.iter().enumerate().map(line).collect();
        let means: Vec<f64> = rows.iter().map(|row| row.mean_share).collect();
        let axis = Axis::new(
            &means,
            rows.iter().filter_map(StandingRow::bounds),
            means.first().copied().unwrap_or_default(),
        );
        let digits = digits_of(season);
        let earlier = earlier(snapshot, season, &looks);
        Board { served, snapshot, season, lines, axis, digits, earlier }
    }

    /// Writes a result, to the digits that its error allows.
    fn result(&self, share: f64) -> String {
        format!("{share:.*}", self.digits)
    }

    /// Says who leads in one sentence, for previews of a link, unless the host's own text is there for that.
    fn in_short(&self) -> String {
        let lead = self.season.lead.as_ref().filter(|_| self.served.text.trim().is_empty());
        lead.map_or(String::new(), |lead| in_words(&lead.sentence()))
    }

    /// Says who leads, and how sure that is.
    fn summary(&self) -> Markup {
        let season = self.season;
        let leader = self.lines.first();
        let is_settled = leader
            .is_some_and(|leader| season.verdicts.iter().any(|row| names(&row.verdict, &leader.row.bot)));
        html! {
            @if let Some(lead) = &season.lead { p.lead { (said(self.served, &lead.sentence())) } }
            @for sentence in &season.told { p { (apart(sentence)) } }
            @if let Some(leader) = leader.filter(|_| season.lead.as_ref().is_some_and(|lead| lead.first.len() == 1)) {
                div.leader {
                    p.called { (leader.mark.icon()) " " (linked(self.served, &leader.row.bot))
                        @if !leader.author.is_empty() { " by " (named(leader.author)) } }
                    p { b { (self.result(leader.row.mean_share)) } span { (self.axis.head()) (self.drawn(leader)) } }
                    p.small {
                        (self.since(&leader.row.bot))
                        @let is_clear = season.lead.as_ref().is_some_and(|lead| lead.open.as_ref().is_some_and(Vec::is_empty));
                        @if is_settled { "Settled by the verdict." }
                        @else if is_clear && self.served.is_hill { "Clearly ahead by the ranks; no verdict yet." }
                        @else if is_clear { "Clearly ahead by the ranks." }
                        @else if self.served.is_hill { "Not settled yet." }
                    }
                }
            }
            @let waiting = self.waiting();
            @if !waiting.is_empty() {
                p { "New, and not in these standings yet: "
                    @for (number, (name, version)) in waiting.iter().enumerate() {
                        @if number > 0 { ", " } (self.snapshot.mark(name).icon()) " " (linked(self.served, name))
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
        let earlier =
            self.snapshot.past.iter().rev().take_while(led).last().filter(|_| round.is_none() && always);
        let then = round.and_then(|round| began(self.served, season.number, round));
        html! {
            @match (round, earlier) {
                (Some(round), _) => { "First since round " (round) @if let Some(then) = then { " (" (time(&then)) ")" } ". " }
                (None, Some(past)) => { "First since season " (past.number) ". " }
                (None, None) => {}
            }
        }
    }

    /// Says of a bot that plays no more why: it was retired, or another version has taken its place.
    fn gone(&self, name: &str) -> &'static str {
        match self.snapshot.field.iter().any(|event| event.bot.name == name) {
            true => " (a new version waits)",
            false => " (retired)",
        }
    }

    /// Lists the bots of the field that the standings do not have, each with its version.
    fn waiting(&self) -> Vec<(&str, u32)> {
        // The field of a tournament does not change.
        let field = self.snapshot.field.iter().filter(|_| self.served.is_hill);
        let field = field.map(|event| (&*event.bot.name, event.bot.version));
        let is_listed = |(name, version): &(&str, u32)| {
            self.lines.iter().any(|line| line.row.bot == *name && line.row.version == Some(*version))
        };
        field.filter(|bot| !is_listed(bot)).collect()
    }

    fn drawn(&self, line: &Line<'_>) -> Markup {
        let open = self.season.lead.as_ref().and_then(|lead| lead.open.as_ref());
        let is_open = open.is_some_and(|open| open.contains(&line.row.bot));
        let mut words = format!("{} {}", plain(&line.row.bot), self.result(line.row.mean_share));
        if let Some((low, high)) = line.row.bounds() {
            words += &format!(", between {} and {}", self.result(low), self.result(high));
        }
        if is_open {
            words += ", not clearly behind the first";
        }
        self.axis.row(
            Drawn { mean: line.row.mean_share, bounds: line.row.bounds(), is_open, mark: line.mark },
            &words,
        )
    }

    fn has_ranks(&self) -> bool {
        self.lines.iter().any(|line| line.row.ranks().is_some())
    }

    fn has_bounds(&self) -> bool {
        self.served.is_hill || self.lines.iter().any(|line| line.row.bounds().is_some())
    }

    fn table(&self) -> Markup {
        let (has_ranks, has_bounds) = (self.has_ranks(), self.has_bounds());
        let has_points = self.lines.iter().any(|line| line.row.points.is_some());
        let has_course = self.served.is_hill || !self.season.looks.is_empty();
        let caption = "Standings, best first";
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.board {
                    caption { (caption) }
                    thead { tr {
                        th scope="col" .n { "place" }
                        th scope="col" { "bot" }
                        @if has_points { th scope="col" .n { "points" } }
                        th scope="col" .n { "mean share" }
                        th scope="col" { @if has_bounds { "with its interval" } (self.axis.head()) }
                        @if has_ranks { th.more scope="col" .n { "places it may have" } }
                        @if has_course { th.more scope="col" { "course" } }
                        th.more scope="col" { "last places" }
                        th.more scope="col" .n { "games" }
                    } }
                    tbody { @for line in &self.lines { tr {
                        td.n.place { (line.row.place) " " (self.arrow(line)) }
                        th scope="row" {
                            span.name { (line.mark.icon()) " " span {
                                (linked(self.served, &line.row.bot))
                                @if line.is_new { " " span.new { "new" } }
                                @if line.row.retired == Some(true) { (self.gone(&line.row.bot)) }
                            } }
                            @if !line.author.is_empty() { small.by { (named(line.author)) } }
                        }
                        @if has_points { td.n { (line.row.points.map_or(String::new(), |points| points.to_string())) } }
                        td.n.result { (self.result(line.row.mean_share)) }
                        td { (self.drawn(line)) }
                        @if has_ranks { td.more.n { (line.row.ranks().map(range).unwrap_or_default()) } }
                        @if has_course { td.more { (self.spark(line)) } }
                        td.more.last { @for (number, (place, of)) in line.last.iter().enumerate() {
                            @if number > 0 { " " }
                            span .won[*place == 1] .lost[*place > 1 && *place as usize == *of] { (place) }
                        } }
                        td.more.n { (line.row.games) }
                    } } }
                }
            }
            details { summary { "All numbers" }
                (table(self.served, "All numbers of the standings", &self.season.standings.sheet().in_full(), None))
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
        is_known(&line.row.bot).then_some(())?;
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
    fn legend(&self) -> Markup {
        let (places, since) = &self.earlier;
        html! {
            p.small { (self.season.legend) }
            p.small {
                "A dot is a bot's mean share" @if self.has_bounds() { ", its line the confidence interval" }
                ". The grey line is the leader's mean"
                @if self.has_ranks() {
                    "; a bot with two ticks there is not clearly behind the leader. Places that it may have: 1 and the bots "
                    "that are clearly ahead of it, to the number of all without those that are clearly behind"
                }
                ". Last places: those in its last " (LAST) " games, the latest at the right: with a strong frame where it won, with a dashed one where it was last."
                @if !places.is_empty() { " Arrows show the change of place since " (since) "." }
            }
        }
    }

    /// Draws the places over the seasons and the rounds.
    fn course(&self) -> Markup {
        let names: Vec<&str> = self.lines.iter().take(SHOWN).map(|line| &*line.row.bot).collect();
        let chart = course(self.snapshot, &names, PLACES);
        // The section is there from the first round on: what follows stays where a reader has it.
        // Where matches decide, there are no looks.
        let has_looks = self.served.is_hill || !self.season.looks.is_empty();
        html! { @if has_looks { section.course {
                h2 { "Places over time" }
                @if let Some(chart) = chart {
                    (chart)
                    p.small { @if self.served.is_hill {
                            "Places by the mean share in each season's games up to a round"
                            @if self.season.carried { ", in this season with those earlier games that its standings count" }
                            "; a season begins when the field changes."
                        } @else { "Places by the mean share in the games up to a round." }
                        @if self.lines.len() > SHOWN {
                            " It has the first " (SHOWN) " bots of the standings; places beyond " (PLACES) " are drawn there."
                        }
                    }
                } @else { p { "They are drawn from the second round on." } }
        } } }
    }

    /// Shows how the season before has ended, beside one that has just begun.
    fn before(&self, past: &SeasonPast) -> Markup {
        html! {
            section {
                h2 { "Season " (self.season.number) " has just begun" }
                p { "Season " (past.number) " ended after " (count(past.rounds.into(), "round")) ":" }
                ol.ended { @for bot in past.bots.iter().take(SHOWN) {
                    li value=(bot.place) { span.name { (self.snapshot.mark(&bot.name).icon()) " "
                        span { (linked(self.served, &bot.name)) " " (self.result(bot.mean_share)) } } }
                } }
            }
        }
    }

    /// Says who finishes before whom.
    fn matrix(&self) -> Markup {
        let (pairs, lines) = (&self.season.pairs, &self.lines[..self.lines.len().min(SHOWN)]);
        let part =
            |pair: &'a PairRow| ((&*pair.bot.name, &*pair.company.name), (pair.before, pair.games as f64));
        let parts: BTreeMap<(&str, &str), (f64, f64)> = pairs.iter().map(part).collect();
        if lines.len() < 2 || parts.is_empty() {
            return html! {};
        }
        let cells = || {
            let pairs =
                lines.iter().flat_map(|line| lines.iter().map(|other| (&*line.row.bot, &*other.row.bot)));
            pairs.filter_map(|pair| Some((pair, *parts.get(&pair)?)))
        };
        let is_sure = company::uneven(&cells().map(|(_, part)| part).collect::<Vec<_>>());
        let sure: BTreeSet<(&str, &str)> =
            cells().zip(is_sure).filter(|(_, is_sure)| *is_sure).map(|((pair, _), _)| pair).collect();
        let caption =
            "How often the bot of a row finished before the bot of a column, in percent of their games";
        html! {
            section.wide[lines.len() > HALF_MAX] {
                h2 { "Who finishes before whom" }
                div.scroll tabindex="0" role="group" aria-label=(caption) { table.matrix {
                    caption { (caption) }
                    thead { tr { th scope="col" { "bot" } @for line in lines {
                        th scope="col" .n { abbr title=(line.row.bot) { (line.mark.icon()) " " (line.row.place) } }
                    } } }
                    tbody { @for line in lines { tr {
                        th scope="row" { span.name { (line.row.place) " " (line.mark.icon()) " " span { (linked(self.served, &line.row.bot)) } } }
                        @for other in lines {
                            @match parts.get(&(&*line.row.bot, &*other.row.bot)) {
                                Some((part, _)) => { td.n class=(shade(*part, sure.contains(&(&*line.row.bot, &*other.row.bot)))) { (format!("{:.0}", part * 100.0)) } }
                                None => { td.n { @if line.row.bot != other.row.bot { "-" } } }
                            }
                        }
                    } } }
                } }
                p.small { "The same place counts half. A cell has a colour if its difference from 50 survives Holm's correction for the number of cells."
                    @if self.lines.len() > lines.len() { " The first " (SHOWN) " bots are shown." } }
            }
        }
    }
}

/// Returns the class of a cell: how far a part of games is from a half, if that is sure.
fn shade(part: f64, is_sure: bool) -> &'static str {
    match part - 0.5 {
        _ if !is_sure => "even",
        away if away > 0.25 => "most",
        away if away > 0.0 => "more",
        away if away < -0.25 => "least",
        _ => "less",
    }
}

/// Draws the places of some bots over the last seasons and their rounds, with all places beyond `most` drawn there.
/// `None` if there is one time only.
pub(crate) fn course(snapshot: &Snapshot, names: &[&str], most: usize) -> Option<Markup> {
    let past: Vec<_> = snapshot.past.iter().rev().take(SEASONS).rev().collect();
    let season = snapshot.season.as_ref();
    let all = season.map(|season| &*season.looks).unwrap_or_default();
    let mut looks: Vec<_> = all.iter().rev().step_by(all.len().div_ceil(TIMES).max(1)).collect();
    looks.reverse();
    let count = past.iter().map(|past| past.course.len()).sum::<usize>() + looks.len();
    if count < 2 {
        return None;
    }
    let (mut begins, mut told, mut at) = (Vec::new(), Vec::new(), 0);
    for past in &past {
        begins.push(at);
        told.push((at, format!("season {}", past.number)));
        at += past.course.len();
    }
    if let (Some(season), Some((first, _)), Some((last, _))) = (season, looks.first(), looks.last()) {
        begins.push(at);
        let begin =
            if past.is_empty() { format!("round {first}") } else { format!("season {}", season.number) };
        told.push((at, begin));
        told.extend((looks.len() > 8).then(|| (count - 1, format!("round {last}"))));
    }
    let now: Vec<Vec<Option<usize>>> = looks.iter().map(|(_, means)| ranks::places_of(means)).collect();
    let places = |name: &&str| {
        let of_past = past.iter().flat_map(|past| {
            let bot = past.bots.iter().position(|bot| bot.name == *name);
            past.course.iter().map(move |(_, places)| places[bot?].map(usize::from))
        });
        let bot = season.and_then(|season| season.bots.iter().rposition(|bot| bot == *name));
        let of_now = now.iter().map(|places| places[bot?]);
        Places {
            name: (*name).to_owned(),
            mark: snapshot.mark(name),
            places: of_past.chain(of_now).collect(),
        }
    };
    let bots: Vec<Places> = names.iter().map(places).collect();
    let last = bots.iter().flat_map(|bot| bot.places.iter().flatten()).max().copied()?;
    let words =
        bots.iter().filter_map(|bot| Some(format!("{} {}", plain(&bot.name), (*bot.places.last()?)?)));
    let words = format!("Places over time. Now: {}.", words.collect::<Vec<String>>().join(", "));
    Some(html! {
        div.plot tabindex="0" role="group" aria-label="Chart of places" {
            (ranks::chart(&bots, &Times { count, told, begins }, last.min(most), &words))
        }
    })
}

/// Writes a range of places as `1-3`, or as `2`.
fn range((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// Returns earlier places of the bots, by name, and when they had them.
fn earlier(
    snapshot: &Snapshot,
    season: &SeasonSeen,
    looks: &[Vec<Option<usize>>],
) -> (Vec<(String, usize)>, String) {
    if let Some(past) = snapshot.past.last().filter(|_| season.rounds < ROUNDS_LEAST) {
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

/// Returns the places of a bot in its last games, the latest last, each with the last place.
fn last(served: &Served, name: &str) -> Vec<(u32, usize)> {
    let filter = Filter { bot: Some(name.to_owned()), ..Filter::default() };
    let mut games = served.followed.index().find(&filter, LAST).unwrap_or_default();
    games.reverse();
    let of = |(_, game): &(usize, crate::index::Line)| {
        let best = game.seats.iter().filter(|seat| seat.bot == name).map(|seat| seat.place).min()?;
        let worst = game.seats.iter().map(|seat| seat.place).max()?;
        Some((best, worst as usize))
    };
    games.iter().filter_map(of).collect()
}

/// Returns when the first game of a round began.
fn began(served: &Served, season: u32, round: u32) -> Option<String> {
    let filter = Filter { season: Some(season), round: Some(round), ..Filter::default() };
    let found = served.followed.index().find(&filter, GAMES_OF_ROUND).ok()?;
    found.into_iter().map(|(_, game)| game.started).min()
}

/// Tells whether a verdict has decided that a bot is the first.
fn names(verdict: &Value, name: &str) -> bool {
    let of = |row: &Value| row["bot"] == name;
    let all = |column: &str| verdict[column].as_array().cloned().unwrap_or_default();
    match verdict["verdict"].as_str() {
        Some("clear_king") => all("kings").iter().any(of),
        Some("ranked") => all("ranking").iter().any(|row| row["place"] == 1 && of(row)),
        _ => false,
    }
}

fn downloads(served: &Served) -> Markup {
    let api = format!("/{}/api/v1", served.name);
    html! {
        section {
            h2 { "For auditors" }
            p { a href={ (api) "/records.tar" } { "All records" } " (results and every log), "
                a href={ (api) "/results.csv" } download="results.csv" { "results.csv" } ", "
                a href={ (api) "/standings?format=csv" } download="standings.csv" { "standings as CSV" } ". "
                "One command replays every game by the rules:" }
            pre tabindex="0" { "tar xf " (served.name) "-records.tar && referee audit " (served.name) "-records" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_tells_the_numbers_of_the_page() {
        let guide = include_str!("../../docs/guides/web.md").replace('\n', " ");
        for told in [
            format!("In the first {ROUNDS_LEAST} rounds of a season it"),
            format!("In the first {ROUNDS_LEAST} rounds of a season the page"),
            format!("covers the last {SEASONS} seasons"),
            format!("the first {SHOWN} bots"),
            "Holm's correction".to_owned(),
            format!("from {} to {}", digits(1.0), digits(1e-9)),
        ] {
            assert!(guide.replace("  ", " ").contains(&told), "{told}");
        }
    }

    #[test]
    fn a_cell_has_a_colour_if_chance_hardly_explains_it() {
        // The standard error of a half is 0.05 in 100 games, and 0.25 in 4.
        let cells: [(f64, f64, &str); 8] = [
            (0.5, 100.0, "even"),
            (0.6, 100.0, "even"),
            (0.66, 100.0, "more"),
            (0.34, 100.0, "less"),
            (0.8, 100.0, "most"),
            (0.2, 100.0, "least"),
            (1.0, 4.0, "even"),
            (1.0, 10.0, "most"),
        ];
        let is_sure = company::uneven(&cells.map(|(part, games, _)| (part, games)));
        for ((part, games, due), is_sure) in cells.into_iter().zip(is_sure) {
            assert_eq!(shade(part, is_sure), due, "{part} of {games}");
        }
    }

    #[test]
    fn a_mean_has_as_many_digits_as_its_error_allows() {
        for (error, due) in [(0.2, 2), (0.03, 2), (0.0099, 3), (0.0013, 3), (0.0009, 4), (0.000_01, 4)] {
            assert_eq!(digits(error), due, "{error}");
        }
    }
}
