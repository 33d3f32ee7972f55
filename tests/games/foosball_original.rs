//! comFoosball, compared with games on the organisers' server in 2013.
//!
//! The records contain, for each round, the roster that one team sent and the 108 integers that came back.
//! That team has seat 0 here; its frame is then the field's. The other team's roster is not recorded. Its
//! men's rows after the round are, and these are used as its roster: if it had sent an invalid one, its rows
//! would be those of the previous round, and to send these again changes nothing either.

use std::path::Path;

use referee_games::foosball::{Action, Foosball, MEN, PARAMETERS, QUARTER, State, is_row};
use referee_rules::{Codec, Dice, Event, Events, Parameters, Rules, Seat, Seed};

use crate::original;

/// The beginnings of the parts of a state.
const ROWS: usize = 4;
const FATIGUES: usize = 30;
const OTHER_ROWS: usize = 56;
const OTHER_FATIGUES: usize = 82;

/// A recorded round.
struct Round {
    sent: [i64; MEN],
    state: Vec<i64>,
}

#[test]
fn original_foosball_games_agree_in_every_integer() {
    let Some(games) = games("original_foosball_games_agree_in_every_integer") else { return };
    let (mut rounds, mut warnings) = (0, 0);
    for (name, game) in &games {
        let mut replay = Replay::new("server2013");
        for (number, round) in game.iter().enumerate() {
            let state = replay.play(round);
            let wrong = (0..108).find(|index| state[*index] != round.state[*index]);
            assert_eq!(wrong, None, "{name}, round {number}: {state:?} and not {:?}", round.state);
        }
        rounds += game.len();
        warnings += replay.warnings;
        assert!(replay.rules.outcome(&replay.state).is_some(), "{name} is over");
    }
    println!("{} games, {rounds} rounds, all integers agree; {warnings} invalid rosters", games.len());
}

#[test]
fn original_foosball_games_under_the_text_differ_in_fatigue_alone() {
    let Some(games) = games("original_foosball_games_under_the_text_differ_in_fatigue_alone") else { return };
    let (mut rounds, mut differing) = (0, 0);
    for (name, game) in &games {
        let mut replay = Replay::new("text");
        let mut before = replay.question();
        let mut surplus = [[0; MEN]; 2];
        let mut first = None;
        for (number, round) in game.iter().enumerate() {
            let state = replay.play(round);
            note_surplus(&mut surplus, &before, &round.state, number as u32);
            for index in 0..108 {
                // The reason: the text tires the men on the ball's row after the round's rosters, the server
                // those on it before the rosters. Chance is forced here, so nothing else follows from it.
                let due = match index {
                    FATIGUES..OTHER_ROWS => surplus[0][index - FATIGUES],
                    OTHER_FATIGUES.. => surplus[1][index - OTHER_FATIGUES],
                    _ => 0,
                };
                assert_eq!(state[index] - round.state[index], due, "{name}, round {number}, index {index}");
                if due != 0 && first.is_none() {
                    first = Some((number, index, state[index], round.state[index]));
                }
            }
            differing += usize::from(state != round.state);
            before.clone_from(&round.state);
        }
        rounds += game.len();
        let (number, index, text, server) = first.expect("a game with a difference");
        println!(
            "{name}: the first difference is in round {number}, index {index}: {text}, on the server {server}"
        );
    }
    println!("{} games, {rounds} rounds, {differing} states differ, all in fatigue alone", games.len());
}

