//! The section of a chapter on the page.

use maud::{Markup, html};

use crate::Logs;
use crate::chapter::{Chapter, Figure};
use crate::line::Names;
use crate::page::board::{self, Board};
use crate::page::figure::figure;
use crate::page::table;
use crate::parts::{long, said};
use crate::plots::Colour;
use crate::plots::grid::{LESS_TO_MORE, NONE_TO_MANY};
use referee_statistics::company;
use referee_statistics::fairness::SUSPICIOUS;
use referee_statistics::season::Surety;
use referee_tables::contests as tables;

/// Maximum number of bots for which the page has a table of pairs. The files always have it.
const BOTS_IN_PAIRS: usize = 8;

/// Maximum number of bots for which the page has the plot of pairs, a cell for each. There is a file of it for any number.
const BOTS_IN_GRID: usize = 60;

/// A section that is being written.
pub(super) struct Section<'a> {
    pub(super) chapter: &'a Chapter,
    /// From 1.
    pub(super) number: usize,
    /// Whether there are other chapters.
    pub(super) several: bool,
    pub(super) logs: Logs,
    pub(super) names: &'a Names,
    /// The mean shares of all bots over the rounds.
    pub(super) rounds: Option<&'a Figure>,
    /// The files of its plots.
    pub(super) plots: &'a mut Vec<(String, String)>,
}

/// Returns the id of a part of the page, for links.
pub(super) fn anchor(number: usize, what: &str) -> String {
    if what.is_empty() { format!("part-{number}") } else { format!("part-{number}-{what}") }
}

