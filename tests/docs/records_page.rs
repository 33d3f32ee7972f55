//! `docs/records.md` agrees with the program: its tables are generated from the definitions of columns, its
//! examples recomputed, and recorded draws repeated by dice that were written from the page alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use referee_contest::admission::entrants::Event;
use referee_contest::hill::races::RaceRow;
use referee_contest::hill::seasons::SeasonRow;
use referee_contest::rulings::RulingRow;
use referee_games::catalog::GAMES;
use referee_record::Digest;
use referee_record::results::{Header, ResultRow};
use referee_record::row_kind::{LogColumn, RowKind};
use referee_record::schema::reference;
use referee_record::voids::VoidRow;
use referee_statistics::verdict::VerdictRow;

use crate::called::Calls;
use crate::support::{Place, files_below};

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/records.md")
}

#[test]
fn the_tables_of_columns_are_those_of_the_program() {
    let text = fs::read_to_string(page()).expect("the page");
    let tables = [
        ("results.csv", reference::<ResultRow>()),
        ("voids.csv", reference::<VoidRow>()),
        ("entrants.csv", reference::<Event>()),
        ("seasons.csv", reference::<SeasonRow>()),
        ("races.csv", reference::<RaceRow>()),
        ("verdicts.csv", reference::<VerdictRow>()),
        ("rulings.csv", reference::<RulingRow>()),
        ("logs", RowKind::reference()),
    ];
    let mut due = text.clone();
    for (file, table) in tables {
        let mark = format!("<!-- {file} -->\n\n");
        let start = due.find(&mark).unwrap_or_else(|| panic!("{file} has a table")) + mark.len();
        let end = start
            + due[start..]
                .lines()
                .take_while(|line| line.starts_with('|'))
                .map(|line| line.len() + 1)
                .sum::<usize>();
        let behind = if due[end..].starts_with('\n') { "" } else { "\n" };
        due.replace_range(start..end, &format!("{table}{behind}"));
    }
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        fs::write(page(), &due).expect("the page");
    }
    assert_eq!(text, due, "REFEREE_WRITE_DOCS=1 writes the tables anew");
    assert!(text.contains(&format!("`{}`", LogColumn::header())), "the header of logs");
}

#[test]
fn the_example_of_a_chain_and_the_digest_of_a_house_bot_are_right() {
    let text = fs::read_to_string(page()).expect("the page");
    let lines: Vec<&str> =
        text.lines().skip_while(|line| *line != "    game,seat,format,chain").take(3).collect();
    let [header, rows @ ..] = &lines[..] else { panic!("an example") };
    let mut chain = Digest::of(format!("{}\n", header.trim()).as_bytes());
    for row in rows {
        let (row, given) = row.trim().rsplit_once(',').expect("a chain");
        chain = Digest::of(format!("{chain}{row},").as_bytes());
        assert_eq!(chain.as_str(), given);
    }
    assert_eq!(rows.len(), 2);
    assert!(Header::of(&format!("{}\n", header.trim())).is_some());
    assert!(
        text.contains(r"printf '%s\0' house push random 1 | sha256sum"),
        "it is that of the identity's own test"
    );
}

/// The dice of a turn, as described on the page.
struct PlainDice {
    state: [u32; 16],
    words: Vec<u32>,
}

impl PlainDice {
    fn new(seed: u64, stream: u64) -> PlainDice {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(b"referee1");
        let mut state = [0; 16];
        let constant = b"expand 32-byte k";
        for (word, bytes) in state.iter_mut().zip(constant.chunks(4).chain(key.chunks(4))) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
        (state[14], state[15]) = (stream as u32, (stream >> 32) as u32);
        PlainDice { state, words: Vec::new() }
    }