#[test]
fn original_foosball_games_first_differ_where_the_first_ball_is_fought_for() {
    let Some(games) = games("original_foosball_games_first_differ_where_the_first_ball_is_fought_for") else {
        return;
    };
    for (name, game) in &games {
        let mut replay = Replay::new("text");
        let state = replay.play(&game[0]);
        let differ: Vec<usize> = (0..108).filter(|index| state[*index] != game[0].state[*index]).collect();
        // The ball starts on row 0. Before the first rosters no man was there, so on the server the first
        // round tires no man; by the text it tires the men who are there now.
        let on_row_0 = |rows: usize, fatigues: usize| {
            let men = (0..MEN).filter(move |man| game[0].state[rows + man] == 0);
            men.map(move |man| fatigues + man)
        };
        let due: Vec<usize> = on_row_0(ROWS, FATIGUES).chain(on_row_0(OTHER_ROWS, OTHER_FATIGUES)).collect();
        assert_eq!(differ, due, "{name}");
        for index in due {
            assert_eq!((state[index], game[0].state[index]), (1, 0), "{name}, index {index}");
        }
    }
}

/// Computes how much more fatigue each man has by the text than on the server, from the recorded rows alone.
fn note_surplus(surplus: &mut [[i64; MEN]; 2], before: &[i64], after: &[i64], round: u32) {
    let ball = before[3];
    for (team, rows) in [(0, ROWS), (1, OTHER_ROWS)] {
        for man in 0..MEN {
            let [old, new] = [before, after].map(|state| i64::from(state[rows + man] == ball));
            surplus[team][man] += new - old;
            if round.is_multiple_of(QUARTER) && !is_row(after[rows + man]) {
                surplus[team][man] = 0;
            }
        }
    }
}

/// A recorded game being played again.
struct Replay {
    rules: Foosball,
    state: State,
    warnings: usize,
}

impl Replay {
    fn new(variant: &str) -> Replay {
        let mut parameters = Parameters::defaults(PARAMETERS);
        parameters.set_text("variant", variant).unwrap();
        let rules = Foosball::new(&parameters);
        let state = rules.start(&mut Dice::for_start(Seed(0)));
        Replay { rules, state, warnings: 0 }
    }

    /// Plays a recorded round and returns the resulting state.
    fn play(&mut self, round: &Round) -> Vec<i64> {
        let direction = direction(&self.question(), &round.state);
        let other = std::array::from_fn(|man| -round.state[OTHER_ROWS + man]);
        let actions = [(Seat::new(0), Action::Roster(round.sent)), (Seat::new(1), Action::Roster(other))];
        let mut events = Events::default();
        self.rules.play_round(&mut self.state, &actions, &mut events, |_contest| direction);
        let is_warning = |event: &Event| matches!(event, Event::Effect { name: "warning", .. });
        self.warnings += events.iter().filter(is_warning).count();
        self.question()
    }

    fn question(&self) -> Vec<i64> {
        let mut integers = Vec::new();
        self.rules.write_own(&self.state, Seat::new(0), &mut integers);
        integers
    }
}

/// Where the ball went between two states. A goal or the ball's row shows it. After the last round of a
/// quarter the ball is always on row 0; if there was no goal, it is treated as if it had stayed.
fn direction(before: &[i64], after: &[i64]) -> i64 {
    match (after[0] - before[0], after[1] - before[1]) {
        (1, 0) => 1,
        (0, 1) => -1,
        (0, 0) if after[2] % i64::from(QUARTER) == 0 => 0,
        (0, 0) => after[3] - before[3],
        goals => panic!("{goals:?} goals in one round"),
    }
}

/// Reads all games that are there.
fn games(test: &str) -> Option<Vec<(String, Vec<Round>)>> {
    let folder = original::folder(test)?.join("comfoosball");
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".jsonl.gz"));
    paths.sort();
    assert!(!paths.is_empty(), "{}: no games", folder.display());
    Some(
        paths.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into(), rounds(path))).collect(),
    )
}

fn rounds(path: &Path) -> Vec<Round> {
    let integers = |value: &serde_json::Value| -> Vec<i64> {
        value.as_array().unwrap().iter().map(|integer| integer.as_i64().unwrap()).collect()
    };
    let rounds = original::json_lines(path).into_iter().map(|line| Round {
        sent: integers(&line["sent"]).try_into().unwrap(),
        state: integers(&line["state"]),
    });
    rounds.collect()
}
