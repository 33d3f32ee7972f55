//! The sections of a contest's first page: who leads, the standings, matches, places over time, who finishes before
//! whom.

use maud::{Markup, html};
use referee_record::text::count;

use super::board::Board;
use super::{CupSummary, SeasonSummary, View};
use crate::pages::parts::{bot, named, table, time};

/// The results so far. `addition` comes below the first sentences.
pub fn results(board: &Board<'_>, addition: &Markup) -> Markup {
    let (view, contest) = (board.view, board.view.contest);
    html! {
        section {
            h2 { (board.heading()) }
            (board.podium())
            (board.summary())
            (addition)
        }
        section.wide {
            h2 { "Standings" }
            (board.table())
            (board.legend())
        }
        @if contest.sets.is_empty() { @for cup in &contest.cups { (matches(view, cup)) } }
        (board.course())
        (board.before())
        (board.matrix())
        @for (number, (name, set)) in contest.sets.iter().enumerate() { (of_set(view, (name, set), number)) }
    }
}

/// The standings of a sub-tournament, and who finishes before whom in it.
fn of_set(view: View<'_>, (name, set): (&str, &SeasonSummary), number: usize) -> Markup {
    let board = Board::new(view, set);
    html! {
        section.wide {
            h2 { "Sub-tournament " (number + 1) @if !name.is_empty() { ": " (name) } }
            (board.table())
            p.small { (set.legend) }
        }
        @if let Some(cup) = view.contest.cups.get(number) { (matches(view, cup)) }
        (board.matrix())
    }
}

/// The matches of a cup, and the bracket of a knockout.
fn matches(view: View<'_>, cup: &CupSummary) -> Markup {
    let all = table("Matches, in their order", &cup.matches.for_people(), Some(view.links), None);
    html! {
        section.wide {
            h2 { "Matches" }
            @if let Some(bracket) = &cup.bracket {
                p.small { "Winners are bold and go on to the right. Beside a name is the sum of its shares in the match. "
                    "A match that is level after all its games goes to the better seed, which is marked so." }
                div.scroll tabindex="0" role="group" aria-label="The bracket" { (bracket) }
                details { summary { "As a table" } (all) }
            } @else { (all) }
        }
    }
}

/// The bots that play, and the settings of the games.
pub fn field(view: View<'_>, parameters: &str, is_open: bool) -> Markup {
    let field = &view.contest.field;
    html! {
        details open[is_open] {
            summary { (if view.is_hill { "On the hill now: " } else { "Its field: " }) (count(field.len() as u64, "bot")) }
            ul { @for event in field {
                li { (view.contest.mark(&event.bot.name).icon()) " " (bot(view.links, &event.bot.name)) " version " (event.bot.version)
                    @if !event.bot.author.is_empty() { " by " (named(view.contest.person(&event.bot.author))) }
                    @if let Some(date) = &event.date { ", since " (time(date)) } }
            } }
        }
        details { summary { "Settings of the games" } p { (parameters) } }
    }
}
