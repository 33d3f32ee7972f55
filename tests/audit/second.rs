//! `scripts/verify.py`, the second implementation, agrees with this program about every game, and finds changes by
//! itself. It was written from the documents: where both differ, a document is wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use referee_files::audit::audit_log;
use referee_files::log::LogFile;
use referee_games::catalog::{Entry, GAMES};
use referee_record::log::GameLog;
use referee_record::play::play;
use referee_record::play::table::{Question, Table, TableError};
use referee_record::{Answer, BotName, Digest, Heading};
use referee_rules::{BySeat, Dice, Parameters, Seat, Seed};
use referee_testutil::simulated::SimulatedTable;

use super::shared::edit_once;
use crate::called::Calls;
use crate::called::guests::house_bot;
use crate::support::Place;

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// What the second implementation says: its status and its text.
pub(super) fn verified<'a>(place: &Place, words: impl IntoIterator<Item = &'a str>) -> (i32, String) {
    let mut command = Command::new("python3");
    command.arg(Path::new(PROJECT).join("scripts/verify.py")).args(words).current_dir(place.path(""));
    let output = command.output().expect("python3");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().expect("a status"), String::from_utf8(text).expect("a text"))
}

#[track_caller]
fn assert_agrees<'a>(place: &Place, words: impl IntoIterator<Item = &'a str>) -> String {
    let (status, text) = verified(place, words);
    assert!(status == 0 && text.contains(": agrees: "), "{status}: {text}");
    text
}

/// Returns how many of a thing it says to agree, such as games.
fn number_of(text: &str, word: &str) -> u32 {
    let said = text.lines().filter_map(|line| Some(line.split_once(": agrees: ")?.1));
    let counts = said.flat_map(|line| line.split(", ")).filter_map(|count| count.split_once(' '));
    let numbers = counts.filter(|(_, of)| of.trim_end_matches('s') == word);
    numbers.map(|(number, _)| number.parse::<u32>().expect("a number")).sum()
}

#[test]
fn it_agrees_about_every_recorded_game_and_draws_every_draw_again() {
    let place = Place::new();
    for game in GAMES {
        let log = format!("{PROJECT}/referee/games/{}/playthrough.csv", game.name);
        let text = assert_agrees(&place, [&*log]);
        let is_drawn = fs::read_to_string(&log).expect("a log").contains("\ndraw,");
        assert!(!is_drawn || number_of(&text, "draw") >= 3, "{}: {text}", game.name);
    }
    let frozen = ["hill", "rounds", "cup"].map(|name| format!("{PROJECT}/tests/record/frozen/{name}"));
    for (path, games) in frozen.iter().zip([8, 7, 4]) {
        assert_eq!(number_of(&assert_agrees(&place, [&**path]), "game"), games, "{path}");
    }
    let standings = format!("{}.csv", frozen[0]);
    assert_agrees(&place, [&*frozen[0], "--standings", &standings]);
}

/// Settings of a game at random: mostly small, sometimes at the end of the range.
fn odd_settings(entry: &Entry, seed: Seed, dice: &mut Dice) -> Parameters {
    let mut parameters = Parameters::defaults(entry.parameters);
    let ranges: &[(&str, u32, u32)] = match entry.name {
        "football" => &[("p", 1, 12), ("k", 1, 46), ("max_turns", 1, 60), ("stall_turns", 0, 9)],
        "foosball" => &[("variant", 0, 1), ("bank_ms", 1, 3_000_000)],
        "push" => &[("turns", 1, 50)],
        _ => &[("seats", 2, 30), ("wall_one_in", 0, 4), ("idle_rounds", 0, 2), ("max_rounds", 1, 15)],
    };
    for (name, least, most) in ranges {
        let value = least + dice.below(most - least + 1);
        parameters.set(name, value.into()).expect("a value in the range");
    }
    let great =
        [("football", "p", 255), ("target", "seats", 164), ("football", "k", 1), ("target", "max_rounds", 1)];
    for (game, name, value) in great {
        if entry.name == game && dice.below(20) == 0 {
            parameters.set(name, value).expect("the end of the range");
        }
    }
    if entry.name == "target" && seed.0 % 25 == 7 {
        // Until no cell can have a wall: a long game.
        for (name, value) in [("seats", 2), ("wall_one_in", 1), ("idle_rounds", 1), ("max_rounds", 100_000)] {
            parameters.set(name, value).expect("a value in the range");
        }
    }
    for (name, most) in [("turn_ms", 300), ("first_ms", 3000)] {
        let _ = parameters.set(name, (1 + dice.below(most)).into());
    }
    parameters
}

