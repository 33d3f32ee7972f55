//! Two versions of a bot, compared: real processes, until it is clear.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::called::Calls;
use crate::support::{Place, Ran, results_in};

const SHORT: [&str; 10] =
    ["--game", "football", "--set", "p=10", "--set", "k=10", "--set", "max_turns=200", "--seed", "7"];

#[test]
fn a_bot_that_plays_is_better_than_one_that_stands_still() {
    let place = Place::new();
    let words = [&["--alpha", "0.5", "--max-rounds", "60"], &SHORT[..]].concat();
    let better = compared(&place, ["greedy", "still"], &words).with_status(0);
    assert!(better.out.starts_with("first is better by 0."), "{better:?}");
    assert!(
        better.out.contains("(50 % confidence), after ") && better.out.contains("; mean +0."),
        "{better:?}"
    );
    let worse = compared(&place, ["still", "greedy"], &words).with_status(0);
    assert!(worse.out.starts_with("first is worse by 0."), "{worse:?}");
}

#[test]
fn bots_that_do_the_same_are_not_different_and_the_games_are_kept_where_one_says() {
    let place = Place::new();
    let words = ["--vs", "still.guest", "--epsilon", "0.5", "--dir", "kept"];
    let same = compared(&place, ["still"; 2], &[&words[..], &SHORT].concat()).with_status(0);
    assert!(same.out.starts_with("no difference above 0.5 (95 % confidence), after "), "{same:?}");
    place.call(&["audit", "kept"]).with_status(0);

    let open = compared(&place, ["still"; 2], &[&["--max-rounds", "2"], &SHORT[..]].concat()).with_status(0);
    let said = "not clear after 2 games: the difference (first minus second) is between -";
    assert!(open.out.starts_with(said), "{open:?}");
}

#[test]
fn a_block_plays_a_seed_until_both_have_had_every_seat() {
    let place = Place::new();
    let words = ["--block", "one-seating", "--max-rounds", "1", "--dir", "kept"];
    let open = compared(&place, ["greedy", "still"], &[&words[..], &SHORT].concat()).with_status(0);
    let said = "not clear after 4 games: the difference (first minus second) is between ";
    assert!(open.out.starts_with(said), "{open:?}");
    let rows = results_in(&place.path("kept"));
    assert!(rows.iter().all(|row| row.seed == rows[0].seed));
    for bot in ["first", "second"] {
        let of_bot = rows.iter().filter(|row| row.bot.name == bot && row.counts);
        let mut seats: Vec<usize> = of_bot.map(|row| row.seat.index()).collect();
        seats.sort_unstable();
        assert_eq!(seats, [0, 1, 2, 3], "{bot}");
    }
}

#[test]
fn ctrl_c_tells_what_is_known_so_far() {
    let place = Place::new();
    let words = ["compare", "greedy", "greedy", "--jobs", "1"];
    let mut command = place.command(&[&words[..], &SHORT].concat());
    let mut running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("referee");
    let mut said = BufReader::new(running.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("until one version is clearly better") {
        assert!(said.read_line(&mut line).expect("text") > 0, "it begins: {line}");
    }
    kill_process(Pid::from_child(&running), Signal::INT).expect("it runs");
    let ended = running.wait_with_output().expect("its end");
    assert_eq!(ended.status.code(), Some(130));
    let told = String::from_utf8(ended.stdout).expect("text");
    assert!(
        told.starts_with("stopped after ") && told.contains("(first minus second) is between -"),
        "{told}"
    );
    place.assert_nothing_stays();
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    let still = &*place.guest("still", "house still");
    for (words, complaint) in [
        (&["compare", still, still, "--game", "footbal"][..], "football"),
        (&["compare", still, "nobody", "--game", "football"], "nobody"),
        (&["compare", still, still, "--game", "football", "--alpha", "2"], "alpha must be a probability"),
        (&["compare", still, still, "--game", "football", "--set", "p"], "NAME=VALUE"),
    ] {
        place.call(&[words, &["--sandbox", "off"]].concat()).with_status(2).complaining(&[complaint]);
    }
}

/// Compares house bots that are no programs. The names of bots come after `compare`.
fn compared(place: &Place, bots: [&str; 2], words: &[&str]) -> Ran {
    let [one, other] = bots.map(|name| place.guest(name, &format!("house {name}")));
    place.call(&[&["compare", &one, &other, "--sandbox", "off"], words].concat())
}

/// A game of two that is over soon.
const TWO: [&str; 4] = ["--game", "foosball", "--seed", "1"];

#[test]
fn a_script_reads_the_answer_and_testers_of_engines_their_numbers() {
    let place = Place::new();
    let json = |bots, words: &[&str]| -> serde_json::Value {
        let answer = compared(&place, bots, &[words, &["--format", "json"]].concat()).with_status(0);
        serde_json::from_str(&answer.out).expect("JSON")
    };
    let few = json(["still"; 2], &[&["--max-rounds", "3"], &TWO[..]].concat());
    assert!(few["answer"] == "not_clear" && few["games"] == 3 && few["schema"] == 1, "{few}");
    let count = |name: &str| few[name].as_u64().unwrap_or_else(|| panic!("{name}: {few}"));
    assert_eq!(count("won") + count("level") + count("lost"), 3);
    let number = |name: &str| few[name].as_f64().unwrap_or_else(|| panic!("{name}: {few}"));
    assert!(number("elo_low") < number("elo") && number("elo") < number("elo_high"), "{few}");
    assert!(number("difference_low") <= number("difference"), "{few}");
    assert!(number("difference") <= number("difference_high") && number("superiority") < 1.0, "{few}");

    let test = ["--elo0", "0", "--elo1", "200", "--max-rounds", "200"];
    let better = json(["planner", "still"], &[&test[..], &TWO].concat());
    assert!(better["answer"] == "accepted", "{better}");
    assert!(better["odds_against_elo0"].as_f64() >= better["odds_needed"].as_f64(), "{better}");
    let worse = compared(&place, ["still", "planner"], &[&test[..], &TWO].concat()).with_status(0);
    assert!(worse.out.starts_with("refused: an Elo difference of 0, not 200, after "), "{worse:?}");
    assert!(worse.out.contains("\nElo difference -"), "{worse:?}");

    let of_four = json(["greedy", "still"], &[&["--max-rounds", "3"], &SHORT[..]].concat());
    assert!(of_four["rounds"] == 3 && of_four.get("elo").is_none(), "{of_four}");
    for (words, complaint) in [
        (&["--elo0", "0", "--elo1", "5", "--game", "football"][..], "football is not a game of two"),
        (&["--elo0", "5", "--elo1", "5", "--game", "foosball"], "--elo0 must be below --elo1"),
        (&["--elo0", "5", "--game", "foosball"], "--elo1"),
    ] {
        let words = [&["compare", "still", "still"], words].concat();
        place.call(&words).with_status(2).complaining(&[complaint]);
    }
}
