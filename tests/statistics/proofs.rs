//! Proofs of pairs: who is better, and how long that takes.

use referee_statistics::confidence::Interval;
use referee_statistics::proofs::{Known, Proofs};
use referee_statistics::rounds::Showing;
use referee_statistics::stop_rule::{Race, StopRule};

use crate::fields::{exactly, normal};
use crate::random::Random;

fn showings(shares: &[Interval]) -> Vec<Option<Showing>> {
    shares.iter().map(|share| Some(Showing::without_opponents(*share))).collect()
}

#[test]
fn one_crash_does_not_undo_what_many_rounds_have_shown() {
    let rounds_until_apart = |crash: bool| {
        let (mut proofs, mut random) = (Proofs::new(0.05, 2), Random::new(3));
        (1..1_000).find(|number| {
            let first = if crash && number % 40 == 39 { 0.0 } else { 0.5 + 0.02 * normal(&mut random) };
            proofs.add_round(&showings(&[exactly(first), exactly(0.4 + 0.02 * normal(&mut random))]));
            proofs.is_better(0, 1)
        })
    };
    let (without, with) = (rounds_until_apart(false).unwrap(), rounds_until_apart(true).unwrap());
    assert!(without < 60 && with < 100, "{without} rounds, with crashes {with}");
}

#[test]
fn a_game_that_does_not_count_helps_no_case() {
    // One bot brings down each game that it would lose. Both are equally good.
    let unknown = Interval { lower: 0.0, upper: 1.0 };
    let wrong = (0..200).filter(|season| {
        let (mut proofs, mut random) = (Proofs::new(0.05, 2), Random::new(*season));
        for _ in 0..200 {
            let wins = random.percent(50);
            proofs.add_round(&showings(&if wins { [exactly(1.0), exactly(0.0)] } else { [unknown; 2] }));
        }
        proofs.is_better(0, 1) || proofs.is_better(1, 0)
    });
    let wrong = wrong.count();
    assert!(wrong <= 10, "{wrong} of 200");
}

#[test]
fn a_pair_that_is_open_says_how_far_its_proof_is_and_how_many_rounds_are_left() {
    let (mut proofs, mut random) = (Proofs::new(0.05, 3), Random::new(5));
    let add = |proofs: &mut Proofs, random: &mut Random| {
        let shares = [0.5, 0.45, 0.1].map(|mean| exactly(mean + 0.02 * normal(random)));
        proofs.add_round(&showings(&shares));
    };
    (0..30).for_each(|_| add(&mut proofs, &mut random));
    let Known { better: known, next_goal: goal } = proofs.known().clone();
    assert!(!known[1] && known[2] && known[3 + 2], "{known:?}");
    // 0.05 is shared by the four ordered pairs that are open: two cases are made.
    assert!((goal - 80.0).abs() < 1e-3, "{goal}");
    let proof = proofs.of_pair(1, 0);
    assert!(
        (proof.better, proof.worse) == (0, 1) && proof.capital > 1.0 && proof.capital < goal,
        "{proof:?}"
    );
    let due = proof.rounds.expect("it is ahead");
    let came = (1..).find(|_| {
        add(&mut proofs, &mut random);
        proofs.is_better(0, 1)
    });
    let came = came.expect("it is proven");
    println!("{due} rounds said, {came} came");
    assert!(came * 2 > due && came < due * 2, "{due} {came}");
}

#[test]
fn what_was_proven_is_taken_back_when_results_turn_round() {
    let (mut race, mut random) = (Race::new(StopRule::default(), 3, 0.05), Random::new(6));
    let mut play = |race: &mut Race, rounds: u32, ahead: f64| {
        (0..rounds).for_each(|_| {
            race.add_round(&[0.5 + ahead, 0.5, 0.1].map(|mean| mean + 0.03 * normal(&mut random)))
        });
    };
    play(&mut race, 200, 0.1);
    assert!(race.proves(0, 1) && race.proves(0, 2) && race.drift().is_none(), "it is ahead");
    play(&mut race, 300, -0.1);
    assert!(!race.proves(0, 1) && race.proves(1, 2) && race.drift().is_some(), "it is not any more");
}
