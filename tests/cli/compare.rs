//! Two versions of a bot, compared: real processes, until it is clear.

use crate::support::Place;

const SHORT: [&str; 10] =
    ["--game", "football", "--set", "p=10", "--set", "k=10", "--set", "max_turns=200", "--seed", "7"];

#[test]
fn a_bot_that_plays_is_better_than_one_that_stands_still() {
    let place = Place::new();
    let words =
        |one, other| [&["compare", one, other, "--alpha", "0.5", "--max-rounds", "60"], &SHORT[..]].concat();
    let better = place.referee(&words("greedy", "still")).with_status(0);
    assert!(better.out.starts_with("better by 0."), "{better:?}");
    assert!(better.out.contains(" at 50 %, after "), "{better:?}");
    let worse = place.referee(&words("still", "greedy")).with_status(0);
    assert!(worse.out.starts_with("worse by 0."), "{worse:?}");
}

#[test]
fn bots_that_do_the_same_are_not_different_and_the_games_are_kept_where_one_says() {
    let place = Place::new();
    let words = ["compare", "still", "still", "--vs", "still", "--epsilon", "0.5", "--dir", "kept"];
    let same = place.referee(&[&words[..], &SHORT].concat()).with_status(0);
    assert!(same.out.starts_with("no difference above 0.5 at 95 %, after "), "{same:?}");
    place.referee(&["audit", "kept"]).with_status(0);

    let words = ["compare", "still", "still", "--max-rounds", "2"];
    let open = place.referee(&[&words[..], &SHORT].concat()).with_status(0);
    assert!(open.out.starts_with("not clear after 2 games: the difference is from -"), "{open:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    for (words, complaint) in [
        (&["compare", "still", "still", "--game", "footbal"][..], "football"),
        (&["compare", "still", "nobody", "--game", "football"], "nobody"),
        (&["compare", "still", "still", "--game", "football", "--alpha", "2"], "alpha is a probability"),
        (&["compare", "still", "still", "--game", "football", "--set", "p"], "NAME=VALUE"),
    ] {
        place.referee(words).with_status(2).complaining(&[complaint]);
    }
}
