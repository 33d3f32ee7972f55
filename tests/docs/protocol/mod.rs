//! Every example in `protocol.md` and on the pages of the games is true: its bot plays, its commands run, its dialogues
//! take place as written.
//!
//! The word after a block's fence is its kind, which decides how it is run. A block of an unknown kind fails,
//! so every example is run.

mod position;
mod programs;
mod question;
mod talk;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread;

use referee_contest::admission::check;
use referee_games::catalog;
use referee_rules::wire;
use referee_rules::{FaultKind, Parameter};
use referee_table::excerpt;

use self::programs::{Workshop, faults};
use super::document::{Block, Document, PROTOCOL};
use super::shell;
use crate::called::Calls;
use crate::support::Place;

/// The section about logs.
const LOG: &str = "What the log says about your bot";

/// The kinds of blocks; each is run by one of the tests below.
const KINDS: [&str; 7] = ["python", "sh", "output", "log", "lines", "transcript", "diff"];

/// The games, in the order of the list. The examples of a game are on its page, behind a fence with its name.
fn games() -> impl Iterator<Item = &'static str> {
    catalog::GAMES.iter().map(|entry| entry.name)
}

#[test]
fn every_block_is_of_a_kind_that_is_run() {
    for block in &PROTOCOL.blocks {
        let known = KINDS.contains(&block.kind.as_str());
        assert!(known, "protocol.md, line {}: no test runs a block of the kind {:?}", block.line, block.kind);
    }
    KINDS.iter().for_each(|kind| drop(PROTOCOL.blocks_of(kind)));
}

#[test]
fn every_game_has_a_page_that_is_linked() {
    let links: Vec<&str> = PROTOCOL.prose.lines().filter_map(|line| line.strip_prefix("- [")).collect();
    let pages = links.iter().filter_map(|line| line.split_once("](docs/games/")?.1.split_once(".md):"));
    assert_eq!(pages.map(|(game, _)| game).collect::<Vec<_>>(), games().collect::<Vec<_>>());
    games().for_each(|game| drop(Document::of_game(game)));
}

#[test]
fn the_bot_is_short_and_plays_without_a_fault_at_all_sizes() {
    let workshop = Workshop::open();
    let bot = PROTOCOL.blocks_of("python")[0];
    assert!(bot.text.lines().count() <= 30, "a bot in a minute has at most 30 lines");
    workshop.write_program("mybot.py", &bot.text);
    for size in ["-p 1 -k 46", "-p 30 -k 20", "-p 255 -k 32", "-p 7 -k 3 --max-turns 300"] {
        let words = format!("greedy greedy still {size} --turn-ms 20000 --first-ms 60000");
        let row = workshop.play("mybot.py", &words);
        assert_eq!(faults(&row), BTreeSet::new(), "{size}");
        assert!(row.score > 0, "{size}: scored {}", row.score);
    }
}

#[test]
fn the_commands_run_and_print_what_is_shown() {
    let workshop = Workshop::open();
    let mut printed = String::new();
    for block in &PROTOCOL.blocks {
        match block.kind.as_str() {
            "sh" => printed = workshop.shell(&block.text),
            "output" => shell::compare(block, &printed),
            "log" => {
                let log = workshop.path(format!("games/logs/{}.csv", block.words[0]));
                programs::compare_log(block, &fs::read_to_string(log).unwrap());
            }
            _ => {}
        }
    }
    let rows = referee_files::results::read(&workshop.path("games/results.csv")).unwrap();
    let (_, mine) = rows.iter().find(|(_, row)| row.bot.name == "mybot").expect("the bot has played");
    assert_eq!(faults(mine), BTreeSet::new());
    assert!(mine.score > 0);
    assert!(workshop.shell("referee hill bots hill --format csv").contains("\nmybot,1,"), "it is admitted");
}

