//! Options of `referee play` for authors: summaries, standard error as it arrives, no limits, opponents from
//! a hill.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Stdio};

use referee_record::results::ResultRow;
use referee_rules::Seed;

use crate::called::Calls;
use crate::support::{Place, Ran, results_in, rows_of_json};

const SMALL: [&str; 6] = ["-p", "2", "--max-turns", "10", "--seed", "3"];

/// House bots that are no programs, and what keeps `play` from looking for a sandbox.
fn guests<const N: usize>(place: &Place, names: [&str; N]) -> Vec<String> {
    let guest = |name: &str| place.guest(name, &format!("house {name}"));
    names.map(guest).into_iter().chain(["--sandbox".to_owned(), "off".to_owned()]).collect()
}

/// Calls the program with these words and these bots behind them.
fn called(place: &Place, words: &[&str], bots: &[String]) -> Ran {
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    place.call(&[words, &bots].concat())
}

#[test]
fn a_summary_of_many_games_says_of_each_bot_what_its_rows_say() {
    let place = Place::new();
    let words = [&["play", "football", "--repeat", "3", "--format", "json"], &SMALL[..]].concat();
    let bots = guests(&place, ["greedy", "still", "sweeper", "still"]);
    let ran = called(&place, &words, &bots).with_status(0);
    let summary = rows_of_json(&ran.out);
    let rows = results_in(&place.path("games"));
    assert_eq!(rows.len(), 12);
    assert_eq!(summary.len(), 3, "each bot once");
    let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    rows.iter().for_each(|row| shares.entry(&row.bot.name).or_default().push(row.share.value()));
    for bot in &summary {
        let own = &shares[bot["bot"].as_str().expect("a name")];
        assert_eq!(bot["seats"], own.len());
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!((bot["mean_share"].as_f64().expect("a share") - mean).abs() < 1e-4, "{bot}");
    }
    let means: Vec<f64> = summary.iter().filter_map(|bot| bot["mean_share"].as_f64()).collect();
    assert!(means.is_sorted_by(|one, other| one >= other), "the best first: {means:?}");
}

