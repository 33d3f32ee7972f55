//! Decisive turns: a planted blunder is found, reported, and marked.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use referee_files::beneath::Spot;
use referee_files::log::{self, LogFile};
use referee_games::catalog;
use referee_games::foosball::{Action, BENCH, FIELDED, Foosball, MEN, QUARTER, ROW_MAX, View};
use referee_record::Answer;
use referee_record::log::GameLog;
use referee_record::{BotName, Digest, Heading, Page, Recorder};
use referee_rules::game::{Game, play_turn, read_question};
use referee_rules::thinker::{self, Thinker};
use referee_rules::{BySeat, Codec, Events, Fault, Parameters, Seat, Seed};
use referee_show::page::decisive::{self, Decisive, Terms};
use referee_show::page::{html, one_by_one};
use referee_show::view::story::{HappeningKind, Story};

use crate::called::Calls;
use crate::support::{Place, playthrough};
use crate::view::written::lines_of;

/// The action of seat 0 in one turn.
#[derive(Clone, Copy, Debug)]
enum Blunder {
    /// All men on one row for a quarter.
    Crowd,
    /// No answer, which loses the game.
    Silence,
}

/// A game of comFoosball between bots that spread their men and leave them there, except for one answer of
/// seat 0.
fn game_with(blunder: Blunder, turn: u32, log: &Path) {
    let entry = catalog::find("foosball").unwrap();
    let parameters = Parameters::defaults(entry.parameters);
    let mut game = entry.start(&parameters, Seed(2013));
    let bot = BotName { name: "scripted".to_owned(), version: 1, digest: Digest::of(b"") };
    let bots = BySeat::from_fn(2, |_| bot.clone());
    let heading = Heading::new("planted", &*game, &parameters, bots);
    let mut record = GameLog::begin(&heading, LogFile::create(log).unwrap());
    let mut events = Events::default();
    while !game.asked().is_empty() {
        let now = game.turn();
        let (mut answers, mut verdicts) = (Vec::new(), Vec::new());
        play_turn(&mut *game, &mut events, |game, seat| {
            let mut answer = Answer::empty(seat);
            let (mut line, mut integers) = (Vec::new(), Vec::new());
            game.question(seat, &mut line);
            let view = read_question::<Foosball>(line.trim_ascii_end(), &mut integers).unwrap();
            let is_blunder = seat == Seat::new(0) && now == turn;
            match blunder {
                Blunder::Silence if is_blunder => answer.fault = Some(Fault::Late),
                _ => Foosball::write_action(&rows(&view, is_blunder), &mut answer.integers),
            }
            verdicts.push(game.answer(seat, answer.given()));
            answers.push(answer);
        });
        record.turn(&Page { turn: now, answers: &answers, verdicts: &verdicts, events: &events });
    }
    record.end(game.turn(), &game.outcome().unwrap()).unwrap();
    let (mut file, ..) = record.finish();
    file.sync().unwrap();
    file.publish().unwrap();
}

fn rows(view: &View, is_blunder: bool) -> Action {
    let side = 2 * ROW_MAX as usize + 1;
    let row = |man: usize| if is_blunder { ROW_MAX } else { (man % side) as i64 - ROW_MAX };
    let line_up = std::array::from_fn(|man| if man < FIELDED { row(man) } else { BENCH });
    let stay: [i64; MEN] = view.rows;
    Action::Roster(if view.round.is_multiple_of(QUARTER) { line_up } else { stay })
}

const WHY: [&str; 4] = ["--why", "--stand-in", "still", "--games"];

#[test]
fn a_planted_blunder_is_found_told_and_marked() {
    let page = ["--html", "page.html"];
    for (blunder, turn, more) in [(Blunder::Crowd, 2 * QUARTER, &page[..]), (Blunder::Silence, 437, &[])] {
        let place = Place::new();
        game_with(blunder, turn, &place.path("planted.csv"));
        let words = [&["replay", "planted.csv"], &WHY[..], &["300"], more].concat();
        let told = place.call(&words).with_status(0).out;
        let first = told.lines().find(|line| line.starts_with("Turn")).unwrap_or_else(|| panic!("{told}"));
        assert!(first.starts_with(&format!("Turn {turn}: seat 0 (scripted), expected share ")), "{told}");
        assert!(told.contains("standard error 0."), "{told}");
        assert!(told.contains("own answer +"), "{told}");
        assert!(told.contains("Seat 0: scripted cannot play on here; still plays on for it."), "{told}");
        assert!(told.lines().all(|line| line.len() <= 80 || line.contains("page.html")), "{told}");
    }
}

#[test]
fn a_game_without_a_blunder_blames_nobody_for_it() {
    let place = Place::new();
    game_with(Blunder::Silence, u32::MAX, &place.path("calm.csv"));
    let told = place.call(&[&["replay", "calm.csv", "--seat", "1"], &WHY[..], &["200"]].concat());
    let told = told.with_status(0).out;
    assert!(!told.contains("seat 0 ("), "{told}");
    assert!(told.contains("games were finished from recorded turns"), "{told}");
}

/// A bot whose answers are random, and take a thousandth of a second of simulated time each.
struct Slow {
    chooses: Box<dyn Thinker>,
    answers: Arc<AtomicU64>,
}

