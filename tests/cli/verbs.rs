//! Commands of a host for the bots of a hill, apart from playing.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;

use referee_contest::accounts;

use crate::called::Calls;
use crate::support::{Place, rows_of_json};

/// A bot that stands still.
const STILL: &str = "says 4 4";

const SETTINGS: [&str; 8] =
    ["-p", "2", "--max-turns=3", "--turn-ms", "30000", "--first-ms", "30000", "--seed=5"];

/// A hill of two bots.
fn hill(place: &Place) {
    place.hill_of_guests("hill", &SETTINGS, &[("one", STILL), ("two", STILL)]);
}

fn names(place: &Place) -> Vec<String> {
    let bots = place.call(&["hill", "bots", "hill", "--format", "json"]).with_status(0);
    rows_of_json(&bots.out).iter().map(|row| row["bot"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_banned_bot_comes_back_under_no_name_until_the_ban_is_lifted() {
    let place = Place::new();
    hill(&place);
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["hill", "ban", "hill", "one"]).with_status(0);
    assert_eq!(names(&place), ["two"]);
    let (own, other) = (place.path("one.guest").display().to_string(), place.guest("other", STILL));
    let submit = |bot: &str, name: &str| place.call(&["hill", "submit", "hill", bot, "--name", name]);
    for (bot, name) in [(&own, "one"), (&own, "three"), (&other, "one")] {
        submit(bot, name)
            .with_status(2)
            .complaining(&["one has been banned since ", "`referee hill ban` with --lift"]);
    }
    submit(&other, "three").with_status(0);
    place.call(&["hill", "ban", "hill", "two", "--lift"]).with_status(2).complaining(&["two is not banned"]);
    place.call(&["hill", "ban", "hill", "nobody"]).with_status(2).complaining(&["no bot named nobody"]);
    place.call(&["hill", "ban", "hill", "one", "--lift"]).with_status(0);
    submit(&own, "one").with_status(0);
    assert_eq!(names(&place), ["two", "three", "one"]);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_ban_is_one_of_the_program_and_of_the_author_if_that_is_asked() {
    let place = Place::new();
    hill(&place);
    let own = place.path("one.guest").display().to_string();
    let submit = |bot: &str, name: &str, more: &[&str]| {
        place.call(&[&["hill", "submit", "hill", bot, "--name", name], more].concat())
    };
    submit(&format!("{own} --level 1"), "twin", &["--allow-fork"]).with_status(0);
    for name in ["anns", "ann2"] {
        submit(&place.guest(name, STILL), name, &["--author", "ann"]).with_status(0);
    }
    let banned = place.call(&["hill", "ban", "hill", "one"]).with_status(0);
    assert!(banned.out.contains("retired: twin\n"), "{}", banned.out);
    assert_eq!(names(&place), ["two", "anns", "ann2"]);
    for (bot, more) in [(format!("{own} --level 2"), &[][..]), (own.clone(), &["--replace", "--allow-fork"])]
    {
        submit(&bot, "twin", more)
            .with_status(2)
            .complaining(&["one has been banned since ", "`referee hill ban` with --lift"]);
    }
    place
        .call(&["hill", "ban", "hill", "twin", "--lift"])
        .with_status(2)
        .complaining(&["lift the ban of one"]);
    place
        .call(&["hill", "ban", "hill", "two", "--with-author"])
        .with_status(2)
        .complaining(&["is not known"]);

    let root = place.path("hill");
    accounts::invite(&root, "ann", None, accounts::Role::Author).expect("a token");
    place
        .call(&["hill", "ban", "hill", "anns", "--end-tokens"])
        .with_status(2)
        .complaining(&["--with-author"]);
    let banned = place.call(&["hill", "ban", "hill", "anns", "--with-author", "--end-tokens"]).with_status(0);
    assert!(banned.out.contains("the account ann has no token any more"), "{}", banned.out);
    assert!(accounts::tokens(&root).expect("tokens").is_empty());
    assert!(
        banned.out.contains("nor any bot of ann") && banned.out.contains("retired: ann2\n"),
        "{}",
        banned.out
    );
    assert_eq!(names(&place), ["two"]);
    let new = place.guest("new", STILL);
    submit(&new, "new", &["--author", "ann"]).with_status(2).complaining(&["nor any bot of its author"]);
    submit(&new, "new", &["--author", "bob"]).with_status(0);
    let of_ann = place.path("ann2.guest").display().to_string();
    submit(&of_ann, "other", &["--author", "bob"]).with_status(2).complaining(&["anns has been banned"]);
    place.call(&["hill", "ban", "hill", "anns", "--lift"]).with_status(0);
    submit(&of_ann, "more", &["--author", "ann"]).with_status(0);
    submit(&format!("{own} --level 3"), "twin", &[]).with_status(2).complaining(&["one has been banned"]);
    assert_eq!(names(&place), ["two", "new", "more"]);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_bot_that_a_ban_names_has_no_seat_though_no_row_says_that_it_is_out() {
    let place = Place::new();
    hill(&place);
    let own = place.path("one.guest").display().to_string();
    place.call(&["hill", "submit", "hill", &format!("{own} --level 1"), "--name", "twin"]).with_status(0);
    place.call(&["hill", "ban", "hill", "one"]).with_status(0);
    // Earlier versions banned only the same arguments.
    let file = place.path("hill/entrants.csv");
    let rows = fs::read_to_string(&file).expect("rows");
    fs::write(
        &file,
        rows.lines()
            .filter(|row| !row.contains(",retired,"))
            .map(|row| format!("{row}\n"))
            .collect::<String>(),
    )
    .expect("written");
    assert_eq!(names(&place), ["two"]);
    for name in ["three", "four"] {
        let bot = place.guest(name, STILL);
        place.call(&["hill", "submit", "hill", &bot, "--name", name]).with_status(0);
    }
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);
    assert_eq!(names(&place), ["two", "three", "four"]);
    place.call(&["hill", "retire", "hill", "twin"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_ban_is_one_of_all_programs_that_had_the_name_and_says_what_is_left_when_it_is_lifted() {
    let place = Place::new();
    hill(&place);
    let first = place.path("one.guest").display().to_string();
    let submit = |bot: &str, name: &str| place.call(&["hill", "submit", "hill", bot, "--name", name]);
    submit(&place.guest("second", STILL), "one").with_status(0);
    submit(&first, "twin").with_status(0);
    let banned = place.call(&["hill", "ban", "hill", "one"]).with_status(0);
    assert!(banned.out.contains("retired: twin\n"), "{}", banned.out);
    submit(&first, "again").with_status(2).complaining(&["one has been banned since "]);
    place.call(&["hill", "ban", "hill", "twin"]).with_status(0);
    let lifted = place.call(&["hill", "ban", "hill", "one", "--lift"]).with_status(0);
    assert!(lifted.out.contains("that of twin still holds"), "{}", lifted.out);
    place.call(&["hill", "ban", "hill", "twin", "--lift"]).with_status(0);
    submit(&first, "again").with_status(0);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn how_an_author_is_reached_is_kept_with_the_bot() {
    let place = Place::new();
    hill(&place);
    let (own, other) = (place.path("one.guest").display().to_string(), place.guest("other", STILL));
    let contact = |bot: &str, more: &[&str]| {
        place.call(&[&["hill", "submit", "hill", bot, "--name", "ann"], more].concat()).with_status(0);
        let bots = place.call(&["hill", "bots", "hill", "--format", "json"]).with_status(0);
        let rows = rows_of_json(&bots.out);
        let row = rows.iter().find(|row| row["bot"] == "ann").expect("the bot");
        row["contact"].as_str().expect("a text").to_owned()
    };
    assert_eq!(contact(&own, &["--contact", "ann@example.org"]), "ann@example.org");
    assert_eq!(contact(&other, &[]), "ann@example.org", "as it was");
    let shown = place.call(&["hill", "bots", "hill"]).with_status(0);
    assert!(!shown.out.contains("ann@example.org"), "{}", shown.out);
    let shown = place.call(&["hill", "bots", "hill", "--wide"]).with_status(0);
    assert!(shown.out.contains("ann@example.org"), "{}", shown.out);
}

#[test]
fn the_hills_of_a_folder_are_listed() {
    let place = Place::new();
    let none = place.call(&["hill", "list"]).with_status(0);
    assert_eq!(none.out, "there is no hill in .; make one: referee hill new myhill GAME\n");
    let none = place.call(&["hill", "list", "--format", "json"]).with_status(0);
    assert!(rows_of_json(&none.out).is_empty(), "a program gets its empty list: {}", none.out);
    hill(&place);
    place.call(&["hill", "new", "empty", "push"]).with_status(0);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let rows = rows_of_json(&place.call(&["hill", "list", "--format", "json"]).with_status(0).out);
    let told: Vec<[&serde_json::Value; 4]> =
        rows.iter().map(|row| ["hill", "game", "bots", "games"].map(|column| &row[column])).collect();
    assert!(told.len() == 2 && told[0][0] == "./empty" && told[0][1] == "push", "{told:?}");
    assert!(told[0][2] == 0 && told[0][3].is_null(), "{told:?}");
    assert!(told[1][0] == "./hill" && told[1][2] == 2 && told[1][3] == 4, "{told:?}");
    place.call(&["hill", "run", "hill", "--until-clear", "--max-rounds", "10"]).with_status(0);
    let row = rows_of_json(&place.call(&["hill", "list", "--format", "json"]).with_status(0).out).remove(1);
    let told = ["leader_version", "verdict_kind", "verdict_round"].map(|column| row[column].to_string());
    assert_eq!(told, ["1", "\"not_separated\"", "10"], "{row:?}");
    // One that cannot be read is named, and the others are listed.
    fs::write(place.path("empty/hill.toml"), "game = 'chess'\n").expect("a file");
    let ran = place.call(&["hill", "list"]).with_status(2);
    assert!(
        ran.err.contains("empty/hill.toml") && ran.err.contains("1 of 2 hills cannot be read"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("./hill") && !ran.out.contains("./empty"), "{}", ran.out);
}

#[test]
fn programs_get_the_least_and_the_most_of_counts_as_numbers() {
    let place = Place::new();
    hill(&place);
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["report", "hill", "--html", "out"]).with_status(0);
    let bots = fs::read_to_string(place.path("out/bots.csv")).expect("a table");
    let head = bots.lines().next().expect("a header");
    assert!(
        head.ends_with(",games_in_a_seat_least,games_in_a_seat_most,meetings_least,meetings_most"),
        "{head}"
    );
    assert!(
        bots.lines().skip(1).all(|row| row.split(',').skip(6).all(|cell| cell.parse::<u64>().is_ok())),
        "{bots}"
    );
}

#[test]
fn folders_whose_names_are_no_text_are_folders() {
    let place = Place::new();
    let strange = place.path("").join(OsStr::from_bytes(b"\xffa 'b'\n"));
    fs::create_dir(&strange).expect("a folder");
    fs::copy(place.guest("still", STILL), strange.join("still")).expect("a bot");
    let entrant =
        |name: &str, program: &str| format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{program}\"\n");
    let settings = "name = \"t\"\ngame = \"football\"\nseed = \"5\"\nsandbox = \"off\"\n[parameters]\np = 2\nmax_turns = 3\n";
    let format = "[format]\nkind = \"rounds\"\nrounds = 1\n";
    let plan = [settings, format, &entrant("a", "still"), &entrant("greedy", "house:greedy")].concat();
    fs::write(strange.join("t.toml"), plan).expect("a tournament");
    let words = ["hill", "submit", "h"].map(OsString::from).into_iter();
    let words = words.chain([strange.join("still").into_os_string()]).collect();
    place.call_with(100, words).complaining(&["not text in UTF-8", "run the command there"]);
    let run = |words: &str| {
        // `@` is the folder.
        let word = |word: &str| match word.strip_prefix('@') {
            Some(rest) => {
                let mut path = strange.clone().into_os_string();
                path.push(rest);
                path
            }
            None => word.into(),
        };
        let words: Vec<OsString> = words.split(' ').map(word).collect();
        place.call_with(100, words).with_status(0).out
    };
    run("hill new @/h football -p 2 --max-turns 3 --block one-seating");
    run("hill submit @/h ./still.guest --sandbox off");
    run("hill submit @/h greedy --sandbox off");
    run("hill run @/h --rounds 1 --sandbox off");
    assert!(run("audit @/h").contains("agrees: 4 games"));
    assert!(run("hill standings @/h --format csv").contains("greedy"));
    assert!(run("hill new @/again football").contains("submit $'/"), "a command that a shell reads");
    run("--sandbox off play football ./still.guest greedy greedy greedy -p 2 --max-turns 3 --dir @/games");
    assert!(run("audit @/games").contains("agrees: 1 game"));
    run("tournament plan @/t.toml --dir @/t");
    run("tournament run @/t");
    run("tournament repair @/t");
    assert!(run("tournament standings @/t --format csv").contains("greedy"));
    assert!(run("audit @/t").contains("agrees"));
}

#[test]
fn verbs_take_the_folder_of_a_hill_or_of_a_tournament_and_name_what_a_folder_is() {
    let place = Place::new();
    hill(&place);
    place.call(&["tournament", "run", "hill", "--jobs", "1", "--rounds", "1"]).with_status(0);
    place.tournament_of_guests();
    place.call(&["hill", "run", "--dir", "T", "--shard", "0/1"]).with_status(0);
    for verb in ["standings", "fairness", "status"] {
        for folder in ["hill", "T"] {
            let printed = ["hill", "tournament"].map(|word| {
                [&[folder][..], &["--dir", folder]].map(|named| {
                    let words = [&[word, verb], named, &["--format", "csv"]].concat();
                    place.call(&words).with_status(0).out
                })
            });
            assert!(printed[0][0].lines().count() > 1, "{verb} {folder}: {printed:?}");
            assert!(printed.as_flattened().iter().all(|out| *out == printed[0][0]), "{verb} {folder}");
        }
    }
    for (word, folder, games) in [("hill", "T", "32 games"), ("tournament", "hill", "4 games")] {
        let repaired = place.call(&[word, "repair", folder]).with_status(0);
        assert!(repaired.out.contains(&format!("{folder}: nothing to repair: {games}")), "{repaired:?}");
    }
    for word in ["hill", "tournament"] {
        for (folder, option, value) in
            [("hill", "--shard", "0/2"), ("T", "--rounds", "2"), ("T", "--sandbox", "off")]
        {
            let refused = place.call(&[word, "run", folder, option, value]).with_status(2);
            refused.complaining(&[&format!("{option} is ")]);
        }
    }
    let refused = place.call(&["hill", "run", "hill", "--shard", "auto/4"]).with_status(2);
    refused.complaining(&["--shard is for tournaments"]);
    let refused = place.call(&["hill", "status", "hill/results.csv"]).with_status(2);
    refused.complaining(&["neither a hill nor a tournament"]);
    for (folder, option) in [("hill", "--set"), ("T", "--season")] {
        let refused = place.call(&["hill", "standings", folder, option, "1"]).with_status(2);
        refused.complaining(&[&format!("{option} is for ")]);
    }
}