impl Section<'_> {
    pub(super) fn page(mut self) -> Markup {
        let chapter = self.chapter;
        let id = anchor(self.number, "");
        html! {
            section aria-labelledby=(id) {
                h2 id=(id) { (long(&chapter.name)) }
                @let places = chapter.places();
                (board::podium(chapter, self.names))
                @if let Some(places) = &places { p.lead { (said(self.names, places)) } }
                // In a cup the places show the leader.
                @if places.is_none() || chapter.cup.is_none() { p.lead { (said(self.names, &chapter.lead())) } }
                @for note in &chapter.notes { p.note { (long(note)) } }
                @if self.several { p.small { (long(&chapter.parameters)) } }
                (self.standings())
                (self.cup())
                (self.company())
                (self.thinking())
                (self.faults())
                (self.seats())
            }
        }
    }

    fn heading(&self, what: &str, heading: &str) -> Markup {
        html! { h3 id=(anchor(self.number, what)) { (heading) } }
    }

    fn show(&mut self, what: &str, drawn: &Figure, caption: &Markup) -> Markup {
        let svg = format!("{}plots/{what}.svg", self.chapter.folder);
        let csv = format!("{}{what}.csv", self.chapter.folder);
        self.plots.push((svg.clone(), drawn.plot.document()));
        let is_shown = what != "pairs" || self.chapter.bots().len() <= BOTS_IN_GRID;
        figure(drawn, is_shown, caption, &svg, &csv)
    }

    /// The places beside the course of the season; the numbers a click away.
    fn standings(&mut self) -> Markup {
        let (surety, rank_by) = (self.chapter.account.surety(), self.chapter.account.race.rule().rank_by);
        let places = html! {
            (self.heading("standings", "Standings"))
            @if let Some(board) = Board::new(self.chapter, self.names) { (board.all()) }
            p.small {
                "The dot is a bot's mean share: "
                (rank_by.meaning().unwrap_or("its score as a part of the highest possible one"))
                ", averaged over its games. "
                @if self.chapter.cup.is_some() { "In this format the matches decide the places, not the mean share. " }
                @match surety {
                    Surety::Always => "The line is its 95 % confidence interval. All intervals are valid together, however often you look.",
                    Surety::Once => "The line is its 95 % confidence interval, after the last game.",
                    Surety::None => "This format does not allow confidence intervals.",
                }
            }
        };
        let rounds = self.rounds();
        html! {
            div.halves { div { (places) } @if let Some(rounds) = rounds { div { (rounds) } } }
            details { summary { "All columns, and a plot" }
                (table("Standings, best first", &self.chapter.standings.sheet(), Some(self.names)))
                @if self.chapter.is_final.is_none() { p.small { (tables::legend(&self.chapter.account)) } }
                @if let Some(means) = self.chapter.means() {
                    (self.show("standings", &means, &html! { "Mean shares, with their confidence intervals." }))
                }
            }
        }
    }

    fn cup(&self) -> Markup {
        let Some((bracket, matches)) = &self.chapter.cup else { return html! {} };
        html! {
            (self.heading("matches", "Matches"))
            @if let Some(bracket) = bracket {
                p.small { "Winners are bold and go on to the right. Beside a name is the sum of its shares in the match. "
                    "A match that is level after all its games goes to the better seed, which is marked so." }
                div.scroll tabindex="0" role="group" aria-label="The bracket" { (bracket) }
            }
            @let all = table("Matches in the order of the schedule", matches, Some(self.names));
            @if bracket.is_some() { details { summary { "The matches as a table" } (all) } } @else { (all) }
        }
    }

    /// The mean shares over the rounds, of all bots in one plot. Each has one of its own on its page.
    fn rounds(&mut self) -> Option<Markup> {
        let all = self.rounds?;
        Some(html! {
            (self.heading("rounds", "Over the rounds"))
            (self.show("rounds", all, &html! {
                "Mean share of all games up to a round. The first six of the standings have a colour; the others are grey."
            }))
        })
    }

    /// A part that is opened by a click on its heading. A sentence beside it says what is most important.
    fn part(&self, what: &str, (heading, said): (&str, &str), part: &Markup) -> Markup {
        html! {
            details.part {
                summary { h3 id=(anchor(self.number, what)) { (heading) } " " span { (long(said)) } }
                (part)
            }
        }
    }

    fn company(&mut self) -> Markup {
        let Some(company) = self.chapter.company() else { return html! {} };
        let bots = self.chapter.bots().len();
        let part = html! {
            (self.show("pairs", &company, &html! {
                "A row for each bot, a column for each opponent. The colour is the bot's mean share in games with that opponent, minus its mean share in all games: "
                "from " (legend(&LESS_TO_MORE, ["less", "", "", "to", "", "", "more."]))
                " Grey: chance explains the difference. A colour survives Holm's correction for the number of cells: "
                "in at most " (company::ALPHA * 100.0) " % of contests between equal bots, any cell has one."
            }))
            @if bots <= BOTS_IN_PAIRS {
                details { summary { "As a table" } (table("How often the bot of a row finished before the bot of a column: the part of their games, ties half", &tables::matrix_of(&self.chapter.account), Some(self.names))) }
            }
        };
        self.part("pairs", ("Against each opponent", &company.words), &part)
    }

    fn thinking(&mut self) -> Markup {
        let Some(thinking) = self.chapter.thinking() else { return html! {} };
        let seen = &self.chapter.seen;
        let (of_turns, read, missing, games) =
            (seen.knows_turns(), seen.logs_read, seen.logs_missing, seen.games);
        let asked = self.logs == Logs::Read;
        let limit = format!("{} ms", self.chapter.time.turn_limit.as_secs_f64() * 1000.0);
        let first = format!("{} ms", self.chapter.time.first_limit.as_secs_f64() * 1000.0);
        let bank = self.chapter.time.bank.map(|bank| format!("{} s", bank.as_secs_f64()));
        let longest = self.chapter.labels().into_iter().enumerate();
        let longest = longest.filter_map(|(bot, label)| Some((seen.spread(bot)?.max, label)));
        let longest = longest.max_by_key(|(us, _)| *us).map_or(String::new(), |(us, label)| {
            format!("The longest turn: {} ms, by {label}. The limit: {limit}.", us as f64 / 1000.0)
        });
        let part = html! {
            (self.show("thinking", &thinking, &html! {
                @if of_turns { "All turns: the dot is the median, the thick bar covers half of them, the thin one 98 %. " }
                @else { "The 99 % quantile of each game: the dot is the median, the thick bar covers half of them, the thin one nearly all. " }
                "The ring is the longest turn. The vertical line is the limit of a turn, " (limit)
                "; that of the first answer of a game is " (first)
                @if let Some(bank) = &bank { ", and that of all answers of a game together is " (bank) }
                "."
            }))
            p.small {
                @if of_turns { "Made from the logs of " (read) " of " (games) " games." @if missing > 0 { " The other logs are missing." } }
                @else if asked { "Made from the results alone, because the logs are missing." }
                @else { "Made from the results alone, as --no-logs asks." }
            }
            (table("Thinking times, in milliseconds", &self.chapter.seen.thinking(), Some(self.names)))
        };
        self.part("thinking", ("Thinking times", &longest), &part)
    }

    fn faults(&mut self) -> Markup {
        let Some(faults) = self.chapter.faults() else {
            return html! {
                div.part { h3 id=(anchor(self.number, "faults")) { "Faults" } " " span { "None in " (self.chapter.seen.games) " games." } }
            };
        };
        let of_bots = self.chapter.labels().into_iter().enumerate();
        let of_bots: Vec<(u64, String)> =
            of_bots.map(|(bot, label)| (self.chapter.seen.faults_of(bot), label)).collect();
        let all: u64 = of_bots.iter().map(|(faults, _)| faults).sum();
        // The first of equal ones.
        let most = of_bots.iter().rev().max_by_key(|(faults, _)| *faults);
        let said = most.map_or(String::new(), |(most, label)| {
            format!("{all} in {} games, {most} of them by {label}.", self.chapter.seen.games)
        });
        let part = html! {
            (self.show("faults", &faults, &html! {
                "Mean number of faults in a game, by bot and round: "
                (legend(&NONE_TO_MANY, ["none", "to 0.1", "to 1", "to 10", "more."]))
            }))
            p { "The table of the standings lists them by kind." }
        };
        self.part("faults", ("Faults", &said), &part)
    }

    fn seats(&mut self) -> Markup {
        let Some(seats) = self.chapter.seats() else { return html! {} };
        let fairness = &self.chapter.account.fairness;
        let findings = fairness.findings();
        let part = html! {
            (self.show("seats", &seats, &html! { "A dot for the mean share of each seat. Every bot sits in all of them." }))
            (table("Results of each seat", &tables::seats_of(&self.chapter.account), None))
            (table("Tests of fairness", &tables::findings_of(&findings), None))
            p.small { "A p-value is the probability of at least this much unevenness in a fair contest; below " (SUSPICIOUS) " it counts as suspicious." }
            details { summary { "How often each bot played, sat in a seat and met another" }
                (table("Games, blocks and meetings of each bot", &tables::bots_of(&self.chapter.account), Some(self.names))) }
        };
        self.part("seats", ("Seats and fairness", &tables::summary(&findings)), &part)
    }
}

/// The meaning of colours: a word for each, or only for some.
fn legend<const COUNT: usize>(colours: &[Colour; COUNT], words: [&str; COUNT]) -> Markup {
    html! {
        span.legend {
            @for (colour, word) in colours.iter().zip(words) {
                svg viewBox="0 0 10 10" aria-hidden="true" { rect width="10" height="10" fill=(colour) {} }
                @if !word.is_empty() { " " (word) " " }
            }
        }
    }
}
