//! The bots to begin with: each is built and plays a whole game of each game, in the sandbox, and all are one bot in many
//! languages: to the same questions they answer the same.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use referee::catalog;
use referee::record::results::ResultRow;
use referee::rules::{Events, FaultKind, Parameters, Seat, Seed};

use crate::examine::assert_fit;
use crate::support::{Place, answers_in, files_below, results_in};

/// The languages, each with what builds and runs it and the package of Debian that brings that.
const LANGUAGES: [(&str, &[(&str, &str)]); 8] = [
    ("c", &[("cc", "gcc")]),
    ("cpp", &[("g++", "g++")]),
    ("go", &[("go", "golang-go")]),
    ("java", &[("javac", "default-jdk-headless"), ("jar", "default-jdk-headless")]),
    ("javascript", &[("node", "nodejs")]),
    ("octave", &[("octave-cli", "octave")]),
    ("python", &[("python3", "python3")]),
    ("rust", &[("rustc", "rustc")]),
];

/// A game to its own end: who plays against the starter, what is set, and how it ends.
struct Match {
    game: &'static str,
    others: &'static [&'static str],
    set: &'static [(&'static str, i64)],
    end: &'static str,
}

/// Nobody is late here, however busy the machine.
const LONG_MS: i64 = 600_000;

const MATCHES: [Match; 4] = [
    Match {
        game: "football",
        others: &["greedy", "sweeper", "still"],
        set: &[("k", 46), ("turn_ms", LONG_MS)],
        end: "no_balls",
    },
    Match { game: "foosball", others: &["chaser"], set: &[("bank_ms", LONG_MS)], end: "full_time" },
    Match {
        game: "push",
        others: &["random", "homeward", "random", "homeward", "random"],
        set: &[("turns", 10), ("turn_ms", LONG_MS)],
        end: "turns",
    },
    Match {
        game: "target",
        others: &["random"; 15],
        set: &[("max_rounds", 20), ("wall_one_in", 2), ("turn_ms", LONG_MS)],
        end: "max_rounds",
    },
];

const SEED: Seed = Seed(7);

#[test]
fn the_starter_in_c_plays_every_game() {
    plays_every_game("c");
}

#[test]
#[ignore = "needs g++"]
fn the_starter_in_cpp_plays_every_game() {
    plays_every_game("cpp");
}

#[test]
#[ignore = "needs Go"]
fn the_starter_in_go_plays_every_game() {
    plays_every_game("go");
}

#[test]
#[ignore = "needs a JDK"]
fn the_starter_in_java_plays_every_game() {
    plays_every_game("java");
}

#[test]
#[ignore = "needs node"]
fn the_starter_in_javascript_plays_every_game() {
    plays_every_game("javascript");
}

#[test]
#[ignore = "needs Octave"]
fn the_starter_in_octave_plays_every_game() {
    plays_every_game("octave");
}

#[test]
fn the_starter_in_python_plays_every_game() {
    plays_every_game("python");
}

#[test]
fn the_starter_in_rust_plays_every_game() {
    plays_every_game("rust");
}

#[test]
fn each_starter_is_played_here() {
    let folders = fs::read_dir(starters()).expect("a folder").flatten().filter(|entry| entry.path().is_dir());
    let mut found: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().expect("a name")).collect();
    found.sort();
    assert_eq!(found, LANGUAGES.map(|(language, _)| language));
}

#[test]
fn each_starter_is_read_in_a_few_minutes() {
    for (language, _) in LANGUAGES {
        let files = fs::read_dir(starters().join(language)).expect("a folder").flatten();
        let is_source = |file: &PathBuf| file.extension().is_some_and(|ending| ending != "jar");
        let sources: Vec<PathBuf> = files.map(|entry| entry.path()).filter(is_source).collect();
        assert_eq!(sources.len(), 1, "{sources:?}");
        let lines = fs::read_to_string(&sources[0]).expect("a text").lines().count();
        assert!((60..=120).contains(&lines), "{language}: {lines} lines, not 60 to 120");
    }
}

#[test]
fn a_starter_plays_in_every_seat_and_setting() {
    let place = rust();
    let football = |p, k| vec![("p", p), ("k", k), ("max_turns", 40), ("turn_ms", LONG_MS)];
    let games = [
        ("football", 4, football(1, 1)),
        ("football", 4, football(255, 1)),
        ("football", 4, football(255, 46)),
        ("foosball", 2, vec![("variant", 1), ("bank_ms", LONG_MS)]),
        ("push", 6, vec![("turns", 100), ("turn_ms", LONG_MS)]),
        ("target", 1, vec![("wall_one_in", 1), ("max_rounds", 100), ("turn_ms", LONG_MS)]),
    ];
    for (game, seats, set) in games {
        let rows = play(&place, game, &vec!["./bot"; seats], &set);
        assert!(rows.len() >= seats);
    }
}

