//! Who finishes before whom.

use std::collections::{BTreeMap, BTreeSet};

use crate::tables::standing::PairRow;
use maud::{Markup, html};
use referee_statistics::opponent_effects;

use super::board::{Board, SHOWN};
use crate::pages::parts::{bot, plain};

/// Number of bots up to which the table fits half of a wide page.
const HALF_MAX: usize = 8;

impl Board<'_> {
    /// Says how often each of the first bots finishes before each other.
    pub fn matrix(&self) -> Markup {
        let (pairs, lines) = (&self.season.pairs, &self.lines[..self.lines.len().min(SHOWN)]);
        fn part(pair: &PairRow) -> ((&str, &str), (f64, f64)) {
            ((&*pair.bot.name, &*pair.company.name), (pair.before, pair.games as f64))
        }
        let parts: BTreeMap<(&str, &str), (f64, f64)> = pairs.iter().map(part).collect();
        if lines.len() < 2 || parts.is_empty() {
            return html! {};
        }
        let cells = || {
            let pairs =
                lines.iter().flat_map(|line| lines.iter().map(|other| (&*line.row.bot, &*other.row.bot)));
            pairs.filter_map(|pair| Some((pair, *parts.get(&pair)?)))
        };
        let is_sure = opponent_effects::uneven(&cells().map(|(_, part)| part).collect::<Vec<_>>());
        let sure: BTreeSet<(&str, &str)> =
            cells().zip(is_sure).filter(|(_, is_sure)| *is_sure).map(|((pair, _), _)| pair).collect();
        let caption =
            "How often the bot of a row finished before the bot of a column, in percent of their games";
        let table = html! {
                div.scroll tabindex="0" role="group" aria-label=(caption) { table.matrix {
                    caption { (caption) }
                    thead { tr { th scope="col" { "bot" } @for line in lines {
                        th scope="col" .n { abbr title=(plain(&line.row.bot)) { (line.mark.icon()) " " (line.row.place) } }
                    } } }
                    tbody { @for line in lines { tr {
                        th scope="row" { span.name { (line.row.place) " " (line.mark.icon()) " " span { (bot(self.view.links, &line.row.bot)) } } }
                        @for other in lines {
                            @match parts.get(&(&*line.row.bot, &*other.row.bot)) {
                                Some((part, _)) => { td.n.{ (shade(*part, sure.contains(&(&*line.row.bot, &*other.row.bot)))) } { (format!("{:.0}", part * 100.0)) } }
                                None => { td.n { @if line.row.bot != other.row.bot { "-" } } }
                            }
                        }
                    } } }
                } }
                p.small { "The same place counts half. A cell has a colour if chance hardly explains its difference from 50."
                    @if self.lines.len() > lines.len() { " The first " (SHOWN) " bots are shown." } }
        };
        let heading = html! { h2 { "Who finishes before whom" } };
        html! {
            @if lines.len() > HALF_MAX {
                section.wide { details.part { summary { (heading) " " span { "The first " (lines.len()) " bots." } } (table) } }
            } @else {
                section { (heading) (table) }
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let is_sure = opponent_effects::uneven(&cells.map(|(part, games, _)| (part, games)));
        for ((part, games, shade_expected), is_sure) in cells.into_iter().zip(is_sure) {
            assert_eq!(shade(part, is_sure), shade_expected, "{part} of {games}");
        }
    }
}
