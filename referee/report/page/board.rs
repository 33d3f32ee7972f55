//! The standings that a spectator reads: place, bot, result with its interval, games. The table with all columns is a
//! click away.

use maud::{Markup, html};

use crate::chapter::Chapter;
use crate::line::{Names, NamesFrom};
use crate::parts::bot;
use referee_drawing::interval::{Axis, Drawn};
use referee_record::BotName;
use referee_statistics::standings::Standing;

/// Number of bots up to which all are listed at once, and number of the first ones that are listed of more.
const ALL_MAX: usize = 16;
const FIRST: usize = 10;

/// Number of bots that are listed on each side of a bot, on its page.
const BESIDE: usize = 2;

/// The standings of a chapter, with an axis for all its bots.
pub(super) struct Board<'a> {
    chapter: &'a Chapter,
    names: &'a Names,
    axis: Axis,
    /// The bots that are not clearly behind the first one; nothing if there are no ranks.
    open: Vec<&'a BotName>,
}

impl<'a> Board<'a> {
    /// Returns `None` if no game counts.
    pub(super) fn new(chapter: &'a Chapter, names: &'a Names) -> Option<Board<'a>> {
        let lines = &chapter.lines;
        let leader = lines.first()?;
        let means: Vec<f64> = lines.iter().map(|line| line.mean_share).collect();
        let bounds = lines.iter().filter_map(|line| bounds(chapter, line));
        let axis = Axis::new(&means, bounds, leader.mean_share);
        let behind = chapter.account.behind(&leader.bot);
        let is_open = |line: &&Standing| {
            behind.as_ref().is_some_and(|behind| line.bot != leader.bot && !behind.contains(&&line.bot))
        };
        let open = lines.iter().filter(is_open).map(|line| &line.bot).collect();
        Some(Board { chapter, names, axis, open })
    }

    /// Draws the standings, or the first ones of many, with the others a click away.
    pub(super) fn all(&self) -> Markup {
        let lines = &self.chapter.lines;
        let shown = if lines.len() > ALL_MAX { FIRST } else { lines.len() };
        let mut by_name: Vec<&str> = lines.iter().map(|line| &*line.bot.name).collect();
        by_name.sort_by_key(|name| name.to_lowercase());
        by_name.dedup();
        html! {
            (self.table("Places", "", lines[..shown].iter(), None))
            @if shown < lines.len() {
                details { summary { "The other " (lines.len() - shown) " bots" }
                    (self.table("Places of the others", "", lines[shown..].iter(), None)) }
                details { summary { "Find a bot by its name" }
                    ul.files { @for name in by_name { li { (bot(self.names, name)) } } } }
            }
        }
    }

    /// Draws the leader, a bot and those beside it.
    pub(super) fn around(&self, up: &str, of: &BotName) -> Markup {
        let lines = &self.chapter.lines;
        let Some(at) = lines.iter().position(|line| line.bot == *of) else { return html! {} };
        let first = at.saturating_sub(BESIDE);
        let beside = &lines[first..lines.len().min(at + BESIDE + 1)];
        let leader = lines[..1].iter().filter(|_| first > 0);
        self.table("The leader, this bot and those beside it", up, leader.chain(beside), Some(of))
    }

    /// Draws a table of these rows. That of `of` stands out.
    fn table<'b>(
        &self,
        caption: &str,
        up: &str,
        lines: impl Iterator<Item = &'b Standing>,
        of: Option<&BotName>,
    ) -> Markup {
        html! {
            div.scroll tabindex="0" role="group" aria-label=(caption) {
                table.board {
                    caption.unseen { (caption) }
                    thead { tr {
                        th scope="col" .n { "place" } th scope="col" { "bot" } th scope="col" .n { "mean share" }
                        th scope="col" { span.unseen { "interval" } (self.axis.head()) } th scope="col" .n.more { "games" }
                    } }
                    tbody { @for line in lines { tr.this[of == Some(&line.bot)] {
                        @let drawn = Drawn {
                            mean: line.mean_share,
                            bounds: bounds(self.chapter, line),
                            is_open: self.open.contains(&&line.bot),
                            mark: self.chapter.mark(&line.bot.name),
                        };
                        td.n { (line.place) }
                        th scope="row" { span.name { (drawn.mark.icon()) span { (bot(&NamesFrom(self.names, up), &line.bot.name)) } } }
                        td.n { b { (format!("{:.3}", line.mean_share)) } }
                        td { (self.axis.row(drawn, &words(line.mean_share, drawn.bounds))) }
                        td.n.more { (line.games) }
                    } } }
                }
            }
        }
    }
}

/// Draws the first three places of a tournament that is over.
pub(super) fn podium(chapter: &Chapter, names: &Names) -> Markup {
    let is_over = chapter.is_final == Some(true) && chapter.lines.len() > 2;
    let first = chapter.lines.iter().filter(|line| is_over && line.place <= 3).take(4);
    html! {
        @if is_over {
            ol.podium { @for line in first { li.{ "place" (line.place) } {
                span.number { (line.place) } (chapter.mark(&line.bot.name).icon()) b { (bot(names, &line.bot.name)) }
            } } }
        }
    }
}

fn bounds(chapter: &Chapter, line: &Standing) -> Option<(f64, f64)> {
    chapter.account.mean(&line.bot).map(|interval| (interval.lower, interval.upper))
}

/// Returns a mean share with its interval in words.
pub(super) fn words(mean: f64, bounds: Option<(f64, f64)>) -> String {
    match bounds {
        Some((low, high)) => format!("mean share {mean:.3}, between {low:.3} and {high:.3}"),
        None => format!("mean share {mean:.3}, no interval"),
    }
}
