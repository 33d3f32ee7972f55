//! The shim of the guide for simulators, which asks several seats at once.

use std::path::Path;

use referee_rules::{Events, Parameters, Seed};

use super::{examine, open};
use crate::support::Place;

/// The guide, which has the shim as a file to be copied.
const GUIDE: &str = include_str!("../../docs/guides/simulator.md");

/// An auction with sealed bids: who bids the most in a round has a point.
const AUCTION: &str = r#"
def check(seat, answer):
    return None if len(answer) == 1 and 0 <= answer[0] <= 9 else "a bid is 0 to 9"

def sample(seat):
    return [random.randint(0, 9)]

def play(ask, seats, rounds):
    scores = [0] * seats
    for number in range(rounds):
        bids = ask.all({seat: [number, *scores] for seat in range(seats)})
        most = max((bid[0] for bid in bids.values() if bid), default=None)
        for seat, bid in bids.items():
            scores[seat] += bool(bid) and bid[0] == most
    return scores

serve("game auction 1\nabout sealed bids\nseats 2 3\nturns 9\nparameter rounds 3 1 9 rounds", play, check, sample)
"#;

#[test]
fn sealed_bids_are_asked_for_at_once() {
    let place = Place::new();
    let (_, rest) = GUIDE.split_once("```python src/shim.py\n").expect("the shim");
    let (shim, _) = rest.split_once("```").expect("its end");
    let file = place.program("auction.py", format!("#!/usr/bin/env python3\n{shim}\n{AUCTION}"));
    let checked = examine(Path::new(&file)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(checked.missing, Vec::<String>::new());
    let entry = open(Path::new(&file)).unwrap();
    let mut game = entry.start(&Parameters::defaults(entry.parameters), Seed(3));
    for (turn, bids) in [[5, 7, 1], [9, 9, 0], [2, 0, 1]].into_iter().enumerate() {
        let asked = game.asked().to_vec();
        assert_eq!(asked.len(), 3, "turn {turn}: all seats bid before one is known");
        for (seat, bid) in asked.into_iter().zip(bids) {
            assert_eq!(game.answer(seat, Ok(&[bid])), None);
        }
        game.resolve(&mut Events::default());
    }
    let outcome = game.outcome().expect("three rounds are over");
    assert_eq!(outcome.scores.as_slice(), [2, 2, 0]);
}
