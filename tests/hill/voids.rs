//! Games that do not count: how often one is tried, what is kept and shown of it, and that they stop no run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use referee_files::voids;
use referee_record::voids::{VoidReason, VoidRow};

use crate::called::Calls;
use crate::support::{FAULTY, Place, Ran, faulty, files_below, results_in};

/// What these bots do to kill the referee: the first process above them that runs a hill or a tournament.
const KILL_REFEREE: &str = r#"
    process=$PPID
    while :; do
        words=
        read -r words < "/proc/$process/cmdline"
        case $words in *hillrun*|*tournamentrun*) kill -KILL "$process"; read -r never; read -r never;; esac
        read -r number name state process rest < "/proc/$process/stat"
    done
"#;

/// It is honest until the file of its first argument exists. Then it leaves in its second turn, and first
/// does what its second argument says: it kills the process that started it, or the referee.
const BOT: &str = r#"#!/bin/sh
[ -e "$1" ] || exec HONEST honest
kills=$2
read -r question
if [ "$kills" = launcher ]; then
    kill -KILL "$PPID"
    read -r never
elif [ "$kills" = referee ]; then
    KILL_REFEREE
fi
echo 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100 100 100 100
read -r question
"#;

/// It is honest until the file of its first argument exists. Then it leaves when it is behind, or kills the referee.
const SORE_LOSER: &str = r#"#!/bin/sh
[ -e "$1" ] || exec HONEST honest
while read -r count own other rest; do
    if [ "$own" -lt "$other" ]; then
        [ "$2" = referee ] || exit 0
        KILL_REFEREE
    fi
    echo 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100 100 100 100
done
"#;

const FOOSBALL: [&str; 9] =
    ["foosball", "--seed", "5", "--bank-ms", "600000", "--first-ms", "600000", "--block", "one-seating"];

/// Makes a hill of such bots, each with its victim. They begin once the file `now` exists.
fn hill_of(place: &Place, bots: &[(&str, &str)]) {
    hill_of_program(place, BOT, bots);
}

fn hill_of_program(place: &Place, program: &str, bots: &[(&str, &str)]) {
    let bot = place.program("bot", program.replace("HONEST", &FAULTY).replace("KILL_REFEREE", KILL_REFEREE));
    place.referee(&[&["hill", "new", "hill"], &FOOSBALL[..]].concat()).with_status(0);
    for (name, kills) in bots {
        let words = format!("{bot} {} {kills}", place.path("now").display());
        let submit = ["hill", "submit", "hill", &words, "--name", name, "--sandbox", "off"];
        place.referee(&submit).with_status(0);
    }
    fs::write(place.path("now"), "").expect("a file");
}

/// What bots of foosball say that leave their men where they are.
const KEEPS: &str = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 100 100 100 100";

/// Makes a hill of bots that play in this process: their names, and what makes their games void.
fn hill_of_guests(place: &Place, bots: &[(&str, &str)]) {
    place.call(&[&["hill", "new", "hill"], &FOOSBALL[..]].concat()).with_status(0);
    place.without_sandbox("hill");
    for (name, how) in bots {
        let guest = place.guest(name, &format!("{how}: {KEEPS}").replace("says:", "says"));
        place.call(&["hill", "submit", "hill", &guest, "--name", name]).with_status(0);
    }
}

fn voids_in(folder: &Path) -> Vec<VoidRow> {
    voids::read(&folder.join("voids.csv")).unwrap_or_else(|error| panic!("{error}"))
}

/// Counts the rows of each game by their reason.
fn reasons(rows: &[VoidRow]) -> BTreeMap<String, BTreeMap<VoidReason, u32>> {
    let mut reasons: BTreeMap<String, BTreeMap<VoidReason, u32>> = BTreeMap::new();
    for VoidRow { game, reason, .. } in rows {
        *reasons.entry(game.clone()).or_default().entry(*reason).or_default() += 1;
    }
    reasons
}

fn given_up_after(count: u32, reason: VoidReason) -> BTreeMap<VoidReason, u32> {
    BTreeMap::from([(reason, count), (VoidReason::GivenUp, 1)])
}

const RUN: [&str; 7] = ["hill", "run", "hill", "--sandbox", "off", "--jobs", "1"];

