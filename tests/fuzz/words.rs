//! The command line: any words end with a status that `--help` lists, and with a reason.

use std::os::unix::ffi::OsStringExt;

use super::mutate::mutated;
use super::run;
use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, Ran};

const COMMANDS: [&str; 14] = [
    "play football random random random random --max-turns 1 --p 2 --seed 7 --help",
    "play push ./none --turns 10 --pace 100ms",
    "hill new hill football -p 2 --seed 1 --capacity 4",
    "hill run none --rounds 3 --jobs 2",
    "hill run none --until-clear --alpha 0.05 --epsilon 0.02 --min-rounds 3 --max-rounds 9",
    "hill standings none --season 1 --format csv",
    "hill log none game --raw",
    "tournament plan none.toml --dir T --round 2",
    "tournament run T --shard 1/4 --jobs 1 --time 1h",
    "tournament status T --n 4",
    "replay none.csv --turn 4 --from 3 --to 9",
    "rerun none.csv --seat 0 ./none --turn 3",
    "check ./none --game football --set turn_ms=50",
    "new bot --game football --lang python --dir d",
];

#[test]
fn command_lines() {
    let place = Place::new();
    run("command_lines", 60, |random, input| {
        let mut words: Vec<Vec<u8>> =
            random.pick(&COMMANDS).split(' ').map(|word| word.as_bytes().to_vec()).collect();
        for _ in 0..random.between(1, 3) {
            change(&mut words, random);
        }
        // Nothing is played here, and no word contains a zero byte.
        words.iter_mut().for_each(|word| word.retain(|byte| *byte != 0));
        words.iter_mut().for_each(|word| word.truncate(60_000));
        input.set(&words.join(&b'\n'));
        let words = words.into_iter().map(std::ffi::OsString::from_vec).collect();
        let Ran { status, err: said, .. } = place.call_with(100, words);
        // A panic of the call is one of this test, unless the command says so itself.
        if said.contains("panicked") || said.contains("a defect of the referee") {
            return Err(format!("{status:?}: {said}"));
        }
        match status {
            Some(0) => Ok(()),
            Some(1 | 2 | 3 | 70 | 75 | 78 | 130) if !said.trim().is_empty() => Ok(()),
            status => Err(format!("{status:?}: {said}")),
        }
    });
}

fn change(words: &mut Vec<Vec<u8>>, random: &mut Random) {
    // The command itself stays: without one a demonstration begins.
    let at = 2.min(words.len() - 1) + random.below(words.len().saturating_sub(2).max(1));
    let at = at.min(words.len() - 1);
    let other = words[random.below(words.len())].clone();
    match random.below(4) {
        0 if words.len() > 3 => drop(words.remove(at)),
        1 => words.insert(at, other),
        _ => words[at] = mutated(&words[at], &other, random),
    }
}
