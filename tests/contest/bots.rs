//! When two bots have the same program.

use referee_contest::bot::Bot;
use referee_record::{Digest, identity};

fn bot(digest: &Digest, arguments: &[&str], is_house: bool) -> Bot {
    let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
    let identity = match is_house {
        true => identity::of_house("push", 1, &arguments).expect("a house bot"),
        false => identity::bot_digest(digest, &arguments),
    };
    Bot { digest: digest.clone(), arguments, identity, ..Bot::blank() }
}

#[test]
fn a_program_is_the_same_with_other_arguments_but_house_bots_are_told_apart_by_them() {
    let (one, other) = (Digest::of(b"one"), Digest::of(b"other"));
    let plain = bot(&one, &[], false);
    assert!(plain.has_program_of(&Bot { allow_fork: true, ..bot(&one, &["--level", "2"], false) }));
    assert!(!plain.has_program_of(&bot(&other, &[], false)));
    let built = |source: &[u8]| Some(Digest::of(source));
    let by_another_compiler = Bot { source_digest: built(b"source"), ..bot(&other, &[], false) };
    assert!(by_another_compiler.has_program_of(&Bot { source_digest: built(b"source"), ..plain.clone() }));
    assert!(!by_another_compiler.has_program_of(&Bot { source_digest: built(b"own"), ..plain }));
    let house = bot(&one, &["bot", "push", "still"], true);
    assert!(house.is_house() && house.has_program_of(&house));
    // The same bot from another build of the referee, with other random numbers.
    assert!(house.has_program_of(&bot(&other, &["bot", "push", "still", "--seed", "2"], true)));
    for different in [bot(&one, &["bot", "push", "random"], true), bot(&one, &["play"], false)] {
        assert!(!house.has_program_of(&different) && !different.has_program_of(&house));
    }
}
