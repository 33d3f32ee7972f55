//! The matrix of who finishes before whom.

use std::collections::{BTreeMap, BTreeSet};

use crate::tables::standing::PairRow;
use maud::{Markup, html};
use referee_statistics::opponent_effects;

use super::board::{Board, SHOWN};
use crate::pages::parts::{bot, plain};

/// Maximum number of bots with which the table fits half of a wide page.
const HALF_MAX: usize = 8;

impl Board<'_> {
    /// Says how often each of the first bots finishes before each other.
    pub fn matrix(&self) -> Markup {
        let lines = &self.lines[..self.lines.len().min(SHOWN)];
        // For each two bots, the part of their games in which the first finished before the second, and the number of
        // these games.
        let mut parts: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
        for PairRow { bot, company, before, games, .. } in &self.season.pairs {
            parts.insert((&bot.name, &company.name), (*before, *games as f64));
        }
        if lines.len() < 2 || parts.is_empty() {
            return html! {};
        }
        let bots = || lines.iter().map(|line| &*line.row.bot);
        let pairs_shown: Vec<(&str, &str)> = bots()
            .flat_map(|bot| bots().map(move |other| (bot, other)))
            .filter(|pair| parts.contains_key(pair))
            .collect();
        let parts_shown: Vec<(f64, f64)> = pairs_shown.iter().map(|pair| parts[pair]).collect();
        let mut uneven_pairs = BTreeSet::new();
        for (pair, is_uneven) in pairs_shown.into_iter().zip(opponent_effects::uneven(&parts_shown)) {
            if is_uneven {
                uneven_pairs.insert(pair);
            }
        }
        let caption =
            "How often the bot of a row finished before the bot of a column, in percent of their games";
        let table = html! {
                div.scroll tabindex="0" role="group" aria-label=(caption) { table.matrix {
                    caption { (caption) }
                    thead { tr { th scope="col" { "bot" } @for line in lines {
                        th scope="col" .n { abbr title=(plain(&line.row.bot)) { (line.mark.icon()) " " (line.row.place) } }
                    } } }
                    tbody { @for line in lines { tr {
                        th scope="row" { span.name {
                            (line.row.place) " " (line.mark.icon()) " " span { (bot(self.view.links, &line.row.bot)) }
                        } }
                        @for other in lines {
                            @let pair = (&*line.row.bot, &*other.row.bot);
                            @match parts.get(&pair) {
                                Some((part, _)) => {
                                    td.n.{ (shade(*part, uneven_pairs.contains(&pair))) } { (format!("{:.0}", part * 100.0)) }
                                }
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

/// Returns the class of a cell: how far a part of games is from a half, if chance hardly explains that.
fn shade(part: f64, is_uneven: bool) -> &'static str {
    match part - 0.5 {
        _ if !is_uneven => "even",
        difference if difference > 0.25 => "most",
        difference if difference > 0.0 => "more",
        difference if difference < -0.25 => "least",
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
        let uneven = opponent_effects::uneven(&cells.map(|(part, games, _)| (part, games)));
        for ((part, games, shade_expected), is_uneven) in cells.into_iter().zip(uneven) {
            assert_eq!(shade(part, is_uneven), shade_expected, "{part} of {games}");
        }
    }
}