#[test]
fn lines_are_read_as_shown() {
    PROTOCOL.blocks_of("lines").into_iter().for_each(talk::run_lines);
}

#[test]
fn dialogues_go_as_shown() {
    PROTOCOL.blocks_of("transcript").into_iter().for_each(talk::run_transcript);
}

#[test]
fn positions_and_verdicts_of_each_game_are_as_shown() {
    for game in games() {
        Document::of_game(game).blocks_of(game).into_iter().for_each(position::play_example);
    }
}

#[test]
fn each_mistake_has_the_faults_that_it_is_said_to_have() {
    let workshop = Workshop::open();
    let mut rows_of_logs = BTreeSet::new();
    let blocks = PROTOCOL.blocks_of("diff");
    // Some wait for answers that never come.
    let played: Vec<PathBuf> = thread::scope(|scope| {
        let workshop = &workshop;
        let play = |block: &&'static Block| {
            let block = *block;
            scope.spawn(move || programs::play_changed(workshop, block))
        };
        let games: Vec<_> = blocks.iter().map(play).collect();
        games.into_iter().map(|games| games.join().unwrap()).collect()
    });
    for (block, games) in blocks.into_iter().zip(played) {
        let log = fs::read_dir(games.join("logs")).unwrap().next().unwrap().unwrap().path();
        let log = fs::read_to_string(log).unwrap();
        let header: Vec<&str> = log.lines().next().unwrap().split(',').collect();
        assert_eq!(PROTOCOL.table(LOG, "column").column("column"), header);
        rows_of_logs.extend(log.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned()));
        if block.text.contains("sys.stderr") {
            let errors = games.join("stderr/football-0x0000000000000007-seat0.txt");
            assert!(fs::read_to_string(errors).unwrap().starts_with("home is 0\n"));
        }
    }
    let told: BTreeSet<String> = PROTOCOL.table(LOG, "row").column("row").into_iter().collect();
    assert_eq!(told, rows_of_logs, "the rows that logs have");
}

#[test]
fn a_bot_finds_the_surroundings_that_are_listed() {
    let workshop = Workshop::open();
    let script = "#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/environ >&2\necho \"FILES=$(ls -A)\" >&2\necho \"FOLDER=$(pwd)\" >&2\n";
    workshop.write_program("looks", script);
    let row = workshop
        .play("looks", "still still still --max-turns 1 --turn-ms 250 --first-ms 60000 --sandbox off");
    assert_eq!(faults(&row), ["exited"].into());
    let errors = workshop.path(format!("looks-games/stderr/{}-seat0.txt", row.game));
    let errors = fs::read_to_string(errors).unwrap();
    let found: Vec<(&str, &str)> = errors.lines().filter_map(|line| line.split_once('=')).collect();
    let value = |name: &str| found.iter().find(|(other, _)| *other == name).expect(name).1;
    let names: BTreeSet<String> = found
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .filter(|name| name != "FILES" && name != "FOLDER")
        .collect();
    assert_eq!(names, PROTOCOL.table("The wire", "variable").column("variable").into_iter().collect());
    let told = ["REFEREE_GAME", "REFEREE_SEAT", "REFEREE_TURN_MS", "REFEREE_FIRST_MS", "LANG"].map(value);
    assert_eq!(told, ["football", "0", "250", "60000", "C.UTF-8"]);
    assert_eq!((value("HOME"), value("TMPDIR"), value("FILES")), (value("FOLDER"), value("FOLDER"), ""));
    assert!(!fs::exists(value("HOME")).unwrap(), "the folder is removed after the game");
}

#[test]
fn the_list_of_verdicts_is_the_closed_list() {
    let all = FaultKind::ALL.map(FaultKind::name);
    assert_eq!(PROTOCOL.table("Verdicts", "verdict").column("verdict"), all);
    assert_eq!(
        Document::read("docs/reference/verdicts.md").table("Of a turn", "verdict").column("verdict"),
        all
    );
}