    fn word(&mut self) -> u32 {
        if self.words.is_empty() {
            let mut x = self.state;
            let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
                for (from, to, into, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                    x[from] = x[from].wrapping_add(x[to]);
                    x[into] = (x[into] ^ x[from]).rotate_left(by);
                }
            };
            for _ in 0..4 {
                (0..4).for_each(|i| quarter(i, 4 + i, 8 + i, 12 + i));
                (0..4).for_each(|i| quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4));
            }
            self.words =
                x.iter().zip(self.state).map(|(word, start)| word.wrapping_add(start)).rev().collect();
            self.state[12] = self.state[12].wrapping_add(1);
        }
        self.words.pop().expect("a block of words")
    }

    fn below(&mut self, end: u64) -> u64 {
        let fair = (1 << 32) / end * end;
        loop {
            let word = u64::from(self.word());
            if word < fair {
                return word % end;
            }
        }
    }

    fn choose<T>(&mut self, things: &mut [T], count: usize) {
        for front in 0..count {
            let other = front + self.below((things.len() - front) as u64) as usize;
            things.swap(front, other);
        }
    }
}

/// The content of a log, read with the help of the page alone.
struct Log {
    rules: String,
    seed: u64,
    set: BTreeMap<String, u64>,
    seats: usize,
    /// The places before the first turn.
    start: Vec<(String, i64)>,
    turns: u64,
    /// Kind, turn, name, values, detail.
    events: Vec<(String, u64, String, Vec<i64>, String)>,
}