/// Makes an answer odd, seldom or often: other numbers, too many, too few.
fn odd(answer: &mut Vec<i64>, often: u32, dice: &mut Dice) {
    if dice.below(1000) >= often {
        return;
    }
    let at = dice.below(answer.len() as u32) as usize;
    match dice.below(7) {
        0 => answer[at] = [i64::MIN, -1, 61, 100, 1024, 4096, i64::MAX][dice.below(7) as usize],
        1 => answer[at] = dice.below(1100).into(),
        2 => answer.truncate(at.max(1)),
        3 => answer.extend((0..=dice.below(5)).map(i64::from)),
        4 => answer.extend((0..=dice.below(12_000)).map(i64::from)),
        5 => answer[at] += 1,
        _ => answer.rotate_left(at),
    }
}

/// A table whose bots answer at once, and the questions of its turn.
struct Prompt<T>(T, Vec<Question>);

impl<T: FnMut(Seat, &[u8]) -> Vec<i64>> Table for Prompt<T> {
    fn ask(&mut self, questions: &[Question]) -> Result<(), TableError> {
        self.1 = questions.to_vec();
        Ok(())
    }

    fn collect(&mut self, answers: &mut Vec<Answer>) -> Result<(), TableError> {
        let Prompt(think, questions) = self;
        let answer = |Question { seat, line, .. }: &Question| Answer {
            integers: think(*seat, line),
            ..Answer::empty(*seat)
        };
        *answers = questions.iter().map(answer).collect();
        Ok(())
    }
}

/// Plays a game of simulated bots into a log: house bots with odd answers, every fault, and odd settings.
fn odd_game(entry: &Entry, seed: Seed, folder: &Path) -> PathBuf {
    let mut dice = Dice::for_turn(seed, 0);
    let parameters = odd_settings(entry, seed, &mut dice);
    let mut game = entry.start(&parameters, seed);
    let info = game.info().clone();
    let bot = BotName { name: "simulated".to_owned(), version: 1, digest: Digest::of(b"") };
    let name = format!("{}-{seed}", entry.name);
    let bots = BySeat::from_fn(info.seats, |_| bot.clone());
    let mut heading = Heading::new(&name, &*game, &parameters, bots);
    heading.arguments =
        BySeat::from_fn(info.seats, |_| ["", "--level 3, \"hard\""][dice.below(2) as usize].to_owned());
    let path = folder.join(format!("{name}.csv"));
    let mut log = GameLog::begin(&heading, LogFile::create(&path).expect("a log"));
    let names: &[&str] = match entry.name {
        "football" => &["greedy", "random", "sweeper"],
        "foosball" => &["chaser", "planner", "still"],
        "push" => &["homeward", "random"],
        _ => [&["random", "random", "lurker"][..], &["still"]][usize::from(dice.below(5) == 0)],
    };
    let mut bots = BySeat::from_fn(info.seats, |seat| {
        house_bot(names[dice.below(names.len() as u32) as usize], &info, seat)
    });
    let often = [0, 20, 100, 700][dice.below(4) as usize];
    // Faults end most games of comFoosball early. So in half of all games no bot is late, and none ends.
    let is_prompt = dice.below(2) == 0;
    let think = move |seat: Seat, question: &[u8]| {
        let mut answer = bots[seat](question);
        odd(&mut answer, often, &mut dice);
        answer
    };
    let mut table: Box<dyn Table> = match is_prompt {
        true => Box::new(Prompt(think, Vec::new())),
        false => Box::new(SimulatedTable::new(info.seats, seed, think)),
    };
    play(&mut *game, &mut *table, &mut log).expect("a game");
    log.finish().0.publish().expect("a log");
    audit_log(&path).unwrap_or_else(|error| panic!("{error}"));
    path
}

