//! The starters: for each language and each game, the starter is generated and built, and plays a whole game
//! in the sandbox. All are one bot in many languages: they give the same answers to the same questions.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use referee_games::catalog::{self, GAMES};
use referee_record::results::ResultRow;
use referee_rules::game::play_turn;
use referee_rules::{Events, FaultKind, Parameters, Seat, Seed};

use super::assert_fit;
use crate::called::Calls;
use crate::support::{Place, answers_in, files_below, once_written, results_in};
use referee_bots::HOUSE_BOTS;

/// The languages, each with the command that builds and runs it, and the package of Debian with that command.
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

/// A game to its own end: the opponents of the starter, the settings, and the reason for the end.
struct Match {
    game: &'static str,
    others: Vec<&'static str>,
    set: Vec<(&'static str, i64)>,
    /// `None` for any end.
    end: Option<&'static str>,
}

/// No bot is late here, however busy the machine is.
const LONG_MS: i64 = 600_000;

/// The games. A game that is not listed here is played with its defaults, against its house bots.
fn match_of(game: &'static str) -> Match {
    let (others, set, end) = match game {
        "football" => (vec!["greedy", "sweeper", "still"], vec![("k", 46)], "no_balls"),
        "foosball" => (vec!["chaser"], vec![], "full_time"),
        "push" => (vec!["random", "homeward", "random", "homeward", "random"], vec![("turns", 10)], "turns"),
        "target" => (vec!["random"; 15], vec![("max_rounds", 20), ("wall_one_in", 2)], "max_rounds"),
        _ => (vec![], vec![], ""),
    };
    let entry = catalog::find(game).expect("a game");
    let house = HOUSE_BOTS.iter().filter(|bot| bot.game == game).map(|bot| bot.name);
    let seats = entry.start(&Parameters::defaults(entry.parameters), SEED).info().seats;
    let others = if others.is_empty() { house.cycle().take(seats - 1).collect() } else { others };
    let limits = entry.parameters.iter().map(|parameter| parameter.name).filter(|name| name.ends_with("_ms"));
    let set = set.into_iter().chain(limits.map(|name| (name, LONG_MS))).collect();
    Match { game, others, set, end: Some(end).filter(|end| !end.is_empty()) }
}

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
    for language in &found {
        let files = fs::read_dir(starters().join(language)).expect("a folder").flatten();
        let known = |name: &str| {
            let is_game = GAMES.iter().any(|game| Path::new(name).file_stem() == Some(OsStr::new(game.name)));
            let is_game = is_game || Path::new(name).file_stem() == Some(OsStr::new("any"));
            is_game || name == frame_of(language) || ["build", "build-wasm", "run"].contains(&name)
        };
        let names = files.map(|file| file.file_name().into_string().expect("a name"));
        let strange: Vec<String> = names.filter(|name| !known(name)).collect();
        assert!(strange.is_empty(), "bots/starters/{language}: of no game: {strange:?}");
    }
}

#[test]
fn each_starter_is_read_in_a_few_minutes() {
    let place = Place::new();
    for (language, game) in all() {
        let lines = put_together(&place, language, game).lines().count();
        assert!((20..=90).contains(&lines), "{language}, {game}: {lines} lines, not 20 to 90");
    }
}

#[test]
fn a_starter_plays_one_game_alone() {
    let place = Place::new();
    for (language, game) in all() {
        let source = put_together(&place, language, game);
        assert!(!source.contains("goes here"), "{language}, {game}: the frame is filled");
        let function = fs::read_to_string(function_of(language, game)).expect("a text");
        assert!(source.contains(function.trim_end()), "{language}, {game}");
        for other in GAMES.iter().map(|other| other.name).filter(|other| *other != game) {
            let function = fs::read_to_string(function_of(language, other)).unwrap_or_default();
            assert!(
                function.is_empty() || !source.contains(function.trim_end()),
                "{language}, {game}: {other}"
            );
        }
    }
}

#[test]
fn a_starter_plays_in_every_seat_and_setting() {
    let place = Place::new();
    const FIRST: (&str, i64) = ("first_ms", LONG_MS);
    let football = |p, k| vec![("p", p), ("k", k), ("max_turns", 40), ("turn_ms", LONG_MS), FIRST];
    let games = [
        ("football", 4, football(1, 1)),
        ("football", 4, football(255, 1)),
        ("football", 4, football(255, 46)),
        ("foosball", 2, vec![("variant", 1), ("bank_ms", LONG_MS), FIRST]),
        ("push", 6, vec![("turns", 100), ("turn_ms", LONG_MS), FIRST]),
        ("target", 1, vec![("wall_one_in", 1), ("max_rounds", 100), ("turn_ms", LONG_MS), FIRST]),
    ];
    for (game, seats, set) in games {
        let bot = rust(&place, game);
        let rows = play(&place, game, &vec![bot.as_str(); seats], &set);
        assert!(rows.len() >= seats);
    }
}