#[test]
fn a_game_ends_for_the_same_reasons_on_its_page_and_in_the_records() {
    let records = Document::read("docs/records.md");
    let table = records.tables.iter().find(|table| table.header == ["game", "reasons"]).expect("a table");
    assert_eq!(table.column("game"), games().collect::<Vec<_>>());
    for (game, reasons) in games().zip(table.column("reasons")) {
        let page = Document::of_game(game);
        let section = page.prose.split("## How it ends").nth(1).expect("a section");
        let lines = section.lines().take_while(|line| !line.starts_with("## "));
        let reason = |line: &str| line.split_once(". `")?.1.split('`').next().map(str::to_owned);
        assert_eq!(lines.filter_map(reason).collect::<Vec<_>>().join(", "), reasons, "{game}");
    }
}

#[test]
fn the_wrong_answers_of_a_game_have_verdicts_of_the_list() {
    let known = FaultKind::ALL.map(FaultKind::name);
    for game in games() {
        let page = Document::of_game(game);
        let verdicts = page.table("The answer", "what is wrong").column("verdict").join(", ");
        let named: BTreeSet<&str> = verdicts.split(", ").filter(|verdict| *verdict != "the same").collect();
        assert!(named.iter().all(|verdict| known.contains(verdict)), "{game}: {named:?}");
        let missing =
            known.iter().filter(|verdict| !["early", "extra"].contains(verdict) && !named.contains(*verdict));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new(), "{game}");
    }
}

#[test]
fn the_parameters_are_those_of_the_rules() {
    for game in games() {
        let page = Document::of_game(game);
        let table = page.table("Parameters", "parameter");
        // Players do not set the number of seats: it is the number of named bots.
        let known: Vec<&Parameter> = catalog::find(game)
            .unwrap()
            .parameters
            .iter()
            .filter(|known| known.name != catalog::SEATS)
            .collect();
        let default = |parameter: &Parameter| parameter.kind.show(parameter.default).to_string();
        let check = |column: &str, of: &dyn Fn(&Parameter) -> String| {
            let due: Vec<String> = known.iter().map(|parameter| of(parameter)).collect();
            assert_eq!(table.column(column), due, "{game}");
        };
        check("parameter", &|parameter| parameter.name.to_owned());
        check("meaning", &|parameter| parameter.help.to_owned());
        check("range", &|parameter| parameter.kind.to_string());
        check("default", &default);
    }
}

#[test]
fn about_half_of_all_rounded_points_are_out_of_range() {
    assert!(PROTOCOL.prose.contains("about half of all angles"));
    for k in [3, 6, 10, 15, 18, 20, 32] {
        let angles = (0..3600).map(|tenth| (f64::from(tenth) / 10.0).to_radians());
        let point = |angle: f64| (f64::from(k) * angle.cos(), f64::from(k) * angle.sin());
        let square = |(x, y): (f64, f64)| (x.round() * x.round() + y.round() * y.round()) as i32;
        let out = angles.filter(|angle| square(point(*angle)) > k * k).count();
        assert!((1200..2400).contains(&out), "k = {k}: {out} of 3600");
    }
}

#[test]
fn numbers_and_commands_in_the_prose_are_right() {
    let prose = &PROTOCOL.prose;
    let flat = prose.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(wire::LINE_MAX, 65_536);
    assert!(flat.contains("64 KiB (65,536 bytes)"));
    assert!(flat.contains(&format!("a check game of at most {} questions", check::QUESTIONS)));
    assert!(flat.contains(&format!("first and its last {} KiB", excerpt::KEPT / 1024)));
    let place = Place::new();
    for command in flat.split('`').skip(1).step_by(2).filter(|code| code.starts_with("referee ")) {
        let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        let words: Vec<&str> = command.split(' ').take_while(is_word).collect();
        place.call(&[&words[1..], &["--help"]].concat()).with_status(0);
    }
}
