//! The story of a recorded game: the sentences about its turns, and that any turn is available at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use referee_files::export::{Positions, export};
use referee_files::log;
use referee_games::catalog::{self, GAMES};
use referee_record::Recorder;
use referee_record::play::position::Position;
use referee_rules::{Fact, Parameters, Seat, Seed, Thing};
use referee_show::view::story::{HappeningKind, Story, Turn};

use crate::random::Random;
use crate::support::playthrough;

type Facts = BTreeMap<(Thing, Option<Seat>, Option<usize>), i64>;

fn facts(position: &Position) -> Facts {
    let entry = |fact: &Fact| ((fact.thing, fact.seat, fact.index), fact.value);
    position.facts().iter().map(entry).collect()
}

/// Applies the changes, forward or back.
fn change(facts: &mut Facts, turn: &Turn, forward: bool) {
    for change in &turn.changes {
        let key = (change.thing, change.seat, change.index);
        let (from, to) = if forward { (change.before, change.after) } else { (change.after, change.before) };
        let old = match to {
            Some(value) => facts.insert(key, value),
            None => facts.remove(&key),
        };
        assert_eq!(old, from, "turn {}: {key:?}", turn.number);
    }
}

#[test]
fn the_changes_of_a_turn_lead_forth_and_back() {
    for game in GAMES {
        let mut story = log::open(&playthrough(game.name)).and_then(Story::open).unwrap();
        let mut now = facts(&story.position(0).unwrap());
        let mut turns = Vec::new();
        story
            .each_turn(|turn| {
                turns.push(turn.clone());
                Ok(())
            })
            .unwrap();
        assert_eq!(turns.len(), story.turns() as usize, "{}", game.name);
        for turn in &turns {
            assert_eq!(now, facts(&story.position(turn.number).unwrap()), "{}", game.name);
            change(&mut now, turn, true);
        }
        assert_eq!(now, facts(&story.position(story.turns()).unwrap()), "{}", game.name);
        turns.iter().rev().for_each(|turn| change(&mut now, turn, false));
        assert_eq!(now, facts(&story.position(0).unwrap()), "{}: all the way back", game.name);
    }
}

#[test]
fn a_turn_is_the_same_however_one_comes_to_it() {
    for game in GAMES {
        let mut story = log::open(&playthrough(game.name)).and_then(Story::open).unwrap();
        let mut due = Vec::new();
        story
            .each_turn(|turn| {
                due.push(turn.clone());
                Ok(())
            })
            .unwrap();
        let mut random = Random::new(7);
        for _ in 0..60 {
            let number = random.below(due.len()) as u32;
            assert_eq!(story.turn(number).unwrap().as_ref(), Some(&due[number as usize]), "{}", game.name);
        }
        assert_eq!(story.turn(story.turns()).unwrap(), None);
    }
}

/// Writes the log of a long game between bots that answer at random.
fn long_game(log: &Path, turns: i64) {
    let entry = catalog::find("push").unwrap();
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("turns", turns).unwrap();
    let mut game = entry.start(&parameters, Seed(7));
    let mut record = referee_testutil::by_chance::begin_log("long", &*game, &parameters, log);
    referee_testutil::by_chance::play(&mut *game, Seed(1), u32::MAX, &mut record, |_, record| {
        record.flush_if_full().unwrap()
    });
    record.end(game.turn(), &game.outcome().unwrap()).unwrap();
    record.finish().0.publish().unwrap();
}

#[test]
fn a_turn_of_a_game_with_more_turns_than_are_remembered_is_the_same_too() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("long.csv");
    long_game(&log, 20_000);
    let mut story = log::open(&log).and_then(Story::open).unwrap();
    let mut due = BTreeMap::new();
    story
        .each_turn(|turn| {
            if turn.number % 617 == 5 || turn.number > 19_990 {
                due.insert(turn.number, turn.clone());
            }
            Ok(())
        })
        .unwrap();
    for (number, turn) in due.iter().rev() {
        assert_eq!(story.turn(*number).unwrap().as_ref(), Some(turn));
    }
}

#[test]
fn there_is_a_mark_for_all_that_is_told_but_deeds() {
    for game in GAMES {
        let mut story = log::open(&playthrough(game.name)).and_then(Story::open).unwrap();
        let mut told = Vec::new();
        story
            .each_turn(|turn| {
                let marked =
                    turn.happenings.iter().filter(|happening| happening.kind != HappeningKind::Action);
                told.extend(marked.map(|happening| {
                    (
                        turn.number,
                        happening.kind,
                        happening.occurrence.name.as_str(),
                        happening.occurrence.seat,
                    )
                }));
                Ok(())
            })
            .unwrap();
        let marks = story.marks().iter().map(|mark| (mark.turn, mark.kind, mark.name, mark.seat));
        assert_eq!(marks.collect::<Vec<_>>(), told, "{}", game.name);
        assert_eq!(
            told.last().map(|(turn, kind, ..)| (*turn, *kind)),
            Some((story.turns() - 1, HappeningKind::End))
        );
    }
}