/// Plays games of all kinds, and has the second implementation replay them.
fn check_odd_games(seeds: std::ops::Range<u64>, kinds: &str) {
    let place = Place::new();
    let games = seeds.clone().flat_map(|seed| GAMES.iter().map(move |entry| (entry, Seed(seed))));
    let logs: Vec<PathBuf> = games.map(|(entry, seed)| odd_game(entry, seed, &place.path(""))).collect();
    let text = assert_agrees(&place, logs.iter().map(|log| log.to_str().expect("a text")));
    assert_eq!(number_of(&text, "log") as usize, logs.len(), "{text}");
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for row in logs.iter().flat_map(|log| {
        fs::read_to_string(log).expect("a log").lines().map(str::to_owned).collect::<Vec<_>>()
    }) {
        let cells: Vec<&str> = row.split(',').collect();
        if ["answer", "dropped", "draw", "effect", "end"].contains(&cells[0]) {
            *seen.entry(format!("{} {}", cells[0], cells[3])).or_default() += 1;
        }
    }
    println!("{seen:?}");
    let kinds = kinds.split(", ").filter(|kind| !seen.contains_key(*kind));
    assert_eq!(kinds.collect::<Vec<_>>(), [""; 0], "these never happened: {seen:?}");
}

/// What happens in a few games, and besides in many.
const SOME: &str = "answer late, answer illegal, answer malformed, answer crashed, dropped extra, draw kick, draw push, \
                    draw contest, effect wall, effect goal, end out_of_time, end max_turns, end turns, end max_rounds";
const MORE: &str = "answer deaf, answer exited, answer too_long, dropped early, dropped late, effect void, \
                    effect quarter, effect warning, end no_balls, end stalled, end forfeit, end full_time, end all_stay";

#[test]
fn it_agrees_about_games_with_odd_settings_and_every_fault() {
    check_odd_games(100..104, SOME);
}

#[test]
#[ignore = "slow: 200 games replayed by the second implementation"]
fn it_agrees_about_200_games_with_odd_settings_and_every_fault() {
    check_odd_games(1000..1050, &format!("{SOME}, {MORE}"));
}

/// A hill of Push that has changed its field, with what its authors keep: two receipts.
fn hill(place: &Place) {
    let new = ["hill", "new", "H", "push", "--turns", "9", "--seed", "7"];
    place.call(&new).with_status(0);
    place.without_sandbox("H");
    let submit = |bot: &str| {
        let guest = place.guest(bot, &format!("house {bot}"));
        place.call(&["hill", "submit", "H", &guest, "--name", bot]).with_status(0);
    };
    submit("homeward");
    submit("reader");
    place.call(&["hill", "run", "H", "--rounds", "2"]).with_status(0);
    submit("random");
    place.call(&["hill", "run", "H", "--rounds", "2"]).with_status(0);
    place.call(&["proof", "open-seed", "H"]).with_status(0);
    for (file, of) in [("bot.note", "reader"), ("game.note", "s001-r00001-t001-g1")] {
        fs::write(place.path(file), place.call(&["proof", "receipt", "H", of]).with_status(0).out)
            .expect("a note");
    }
    fs::write(place.path("standings.csv"), place.call(&["hill", "standings", "H", "--format", "csv"]).out)
        .expect("standings");
}