#[test]
fn a_bot_whose_games_are_void_stops_no_run_of_a_hill_and_all_of_it_is_shown() {
    let place = Place::new();
    hill_of_guests(&place, &[("killer", "void"), ("fox", "says"), ("hen", "says")]);
    let hill = place.path("hill");
    let run = place.call(&[&RUN[..], &["--rounds", "3"]].concat()).with_status(0);
    let run = run.complaining(&["is given up and does not count: void 3 times", "could not be confined"]);
    let rows = voids_in(&hill);
    let games = reasons(&rows);
    assert!(!games.is_empty());
    for (game, reasons) in &games {
        assert_eq!(*reasons, given_up_after(3, VoidReason::SandboxError), "{game}: {rows:#?}");
        assert!(run.err.contains(&format!("{game} is given up")), "{run:?}");
    }
    let befallen = rows.iter().filter(|row| row.reason != VoidReason::GivenUp);
    assert!(befallen.clone().all(|row| row.bot == "killer" && row.seat.is_some()), "{rows:#?}");
    assert!(
        befallen.clone().all(|row| hill.join(&row.log).exists()),
        "the existing part of their logs is kept"
    );
    let played = results_in(&hill);
    assert!(!played.is_empty() && played.iter().all(|row| row.bot.name != "killer"), "others have played");

    // They count as unknown, and rounds go on.
    let again = place.call(&[&RUN[..], &["--to-round", "3"]].concat()).with_status(0);
    again.complaining(&[": 0 games to play"]);
    place.call(&["audit", "hill"]).with_status(0);
    let standings = place.call(&["hill", "standings", "hill", "--format", "csv"]).with_status(0);
    assert_eq!(standings.out.lines().count(), 3, "fox and hen: {standings:?}");
    let status = place.call(&["hill", "status", "hill", "--format", "csv"]).with_status(0);
    let (given_up, games) = (games.len(), played.len() / 2);
    assert!(status.out.contains(&format!("\n1,3,3,{games},,{given_up},")), "{status:?}");

    let losses = place.call(&["hill", "status", "hill", "--losses", "--format", "csv"]).with_status(0).out;
    let begun = 3 * given_up;
    let row = format!("\nbot,killer,{begun},0,{given_up},0,0.0,{begun},{begun},1.0,0,0\n");
    assert!(losses.contains(&row), "{row} in {losses}");
    assert!(losses.contains("\nseat,killer 0,") && !losses.contains("\nseat,fox"), "{losses}");
    place.call(&["report", "hill", "--html", "report"]).with_status(0);
    let shown = fs::read_to_string(place.path("report/voids.csv")).expect("a table");
    assert_eq!(shown.lines().count(), 1 + rows.len());
    place.assert_nothing_stays();
}

