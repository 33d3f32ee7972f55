//! The places of bots over seasons and rounds, as a chart.

use maud::{Markup, html};
use referee_show::drawing::ranks::{self, Places, Times};
use referee_statistics::standings::places_of;

use super::board::{Board, SHOWN, TIMES};
use super::{ContestSummary, View};
use crate::pages::parts::plain;

/// The last place in the chart.
const PLACES: usize = 20;

/// Number of earlier seasons in the chart.
pub const SEASONS: usize = 6;

impl Board<'_> {
    /// Draws the places over the seasons and the rounds.
    pub fn course(&self) -> Markup {
        let View { contest, is_hill, .. } = self.view;
        let names: Vec<&str> = self.lines.iter().take(SHOWN).map(|line| &*line.row.bot).collect();
        let chart = course(contest, &names, Some(PLACES));
        // The section is there from the first round on: what follows stays where a reader has it.
        // Where matches decide, there are no looks.
        let has_looks = is_hill || !self.season.looks.is_empty();
        html! { @if has_looks { section.course {
                h2 { "Places over time" }
                @if let Some(chart) = chart {
                    (chart)
                    p.small { @if is_hill {
                            "Places in each season's games up to a round"
                            @if self.season.carried { ", in this season with those earlier games that its standings count" }
                            "; a season begins when the field changes."
                        } @else { "Places in the games up to a round." }
                        " Each bot has its mark of the standings."
                        @if self.lines.len() > SHOWN {
                            " It has the first " (SHOWN) " bots of the standings; places beyond " (PLACES) " are drawn there."
                        }
                    }
                } @else { p { "They are drawn from the second round on." } }
        } } }
    }
}

/// Draws the places of some bots over the last seasons and their rounds, from the first place to `most`, or of those
/// that they had if there is none. `None` if there is one time only.
pub(super) fn course(contest: &ContestSummary, names: &[&str], most: Option<usize>) -> Option<Markup> {
    let past: Vec<_> = contest.past.iter().rev().take(SEASONS).rev().collect();
    let season = contest.season.as_ref();
    let all = season.map(|season| &*season.looks).unwrap_or_default();
    let mut looks: Vec<_> = all.iter().rev().step_by(all.len().div_ceil(TIMES).max(1)).collect();
    looks.reverse();
    let count = past.iter().map(|past| past.course.len()).sum::<usize>() + looks.len();
    if count < 2 {
        return None;
    }
    let (mut begins, mut labels, mut at) = (Vec::new(), Vec::new(), 0);
    for past in &past {
        begins.push(at);
        labels.push((at, format!("season {}", past.number)));
        at += past.course.len();
    }
    if let (Some(season), Some((first, _)), Some((last, _))) = (season, looks.first(), looks.last()) {
        begins.push(at);
        let begin =
            if past.is_empty() { format!("round {first}") } else { format!("season {}", season.number) };
        labels.push((at, begin));
        labels.extend((looks.len() > 8).then(|| (count - 1, format!("round {last}"))));
    }
    let now: Vec<Vec<Option<usize>>> = looks.iter().map(|(_, means)| places_of(means)).collect();
    let places = |name: &&str| {
        let of_past = past.iter().flat_map(|past| {
            let bot = past.bots.iter().position(|bot| bot.name == *name);
            past.course.iter().map(move |(_, places)| places[bot?].map(usize::from))
        });
        let bot = season.and_then(|season| season.bots.iter().rposition(|bot| bot == *name));
        let of_now = now.iter().map(|places| places[bot?]);
        Places { name: (*name).to_owned(), mark: contest.mark(name), places: of_past.chain(of_now).collect() }
    };
    let bots: Vec<Places> = names.iter().map(places).collect();
    let had = || bots.iter().flat_map(|bot| bot.places.iter().flatten().copied());
    let (first, last) = (had().min()?, had().max()?);
    let places = most.map_or(first..=last, |most| 1..=last.min(most));
    let words =
        bots.iter().filter_map(|bot| Some(format!("{} {}", plain(&bot.name), (*bot.places.last()?)?)));
    let words = format!("Places over time. Now: {}.", words.collect::<Vec<String>>().join(", "));
    Some(html! {
        div.plot tabindex="0" role="group" aria-label="Chart of places" {
            (ranks::chart(&bots, &Times { count, labels, begins }, places, &words))
        }
    })
}