#[test]
fn it_agrees_about_folders_hills_tournaments_and_what_was_signed() {
    let place = Place::new();
    hill(&place);
    let key = fs::read_to_string(place.path("H/proof/key")).expect("a key");
    let words = [
        "H",
        "--key",
        key.trim(),
        "--note",
        "bot.note",
        "--note",
        "game.note",
        "--standings",
        "standings.csv",
    ];
    let text = assert_agrees(&place, words);
    assert!(number_of(&text, "game") >= 4 && number_of(&text, "note") >= 8, "{text}");
    let silent = place.guest("silent", "silent");
    let wild = place.guest("wild", "each 4 1 x: 4 4");
    let gone = place.guest("gone", "exits 5 2");
    let games = [
        &["football", "greedy", &silent, &wild, &gone, "-p", "2", "-k", "46", "--max-turns", "70"][..],
        &["push", "homeward", "reader", &silent, &wild, &gone, "random", "--turns", "30"],
        &["foosball", "planner", "chaser"],
        &["foosball", "chaser", "planner", "--variant", "server2013"],
        &["foosball", "chaser", &gone],
        &["target", "random", "bayes", "lurker", &silent, "--max-rounds", "30", "--wall-one-in", "2"],
    ];
    for (game, seed) in games.into_iter().zip(["1", "2", "3", "4", "5", "6"]) {
        place.call(&[&["play"], game, &["--sandbox", "off", "--seed", seed]].concat()).with_status(0);
    }
    place.tournament_of_guests();
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let text = assert_agrees(&place, ["games", "T"]);
    assert!(text.contains("games: agrees: 6 games") && text.contains("T: agrees: 32 games"), "{text}");
}

#[test]
fn it_agrees_about_authors_who_sit_apart_and_finds_other_seats() {
    let place = Place::new();
    for (name, block, most, entrants) in [
        ("one", "one-game", "1", 11),
        ("two", "one-seating", "2", 9),
        ("all", "12", "1", 12),
        ("few", "one-game", "2", 5),
    ] {
        let settings =
            ["-p", "2", "--max-turns", "5", "--seed", "5", "--author-seats", most, "--block", block];
        let root = place.hill_of_guests(name, &[&settings[..], &["--no-key"]].concat(), &[]);
        for number in 0..entrants {
            let bot = format!("b{number}");
            let author = if number < 3 { "ada" } else { &*format!("a{}", number / 2) };
            let guest = place.guest(&format!("{name}{bot}"), &format!("says {} 4", number % 9));
            let words = ["hill", "submit", name, &guest, "--name", &bot];
            let author = if number == 8 { &[][..] } else { &["--author", author] };
            place.call(&[&words[..], author].concat()).with_status(0);
        }
        place.call(&["hill", "run", name, "--rounds", "6"]).with_status(0);
        let text = assert_agrees(&place, [name]);
        assert!(!text.contains("seats"), "{text}");
        if name != "few" {
            let other = if most == "1" { "0" } else { "1" };
            edit_once(
                &root.join("hill.toml"),
                &format!("author_seats = {most}"),
                &format!("author_seats = {other}"),
            );
            let (status, text) = verified(&place, [name]);
            assert!(status == 3 && text.contains("by the schedule"), "{text}");
        }
    }
}