/// Builds the starters of a language, has each play its game, and compares all its answers with those of the
/// one in Rust.
fn plays_every_game(language: &str) {
    let place = Place::new();
    let mut played = 0;
    for (number, game) in all().filter(|(other, _)| *other == language).map(|(_, game)| game).enumerate() {
        let set = match_of(game);
        let bot = build(&place, language, game);
        // Each language has another seat.
        let index = LANGUAGES.iter().position(|(other, _)| *other == language).expect("a language");
        let seat = (index + number) % (set.others.len() + 1);
        let mut bots: Vec<&str> = set.others.clone();
        bots.insert(seat, &bot);
        let rows = play(&place, game, &bots, &set.set);
        if let Some(end) = set.end {
            assert_eq!(rows[0].end, end, "{language}, {game}");
        }
        let log = place.path("games").join("logs").join(format!("{}.csv", rows[0].game));
        let (questions, answers) = dialogue(&set, &log, Seat::new(seat));
        let run = bot.replace("/bot", "/run");
        let rust = function_of("rust", game).exists().then(|| rust(&place, game));
        for command in [Some(run), rust].into_iter().flatten() {
            assert_eq!(answers, by_hand(&place, &command, game, &questions), "{language}, {game}: {command}");
        }
        assert_fit(&place, &bot, &[game]);
        played += 1;
    }
    place.call(&["audit", "games"]).with_status(0);
    // Its other output went to standard error, and was kept.
    let said = files_below(&place.path("games/stderr"), "txt");
    assert!(said.len() >= played, "{said:?}");
}

fn starters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bots/starters")
}

/// The name of a language's frame, which is also that of the bot's source.
fn frame_of(language: &str) -> String {
    let files = fs::read_dir(starters().join(language)).expect("a folder").flatten();
    let mut names = files.map(|file| file.file_name().into_string().expect("a name"));
    let is_frame =
        |name: &String| Path::new(name).file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case("bot"));
    names.find(|name| is_frame(name) && name.contains('.') && !name.ends_with(".jar")).expect("a frame")
}

/// Where the function of a game is in a language.
fn function_of(language: &str, game: &str) -> PathBuf {
    let frame = frame_of(language);
    let ending = Path::new(&frame).extension().expect("an ending");
    starters().join(language).join(game).with_extension(ending)
}

/// Each language with each game that has a starter in it.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pairs =
        LANGUAGES.iter().flat_map(|(language, _)| GAMES.iter().map(move |game| (*language, game.name)));
    pairs.filter(|(language, game)| function_of(language, game).exists())
}

/// Has `referee new` make a starter, and returns its source.
fn put_together(place: &Place, language: &str, game: &str) -> String {
    let name = format!("{language}-{game}");
    place.call(&["new", &name, "--game", game, "--lang", language]).with_status(0);
    fs::read_to_string(place.path(&name).join(frame_of(language))).expect("a text")
}

/// Makes a starter and builds it. Returns the program as it is named on a command line.
///
/// Panics if a program for it is missing: a starter that is not built is worth nothing.
fn build(place: &Place, language: &str, game: &str) -> String {
    let (_, tools) = LANGUAGES.iter().find(|(other, _)| *other == language).expect("a language");
    for (tool, package) in *tools {
        let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .any(|folder| folder.join(tool).exists());
        assert!(
            found,
            "{tool} is needed for the starter in {language}: install the package {package} (scripts/test does)"
        );
    }
    put_together(place, language, game);
    let folder = format!("{language}-{game}");
    let output = once_written(|| Command::new("./build").current_dir(place.path(&folder)).output());
    let output = output.expect("build is a program");
    assert!(output.status.success(), "{language}, {game}: {}", String::from_utf8_lossy(&output.stderr));
    format!("./{folder}/bot")
}

/// Puts the starter in Rust for a game into a place, once: it is built once for all tests.
fn rust(place: &Place, game: &str) -> String {
    static BUILT: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let program = built.entry(game.to_owned()).or_insert_with(|| {
        let place = Place::new();
        let bot = build(&place, "rust", game);
        fs::read(place.path(&bot)).expect("the program")
    });
    let name = format!("rust-bot-{game}");
    if !place.path(&name).exists() {
        place.program(&name, program);
    }
    format!("./{name}")
}

/// Plays a game in the available sandbox. No seat may have a fault. Returns the results.
fn play(place: &Place, game: &str, bots: &[&str], set: &[(&str, i64)]) -> Vec<ResultRow> {
    let seed = SEED.to_string();
    let mut words = vec!["play", game, "--seed", &seed];
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

/// The questions to a seat in a recorded game, found by playing it again by the rules, and its answers.
fn dialogue(set: &Match, log: &Path, seat: Seat) -> (String, Vec<String>) {
    let entry = catalog::find(set.game).expect("a game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in &set.set {
        parameters.set(name, *value).expect("a parameter");
    }
    let (parameters, _) = entry.seat(&parameters, set.others.len() + 1).expect("so many can play");
    let mut game = entry.start(&parameters, SEED);
    let (mut questions, mut answers, mut events) = (Vec::new(), Vec::new(), Events::default());
    let mut said = answers_in(log).into_iter();
    while !game.asked().is_empty() {
        play_turn(&mut *game, &mut events, |game, asked| {
            let answer = said.next().expect("an answer for each question");
            assert_eq!((answer.turn, answer.seat), (game.turn(), asked.index()));
            if asked == seat {
                game.question(seat, &mut questions);
                answers.push(format!("@{} {}", answers.len() + 1, answer.values));
            }
            let integers: Vec<i64> =
                answer.values.split(' ').map(|word| word.parse().expect("an integer")).collect();
            game.answer(asked, Ok(&integers));
        });
    }
    (String::from_utf8(questions).expect("questions are ASCII"), answers)
}

/// The answers of a bot to all these questions when it is started by hand.
fn by_hand(place: &Place, command: &str, game: &str, questions: &str) -> Vec<String> {
    let mut bot = Command::new(command);
    bot.current_dir(place.path("")).env("REFEREE_GAME", game);
    bot.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = once_written(|| bot.spawn()).expect("the bot starts");
    let mut input = child.stdin.take().expect("a pipe");
    let questions = questions.to_owned();
    let writer = std::thread::spawn(move || input.write_all(questions.as_bytes()));
    let output = child.wait_with_output().expect("it ends when its input does");
    writer.join().expect("a thread").expect("it reads all questions");
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}