#[test]
fn games_that_were_given_up_are_missed_by_nobody_however_many_come_after_them() {
    let place = Place::new();
    hill_of_guests(&place, &[("killer", "void"), ("fox", "says"), ("hen", "says")]);
    place.call(&[&RUN[..], &["--rounds", "12"]].concat()).with_status(0);
    let hill = place.path("hill");
    assert!(results_in(&hill).len() / 2 >= 12);
    let audited = place.call(&["audit", "hill"]).with_status(0);
    assert!(!audited.out.contains("not finished"), "{audited:?}");
    // A list without one of them, or none at all, is missed by each reader, and comes back.
    let list = fs::read_to_string(hill.join("voids.csv")).expect("the list");
    let first = list.lines().position(|line| line.contains(",given_up,")).expect("a row");
    let without = list.lines().enumerate().filter(|(at, _)| *at != first);
    let without: String = without.map(|(_, line)| format!("{line}\n")).collect();
    for list in [&*without, "", &list[..list.find('\n').expect("a header") + 1]] {
        fs::write(hill.join("voids.csv"), list).expect("the list");
        for words in [
            &["hill", "standings", "hill"][..],
            &["hill", "status", "hill"],
            &["report", "hill", "--html", "r"],
        ] {
            place.call(words).with_status(3).complaining(&["given up in voids.csv", "referee hill repair"]);
        }
        place.call(&["audit", "hill"]).with_status(3).complaining(&["hill/voids.csv", "referee hill repair"]);
    }
    place.call(&["hill", "repair", "hill"]).with_status(0);
    assert_eq!(fs::read_to_string(hill.join("voids.csv")).expect("the list"), list);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_game_is_void_no_more_often_for_being_run_again() {
    let place = Place::new();
    hill_of_guests(&place, &[("killer", "void"), ("fox", "says")]);
    place.call(&RUN).with_status(0);
    let path = place.path("hill/voids.csv");
    let text = fs::read_to_string(&path).expect("the list");
    // As if the run had been stopped after two attempts at the first game.
    let head: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs::write(&path, &head).expect("the list");
    place.call(&[&RUN[..], &["--to-round", "1"]].concat()).with_status(0);
    let rows = voids_in(&place.path("hill"));
    let first: Vec<(u32, VoidReason)> = rows.iter().take(4).map(|row| (row.attempt, row.reason)).collect();
    assert_eq!(
        first,
        [
            (1, VoidReason::SandboxError),
            (2, VoidReason::SandboxError),
            (3, VoidReason::SandboxError),
            (3, VoidReason::GivenUp)
        ],
        "one attempt more: {rows:#?}"
    );
}

#[test]
fn a_machine_on_which_every_game_is_void_is_found_unfit_and_says_so() {
    let place = Place::new();
    hill_of_guests(&place, &[("one", "void first"), ("two", "void first")]);
    let run = place.call(&[&RUN[..], &["--rounds", "20"]].concat()).with_status(1);
    run.complaining(&["this machine cannot play: 5 games in a row were given up"]);
    assert_eq!(reasons(&voids_in(&place.path("hill"))).len(), 5);
}

#[test]
fn who_kills_the_referee_on_a_hill_gets_no_third_try_at_a_game() {
    let place = Place::new();
    hill_of(&place, &[("killer", "referee"), ("fox", "nobody")]);
    let hill = place.path("hill");
    let mut kills = 0;
    let last = loop {
        let run = place.referee(&[&RUN[..], &["--to-round", "2"]].concat());
        if run.status.is_some() {
            break run;
        }
        kills += 1;
        assert!(kills < 10, "each game is begun twice at most");
        place.assert_no_process_stays();
    };
    let last = last.with_status(0);
    assert_eq!(kills, 8, "four games, each of them twice");
    last.complaining(&["attempt 2, was lost", "is given up and does not count: lost in flight 2 times"]);
    let games = reasons(&voids_in(&hill));
    assert_eq!(games.len(), 4);
    assert!(
        games.values().all(|reasons| *reasons == given_up_after(2, VoidReason::LostInFlight)),
        "{games:#?}"
    );
    assert_eq!(files_below(&hill, "part"), [] as [&Path; 0]);
    let losses = place.call(&["hill", "status", "hill", "--losses", "--format", "csv"]).with_status(0).out;
    assert!(losses.contains("\nbot,killer,8,8,4,0,1.0,0,0,0.0,0,0\n"), "{losses}");

    // Rounds continue, and the loss is reported once.
    place
        .referee(&[&RUN[..], &["--to-round", "2"]].concat())
        .with_status(0)
        .complaining(&[": 0 games to play"]);
    assert_eq!(voids_in(&hill).len(), 12);
    place.call(&["audit", "hill"]).with_status(0);
}

#[test]
fn a_season_has_its_verdict_though_its_games_are_given_up_when_a_run_begins() {
    let place = Place::new();
    hill_of(&place, &[("killer", "referee"), ("fox", "nobody")]);
    let until = ["--until-clear", "--alpha", "0.5", "--min-rounds", "1", "--max-rounds", "2"];
    let (kills, last) = run_to_the_end(&place, &[&RUN[..], &until].concat());
    last.with_status(0).complaining(&["season 1 ended after 2 rounds: no clear winner"]);
    assert_eq!(kills, 8, "four games, each of them twice");
    place.call(&["audit", "hill"]).with_status(0);
}

/// Starts runs until one has lived to its end. Returns the number of killed ones, and that one.
fn run_to_the_end(place: &Place, words: &[&str]) -> (usize, Ran) {
    for kills in 0..60 {
        let run = place.referee(words);
        if run.status.is_some() {
            return (kills, run);
        }
        place.assert_no_process_stays();
    }
    panic!("no run has lived to its end");
}

/// Checks the rows of games that were lost four times: nobody knows how the first was lost, but the killer alone was
/// last in score in the others. Returns their number.
fn assert_killer_was_behind(rows: &[VoidRow]) -> usize {
    let (given_up, lost): (Vec<&VoidRow>, _) = rows.iter().partition(|row| row.reason == VoidReason::GivenUp);
    for row in lost {
        assert_eq!(row.reason, VoidReason::LostInFlight);
        let known = (row.turn > 0, &*row.bot, row.seat.is_some(), row.bot_version.is_some());
        let is_known = row.attempt > 1;
        assert_eq!(known, (is_known, if is_known { "killer" } else { "" }, is_known, is_known), "{row:?}");
    }
    for row in &given_up {
        let (seat, other) = if row.bots.starts_with("killer") { (0, 1) } else { (1, 0) };
        let why = format!("lost in flight 4 times, with seat {seat} behind in all 3 that are known");
        assert_eq!(row.detail, why, "not seat {other}");
    }
    given_up.len()
}

#[test]
fn who_kills_the_referee_of_a_hill_each_time_it_is_behind_is_found_before_ten_losses() {
    let place = Place::new();
    hill_of_program(&place, SORE_LOSER, &[("killer", "referee"), ("fox", "nobody")]);
    let hill = place.path("hill");
    let settings = fs::read_to_string(hill.join("hill.toml")).expect("the settings");
    let ten =
        settings.replace("# lost_max = 10", "lost_max = 10").replace("compress = false", "compress = true");
    fs::write(hill.join("hill.toml"), ten).expect("the settings");
    let (kills, last) = run_to_the_end(&place, &[&RUN[..], &["--to-round", "3"]].concat());
    last.with_status(0);
    let given_up = assert_killer_was_behind(&voids_in(&hill));
    assert!(given_up > 0 && kills == 4 * given_up, "{kills} kills");
    assert!(results_in(&hill).len() < 12, "six games of two bots, without those");
    let losses = place.call(&["hill", "status", "hill", "--losses", "--format", "csv"]).with_status(0).out;
    let row = |bot: &str, behind: usize| {
        let known = 3 * given_up;
        let ends = format!(",0,0,0.0,{known},{behind}");
        losses.lines().any(|line| line.starts_with(&format!("{bot},")) && line.ends_with(&ends))
    };
    assert!(row("all,", 3 * given_up) && row("bot,killer", 3 * given_up) && row("bot,fox", 0), "{losses}");
    place.call(&["audit", "hill"]).with_status(0);
    assert_eq!(files_below(&hill, "part"), [] as [&Path; 0]);
}

const TOURNAMENT: &str = r#"
name = "void"
game = "foosball"
seed = "4"
sandbox = "off"
batch = 2
[parameters]
bank_ms = 600000
first_ms = 600000
[format]
kind = "rounds"
rounds = 4
"#;

/// Plans a tournament of such bots in the folder `T`.
fn plan_of(place: &Place, bots: &[(&str, &str)]) {
    plan_of_program(place, BOT, TOURNAMENT, bots);
}

fn plan_of_program(place: &Place, program: &str, file: &str, bots: &[(&str, &str)]) {
    let bot = place.program("bot", program.replace("HONEST", &FAULTY).replace("KILL_REFEREE", KILL_REFEREE));
    let now = place.path("now").display().to_string();
    let entrant = |(name, kills): &(&str, &str)| {
        format!("[[entrant]]\nname = {name:?}\nprogram = {bot:?}\narguments = [{now:?}, {kills:?}]\n")
    };
    let entrants: String = bots.iter().map(entrant).collect();
    fs::write(place.path("void.toml"), format!("{file}{entrants}")).expect("a file");
    place.referee(&["tournament", "plan", "void.toml", "--dir", "T"]).with_status(0);
    fs::write(&now, "").expect("a file");
}

const TOURNAMENT_RUN: [&str; 6] = ["tournament", "run", "--dir", "T", "--jobs", "1"];

#[test]
fn nor_does_it_stop_a_tournament_and_every_attempt_is_recorded_and_shown() {
    let place = Place::new();
    plan_of(&place, &[("killer", "launcher"), ("fox", "nobody"), ("hen", "nobody")]);
    let run = place.referee(&TOURNAMENT_RUN).with_status(0);
    run.complaining(&[" is void: void 3 times; the last reason: the bot of seat "]);
    let rows = voids_in(&place.path("T"));
    let games = reasons(&rows);
    assert!(!games.is_empty());
    assert!(
        games.values().all(|reasons| *reasons == given_up_after(3, VoidReason::SandboxError)),
        "{games:#?}"
    );
    let attempts: Vec<&VoidRow> = rows.iter().filter(|row| row.reason != VoidReason::GivenUp).collect();
    assert!(attempts.iter().all(|row| row.bot == "killer" && place.path("T").join(&row.log).exists()));
    let listed = fs::read_to_string(place.path("T/results.csv")).expect("the results");
    assert!(listed.contains(",fox,") && listed.contains(",hen,") && !listed.contains(",killer,"));
    let words = ["tournament", "status", "--dir", "T", "--losses", "--format", "csv"];
    let losses = place.referee(&words).with_status(0).out;
    let (begun, void) = (attempts.len(), games.len());
    let row = format!("\nbot,killer,{begun},0,{void},0,0.0,{begun},{begun},1.0,0,0\n");
    assert!(losses.contains(&row) && losses.contains("\nseat,killer 1,"), "{row} in {losses}");
    // The same again from the records.
    let bytes = fs::read(place.path("T/voids.csv")).expect("the list");
    fs::remove_file(place.path("T/voids.csv")).expect("the list");
    place.call(&["tournament", "repair", "--dir", "T"]).with_status(0);
    assert_eq!(fs::read(place.path("T/voids.csv")).expect("the list"), bytes);
    place.call(&["report", "T", "--html", "report"]).with_status(0);
    assert!(fs::read_to_string(place.path("report/voids.csv")).expect("a table").contains("sandbox_error"));
    place.assert_nothing_stays();
}

#[test]
fn who_kills_the_referee_of_a_tournament_each_time_it_is_behind_is_found_before_ten_losses() {
    let place = Place::new();
    let file = TOURNAMENT.replace("batch = 2", "batch = 2\nlost_max = 10");
    plan_of_program(&place, SORE_LOSER, &file, &[("killer", "referee"), ("fox", "nobody")]);
    let (kills, last) = run_to_the_end(&place, &TOURNAMENT_RUN);
    last.with_status(0);
    let given_up = assert_killer_was_behind(&voids_in(&place.path("T")));
    assert!(given_up > 0 && kills == 4 * given_up, "{kills} kills");
    assert_eq!(files_below(&place.path("T"), "part"), [] as [&Path; 0]);
    let words = ["tournament", "status", "--dir", "T", "--losses", "--format", "csv"];
    let losses = place.referee(&words).with_status(0).out;
    let row = |of: &str, behind: usize| {
        let ends = format!(",0,0,0.0,{},{behind}", 3 * given_up);
        losses.lines().any(|line| line.starts_with(of) && line.ends_with(&ends))
    };
    let behind = 3 * given_up;
    assert!(row("all,,", behind) && row("node,", behind), "{losses}");
    assert!(row("bot,killer,", behind) && row("bot,fox,", 0), "{losses}");
    // The same again from the records.
    let bytes = fs::read(place.path("T/voids.csv")).expect("the list");
    fs::remove_file(place.path("T/voids.csv")).expect("the list");
    place.call(&["tournament", "repair", "--dir", "T"]).with_status(0);
    assert_eq!(fs::read(place.path("T/voids.csv")).expect("the list"), bytes);
}

#[test]
fn a_node_on_which_every_game_is_void_says_try_elsewhere() {
    let place = Place::new();
    let entrant = |name: &str| {
        let guest = place.guest(name, &format!("void first: {KEEPS}"));
        format!("[[entrant]]\nname = {name:?}\nprogram = {guest:?}\n")
    };
    let file = format!("{TOURNAMENT}{}{}", entrant("one"), entrant("two"));
    fs::write(place.path("void.toml"), file).expect("a file");
    place.call(&["tournament", "plan", "void.toml", "--dir", "T"]).with_status(0);
    place
        .call(&TOURNAMENT_RUN)
        .with_status(75)
        .complaining(&["a game could not be played here: this machine cannot play: "]);
}

#[test]
fn another_sandbox_clock_or_limit_begins_a_new_season() {
    let place = Place::new();
    let settings = ["-p", "2", "--max-turns=5", "--turn-ms", "30000", "--first-ms", "30000", "--seed", "5"];
    // Without a key, since seasons are edited below.
    let settings = [&settings[..], &["--no-key"]].concat();
    let root = place.hill("hill", &settings, &[("one", &faulty("honest")), ("two", "still")]);
    let run = |options: &[&str]| {
        place.referee(&[&["hill", "run", "hill", "--sandbox", "off"], options].concat()).with_status(0)
    };
    let seasons = || results_in(&root).iter().filter_map(|row| Some(row.place_in_schedule?.season)).max();
    run(&[]);
    let first = fs::read_to_string(root.join("seasons.csv")).expect("seasons");
    run(&[]);
    assert_eq!(fs::read_to_string(root.join("seasons.csv")).expect("seasons"), first, "nothing has changed");

    // Terms of an earlier version name fewer limits: the season goes on, and they are named from now on.
    let limit = first.split(' ').find(|word| word.starts_with("folder_mib=")).expect("a limit");
    fs::write(root.join("seasons.csv"), first.replace(&format!(" {limit}"), "")).expect("seasons");
    run(&[]);
    assert_eq!(fs::read_to_string(root.join("seasons.csv")).expect("seasons"), first, "the season goes on");
    assert_eq!(seasons(), Some(1));
    run(&["--clock", "wall"]).complaining(&["season 2 begins", "clock=charged before, clock=wall now"]);
    assert_eq!(seasons(), Some(2));
    run(&["--clock", "serial"]).complaining(&["season 3 begins", "clock=wall before, clock=serial now"]);

    let path = root.join("hill.toml");
    let text = fs::read_to_string(&path).expect("settings");
    let line = text.lines().find(|line| line.starts_with("file_mib = ")).expect("a limit");
    fs::write(&path, text.replace(line, "file_mib = 7")).expect("settings");
    run(&["--clock", "serial"]).complaining(&["season 4 begins", "file_mib=7 now"]);
    run(&["--clock", "serial"]);
    assert_eq!(seasons(), Some(4));
    place.call(&["audit", "hill"]).with_status(0);

    // Terms name the rules, and the rule of a verdict. With other rules, another season begins.
    let four = fs::read_to_string(root.join("seasons.csv")).expect("seasons");
    let rules = four.split(' ').find(|word| word.starts_with("rules=")).expect("the rules");
    for (gone, lacks) in [(format!(" {rules}"), "no rules"), (" epsilon=0.01".to_owned(), "no epsilon")] {
        fs::write(root.join("seasons.csv"), four.replace(&gone, "")).expect("seasons");
        let refused = place.referee(&["hill", "run", "hill", "--sandbox", "off"]);
        refused.complaining(&["seasons.csv, line 2: not a row of a season: its terms name", lacks]);
    }
    let other = |line: &str| match line.starts_with("4,") {
        true => line.replace(rules, "rules=99") + "\n",
        false => format!("{line}\n"),
    };
    fs::write(root.join("seasons.csv"), four.lines().map(other).collect::<String>()).expect("seasons");
    run(&["--clock", "serial"]).complaining(&["season 5 begins", "rules=99 before", &format!("{rules} now")]);
    place.call(&["audit", "hill"]).with_status(3).complaining(&["not that of its season"]);
    fs::write(root.join("seasons.csv"), &four).expect("seasons");

    // A game in another sandbox than its season's does not belong to it.
    let seasons = fs::read_to_string(root.join("seasons.csv")).expect("seasons");
    fs::write(
        root.join("seasons.csv"),
        seasons.replace("sandbox=off clock=serial", "sandbox=strict clock=serial"),
    )
    .expect("seasons");
    place.call(&["audit", "hill"]).with_status(3).complaining(&["is not that of its season"]);
}