#[test]
fn it_agrees_about_the_seats_and_games_of_a_race() {
    let place = Place::new();
    let bots = [("b0", "sweeper"), ("b1", "greedy"), ("b2", "greedy"), ("b3", "still"), ("b4", "still")];
    let bots = [&bots[..], &[("b5", "still"), ("b6", "still"), ("b7", "still")]].concat();
    let settings =
        ["-p", "10", "-k", "10", "--max-turns", "100", "--until", "ranked", "--racing", "--seed", "8"];
    let root =
        place.hill_of_guests("hill", &[&settings[..], &["--block", "one-game", "--no-key"]].concat(), &bots);
    let ranked = ["hill", "run", "hill", "--until-ranked", "--alpha", "0.9", "--epsilon", "0.1"];
    place.call(&[&ranked[..], &["--max-rounds", "60"]].concat()).with_status(0);
    let text = assert_agrees(&place, ["hill"]);
    assert!(text.contains("not checked: who is in the race"), "{text}");
    let results = fs::read_to_string(root.join("results.csv")).expect("results");
    // A bot that counts at one table counts at each until the next look, and all count before the first look.
    let counts = results.lines().next().expect("a header").split(',').position(|name| name == "counts");
    for (rounds, from, to) in [("s001-r0005", "0", "1"), ("s001-r00003-", "1", "0")] {
        let is_it = |line: &&str| {
            line.starts_with(rounds) && line.split(',').nth(counts.expect("the column")) == Some(from)
        };
        let row = results.lines().find(is_it).expect("a row");
        let said = row.split(',').enumerate().map(|(at, cell)| if Some(at) == counts { to } else { cell });
        fs::write(root.join("results.csv"), &results).expect("results");
        edit_once(&root.join("results.csv"), row, &said.collect::<Vec<&str>>().join(","));
        let (status, text) = verified(&place, ["hill"]);
        assert!(status == 3 && text.contains("the seats that count"), "{rounds}: {text}");
    }
}

#[test]
fn it_deals_the_games_of_a_tournament_itself() {
    let place = Place::new();
    let entrant = |number: usize| {
        let program = place.guest(&format!("b{number}"), &format!("exits {} 1", 1 + number % 4));
        let author = if number < 2 { "author = \"ann\"\n" } else { "" };
        format!("[[entrant]]\nname = \"b{number}\"\nprogram = {program:?}\n{author}")
    };
    let entrants: String = (0..7).map(entrant).collect();
    let race = "[stop]\nracing = true\nmin_rounds = 5\nlook_every = 5\n";
    let cup = "kind = \"comfoosball\"\ngames = 5\nfinal_games = 5\nplay_offs = 1\nsudden_deaths = 2\n";
    for (name, game, format, games) in [
        ("rounds", "football", "kind = \"rounds\"\nrounds = 3\nauthor_seats = 1\n".to_owned(), 48),
        ("twelve", "football", "kind = \"rounds\"\nrounds = 1\nblock = \"12\"\n".to_owned(), 48),
        ("race", "football", format!("kind = \"rounds\"\nrounds = 10\nblock = \"one-game\"\n{race}"), 40),
        ("swiss", "foosball", "kind = \"swiss\"\nblocks = 2\n".to_owned(), 36),
        ("cup", "foosball", cup.to_owned(), 100),
        ("paired", "foosball", format!("{cup}paired_seeds = 1\n"), 100),
    ] {
        let sets = if game == "football" { "[parameters]\np = 2\nk = [3, 4]\nmax_turns = 5\n" } else { "" };
        let text = format!(
            "name = {name:?}\ngame = {game:?}\nseed = \"9\"\nsandbox = \"off\"\n{sets}[format]\n{format}{entrants}"
        );
        fs::write(place.path("t.toml"), text).expect("a file");
        place.call(&["tournament", "plan", "t.toml", "--dir", name]).with_status(0);
        place.call(&["tournament", "run", "--dir", name]).with_status(0);
        let text = assert_agrees(&place, [name]);
        assert!(number_of(&text, "game") >= games, "{name}: {text}");
        assert!(!text.contains("follows from the seed"), "{name}: {text}");
    }
    // Whatever is changed in what was decided is found, though the plan is a file like any other.
    for (file, from, to) in [
        ("race/rounds/0002/plan.toml", "\"b5\", \"b6\"]", "\"b5\"]"),
        ("race/rounds/0002/plan.toml", "rounds = [6, ", "rounds = [7, "),
        ("swiss/plan.toml", "pairs = [[\"b0\"", "pairs = [[\"b6\""),
        ("swiss/plan.toml", "games = 4\n", "games = 2\n"),
        ("cup/plan.toml", "paired_seeds = 0", "paired_seeds = 1"),
        ("rounds/plan.toml", "author = \"ann\"", "author = \"bob\""),
        ("twelve/plan.toml", "\"0x0000000000000009\"", "\"0x0000000000000008\""),
    ] {
        let kept = fs::read_to_string(place.path(file)).expect("a plan");
        assert!(kept.contains(from), "{file}: {from}");
        fs::write(place.path(file), kept.replacen(from, to, 1)).expect("a plan");
        let name = file.split('/').next().expect("a tournament");
        let (status, text) = verified(&place, [name]);
        let is_named = text.contains("results.csv, line ") || text.contains("games follow from it");
        assert!(status == 3 && is_named, "{file}: {from}: {text}");
        fs::write(place.path(file), kept).expect("a plan");
    }
}