#[test]
fn scores_are_those_that_export_writes() {
    let folder = tempfile::tempdir().unwrap();
    for game in GAMES {
        let log = playthrough(game.name);
        let exported = export(&log, folder.path(), Positions::Whole).unwrap();
        let mut due: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        for row in fs::read_to_string(exported.positions).unwrap().lines().skip(1) {
            let columns: Vec<&str> = row.split(',').collect();
            let scores = due.entry(columns[0].parse().unwrap()).or_default();
            if columns[1] == "score" {
                scores.push(columns[4].parse().unwrap());
            }
        }
        let mut story = log::open(&log).and_then(Story::open).unwrap();
        assert_eq!(due.len() as u32, story.turns() + 1);
        for (turns, scores) in due {
            let position = story.position(turns).unwrap();
            let found: Vec<i64> = position.all(Thing::SCORE).iter().map(|fact| fact.value).collect();
            assert_eq!(found, scores, "{}, after {turns} turns", game.name);
        }
        if let Some(outcome) = story.outcome().cloned()
            && game.name != "target"
        {
            let last = story.position(u32::MAX).unwrap();
            for (seat, score) in outcome.scores.iter() {
                assert_eq!(last.get(Thing::SCORE, Some(seat), None), Some(*score), "{}", game.name);
            }
        }
    }
}

#[test]
fn a_question_is_what_was_asked_in_that_turn() {
    let mut story = log::open(&playthrough("push")).and_then(Story::open).unwrap();
    let question = story.question(3, Seat::new(2)).unwrap().unwrap();
    assert!(question.starts_with("82 3 20 2 "), "{question}");
    assert_eq!(story.question(20, Seat::new(2)).unwrap(), None, "the game is over");
    let mut story = log::open(&playthrough("target")).and_then(Story::open).unwrap();
    assert_eq!(story.question(3, Seat::new(2)).unwrap(), None, "it is another's turn");
    assert!(story.question(3, Seat::new(3)).unwrap().is_some());
}

#[test]
fn a_log_that_ends_with_a_turn_is_told_to_there_and_one_that_ends_within_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(playthrough("push")).unwrap();
    let cut = folder.path().join("cut.csv");
    let until = |row: &str| text.find(row).expect("such a row");
    fs::write(&cut, &text[..until("answer,5,0,")]).unwrap();
    let story = log::open(&cut).and_then(Story::open).unwrap();
    assert_eq!((story.turns(), story.outcome()), (5, None));
    assert!(story.marks().iter().all(|mark| mark.kind != HappeningKind::End));
    fs::write(&cut, &text[..until("answer,5,3,")]).unwrap();
    let error = log::open(&cut).and_then(Story::open).unwrap_err().to_string();
    assert!(
        error.ends_with("the log ends too early: the answer of seat 3 in turn 5 is expected here"),
        "{error}"
    );
}

#[test]
fn what_strangers_wrote_is_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(playthrough("push")).unwrap();
    let evil = format!("\u{1b}[2J\u{202e}{}", "x".repeat(10_000));
    let text = text.replace("hello, world", &evil);
    let log = folder.path().join("evil.csv");
    fs::write(&log, text.replace(",random,", &format!(",{evil},"))).unwrap();
    let error = log::open(&log).and_then(Story::open).unwrap_err().to_string();
    assert!(error.contains(r#"line 8: not a name for a bot: "\u{1b}[2J\u{202e}xxx"#), "{error}");
    fs::write(&log, text).unwrap();
    let mut story = log::open(&log).and_then(Story::open).unwrap();
    let turn = story.turn(5).unwrap().unwrap();
    let words = turn.happenings.iter().map(|happening| &happening.words);
    for text in words.chain(turn.replies.iter().map(|reply| &reply.detail)) {
        assert!(text.len() <= 400 && !text.contains(|c: char| c.is_control() || c == '\u{202e}'), "{text}");
    }
}

/// Some turns of each playthrough, in words.
fn words(game: &str, turns: &[u32]) -> String {
    let mut story = log::open(&playthrough(game)).and_then(Story::open).unwrap();
    let mut words = String::new();
    for number in turns {
        words += &format!("turn {number}\n");
        for happening in story.turn(*number).unwrap().unwrap().happenings {
            words += &format!("  {}\n", happening.words);
        }
    }
    words
}

#[test]
fn turns_in_words() {
    insta::assert_snapshot!("football", words("football", &[0, 3, 5, 6, 40]));
    insta::assert_snapshot!("foosball", words("foosball", &[0, 1, 5, 199, 200]));
    insta::assert_snapshot!("push", words("push", &[0, 3, 5, 6, 19]));
    insta::assert_snapshot!("target", words("target", &[0, 1, 2, 3, 4, 5, 191]));
}
