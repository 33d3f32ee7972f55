//! A small poker as a judge (`bluff.py`): seats take turns, with chance and hidden cards. It was written from
//! the documents alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use referee_judge::check::{CheckReport, Fixed, Terms};
use referee_rules::{Events, Parameters, Position, Seat, Seed, Thing};

use super::{examine, open, project, with_terms};
use crate::support::{Place, results_in};

const BLUFF: &str = "tests/judge/bluff.py";

/// A seat's knowledge of a hand: the turn, its number, its card and the open one.
type Known = (u32, usize, Option<i64>, Option<i64>);

#[test]
fn hidden_cards_reach_no_other_seat() {
    let entry = open(&project(BLUFF)).unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("seats", 3).unwrap();
    parameters.set("hands", 1).unwrap();
    let mut questions = BTreeMap::<Known, BTreeSet<Vec<u8>>>::new();
    let mut hidden = BTreeMap::<Known, BTreeSet<Vec<Option<i64>>>>::new();
    for seed in (0..60).map(Seed) {
        let mut game = entry.start(&parameters, seed);
        while let Some(&seat) = game.asked().first() {
            assert_eq!(game.asked().len(), 1, "one at a time");
            let facts = Position::of(&*game);
            let card = |seat| facts.get(Thing::new("card"), Some(seat), None);
            let known = (game.turn(), seat.index(), card(seat), facts.get(Thing::new("open"), None, None));
            let mut question = Vec::new();
            game.question(seat, &mut question);
            questions.entry(known).or_default().insert(question);
            hidden.entry(known).or_default().insert(Seat::first(3).map(card).collect());
            // All bots call, so that only cards make a difference.
            assert_eq!(game.answer(seat, Ok(&[1])), None);
            game.resolve(&mut Events::default());
        }
        assert!(game.outcome().is_some(), "{:?}", game.trouble());
    }
    for (known, questions) in &questions {
        assert_eq!(questions.len(), 1, "{known:?}: it is told more than it may know");
    }
    let varied = hidden.values().filter(|cards| cards.len() > 1).count();
    assert!(varied > 20, "{varied}: hands that differ in hidden cards alone");
}

#[test]
fn it_is_checked_played_audited_and_told_like_any_game() {
    let place = Place::new();
    // The check restarts the judge before each turn: games of few hands have few turns.
    let text = fs::read_to_string(project(BLUFF)).unwrap();
    let short = text.replace("parameter hands 20 ", "parameter hands 3 ");
    assert_ne!(short, text);
    let checked = examine(Path::new(&place.program("short.py", short.clone()))).unwrap();
    assert!(checked.faults > 0, "{checked:?}");
    let hidden =
        |checked: &CheckReport| checked.remarks.iter().any(|remark| remark.contains("which is hidden"));
    assert!(!hidden(&checked), "{:?}", checked.remarks);
    // A mistake: a seat is told the card of the next one.
    let leaky =
        short.replace("seats, cards[seat], table_card", "seats, cards[(seat + 1) % seats], table_card");
    assert_ne!(leaky, short);
    let terms = Terms {
        fixed: Fixed { set: vec![("hands".to_owned(), "2".to_owned())], seats: Some(2) },
        seed: Some(Seed(1)),
        limit: Duration::MAX,
        repeats: 0,
        ..Terms::default()
    };
    let checked = with_terms(Path::new(&place.program("leaky.py", leaky)), &terms, |_| {}).unwrap();
    assert!(hidden(&checked), "{:?}", checked.remarks);
    let said = "integer 6 of the questions of seat 0 was `card` of seat 1, which is hidden";
    assert!(checked.remarks[0].contains(said), "{:?}", checked.remarks);
    fs::copy(project(BLUFF), place.path("bluff.py")).unwrap();
    for (name, answer) in [("caller.py", "1"), ("raiser.py", "2"), ("folder.py", "0"), ("mute.py", "")] {
        let text = format!(
            "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print('{answer}', flush=True)\n"
        );
        place.program(name, text);
    }
    let bots = ["./caller.py", "./raiser.py", "./folder.py", "./mute.py"];
    for seats in 2..=4 {
        let words = [&["play", "./bluff.py"], &bots[..seats], &["--hands", "5", "--seed", "4"]].concat();
        place.referee(&words).with_status(0);
    }
    place.referee(&["audit", "games"]).with_status(0);
    let rows = results_in(&place.path("games"));
    assert_eq!(rows.len(), 2 + 3 + 4);
    for game in rows.chunk_by(|one, other| one.game == other.game) {
        assert_eq!(game.iter().map(|row| row.score).sum::<i64>(), 0, "chips change hands alone");
    }
    let log = place.path("games").join(&rows.last().unwrap().log);
    let told = place.referee(&["replay", log.to_str().unwrap(), "--plain"]).with_status(0).out;
    for sentence in ["raises to", "folds", "calls", "wins"] {
        assert!(told.contains(sentence), "{told}");
    }
    place.assert_nothing_stays();
}
