//! The standings that a spectator reads: place, bot, result with its interval, games. The table with all columns is a
//! click away.

use maud::{Markup, html};

use crate::chapter::Chapter;
use crate::page::parts::name;
use referee_drawing::interval::{Axis, Drawn};
use referee_statistics::standings::Standing;

/// Number of bots up to which all are listed at once, and number of the first ones that are listed of more.
const ALL_MAX: usize = 16;
const FIRST: usize = 10;

/// Draws the standings of a chapter.
pub(super) fn standings(chapter: &Chapter) -> Markup {
    let lines = &chapter.lines;
    let Some(leader) = lines.first() else { return html! {} };
    let shown = if lines.len() > ALL_MAX { FIRST } else { lines.len() };
    let bounds =
        |line: &Standing| chapter.account.mean(&line.bot).map(|interval| (interval.lower, interval.upper));
    let means: Vec<f64> = lines.iter().map(|line| line.mean_share).collect();
    let axis = Axis::new(&means, lines.iter().filter_map(bounds), leader.mean_share);
    let is_open = |line: &Standing| {
        let behind = chapter.account.behind(&leader.bot);
        behind.is_some_and(|behind| line.bot != leader.bot && !behind.contains(&&line.bot))
    };
    let table = |caption: &str, lines: &[Standing]| {
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.board {
                    caption.unseen { (caption) }
                    thead { tr {
                        th scope="col" .n { "place" } th scope="col" { "bot" } th scope="col" .n { "mean share" }
                        th scope="col" { span.unseen { "interval" } (axis.head()) } th scope="col" .n.more { "games" }
                    } }
                    tbody { @for line in lines { tr {
                        @let drawn = Drawn {
                            mean: line.mean_share,
                            bounds: bounds(line),
                            is_open: is_open(line),
                            mark: chapter.mark(&line.bot.name),
                        };
                        td.n { (line.place) }
                        th scope="row" { span.name { (drawn.mark.icon()) span { (name(&line.bot.name)) } } }
                        td.n { b { (format!("{:.3}", line.mean_share)) } }
                        td { (axis.row(drawn, &words(line.mean_share, drawn.bounds))) }
                        td.n.more { (line.games) }
                    } } }
                }
            }
        }
    };
    html! {
        (table("Places", &lines[..shown]))
        @if shown < lines.len() {
            details { summary { "The other " (lines.len() - shown) " bots" } (table("Places of the others", &lines[shown..])) }
        }
    }
}

/// Draws the first three places of a tournament that is over.
pub(super) fn podium(chapter: &Chapter) -> Markup {
    let is_over = chapter.is_final == Some(true) && chapter.lines.len() > 2;
    let first = chapter.lines.iter().filter(|line| is_over && line.place <= 3).take(4);
    html! {
        @if is_over {
            ol.podium { @for line in first { li.{ "place" (line.place) } {
                span.number { (line.place) } (chapter.mark(&line.bot.name).icon()) b { (name(&line.bot.name)) }
            } } }
        }
    }
}

fn words(mean: f64, bounds: Option<(f64, f64)>) -> String {
    match bounds {
        Some((low, high)) => format!("mean share {mean:.3}, between {low:.3} and {high:.3}"),
        None => format!("mean share {mean:.3}, no interval"),
    }
}