impl Thinker for Slow {
    fn answer(&mut self, game: &mut dyn Game, seat: Seat, integers: &mut Vec<i64>) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        self.chooses.answer(game, seat, integers);
    }

    fn copied(&self, seed: Seed) -> Box<dyn Thinker> {
        Box::new(Slow { chooses: self.chooses.copied(seed), answers: Arc::clone(&self.answers) })
    }
}

/// Finds the decisive turns of a game of Push with 20 turns of six answers. Returns how many answers that took.
fn found_in(milliseconds: Option<u64>) -> (Decisive, u64) {
    let log = Spot::from(&playthrough("push"));
    let answers = Arc::new(AtomicU64::new(0));
    let thinkers = |heading: &Heading| {
        let slow = |_| -> Box<dyn Thinker> {
            Box::new(Slow { chooses: thinker::at_random(Seed(1)), answers: Arc::clone(&answers) })
        };
        heading.bots.iter().map(slow).collect()
    };
    let time = milliseconds.map(Duration::from_millis);
    let terms = Terms { games: 500, seat: None, threads: 1, time };
    let clock = || Duration::from_millis(answers.load(Ordering::Relaxed));
    let log = log::open(&log).unwrap();
    let found = decisive::find(log, thinkers, &terms, &one_by_one, &clock, &mut |_| ()).unwrap();
    (found, answers.load(Ordering::Relaxed))
}

#[test]
fn a_time_limit_holds_within_games_and_while_the_recorded_game_is_followed() {
    for limit in [0, 10, 60, 150, 400, 1_000, 4_000, 20_000] {
        let (found, took) = found_in(Some(limit));
        // The six answers of the turn in which the time ends.
        assert!(took <= limit + 6, "{limit}: {took}");
        // Nobody has to play on from the end.
        assert_eq!(found.expected.last().unwrap().0, 20, "{limit}");
        assert!(found.is_cut || took < limit);
        assert!(found.expected.iter().all(|(_, seats)| seats.iter().all(|(_, share)| share.mean >= 0.0)));
    }
    let (found, took) = found_in(Some(1_000));
    assert!(found.games > 5 && found.expected.len() > 3 && took > 600, "{found:?} in {took}");
}

#[test]
fn a_time_limit_that_is_never_reached_changes_nothing() {
    let (unlimited, took) = found_in(None);
    assert_eq!((unlimited.games_planned, unlimited.is_cut), (500, false));
    assert_eq!(found_in(Some(100 * took)), (unlimited, took));
}

#[test]
fn where_time_is_short_fewer_games_are_played_and_that_is_said() {
    let unlimited = found_in(None).0;
    let short = found_in(Some(10_000)).0;
    assert!(short.games < unlimited.games && short.games_planned < 500, "{short:?}");

    let place = Place::new();
    game_with(Blunder::Silence, 437, &place.path("planted.csv"));
    let words =
        ["replay", "planted.csv", "--why", "--stand-in", "still", "--games", "1000000", "--seconds", "1"];
    let told = place.call(&words).with_status(0).out;
    assert!(told.contains(" of 1000000 games, so a small fall can be missed.\n"), "{told}");
    assert!(told.contains("To set more time: --seconds.\n"), "{told}");
    assert!(told.lines().all(|line| line.len() <= 80), "{told}");
}

#[test]
fn where_no_turn_is_decisive_the_lead_is_told() {
    let story = log::open(&playthrough("push")).and_then(Story::open).unwrap();
    let (found, _) = found_in(Some(0));
    assert_eq!((&found.falls[..], found.lead), (&[][..], Some((Seat::new(0), 11))));
    let told = found.text(story.heading());
    assert!(told.ends_with("From turn 11 to the end, random (seat 0) led alone.\n"), "{told}");
    // The page has no chart of a single point.
    assert_eq!(found.expected.len(), 1);
    let log = log::open(&playthrough("push")).unwrap();
    let page = html::page(log, &|_| None, Some(&found), &one_by_one).unwrap();
    assert_eq!(lines_of(&page).pop().unwrap().get("expected"), None);
}

#[test]
fn remarks_are_marks_and_are_told_with_their_turn() {
    let mut story = log::open(&playthrough("push")).and_then(Story::open).unwrap();
    let (marks, turn) = (story.marks().len(), story.turn(7).unwrap().unwrap());
    let mut happening = turn.happenings[0].clone();
    happening.kind = HappeningKind::Fall;
    story.add(vec![referee_show::view::story::Remark { turn: 7, happening: happening.clone() }]);
    assert_eq!(story.marks().len(), marks + 1);
    assert!(story.marks().is_sorted_by_key(|mark| mark.turn));
    assert_eq!(story.turn(7).unwrap().unwrap().happenings.last(), Some(&happening));
    assert_eq!(story.turn(8).unwrap().unwrap().happenings.iter().find(|one| **one == happening), None);
}

#[test]
fn what_cannot_be_played_on_is_said() {
    let place = Place::new();
    let log = playthrough("push");
    let replay = |words: &[&str]| place.call(&[&["replay", log.to_str().unwrap()], words].concat());
    replay(&["--why", "--seat", "6"]).with_status(2).complaining(&["there is no seat 6: seats are 0 to 5"]);
    replay(&["--why", "--stand-in", "nobody"]).with_status(2).complaining(&["no house bot nobody for push"]);
    replay(&["--why", "--games", "3"]).with_status(2).complaining(&["must be at least 200"]);
    replay(&["--seat", "1"]).with_status(2).complaining(&["--why"]);
}