fn numbers(text: &str) -> Vec<i64> {
    text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

fn read(path: &Path) -> Log {
    let text = fs::read_to_string(path).expect("a log");
    let mut log = Log {
        rules: String::new(),
        seed: 0,
        set: BTreeMap::new(),
        seats: 0,
        start: Vec::new(),
        turns: 0,
        events: Vec::new(),
    };
    for row in csv::Reader::from_reader(text.as_bytes()).records() {
        let row = row.expect("a row");
        let (name, values, detail) = (row[3].to_owned(), &row[row.len() - 2], row[row.len() - 1].to_owned());
        match &row[0] {
            "game" => log.rules = name,
            "set" => drop(values.parse().map(|value| log.set.insert(name, value))),
            "seed" => log.seed = u64::from_str_radix(&detail[2..], 16).expect("a seed"),
            "seat" => log.seats += 1,
            "start" => log.start.push((name, values.parse().expect("a cell"))),
            "end" => log.turns = row[1].parse().expect("a number of turns"),
            kind @ ("draw" | "effect") => {
                let turn = row[1].parse().expect("a turn");
                log.events.push((kind.to_owned(), turn, name, numbers(values), detail));
            }
            _ => {}
        }
    }
    log
}

/// Repeats the draws of a log. Returns how many draws were compared.
fn draw_again(log: &Log) -> usize {
    match &*log.rules {
        "target" => return draw_walls_again(log),
        "football" | "foosball" | "push" => {}
        rules => panic!("{rules} lacks a check that its draws follow from the page: {}", file!()),
    }
    let mut compared = 0;
    let mut dice = (u64::MAX, PlainDice::new(0, 0));
    for (_, turn, _, candidates, detail) in log.events.iter().filter(|event| event.0 == "draw") {
        if dice.0 != *turn {
            dice = (*turn, PlainDice::new(log.seed, turn + 1));
        }
        let drawn = numbers(detail.split_once(" drawn ").expect("a draw").1);
        let mut candidates = candidates.clone();
        let dice = &mut dice.1;
        match &*log.rules {
            "football" => {
                dice.choose(&mut candidates, drawn.len());
                candidates.truncate(drawn.len());
                candidates.sort_unstable();
                assert_eq!(candidates, drawn, "turn {turn}");
            }
            "push" => assert_eq!(
                vec![candidates[dice.below(candidates.len() as u64) as usize]],
                drawn,
                "turn {turn}"
            ),
            _ if candidates.is_empty() => {
                assert_eq!(drawn, [if dice.below(2) == 0 { 1 } else { -1 }], "turn {turn}");
            }
            _ => {
                let r = dice.below(1 << 27) << 26 | dice.below(1 << 26);
                let home = candidates.iter().filter(|man| **man < 26).count() as u128;
                let all = candidates.len() as u128;
                let order = (home << 53).cmp(&(u128::from(r) * all));
                // Before the first round all men are fresh; later a team without opponents has all the
                // strength, whatever its fatigue.
                if *turn > 0 && home > 0 && home < all {
                    continue;
                }
                assert_eq!(drawn, [order as i64], "turn {turn}");
            }
        }
        compared += 1;
    }
    compared
}

fn draw_walls_again(log: &Log) -> usize {
    let mut dice = PlainDice::new(log.seed, 0);
    let steps = |one: i64, other: i64| {
        let apart = |a: i64, b: i64| (a - b).abs().min(64 - (a - b).abs());
        apart(one / 64, other / 64).max(apart(one % 64, other % 64))
    };
    let (mut free, mut starts): (Vec<i64>, Vec<i64>) = ((0..4096).collect(), Vec::new());
    for _ in 0..log.seats {
        let start = free[dice.below(free.len() as u64) as usize];
        free.retain(|cell| steps(*cell, start) >= 3);
        starts.push(start);
    }
    let count = starts.len();
    dice.choose(&mut starts, count);
    let target = dice.below(4096) as i64;
    if !log.start.is_empty() {
        let players = starts.iter().map(|cell| ("player".to_owned(), *cell));
        let due: Vec<(String, i64)> = [("target".to_owned(), target)].into_iter().chain(players).collect();
        assert_eq!(log.start, due);
    }
    let effect = |name: &'static str| log.events.iter().filter(move |event| event.2 == name);
    assert_eq!(effect("target").next().expect("the target").3, [target]);
    let walls: BTreeMap<u64, i64> = effect("wall").map(|event| (event.1, event.3[1])).collect();
    let mut last = None;
    for turn in 0..log.turns {
        if last.is_some_and(|last| turn - last < log.seats as u64) {
            assert!(!walls.contains_key(&turn), "turn {turn}");
            continue;
        }
        let is_due = PlainDice::new(log.seed, turn + 1).below(log.set["wall_one_in"]) == 0;
        assert_eq!(is_due, walls.contains_key(&turn), "turn {turn}");
        last = if is_due { Some(turn) } else { last };
    }
    1 + walls.len()
}

#[test]
fn recorded_draws_of_every_game_are_drawn_again_by_dice_made_from_the_page() {
    let place = Place::new();
    let bots = ["greedy", "homeward", "random"].map(|name| place.guest(name, &format!("house {name}")));
    let [greedy, homeward, random] = bots.each_ref().map(String::as_str);
    let four = [greedy; 4];
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for seed in ["3", "4"] {
        let command =
            [&["play", "football"], &four[..], &["-p", "10", "--max-turns", "80", "--seed", seed]].concat();
        place
            .call(
                &[&command[..], &["--turn-ms", "30000", "--first-ms", "30000", "--sandbox", "off"]].concat(),
            )
            .with_status(0);
    }
    for game in [
        &["push", homeward, homeward, homeward, homeward, homeward, homeward, "--turns", "10"][..],
        &["target", random, random, "--seed", "3", "--max-rounds", "20"],
    ] {
        place.call(&[&["play", "--sandbox", "off"], game].concat()).with_status(0);
    }
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [place.path("games"), project.join("referee/games"), project.join("tests/record/frozen")];
    for file in folders.iter().flat_map(|folder| files_below(folder, "csv")) {
        if fs::read_to_string(&file).is_ok_and(|text| text.starts_with("row,turn,")) {
            let log = read(&file);
            *compared.entry(log.rules.clone()).or_default() += draw_again(&log);
        }
    }
    println!("{compared:?}");
    for game in GAMES.iter().map(|entry| entry.name) {
        let count = compared.get(game).copied().unwrap_or(0);
        assert!(count >= 3, "{game} lacks draws that are drawn again: {compared:?}");
    }
}