/// Builds a starter, has it play each game, and compares all that it says with what the one in Rust says.
fn plays_every_game(language: &str) {
    let place = Place::new();
    build(&place, language);
    let rust = rust();
    for (number, set) in MATCHES.iter().enumerate() {
        // Each language sits somewhere else.
        let index = LANGUAGES.iter().position(|(other, _)| *other == language).expect("a language");
        let seat = (index + number) % (set.others.len() + 1);
        let mut bots = set.others.to_vec();
        bots.insert(seat, "./bot");
        let rows = play(&place, set.game, &bots, set.set);
        assert_eq!(rows[0].end, set.end, "{language}, {}", set.game);
        let log = place.path("games").join("logs").join(format!("{}.csv", rows[0].game));
        let (questions, answers) = dialogue(set, &log, Seat::new(seat));
        for (folder, command) in [(&place, "./run"), (&rust, "./bot")] {
            assert_eq!(answers, by_hand(folder, command, set.game, &questions), "{language}, {}", set.game);
        }
    }
    place.referee(&["audit", "games"]).with_status(0);
    assert_fit(&place, "./bot", &MATCHES.map(|set| set.game));
    // What it says in passing went to standard error, and was kept.
    let said = files_below(&place.path("games/stderr"), "txt");
    assert!(said.len() >= MATCHES.len(), "{said:?}");
}

fn starters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/starters")
}

/// Copies a starter to a place and builds it there.
///
/// Panics if what it needs is missing: a starter that nobody builds is worth nothing.
fn build(place: &Place, language: &str) {
    let (_, tools) = LANGUAGES.iter().find(|(other, _)| *other == language).expect("a language");
    for (tool, package) in *tools {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .any(|folder| folder.join(tool).exists());
        assert!(
            found,
            "{tool} is needed for the starter in {language}: install the package {package} (scripts/test does)"
        );
    }
    for entry in fs::read_dir(starters().join(language)).expect("a starter").flatten() {
        if entry.path().is_file() && entry.file_name() != "bot" {
            fs::copy(entry.path(), place.path(&entry.file_name().to_string_lossy())).expect("a copy");
        }
    }
    let output = Command::new("./build").current_dir(place.path("")).output().expect("build is a program");
    assert!(output.status.success(), "{language}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A place with the starter in Rust, which is built once for all tests.
fn rust() -> Place {
    static BUILT: OnceLock<Vec<u8>> = OnceLock::new();
    let program = BUILT.get_or_init(|| {
        let place = Place::new();
        build(&place, "rust");
        fs::read(place.path("bot")).expect("the program")
    });
    let place = Place::new();
    place.program("bot", program);
    place
}

/// Plays a game in the sandbox that is there, in which nobody is at fault, and returns its results.
fn play(place: &Place, game: &str, bots: &[&str], set: &[(&str, i64)]) -> Vec<ResultRow> {
    let seed = SEED.to_string();
    let first = LONG_MS.to_string();
    let mut words = vec!["play", game, "--seed", &seed, "--first-ms", &first];
    let entry = catalog::find(game).expect("a game");
    let word = |&(name, value): &(&str, i64)| {
        let parameter =
            entry.parameters.iter().find(|parameter| parameter.name == name).expect("a parameter");
        let value = parameter.kind.show(value);
        parameter.short.map_or_else(
            || format!("--{}={value}", name.replace('_', "-")),
            |short| format!("-{short}{value}"),
        )
    };
    let set: Vec<String> = set.iter().map(word).collect();
    words.extend(set.iter().map(String::as_str));
    words.extend(bots);
    let before = if place.path("games").exists() { results_in(&place.path("games")).len() } else { 0 };
    place.referee(&words).with_status(0);
    let rows = results_in(&place.path("games")).split_off(before);
    for row in &rows {
        let faults: BTreeMap<&str, u64> = FaultKind::ALL
            .into_iter()
            .map(|kind| (kind.name(), row.faults(kind)))
            .filter(|(_, count)| *count > 0)
            .collect();
        assert!(faults.is_empty(), "{game}, {words:?}: seat {}: {faults:?}", row.seat);
        assert_ne!(row.sandbox, "off");
    }
    rows
}

/// What a seat was asked in a recorded game, found by playing it again by the rules, and what it answered.
fn dialogue(set: &Match, log: &Path, seat: Seat) -> (String, Vec<String>) {
    let entry = catalog::find(set.game).expect("a game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in set.set.iter().chain(&[("first_ms", LONG_MS)]) {
        parameters.set(name, *value).expect("a parameter");
    }
    let (parameters, _) = entry.seat(&parameters, set.others.len() + 1).expect("so many can play");
    let mut game = entry.start(&parameters, SEED);
    let (mut questions, mut answers, mut events) = (Vec::new(), Vec::new(), Events::default());
    let mut said = answers_in(log).into_iter();
    while !game.asked().is_empty() {
        for asked in game.asked().to_vec() {
            let answer = said.next().expect("an answer for each question");
            assert_eq!((answer.turn, answer.seat), (game.turn(), asked.index()));
            if asked == seat {
                game.question(seat, &mut questions);
                answers.push(format!("@{} {}", answers.len() + 1, answer.values));
            }
            let integers: Vec<i64> =
                answer.values.split(' ').map(|word| word.parse().expect("an integer")).collect();
            game.answer(asked, Ok(&integers));
        }
        game.resolve(&mut events);
    }
    (String::from_utf8(questions).expect("questions are ASCII"), answers)
}

/// What a bot answers to all these questions when it is started by hand.
fn by_hand(place: &Place, command: &str, game: &str, questions: &str) -> Vec<String> {
    let mut child = Command::new(command)
        .current_dir(place.path(""))
        .env("REFEREE_GAME", game)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the bot starts");
    let mut input = child.stdin.take().expect("a pipe");
    let questions = questions.to_owned();
    let writer = std::thread::spawn(move || input.write_all(questions.as_bytes()));
    let output = child.wait_with_output().expect("it ends when its input does");
    writer.join().expect("a thread").expect("it reads all questions");
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}