#[test]
fn it_takes_the_games_of_an_exam_from_the_plan_of_their_round() {
    let place = Place::new();
    let entrants: String = (0..4)
        .map(|number| {
            let program = place.guest(&format!("b{number}"), "says 4 4");
            format!("[[entrant]]\nname = \"b{number}\"\nprogram = {program:?}\n")
        })
        .collect();
    let settings = "[parameters]\np = 2\nmax_turns = 2\n[format]\nkind = \"exam\"\npanel = 2\nrounds = 2\n";
    let text = format!("name = \"exam\"\ngame = \"football\"\nsandbox = \"off\"\n{settings}{entrants}");
    fs::write(place.path("t.toml"), text).expect("a file");
    place.call(&["tournament", "plan", "t.toml", "--dir", "exam"]).with_status(0);
    place.call(&["tournament", "run", "--dir", "exam"]).with_status(0);
    assert!(place.path("exam/rounds/0002/plan.toml").exists());
    assert_agrees(&place, ["exam"]);
    fs::remove_dir_all(place.path("exam/rounds")).expect("a folder");
    let (status, text) = verified(&place, ["exam"]);
    assert!(status == 3 && text.contains("the schedule has no s001-r00002-"), "{text}");
}

#[test]
fn it_finds_changed_notes_and_standings() {
    let place = Place::new();
    hill(&place);
    for (file, from, to, said) in [
        ("bot.note", "reader 1", "reader 2", "the signature is not that of the key"),
        ("standings.csv", ",reader,", ",fox,", "standings.csv, line "),
    ] {
        let kept = fs::read_to_string(place.path(file)).expect("a file");
        edit_once(&place.path(file), from, to);
        let (status, text) = verified(&place, ["H", "--note", "bot.note", "--standings", "standings.csv"]);
        assert!(
            status == 3 && text.starts_with("differs: ") && text.contains(said),
            "{file}: {status}: {text}"
        );
        fs::write(place.path(file), kept).expect("a file");
    }
}

#[test]
fn what_it_does_not_know_is_no_agreement() {
    let place = Place::new();
    let log = fs::read_to_string(format!("{PROJECT}/referee/games/push/playthrough.csv")).expect("a log");
    fs::write(place.path("tron.csv"), &log).expect("a log");
    edit_once(&place.path("tron.csv"), "game,,,push,", "game,,,tron,");
    fs::create_dir(place.path("empty")).expect("a folder");
    for (path, said) in [
        ("tron.csv", "cannot tell: tron.csv: tron version 2 is no game of this program"),
        ("nothing.csv", "cannot tell: nothing.csv: there is no such file"),
        ("empty", "cannot tell: empty: neither results nor logs"),
    ] {
        let (status, text) = verified(&place, [path]);
        assert!(status == 2 && text.contains(said), "{path}: {status}: {text}");
    }
    assert_eq!(verified(&place, []).0, 2);
    let (status, help) = verified(&place, ["--help"]);
    assert!(status == 0 && help.lines().all(|line| line.chars().count() <= 80), "{help}");
}
