//! The schedule of a tournament's round, which follows from its plan.

use referee_contest::plan::schedule::{Decided, Meeting, Schedule, Stage, contests};
use referee_games::catalog;
use referee_rules::{Parameters, Seed};
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{Contest, Format};

const BOTS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn format(kind: &str, settings: &[(&str, &str)]) -> Format {
    let mut format = Format::new(kind).unwrap();
    settings.iter().for_each(|(name, value)| format.set(name, value).unwrap());
    format
}

/// Two sub-tournaments of a game among six bots.
fn two_sets(game: &str) -> Vec<Contest> {
    let entry = catalog::find(game).unwrap();
    let set = Parameters::defaults(entry.parameters);
    contests(entry, Seed(7), &[set.clone(), set], vec![String::new(); BOTS.len()]).collect()
}

fn schedule(game: &str, format: &Format, decided: &Decided) -> Result<Schedule, (String, String)> {
    Schedule::new(format, decided, &two_sets(game), &BOTS, 9, 10_000)
}

fn stage(set: u32, rounds: (u32, u32), racing: Option<&[&str]>) -> Stage {
    let racing = racing.map(|bots| bots.iter().map(|bot| (*bot).to_owned()).collect());
    Stage { set, rounds, racing }
}

fn meeting(round: u32, pairs: &[(&str, &str)]) -> Meeting {
    let pairs = pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned()));
    Meeting { set: 1, round, games: 2, pairs: pairs.collect() }
}

#[test]
fn batches_are_whole_blocks_and_each_is_the_same_however_it_is_asked_for() {
    let stages = vec![stage(1, (11, 20), Some(&["a", "c"])), stage(2, (11, 14), None)];
    let stages = Decided { stage: stages, ..Decided::default() };
    let cup = Decided { meeting: vec![meeting(2, &[("a", "f"), ("c", "b")])], ..Decided::default() };
    let all = Decided::default();
    for (game, format, decided) in [
        ("football", format("rounds", &[("rounds", "7")]), &all),
        ("football", format("rounds", &[("rounds", "7"), ("deal", "balanced")]), &all),
        ("football", format("rounds", &[("rounds", "30")]), &stages),
        ("football", format("round-robin", &[]), &all),
        ("football", format("gauntlet", &[]), &all),
        ("foosball", format("swiss", &[]), &cup),
    ] {
        let schedule = schedule(game, &format, decided).unwrap();
        let batches: Vec<Vec<Pairing>> = schedule.batches().collect();
        let games: Vec<Pairing> = schedule.games().collect();
        assert!(!games.is_empty() && batches.concat() == games, "{format}");
        assert_eq!(schedule.last(), games.last(), "{format}");
        for (batch, next) in batches.iter().zip(&batches[1..]) {
            let place = |game: &Pairing| (game.scheduled.season, game.scheduled.round, game.scheduled.table);
            assert!(batch.len() >= 9 && place(&batch[batch.len() - 1]) != place(&next[0]), "{format}");
        }
        let last = batches.len() - 1;
        for number in (0..=last).chain((0..=last).rev()).chain([last, 0, last, last + 1, last]) {
            assert_eq!(schedule.batch(number).as_ref(), batches.get(number), "{format} {number}");
        }
    }
}

#[test]
fn a_round_has_what_was_decided_and_nothing_else() {
    let rounds = format("rounds", &[("rounds", "30")]);
    let stages = vec![stage(2, (11, 20), Some(&["a", "c"]))];
    let schedule_of_race = schedule("football", &rounds, &Decided { stage: stages, ..Decided::default() });
    let mut seen = [false; 6];
    for game in schedule_of_race.unwrap().games() {
        assert_eq!(game.scheduled.season, 2);
        assert!((11..=20).contains(&game.scheduled.round));
        let counting = game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat));
        counting.for_each(|(_, bot)| seen[*bot] = true);
    }
    assert_eq!(seen, [true, false, true, false, false, false]);

    let cup = Decided { meeting: vec![meeting(2, &[("a", "f"), ("c", "b")])], ..Decided::default() };
    let games: Vec<Pairing> = schedule("foosball", &format("knockout", &[]), &cup).unwrap().games().collect();
    let met: Vec<(u32, u32, &[usize])> = games
        .iter()
        .map(|game| (game.scheduled.round, game.scheduled.table, game.entrants.as_slice()))
        .collect();
    assert_eq!(met, [(2, 1, &[0, 5][..]), (2, 1, &[5, 0]), (2, 2, &[2, 1]), (2, 2, &[1, 2])]);
}

#[test]
fn what_nobody_can_have_decided_is_refused_by_its_key() {
    let rounds = || format("rounds", &[("rounds", "30")]);
    let of_stage = |stage| Decided { stage: vec![stage], ..Decided::default() };
    let of_meeting = |meeting| Decided { meeting: vec![meeting], ..Decided::default() };
    let key = |game, format: Format, decided: Decided| {
        schedule(game, &format, &decided).map(drop).map_err(|(key, _)| key)
    };
    for wrong in [
        stage(0, (1, 2), None),
        stage(3, (1, 2), None),
        stage(1, (0, 2), None),
        stage(1, (3, 2), None),
        stage(1, (1, 31), None),
        stage(1, (1, 2), Some(&["a", "x"])),
        stage(1, (1, 2), Some(&[])),
        stage(1, (1, 2), Some(&["a", "a"])),
    ] {
        assert_eq!(key("football", rounds(), of_stage(wrong.clone())), Err("stage".to_owned()), "{wrong:?}");
    }
    for wrong in [
        Meeting { set: 3, ..meeting(1, &[("a", "b")]) },
        meeting(0, &[("a", "b")]),
        meeting(1, &[("a", "a")]),
        meeting(1, &[("a", "x")]),
        meeting(1, &[]),
        Meeting { games: u32::MAX, ..meeting(1, &[("a", "b")]) },
    ] {
        let swiss = format("swiss", &[]);
        assert_eq!(key("foosball", swiss, of_meeting(wrong.clone())), Err("meeting".to_owned()), "{wrong:?}");
    }
    let stages = |stage| Decided { stage, ..Decided::default() };
    let twice = stages(vec![stage(1, (1, 2), None), stage(1, (2, 3), None)]);
    assert_eq!(key("football", rounds(), twice), Err("stage".to_owned()));
    let both = Decided { meeting: vec![meeting(1, &[("a", "b")])], ..of_stage(stage(1, (1, 2), None)) };
    assert_eq!(key("football", rounds(), both), Err("stage".to_owned()));
    let balanced = format("rounds", &[("rounds", "30"), ("deal", "balanced")]);
    assert_eq!(key("football", balanced, of_stage(stage(1, (1, 2), None))), Err("stage".to_owned()));
    let alike = Schedule::new(&rounds(), &Decided::default(), &two_sets("football"), &["a", "b", "a"], 1, 9);
    assert_eq!(alike.map(drop).map_err(|(key, _)| key), Err("entrant".to_owned()));
    // Of a format of other games.
    assert_eq!(key("football", rounds(), of_meeting(meeting(1, &[("a", "b")]))), Err("meeting".to_owned()));
    assert_eq!(key("football", format("swiss", &[]), Decided::default()), Err("format".to_owned()));
}
