//! The drawing of a cup's bracket.

use maud::Markup;
use referee_show::drawing::bracket::{Slot, chart};
use referee_show::drawing::mark::Mark;
use referee_statistics::schedule::format::{Cup, Decided};

use crate::pages::parts::Links;

/// Draws the bracket of a knockout; `None` for other formats. Readers who cannot see it have the table of matches.
pub(super) fn draw(cup: &Cup, names: &[&str], links: &dyn Links) -> Option<Markup> {
    let first = cup.bracket.first().filter(|first| first.len() > 1)?;
    let stages = first.len().ilog2() as usize + 1;
    let entrant = |stage: usize, slot: usize| cup.bracket.get(stage)?.get(slot).copied();
    let goes_on = |stage: usize, slot: usize, bot: usize| {
        stage + 1 == stages || entrant(stage + 1, slot / 2) == Some(Some(bot))
    };
    let is_decided_by_seed = |stage: usize, slot: usize| {
        let cup_match = cup.match_at(stage, slot);
        cup_match.is_some_and(|cup_match| cup.decided_by(cup_match) == Some(Decided::Seed))
    };
    let slot = |stage: usize, slot: usize| match entrant(stage, slot) {
        None => Slot::Open,
        Some(None) => Slot::Bye,
        Some(Some(bot)) => Slot::Bot {
            name: names.get(bot).map_or("?", |name| *name).to_owned(),
            mark: Mark::of(bot),
            result: cup.share_sum_at(stage, slot).map_or(String::new(), |share_sum| share_sum.to_string()),
            by_seed: goes_on(stage, slot, bot) && is_decided_by_seed(stage, slot),
            link: names.get(bot).and_then(|name| links.bot(name)),
            goes_on: goes_on(stage, slot, bot),
        },
    };
    let rounds: Vec<Vec<Slot>> = (0..stages)
        .map(|stage| (0..first.len() >> stage).map(|number| slot(stage, number)).collect())
        .collect();
    Some(chart(&rounds, "The bracket; the table of matches says the same."))
}