#[test]
fn runs_with_one_seed_in_one_folder_at_once_play_games_of_their_own_names() {
    let place = Place::new();
    let runs: [&[&str]; 4] =
        [&[], &["--compress"], &["--repeat", "3"], &["--repeat", "3", "--jobs", "2", "--compress"]];
    let start = |more: &&[&str]| {
        let words = [&["play", "push", "--turns", "10", "--seed", "5"], *more, &["random"; 6]].concat();
        place.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run")
    };
    for ended in runs.iter().map(start).collect::<Vec<Child>>() {
        let ended = ended.wait_with_output().expect("a run");
        assert!(ended.status.success(), "{ended:?}");
    }
    let mut games: Vec<String> = results_in(&place.path("games")).into_iter().map(|row| row.game).collect();
    games.dedup();
    let names: BTreeSet<&String> = games.iter().collect();
    assert_eq!((games.len(), names.len()), (8, 8), "{games:?}");
    assert!(names.contains(&format!("push-{}-4", Seed(5))), "four games have the first seed: {names:?}");
    place.call(&["audit", "games"]).with_status(0);
    let left =
        fs::read_dir(place.path("games/logs")).expect("logs").map(|log| log.expect("a log").file_name());
    let left: Vec<_> = left.filter(|name| !name.to_string_lossy().contains(".csv")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn bots_move_on_by_a_seat_from_game_to_game_unless_seats_are_fixed() {
    let place = Place::new();
    let bots = guests(&place, ["greedy", "still", "sweeper", "random"]);
    let played = |dir: &str, more: &[&str]| {
        let words = ["play", "football", "--repeat", "4", "--format", "json", "--dir", dir];
        let ran = called(&place, &[&words[..], more, &SMALL].concat(), &bots).with_status(0);
        (ran.out, results_in(&place.path(dir)))
    };
    let (summary, rows) = played("moved", &["--jobs", "2"]);
    let seat_of = |game: &[ResultRow]| game.iter().position(|row| row.bot.name == "greedy");
    let mut seats: Vec<Option<usize>> = rows.chunks(4).map(seat_of).collect();
    seats.sort_unstable();
    assert_eq!(seats, [Some(0), Some(1), Some(2), Some(3)]);
    let summary = rows_of_json(&summary);
    for bot in &summary {
        let shares = rows.iter().filter(|row| row.bot.name == bot["bot"]).map(|row| row.share.value());
        let shares: Vec<f64> = shares.collect();
        let mean = shares.iter().sum::<f64>() / 4.0;
        let error = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / 3.0 / 4.0).sqrt();
        assert!((bot["mean_error"].as_f64().expect("a number") - error).abs() < 1e-4, "{bot}");
    }
    let (_, rows) = played("fixed", &["--fixed-seats"]);
    assert!(rows.chunks(4).all(|game| game[0].bot.name == "greedy"));
}

#[test]
fn standard_error_is_shown_as_it_comes_with_the_seat_and_steers_no_terminal() {
    let place = Place::new();
    let bot = "#!/bin/sh\nread -r line\necho one word >&2\necho 4 4\nread -r line\necho two words >&2\nwhile read -r line; do :; done\n";
    let talker = place.program("talker", bot);
    let bot = "#!/bin/sh\nread -r line\nprintf 'a\\033[2J\\tb%20000d\\n' 7 >&2\necho 4 4\nwhile read -r line; do :; done\n";
    let evil = place.program("evil", bot);
    let words = [&["play", "football", "--stderr", "--turn-ms", "500"], &SMALL[..]].concat();
    let ran = place.referee(&[&words[..], &[&evil, "still", &talker, "still"]].concat()).with_status(0);
    let of_seat = |seat: &str| {
        let lines = ran.err.lines().filter(|line| line.starts_with(seat));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(of_seat("seat 2: "), ["seat 2: one word", "seat 2: two words"], "as it comes: {ran:?}");
    let rows = results_in(&place.path("games"));
    let kept = fs::read_to_string(place.path(&format!("games/stderr/{}-seat2.txt", rows[0].game)));
    assert_eq!(kept.expect("it is kept as well"), "one word\ntwo words\n");

    let line = of_seat("seat 0: ").remove(0);
    assert!(line.starts_with(r"seat 0: a\u{1b}[2J    b    ") && line.ends_with("..."), "{line:?}");
    assert_eq!(line.len(), "seat 0: ".len() + 2000, "a long line is cut");
    assert!(!ran.err.contains('\u{1b}'), "no terminal is steered: {ran:?}");
}

#[test]
fn without_limits_there_is_an_hour() {
    let place = Place::new();
    let words = [&["play", "football", "--no-timeout"], &SMALL[..]].concat();
    called(&place, &words, &guests(&place, ["still"; 4])).with_status(0);
    let row = &results_in(&place.path("games"))[0];
    assert!(row.parameters.contains("turn_ms=3600000 first_ms=3600000"), "{}", row.parameters);
    place.call(&["audit", "games"]).with_status(0);
}

#[test]
fn opponents_come_from_a_hill_and_the_own_seat_moves_on() {
    let place = Place::new();
    let settings = ["-p", "2", "--max-turns", "10", "--turn-ms", "30000", "--first-ms", "30000"];
    let bots = [
        ("one", "says 4 4"),
        ("two", "house greedy"),
        ("three", "house still"),
        ("four", "house greedy"),
        ("five", "house still"),
    ];
    place.hill_of_guests("hill", &settings, &bots);
    let words = ["play", "football", "--vs", "hill", "--repeat", "5", "--seed", "3"];
    called(&place, &words, &guests(&place, ["sweeper"])).with_status(0);
    let rows = results_in(&place.path("games"));
    assert_eq!(rows.len(), 20);
    let own: Vec<usize> =
        rows.iter().filter(|row| row.bot.name == "sweeper").map(|row| row.seat.index()).collect();
    assert_eq!(own, [0, 1, 2, 3, 0]);
    for game in rows.chunks(4) {
        let names: BTreeMap<&str, u32> = game.iter().map(|row| (row.bot.name.as_str(), 0)).collect();
        assert_eq!(names.len(), 4, "the hill has enough bots, so none sits twice: {names:?}");
        assert!(game.iter().all(|row| row.parameters.starts_with("p=2 ")), "the hill's settings hold");
    }
    place.call(&["audit", "games"]).with_status(0);
    place
        .call(&["play", "push", "--vs", "hill", "random"])
        .with_status(2)
        .complaining(&["a hill of football, not of push"]);
    place.call(&["play", "football", "--vs", "nowhere", "still"]).with_status(2).complaining(&["nowhere"]);
}

#[test]
fn help_says_of_each_game_what_it_is() {
    let place = Place::new();
    for words in [&["play", "--help"][..], &["hill", "new", "hill", "--help"]] {
        let help = place.call(words).with_status(0).out;
        let text = help.split_whitespace().collect::<Vec<&str>>().join(" "); // however it is wrapped
        for entry in referee_games::catalog::GAMES {
            assert!(text.contains(&format!("{} {}", entry.name, entry.about)), "{}: {help}", entry.name);
        }
    }
}

#[test]
fn parameters_are_set_by_name_in_every_command() {
    let place = Place::new();
    let short = ["--set", "max_turns=5", "--set", "k=3", "--seed", "7"];
    let four = guests(&place, ["still"; 4]);
    called(&place, &[&["play", "football", "-p", "2"], &short[..]].concat(), &four).with_status(0);
    let row = &results_in(&place.path("games"))[0];
    for due in ["p=2", "k=3", "max_turns=5"] {
        assert!(row.parameters.split(' ').any(|one| one == due), "{due}: {}", row.parameters);
    }
    let hill = ["hill", "new", "h", "football", "--set", "p=2", "--no-key"];
    assert!(place.call(&hill).with_status(0).out.contains("p=2"));
    for (wrong, why) in [("chess=1", "there are: p, "), ("p", "write NAME=VALUE"), ("p=x", "p")] {
        called(&place, &["play", "football", "--set", wrong], &four)
            .with_status(2)
            .complaining(&["--set", why]);
    }
}

#[test]
fn who_names_no_game_is_told_which_there_are() {
    let place = Place::new();
    for words in [&["play", "chess", "a", "b"][..], &["hill", "new", "h", "chess"]] {
        place.call(words).with_status(2).complaining(&["no such game: chess", "football", "push"]);
    }
    place.call(&["hill", "list", "nowhere"]).with_status(2).complaining(&["nowhere: no such folder"]);
}

#[test]
fn a_folder_of_games_whose_results_lack_a_finished_game_is_named_and_left_as_it_is() {
    let place = Place::new();
    let (fox, owl) = (place.guest("fox", "says 4 4"), place.guest("owl", "house still"));
    let play = |seed: &str| {
        let words = ["play", "football", &fox, &owl, &fox, &owl, "-p", "2", "--max-turns", "3", "--dir", "g"];
        place.call(&[&["--sandbox", "off"], &words[..], &["--seed", seed]].concat())
    };
    play("1").with_status(0);
    play("2").with_status(0);
    let file = place.path("g/results.csv");
    let whole = fs::read_to_string(&file).expect("the results");
    let without_last: String = whole.split_inclusive('\n').take(8).collect();
    let without_game: String = whole.split_inclusive('\n').take(5).collect();
    for left in [
        Some(whole[..whole.len() - 9].to_owned()),
        Some(without_last),
        Some(whole[..200].to_owned()),
        Some(whole.split_inclusive('\n').take(1).collect()),
        Some(String::new()),
        None,
    ] {
        match &left {
            Some(text) => fs::write(&file, text).expect("the results"),
            None => fs::remove_file(&file).expect("the results"),
        }
        let remedy =
            "put results.csv back from a backup, or move this log out of logs: its game then does not count";
        play("3").with_status(3).complaining(&[
            "results.csv: the rows of a finished game are missing: its log is g/logs/",
            remedy,
        ]);
        assert_eq!(fs::read_to_string(&file).ok(), left, "nothing is written");
        fs::write(&file, &whole).expect("the results");
    }
    // The way back without a backup: the log of the game that was torn is moved away.
    fs::write(&file, &whole[..whole.len() - 9]).expect("the results");
    let log = place.path("g/logs/football-0x0000000000000002.csv");
    fs::rename(&log, place.path("moved.csv")).expect("its log");
    play("3").with_status(0).complaining(&["results.csv.set-aside"]);
    place.call(&["audit", "g"]).with_status(0);
    // Rows of a game whose log was not finished are those of a run that was killed.
    let (before, log) =
        (fs::read_to_string(&file).expect("the results"), "g/logs/football-0x0000000000000003.csv");
    fs::rename(place.path(log), place.path(&format!("{log}.part"))).expect("its log");
    fs::write(&file, &before[..before.len() - 9]).expect("the results");
    play("4").with_status(0);
    assert!(before.starts_with(&without_game), "{before}");
}
