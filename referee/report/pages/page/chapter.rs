//! The section of a chapter on the first page.

use maud::{Markup, html};

use crate::pages::Logs;
use crate::pages::chapter::{Chapter, Figure};
use crate::pages::line::Names;
use crate::pages::page::figure::figure;
use crate::pages::page::table;
use crate::pages::parts::long;
use crate::pages::plots::Pair;
use crate::pages::plots::grid::NONE_TO_MANY;
use crate::tables::contests as tables;
use referee_statistics::fairness::SUSPICIOUS;

/// A section that is being written.
pub(super) struct Section<'a> {
    pub(super) chapter: &'a Chapter,
    /// The number of the chapter, from 1.
    pub(super) number: usize,
    /// Whether the report has several chapters.
    pub(super) has_several: bool,
    pub(super) logs: Logs,
    pub(super) links: &'a Names,
    /// The plots of the report so far: names of files and their contents.
    pub(super) plots: &'a mut Vec<(String, String)>,
}

/// Returns the id of a part of the page, for links.
pub(super) fn anchor(number: usize, what: &str) -> String {
    if what.is_empty() { format!("part-{number}") } else { format!("part-{number}-{what}") }
}

impl Section<'_> {
    /// Returns the section as a part of the page.
    pub(super) fn render(mut self) -> Markup {
        let chapter = self.chapter;
        let id = anchor(self.number, "");
        html! {
            section.wide aria-labelledby=(id) {
                h2 id=(id) { @if self.has_several { (long(&chapter.name)) ": times, faults, seats" } @else { "Times, faults, seats" } }
                @if self.has_several { p.small { (long(&chapter.parameters)) } }
                (self.thinking())
                (self.faults())
                (self.seats())
            }
        }
    }

    /// A figure, whose plot becomes a file, too. `what` is the name of its files.
    fn figure(&mut self, what: &str, content: &Figure, caption: &Markup) -> Markup {
        let svg = format!("{}plots/{what}.svg", self.chapter.folder);
        let csv = format!("{}{what}.csv", self.chapter.folder);
        self.plots.push((svg.clone(), content.plot.document()));
        figure(content, caption, &svg, &csv)
    }

    /// A part that is opened by a click on its heading. A sentence beside the heading says what is most important.
    fn part(&self, what: &str, heading: &str, sentence: &str, part: &Markup) -> Markup {
        html! {
            details.part {
                summary { h3 id=(anchor(self.number, what)) { (heading) } " " span { (long(sentence)) } }
                (part)
            }
        }
    }

    fn thinking(&mut self) -> Markup {
        let Some(thinking) = self.chapter.thinking() else { return html! {} };
        let tally = &self.chapter.tally;
        let knows_turns = tally.knows_turns();
        let limit = format!("{} ms", self.chapter.time.turn_limit.as_secs_f64() * 1000.0);
        let first_limit = format!("{} ms", self.chapter.time.first_limit.as_secs_f64() * 1000.0);
        let bank = self.chapter.time.bank.map(|bank| format!("{} s", bank.as_secs_f64()));
        let labels = self.chapter.labels().into_iter().enumerate();
        let longest_turns = labels.filter_map(|(bot, label)| Some((tally.spread(bot)?.max, label)));
        let sentence = match longest_turns.max_by_key(|(us, _)| *us) {
            Some((us, label)) => {
                format!("The longest turn: {} ms, by {label}. The limit: {limit}.", us as f64 / 1000.0)
            }
            None => String::new(),
        };
        let part = html! {
            (self.figure("thinking", &thinking, &html! {
                @if knows_turns { "All turns: the dot is the median, the thick bar covers half of them, the thin one 98 %. " }
                @else { "The 99 % quantile of each game: the dot is the median, the thick bar covers half of them, the thin one nearly all. " }
                "The ring is the longest turn. The vertical line is the limit of a turn, " (limit)
                "; that of the first answer of a game is " (first_limit)
                @if let Some(bank) = &bank { ", and that of all answers of a game together is " (bank) }
                "."
            }))
            p.small {
                @if knows_turns {
                    "Made from the logs of " (tally.logs_read) " of " (tally.games) " games."
                    @if tally.logs_missing > 0 { " The other logs are missing." }
                }
                @else if self.logs == Logs::Read { "Made from the results alone, because the logs are missing." }
                @else { "Made from the results alone, as --no-logs asks." }
            }
            (table("Thinking times, in milliseconds", &self.chapter.tally.thinking(), Some(self.links)))
        };
        self.part("thinking", "Thinking times", &sentence, &part)
    }

    fn faults(&mut self) -> Markup {
        let Some(faults) = self.chapter.faults() else {
            return html! {
                div.part { h3 id=(anchor(self.number, "faults")) { "Faults" } " " span { "None in " (self.chapter.tally.games) " games." } }
            };
        };
        let labels = self.chapter.labels().into_iter().enumerate();
        let faults_of_bots: Vec<(u64, String)> =
            labels.map(|(bot, label)| (self.chapter.tally.faults_of(bot), label)).collect();
        let all: u64 = faults_of_bots.iter().map(|(faults, _)| faults).sum();
        // `max_by_key` returns the last of equal ones, which is the first in the reversed order.
        let sentence = match faults_of_bots.iter().rev().max_by_key(|(faults, _)| *faults) {
            Some((most, label)) => {
                format!("{all} in {} games, {most} of them by {label}.", self.chapter.tally.games)
            }
            None => String::new(),
        };
        let part = html! {
            (self.figure("faults", &faults, &html! {
                "Mean number of faults in a game, by bot and round: "
                (legend(&NONE_TO_MANY, ["none", "to 0.1", "to 1", "to 10", "more."]))
            }))
            p { "The table of the standings lists them by kind." }
        };
        self.part("faults", "Faults", &sentence, &part)
    }

    fn seats(&mut self) -> Markup {
        let Some(seats) = self.chapter.seats() else { return html! {} };
        let fairness = &self.chapter.account.fairness;
        let findings = fairness.findings();
        let part = html! {
            (self.figure("seats", &seats, &html! { "A dot for the mean share of each seat. Every bot sits in all of them." }))
            (table("Results of each seat", &tables::seats_of(&self.chapter.account), None))
            (table("Tests of fairness", &tables::findings_of(&findings), None))
            p.small { "A p-value is the probability of at least this much unevenness in a fair contest; below " (SUSPICIOUS) " it counts as suspicious." }
            details { summary { "How often each bot played, sat in a seat and met another" }
                (table("Games, blocks and meetings of each bot", &tables::bots_of(&self.chapter.account), Some(self.links))) }
        };
        self.part("seats", "Seats and fairness", &tables::summary(&findings), &part)
    }
}

/// The meaning of colours: a word for each; empty where none is needed.
fn legend<const COUNT: usize>(colours: &[Pair; COUNT], words: [&str; COUNT]) -> Markup {
    html! {
        span.legend {
            @for ((colour, _), word) in colours.iter().zip(words) {
                svg viewBox="0 0 10 10" aria-hidden="true" { rect width="10" height="10" fill=(colour) {} }
                @if !word.is_empty() { " " (word) " " }
            }
        }
    }
}
