//! The chart of bots' places over seasons and rounds.

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
        // On a hill, the section is there before it has a chart, so that the page below does not move when one comes.
        // A tournament with matches has no looks.
        let has_section = is_hill || !self.season.looks.is_empty();
        html! { @if has_section { section.course {
                h2 { "Places over time" }
                @if let Some(chart) = chart {
                    (chart)
                    p.small { @if is_hill {
                            "Places in the games of each " (contest.word_of_season()) " up to a round"
                            @if self.season.carried { ", in this one with those earlier games that its standings count" }
                            "; a new " (contest.word_of_season()) " begins when the field changes."
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

/// Draws the places of some bots over the last seasons and their rounds. The chart has the places from 1 to
/// `last_shown`, or those that the bots had if there is no such place. `None` if the chart would have one time only.
pub(super) fn course(contest: &ContestSummary, names: &[&str], last_shown: Option<usize>) -> Option<Markup> {
    let past: Vec<_> = contest.past.iter().rev().take(SEASONS).rev().collect();
    let (season, word) = (contest.season.as_ref(), contest.word_of_season());
    let all_looks = season.map(|season| &*season.looks).unwrap_or_default();
    let mut looks: Vec<_> = all_looks.iter().rev().step_by(all_looks.len().div_ceil(TIMES).max(1)).collect();
    looks.reverse();
    let count = past.iter().map(|past| past.course.len()).sum::<usize>() + looks.len();
    if count < 2 {
        return None;
    }
    let (mut begins, mut labels, mut time) = (Vec::new(), Vec::new(), 0);
    for past in &past {
        begins.push(time);
        labels.push((time, format!("{word} {}", past.number)));
        time += past.course.len();
    }
    if let (Some(season), Some((first, _)), Some((last, _))) = (season, looks.first(), looks.last()) {
        begins.push(time);
        let begin =
            if past.is_empty() { format!("round {first}") } else { format!("{word} {}", season.number) };
        labels.push((time, begin));
        if looks.len() > 8 {
            labels.push((count - 1, format!("round {last}")));
        }
    }
    let places_now: Vec<Vec<Option<usize>>> = looks.iter().map(|(_, means)| places_of(means)).collect();
    let places = |name: &&str| {
        let past_places = past.iter().flat_map(|past| {
            let bot = past.bots.iter().position(|bot| bot.name == *name);
            past.course.iter().map(move |(_, places)| places[bot?].map(usize::from))
        });
        let bot = season.and_then(|season| season.bots.iter().rposition(|bot| bot == *name));
        let places = past_places.chain(places_now.iter().map(|places| places[bot?])).collect();
        Places { name: (*name).to_owned(), mark: contest.mark(name), places }
    };
    let bots: Vec<Places> = names.iter().map(places).collect();
    let all_places = || bots.iter().flat_map(|bot| bot.places.iter().flatten().copied());
    let (first, last) = (all_places().min()?, all_places().max()?);
    let places = match last_shown {
        Some(last_shown) => 1..=last.min(last_shown),
        None => first..=last,
    };
    let places_of_bots =
        bots.iter().filter_map(|bot| Some(format!("{} {}", plain(&bot.name), (*bot.places.last()?)?)));
    let words = format!("Places over time. Now: {}.", places_of_bots.collect::<Vec<String>>().join(", "));
    Some(html! {
        div.plot tabindex="0" role="group" aria-label="Chart of places" {
            (ranks::chart(&bots, &Times { count, labels, begins }, places, &words))
        }
    })
}
