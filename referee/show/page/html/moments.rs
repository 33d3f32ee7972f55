//! The moments of a game: the turns that are worth a look, each with a sentence.

use std::collections::BTreeMap;

use crate::view::story::{HappeningKind, Turn, Vocabulary};
use referee_record::text::apart;
use referee_rules::Seat;

/// Maximum number of moments.
const MOMENTS_MAX: usize = 6;

/// The first fault of each seat.
#[derive(Debug, Default)]
pub(super) struct Faults(BTreeMap<Seat, u32>);

impl Faults {
    /// Takes a turn.
    pub(super) fn take(&mut self, turn: &Turn) {
        let faults = turn.happenings.iter().filter(|happening| happening.kind == HappeningKind::Fault);
        for seat in faults.filter_map(|happening| happening.occurrence.seat) {
            self.0.entry(seat).or_insert(turn.number);
        }
    }
}

/// Returns the moments of a game in the order of turns: `lead` is the last change of the lead, `falls` are the decisive
/// turns, each with its seat. If there are too many, those of the lead are kept first, and faults last. No sentence
/// tells how the game ends.
pub(super) fn moments(
    lead: Option<(Seat, u32)>,
    falls: &[(Seat, u32)],
    faults: &Faults,
    vocabulary: &Vocabulary,
) -> Vec<(u32, String)> {
    let lead = lead.into_iter().filter(|(_, turn)| *turn > 0);
    let lead = lead.map(|(seat, turn)| (turn, format!("{} takes the lead", vocabulary.bot(seat))));
    let falls =
        falls.iter().map(|(seat, turn)| (*turn, format!("decisive against {}", vocabulary.bot(*seat))));
    let faults =
        faults.0.iter().map(|(seat, turn)| (*turn, format!("the first fault of {}", vocabulary.bot(*seat))));
    let mut moments: Vec<(u32, String)> = Vec::new();
    for (turn, words) in lead.chain(falls).chain(faults) {
        match moments.iter_mut().find(|(other, _)| *other == turn) {
            Some((_, all)) => *all += &format!(", {words}"),
            None => moments.push((turn, words)),
        }
    }
    moments.truncate(MOMENTS_MAX);
    moments.sort_by_key(|(turn, _)| *turn);
    moments.into_iter().map(|(turn, words)| (turn, apart(&words).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::catalog;
    use referee_record::{BotName, Digest, Heading};
    use referee_rules::{BySeat, Parameters, Seed};

    #[test]
    fn a_turn_has_one_moment_and_no_moment_tells_the_end() {
        let entry = catalog::find("push").expect("a game");
        let parameters = Parameters::defaults(entry.parameters);
        let game = entry.start(&parameters, Seed(1));
        let bots = BySeat::from_fn(6, |seat| BotName {
            name: format!("b{seat}"),
            version: 1,
            digest: Digest::of(b""),
        });
        let vocabulary = Vocabulary::of(&Heading::new("one", &*game, &parameters, bots));
        let [one, two, three] = [1, 2, 3].map(Seat::new);
        let faults = Faults([(one, 9), (three, 70)].into());
        let found = moments(Some((two, 40)), &[(one, 40), (three, 5)], &faults, &vocabulary);
        let expected = [
            (5, "decisive against b3"),
            (9, "the first fault of b1"),
            (40, "b2 takes the lead, decisive against b1"),
            (70, "the first fault of b3"),
        ];
        assert_eq!(found, expected.map(|(turn, words)| (turn, words.to_owned())));
        assert_eq!(moments(Some((two, 0)), &[], &Faults::default(), &vocabulary), []);
        // The faults of the last seats have no room.
        let faults = Faults(Seat::first(6).zip(10..).collect());
        let turns = moments(Some((two, 90)), &[], &faults, &vocabulary).into_iter().map(|(turn, _)| turn);
        assert_eq!(turns.collect::<Vec<_>>(), [10, 11, 12, 13, 14, 90]);
    }
}
