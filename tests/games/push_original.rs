//! Push, compared with games of the class simulator of 2010.

use std::fs;

use referee_games::push::{Action, Fate, PARAMETERS, PLAYERS, Push, Slot, State, bonus};
use referee_rules::{Codec, Dice, Event, Events, Parameters, Rules, Seat, Seed};
use serde_json::Value;

use crate::original;

#[test]
fn original_push_games_agree_in_every_turn() {
    let Some(folder) = original::folder("original_push_games_agree_in_every_turn") else { return };
    let mut totals = Totals::default();
    for (number, game) in original::json_lines(folder.join("push/original-games.jsonl.gz")).iter().enumerate()
    {
        replay(&format!("game {number}"), game, &mut totals);
    }
    println!("{totals:?}");
    assert!(totals.games > 0 && totals.turns >= totals.games, "nothing was compared: {totals:?}");
}

#[test]
fn original_push_bonus_table_is_equal_in_every_entry() {
    let Some(folder) = original::folder("original_push_bonus_table_is_equal_in_every_entry") else { return };
    let path = folder.join("push/bonus-table.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let table: Vec<Vec<u32>> = serde_json::from_str(&text).unwrap();
    let ours: Vec<Vec<u32>> =
        Seat::first(PLAYERS).map(|seat| Slot::all().map(|slot| bonus(slot, seat)).collect()).collect();
    assert_eq!(table, ours);
    println!("{} entries", table.iter().map(Vec::len).sum::<usize>());
}

/// The counts of comparisons.
#[derive(Debug, Default)]
struct Totals {
    games: usize,
    turns: usize,
    attempts: usize,
    invalid: usize,
    conflicts: usize,
    lost: usize,
    voided: usize,
}

fn replay(name: &str, game: &Value, totals: &mut Totals) {
    let mut parameters = Parameters::defaults(PARAMETERS);
    parameters.set("turns", game["turns"].as_i64().unwrap()).unwrap();
    let push = Push::new(&parameters);
    let mut state = push.start(&mut Dice::for_start(Seed(0)));
    for (number, round) in game["rounds"].as_array().unwrap().iter().enumerate() {
        let place = format!("{name}, turn {number}");
        assert_eq!(position(&push, &state).coins, numbers(&round["before"]), "{place}: before");
        play_turn(&push, &mut state, round, &place, totals);
        let position = position(&push, &state);
        assert_eq!(position.coins, numbers(&round["after"]), "{place}: after");
        assert_eq!(position.void, numbers(&round["zeroed"]), "{place}: zeroed");
        assert_eq!(position.scores, numbers(&round["scores"]), "{place}: scores");
        totals.turns += 1;
    }
    let outcome = push.outcome(&state).unwrap_or_else(|| panic!("{name} is not over"));
    assert_eq!(outcome.scores.as_slice(), position(&push, &state).scores);
    totals.games += 1;
}

/// Plays a recorded turn, with the recorded winners of its conflicts.
fn play_turn(push: &Push, state: &mut State, round: &Value, place: &str, totals: &mut Totals) {
    let attempts = round["attempts"].as_array().unwrap();
    let won = |seat: Seat| round["won"][seat.index()].as_bool();
    let action = |seat: Seat| match &attempts[seat.index()] {
        // "No move at all" was an invalid attempt then: a fault of content, as a malformed line is here.
        Value::Null => Action::Malformed,
        attempt => {
            let mut action = Action::Nothing;
            push.read_action(state, &numbers(attempt), &mut action).unwrap();
            action
        }
    };
    let actions: Vec<(Seat, Action)> = Seat::first(PLAYERS).map(|seat| (seat, action(seat))).collect();
    for (seat, action) in &actions {
        let valid = *action != Action::Malformed && push.check(state, *seat, action).is_ok();
        assert_eq!(valid, won(*seat).is_some(), "{place}, seat {seat}: {action:?}");
        totals.attempts += 1;
        totals.invalid += usize::from(!valid);
    }

    let mut events = Events::default();
    push.resolve_with(state, &actions, &mut events, |slot, rivals| {
        let winners: Vec<Seat> = rivals.iter().copied().filter(|seat| won(*seat) == Some(true)).collect();
        assert_eq!(winners.len(), 1, "{place}, slot {slot}: {rivals:?}");
        winners[0]
    });
    for event in events.iter() {
        match event {
            Event::Draw { .. } => totals.conflicts += 1,
            Event::Effect { .. } => totals.voided += 1,
        }
    }
    for (seat, action) in &actions {
        // Of several seats that push a pile the same way, the simulator marked only one: all have pushed it.
        let same = |other: &&(Seat, Action)| other.1 == *action && won(other.0) == Some(true);
        let due = match won(*seat) {
            None => Fate::Invalid,
            Some(_) if actions.iter().any(|other| same(&other)) => Fate::Executed,
            Some(_) => Fate::LostDraw,
        };
        let fate = view(push, state).attempts[seat.index()].fate;
        assert_eq!(fate, due, "{place}, seat {seat}: {action:?}");
        totals.lost += usize::from(fate == Fate::LostDraw);
    }
}

/// The content of the recorded games about a position.
#[derive(Default)]
struct Position {
    coins: Vec<i64>,
    scores: Vec<i64>,
    void: Vec<i64>,
}

fn position(push: &Push, state: &State) -> Position {
    let mut position = Position { coins: vec![0; Slot::COUNT], ..Position::default() };
    push.describe(state, &mut |fact| match fact.thing.as_str() {
        "coins" => position.coins[fact.index.unwrap()] = fact.value,
        "score" => position.scores.push(fact.value),
        "void" => position.void.push(fact.seat.unwrap().index() as i64),
        other => panic!("{other}"),
    });
    position
}

fn view(push: &Push, state: &State) -> referee_games::push::View {
    let mut integers = Vec::new();
    push.write_own(state, Seat::new(0), &mut integers);
    push.write_shared(state, &mut integers);
    Push::read_view(&integers).unwrap()
}

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}
