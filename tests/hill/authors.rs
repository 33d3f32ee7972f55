//! Authors: the maximum number of their bots on the hill, and at one table.

use std::fs;

use referee_contest::hill::Hill;
use referee_files::results;
use referee_table::process::Setup;

use crate::called::Calls;
use crate::support::Place;

const QUICK: [&str; 6] = ["-p", "2", "--max-turns", "30", "--seed", "5"];

#[test]
fn an_author_has_as_many_bots_as_the_hill_says_and_one_at_a_table() {
    let place = Place::new();
    let limits = ["--author-seats", "1", "--author-bots", "2"];
    let root = place.hill_of_guests("hill", &[&QUICK[..], &limits].concat(), &[]);
    let (one, other) = (place.guest("one", "says 4 4"), place.guest("other", "says 4 4"));
    let submit = |bot: &str, name: &str, author: &str| {
        place.call(&["hill", "submit", "hill", bot, "--name", name, "--author", author])
    };
    submit(&one, "a1", "ada").with_status(0);
    let same = submit(&one, "a2", "ada").with_status(0);
    assert!(same.out.contains("it is the same program, with the same arguments, as a1"), "{same:?}");
    let third = submit(&other, "a3", "ada").with_status(2);
    third.complaining(&["author_bots = 2", "a1, a2", "submit it under one of these names, or retire one"]);
    // Another version replaces the previous one.
    submit(&other, "a2", "ada").with_status(0);
    submit(&one, "b1", "b/b")
        .with_status(2)
        .complaining(&["not a name for an author", "letters, digits, - and _"]);
    for name in ["c", "d", "e", "f", "g", "h"] {
        place.call(&["hill", "submit", "hill", "still", "--name", name]).with_status(0);
    }
    let listed = place.call(&["hill", "bots", "hill", "--format", "csv"]).with_status(0);
    assert!(listed.out.contains("\na2,2,ada,") && listed.out.contains("\nc,1,,"), "{listed:?}");

    let hill = Hill::open(&root).expect("a hill");
    let run = hill.begin_run(&Setup::this_program()).expect("a run");
    for fixture in (1..=50).flat_map(|round| run.fixtures_of(round)) {
        let of_ada = fixture.entrants.iter().filter(|(_, bot)| bot.author == "ada").count();
        assert!(of_ada <= 1, "{}", fixture.id);
    }
    drop(run);
    place.call(&["hill", "run", "hill", "--rounds", "3"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);
    // Both files name the author of a bot.
    let seasons = root.join("seasons.csv");
    let text = fs::read_to_string(&seasons).expect("seasons");
    fs::write(&seasons, text.replacen(",ada,3\n", ",bob,3\n", 1)).expect("seasons");
    let audited = place.call(&["audit", "hill"]).with_status(3);
    audited.complaining(&["the author of a1 version 1 is \"ada\", but seasons.csv says \"bob\""]);
}

#[test]
fn bots_of_an_author_that_cannot_sit_apart_are_told_before_a_game() {
    let place = Place::new();
    place.hill_of_guests("hill", &[&QUICK[..], &["--author-seats", "1"]].concat(), &[("still", "still")]);
    for name in ["a1", "a2"] {
        let bot = place.guest(name, "says 4 4");
        let words = ["hill", "submit", "hill", &bot, "--name", name, "--author", "ada"];
        place.call(&words).with_status(0);
    }
    let run = place.call(&["hill", "run", "hill"]);
    run.with_status(2).complaining(&["hill.toml", "author_seats = 1: ada has 2 bots", "room for 1"]);
    let refused = place.call(&["hill", "new", "other", "target", "--author-seats", "1"]).with_status(2);
    refused.complaining(&["author_seats is for tables dealt"]);
}

#[test]
fn a_tournament_limits_the_bots_of_an_author_too() {
    let place = Place::new();
    let file = |top: &str, format: &str| {
        let entrant = |name: &str, author: &str| {
            format!("[[entrant]]\nname = \"{name}\"\nprogram = \"house:still\"\n{author}")
        };
        let bots = ["a", "b"].map(|name| entrant(name, "author = \"ada\"\n")).concat()
            + &["c", "d", "e", "f", "g", "h"].map(|name| entrant(name, "")).concat();
        let head = "name = \"x\"\ngame = \"football\"\nseed = \"3\"\nsandbox = \"off\"\n";
        let head = format!("{head}{top}[parameters]\nmax_turns = 20\n");
        let text = format!("{head}[format]\nkind = \"rounds\"\nrounds = 2\n{format}{bots}");
        fs::write(place.path("x.toml"), text).expect("a file");
        place.call(&["tournament", "plan", "x.toml", "--dir", "T"])
    };
    let many = file("author_bots = 1\n", "").with_status(2);
    many.complaining(&["x.toml, line 18: ada has more bots than author_bots = 1 allows"]);
    file("", "author_seats = 1\n").with_status(0);
    let plan = fs::read_to_string(place.path("T/plan.toml")).expect("a plan");
    assert_eq!(plan.matches("author = \"ada\"").count(), 2, "{plan}");
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let listed = results::read(&place.path("T/results.csv")).expect("the results");
    for game in listed.chunks(4) {
        let of_ada = game.iter().filter(|(_, row)| ["a", "b"].contains(&&*row.bot.name)).count();
        assert_eq!(of_ada, 1, "two tables, one of ada at each");
    }
    place.call(&["audit", "T"]).with_status(0);
}
