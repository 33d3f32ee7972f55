//! The pages in a real browser: Chromium, driven by `watch.mjs`, which reports what the pages show. The
//! expected content is computed here, from the log and the rules.

mod alone;
mod report;
mod scenes;
mod timeline;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use referee_files::export::{Positions, export};
use referee_files::log;
use referee_games::catalog::{Entry, GAMES};
use referee_record::play::replay::{Replay, advance};
use referee_show::view::story::{Happening, Part, Story, Value as Told};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::called::Calls;
use crate::support::{Place, playthrough};

/// The recorded games, in the order of [`GAMES`].
fn playthroughs() -> Vec<PathBuf> {
    GAMES.iter().map(|game| playthrough(game.name)).collect()
}

/// Lets the program write the page of a log into a folder.
fn page_of(log: &Path, folder: &TempDir) -> PathBuf {
    // The names of recorded games are those of their games' folders.
    let game = log.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let stem = log.file_stem().unwrap().to_string_lossy();
    let file = folder.path().join(format!("{game}-{stem}.html"));
    let words = ["replay", log.to_str().unwrap(), "--html", file.to_str().unwrap()];
    Place::new().call(&words).with_status(0).saying(&["browser"]);
    file
}

#[test]
#[ignore = "needs node and Chromium"]
fn two_games_beside_each_other_are_at_the_same_turn() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pair.html");
    let [one, other] = ["push", "football"].map(playthrough);
    let [one, other, html] = [&one, &other, &file].map(|path| path.to_str().unwrap());
    Place::new().call(&["replay", one, other, "--html", html]).with_status(0);
    let seen = watch(json!([{ "file": file, "look": "pair" }]));
    assert_eq!(seen[0]["titles"], json!(["push", "football"]));
    // The first has 20 turns, the second 41.
    assert_eq!(seen[0]["turns"], json!([[7, 7], [12, 12], [20, 30], [20, 5]]));
    assert!(seen[0]["axe"].as_array().is_some_and(Vec::is_empty), "{}", seen[0]["axe"]);
}

/// Writes the page of a game once more, as if the game had no board of its own.
fn without_a_board(page: &str, game: &Entry) -> String {
    const NO_BOARD: &str = concat!(
        include_str!("../../../referee/show/page/html/table.js"),
        include_str!("../../../referee/show/page/html/scene.js")
    );
    let html = fs::read_to_string(page).unwrap();
    let (_, script) = html.rsplit_once("<script>").expect("a script");
    let (script, _) = script.split_once("</script>").expect("its end");
    let board = game.page_board.expect("a board");
    assert_eq!(script.matches(board).count(), 1);
    let other = script.replace(board, NO_BOARD);
    // The page names the allowed script by its digest.
    let digest = |script: &str| STANDARD.encode(Sha256::digest(script.as_bytes()));
    let file = page.replace(".html", "-as-a-table.html");
    fs::write(&file, html.replace(script, &other).replace(&digest(script), &digest(&other))).unwrap();
    file
}

/// Opens pages in a browser, and returns its report on each. No page may print an error or send a request.
fn watch(pages: Value) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/view/browser");
    assert!(
        Path::new(folder).join("node_modules/playwright-core").exists(),
        "the browser's driver is not there: scripts/test installs it"
    );
    let mut node = Command::new("node")
        .arg("watch.mjs")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node: scripts/test installs it");
    let plan = json!({ "browser": "/usr/bin/chromium", "pages": pages });
    serde_json::to_writer(node.stdin.take().unwrap(), &plan).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "watch.mjs has failed");
    let seen: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for (page, seen) in pages.as_array().unwrap().iter().zip(&seen) {
        assert_eq!(seen["trouble"], json!([]), "{page}");
        // A report's style is a file of its own; else a page asks for nothing.
        let asked = seen["requests"].as_array().expect("a list").iter().filter_map(Value::as_str);
        let own = |url: &&str| url.starts_with("file:///") && url.ends_with("/style.css");
        assert_eq!(asked.filter(|url| !own(url)).collect::<Vec<_>>(), [""; 0], "{page}");
    }
    seen
}

/// All positions of a game by `export`: for each turn, each fact and its value.
fn exported(log: &Path, folder: &TempDir) -> Vec<BTreeMap<String, i64>> {
    let files = export(log, folder.path(), Positions::Whole).unwrap();
    let mut positions: Vec<BTreeMap<String, i64>> = Vec::new();
    for row in fs::read_to_string(files.positions).unwrap().lines().skip(1) {
        let (turn, fact) = row.split_once(',').unwrap();
        let (fact, value) = fact.rsplit_once(',').unwrap();
        let turn: usize = turn.parse().unwrap();
        positions.resize(positions.len().max(turn + 1), BTreeMap::new());
        positions[turn].insert(fact.to_owned(), value.parse().unwrap());
    }
    positions
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Returns how a page shows a sentence: cells of a board of squares by row and column.
fn as_shown(happening: &Happening, story: &Story) -> String {
    let (mut shown, mut end) = (String::new(), 0);
    for Part { place, value } in &happening.parts {
        shown += &happening.words[end..place.start];
        shown += &match (value, story.vocabulary().columns()) {
            (Told::Cell(cell), Some(columns)) => format!("row {}, column {}", cell / columns, cell % columns),
            _ => happening.words[place.clone()].to_owned(),
        };
        end = place.end;
    }
    shown + &happening.words[end..]
}

/// Every question of a game as it was sent, by turn and seat.
fn questions(log: &Path) -> Vec<BTreeMap<usize, String>> {
    let (mut replay, _) = Replay::open(log::open(log).unwrap()).unwrap();
    let (mut questions, mut events) = (Vec::new(), Default::default());
    while let Some((game, answers)) = replay.next_turn().unwrap() {
        let mut turn = BTreeMap::new();
        for seat in game.asked().to_vec() {
            let mut line = Vec::new();
            game.question(seat, &mut line);
            turn.insert(seat.index(), String::from_utf8(line).unwrap().trim_end().to_owned());
        }
        questions.push(turn);
        advance(game, answers, &mut events, None, |_, _, _| {});
    }
    questions
}

#[test]
#[ignore = "needs node and Chromium"]
fn a_page_holds_each_position_question_answer_and_event_of_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let logs = playthroughs();
    let pages: Vec<Value> =
        logs.iter().map(|log| json!({ "file": page_of(log, &folder), "look": "contents" })).collect();
    for (log, seen) in logs.iter().zip(watch(pages.into())) {
        let name = log.display();
        let positions: Vec<BTreeMap<String, i64>> =
            serde_json::from_value(seen["positions"].clone()).unwrap();
        let due = exported(log, &folder);
        assert_eq!(positions.len(), due.len(), "{name}");
        for (turn, (found, due)) in positions.iter().zip(&due).enumerate() {
            assert_eq!(found, due, "{name}, turn {turn}");
        }
        assert_eq!(seen["same"], true, "{name}: forwards as backwards");
        assert_eq!(seen["tracked"], true, "{name}: facts followed through all turns");
        let questions = questions(log);
        let mut turns = 0;
        let told = log::open(log).and_then(Story::open).unwrap();
        log::open(log)
            .and_then(Story::open)
            .unwrap()
            .each_turn(|turn| {
                let number = turn.number as usize;
                let words: Vec<String> =
                    turn.happenings.iter().map(|happening| as_shown(happening, &told)).collect();
                assert_eq!(strings(&seen["happenings"][number]), words, "{name}, turn {number}");
                let replies = seen["replies"][number].as_array().unwrap();
                assert_eq!(replies.len(), turn.replies.len(), "{name}, turn {number}");
                for (found, due) in replies.iter().zip(&turn.replies) {
                    let seat = due.seat.index();
                    assert_eq!(found["seat"], json!(seat), "{name}, turn {number}");
                    assert_eq!(found["verdict"], json!(due.verdict()), "{name}, turn {number}");
                    assert_eq!(found["thinking"], json!(due.thinking.as_micros() as u64), "{name}");
                    assert_eq!(found["wall"], json!(due.wall.as_micros() as u64), "{name}");
                    assert_eq!(found["detail"], json!(due.detail), "{name}");
                    let integers: Vec<String> = due.integers.iter().map(i64::to_string).collect();
                    assert_eq!(strings(&found["integers"]), integers, "{name}, turn {number}");
                    assert_eq!(
                        found["question"],
                        json!(questions[number][&seat]),
                        "{name}, turn {number}, seat {seat}"
                    );
                }
                turns += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(turns + 1, due.len(), "{name}");
    }
}

#[test]
#[ignore = "needs node and Chromium"]
fn a_page_plays_steps_jumps_and_shows_the_right_score_at_the_right_turn() {
    let folder = tempfile::tempdir().unwrap();
    let logs = playthroughs();
    let positions: Vec<_> = logs.iter().map(|log| exported(log, &folder)).collect();
    let turns = positions.iter().map(|positions| {
        let last = positions.len() - 1;
        [0, 1, 7, last / 2, last - 1, last]
    });
    let turns: Vec<_> = turns.collect();
    let mut pages: Vec<Value> = logs
        .iter()
        .zip(&turns)
        .map(|(log, turns)| json!({ "file": page_of(log, &folder), "look": "use", "turns": turns }))
        .collect();
    // Once more, for a visitor who prefers reduced motion.
    let mut still = pages[0].clone();
    still["context"] = json!({ "reducedMotion": "reduce" });
    pages.push(still);
    // And the second as if its game had no board.
    let mut other = pages[1].clone();
    other["file"] = json!(without_a_board(other["file"].as_str().expect("a path"), &GAMES[1]));
    pages.push(other);
    let seen = watch(pages.into());
    for (number, seen) in seen.iter().enumerate() {
        let game = number % GAMES.len();
        let (name, positions) = (GAMES[game].name, &positions[game]);
        assert!(seen["picture"].as_str().is_some_and(|file| file.ends_with("-turn-0.png")), "{name}: {seen}");
        let followed = match name {
            "football" | "target" => json!({ "near": 2.5, "isThere": true, "far": 1 }),
            _ => Value::Null,
        };
        assert_eq!(seen["followed"], followed, "{name}");
        assert_eq!(seen["typed"], true, "{name}: a number that is typed while the game plays");
        let mut story = log::open(&logs[game]).and_then(Story::open).unwrap();
        for turn in turns[game] {
            let shown = &seen["at"][turn.to_string()];
            assert_eq!(shown["turn"], json!(turn), "{name}");
            let score = |seat: usize| positions[turn].get(&format!("score,{seat},"));
            let due: Vec<String> = (0..).map_while(score).map(i64::to_string).collect();
            if !due.is_empty() {
                assert_eq!(strings(&shown["scores"]), due, "{name}, turn {turn}");
            } else if turn + 1 == positions.len() {
                let outcome = story.outcome().unwrap();
                let due: Vec<String> = outcome.scores.iter().map(|(_, score)| score.to_string()).collect();
                assert_eq!(strings(&shown["scores"]), due, "{name}, at the end");
            }
            if let Some(told) = story.turn(turn as u32).unwrap() {
                let mut due: Vec<String> = told
                    .happenings
                    .iter()
                    .filter(|happening| !happening.occurrence.secret)
                    .map(|happening| as_shown(happening, &story))
                    .collect();
                let mut events = strings(&shown["events"]);
                due.sort();
                events.sort();
                assert!(!due.is_empty() || events == ["Nothing moves"], "{name}, turn {turn}");
                assert!(due.is_empty() || events == due, "{name}, turn {turn}: {events:?}\n{due:?}");
            }
        }
        let happenings = story.turn(0).unwrap().unwrap().happenings;
        let secrets = happenings.iter().filter(|happening| happening.occurrence.secret);
        let secrets: Vec<Value> = secrets.map(|happening| json!(as_shown(happening, &story))).collect();
        for secret in &secrets {
            let is_told = |look: &str| seen[look]["events"].as_array().unwrap().contains(secret);
            assert!(!is_told("closed") && is_told("open"), "{name}: {secret} is told if one asks");
            assert_ne!(seen["closed"]["picture"], seen["open"]["picture"], "{name}: and shown");
        }
        assert_eq!(secrets.is_empty(), name != "target", "{name}");
        if name == "target" {
            // With the hidden cell, the steps to it.
            let steps = |seat: usize| {
                let [target, player] = ["target,,".to_owned(), format!("player,{seat},")]
                    .map(|fact| positions[0].get(&fact).copied());
                let (target, player) = (target?, player?);
                let apart =
                    |one: i64, other: i64| (one - other).rem_euclid(64).min((other - one).rem_euclid(64));
                Some((apart(target / 64, player / 64) + apart(target % 64, player % 64)).to_string())
            };
            let due: Vec<String> = (0..).map_while(steps).collect();
            assert_eq!(strings(&seen["open"]["scores"]), due);
            assert!(strings(&seen["closed"]["scores"]).iter().all(String::is_empty));
        }
        let last = positions.len() - 1;
        assert_eq!(seen["keys"]["ArrowRight"], json!([1, 2, 3]), "{name}");
        assert_eq!(seen["keys"]["ArrowLeft"], json!([2]), "{name}");
        let marks = |is: &dyn Fn(u32) -> bool| {
            let marks = story
                .marks()
                .iter()
                .filter(|mark| mark.kind != referee_show::view::story::HappeningKind::Score);
            marks.map(|mark| mark.turn).filter(|turn| is(*turn)).collect::<Vec<u32>>()
        };
        let next = *marks(&|turn| turn > 2).first().unwrap();
        assert_eq!(seen["keys"]["]"], json!(next), "{name}: the next event after turn 2");
        let back = marks(&|turn| turn < next).last().copied().unwrap_or(0);
        assert_eq!(seen["keys"]["["], json!(back), "{name}: the event before turn {next}");
        assert_eq!(seen["keys"]["End"], json!(last), "{name}");
        assert_eq!(seen["keys"]["Home"], json!(0), "{name}");
        let moments: Vec<u64> = serde_json::from_value(seen["moments"].clone()).unwrap();
        let due = (0..=moments.len()).scan(0, |at, _| {
            let next = moments.iter().find(|turn| **turn > *at).or(moments.first());
            *at = next.copied().unwrap_or(*at);
            Some(*at)
        });
        let due: Vec<u64> = due.collect();
        assert_eq!(seen["visited"], json!(due), "{name}: m goes to each turn that is worth a look");
        assert_eq!(seen["pointed"], seen["there"], "{name}");
        assert!(seen["pointed"].as_str().is_some_and(|words| !words.is_empty()), "{name}");
        assert!(seen["told"].as_str().unwrap().starts_with(&format!("Turn 1 of {last}")), "{name}");
        assert_eq!(seen["chatter"], json!(0), "{name}: nothing is read out while it plays");
        let (is_still, is_table) = (number == GAMES.len(), number > GAMES.len());
        assert_eq!(seen["between"], json!(!is_still), "{name}: things fly, or do not");
        assert_eq!(seen["stays"], json!(true), "{name}: a pause is one");
        let reached = strings(&seen["reached"]);
        for id in ["board", "first", "mark-back", "back", "play", "on", "mark-on", "last"] {
            assert!(reached.iter().any(|reached| reached == id), "{name}: {id} in {reached:?}");
        }
        for id in ["turn", "speed", "kinds", "timeline", "tab-events", "events", "theme"] {
            assert!(reached.iter().any(|reached| reached == id), "{name}: {id} in {reached:?}");
        }
        let place = if name == "push" {
            "Slot"
        } else if name == "foosball" {
            "Row"
        } else {
            "Cell"
        };
        let is_story = |text: &Value| {
            let text = text.as_str().unwrap();
            let is_line = text.starts_with(|letter: char| letter.is_lowercase()) && text.contains(": ");
            if is_table { is_line } else { text.starts_with(place) || text.starts_with("Seat") }
        };
        assert!(is_story(&seen["story"]) && is_story(&seen["clicked"]), "{name}: {}", seen["story"]);
        let first: usize = seen["question"].as_str().unwrap().split(' ').next().unwrap().parse().unwrap();
        let count = seen["question"].as_str().unwrap().split(' ').count();
        assert_eq!(count, first + 1, "{name}: a whole question");
        let result = seen["result"].as_str().unwrap();
        assert!(
            result.contains(" The end after ") && result.contains(" Places and scores: 1. "),
            "{name}: {result}"
        );
        assert!(result.contains(" wins") || result.contains(" share the first place"), "{name}: {result}");
        let headline = seen["headline"].as_str().unwrap();
        assert_eq!(headline, story.vocabulary().players(), "{name}: it does not tell the end");
        assert_eq!(seen["outcome"], json!([false, true]), "{name}: the result is folded until the last turn");
        assert!(!result.contains('_'), "{name}: an end in words: {result}");
        assert_eq!(seen["address"], "#turn=4", "{name}");
        let dragged = seen["dragged"].as_u64().unwrap() as usize;
        assert!(dragged.abs_diff(last / 2) <= 1 + last / 20, "{name}: to turn {dragged} of {last}");
    }
}

#[test]
#[ignore = "needs node and Chromium"]
fn pages_fit_phones_and_screens_and_the_accessibility_engine_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let widths = json!([
        [390, 844, "light"],
        [1280, 900, "light"],
        [1280, 900, "dark"],
        [1920, 1080, "light"],
        [390, 844, "dark"],
        [1280, 720, "light"],
        [1280, 800, "dark"],
        [1366, 768, "light"]
    ]);
    let page = |log: &PathBuf| json!({ "file": page_of(log, &folder), "look": "widths", "widths": widths });
    let pages: Vec<Value> = playthroughs().iter().map(page).collect();
    for (game, seen) in GAMES.iter().map(|game| game.name).zip(watch(pages.into())) {
        for width in [
            "390 light",
            "390 dark",
            "1280 light",
            "1280 dark",
            "1920 light",
            "1280x720 light",
            "1280x800 dark",
            "1366x768 light",
        ] {
            let seen = &seen[width];
            assert_eq!(
                seen["free"],
                json!(true),
                "{game}, {width}: nothing is covered, and the board fills its card"
            );
            assert_eq!(seen["violations"], json!([]), "{game}, {width}");
            assert_eq!(seen["fits"], json!(true), "{game}, {width}: nothing sticks out");
            assert_eq!(seen["crisp"], json!(true), "{game}, {width}: a pixel drawn is a pixel shown");
        }
    }
}

#[test]
#[ignore = "needs node and Chromium"]
fn names_and_standard_error_of_strangers_harm_no_page() {
    let folder = tempfile::tempdir().unwrap();
    let (logs, errors) = (folder.path().join("logs"), folder.path().join("stderr"));
    fs::create_dir_all(&logs).unwrap();
    fs::create_dir_all(&errors).unwrap();
    // Other names are refused when a log is read: see hostile::records.
    let names = ["fox", "__proto__", "constructor", &"W".repeat(32)];
    let text = fs::read_to_string(playthrough("football")).unwrap();
    let mut seat = 0;
    let rows = text.lines().map(|row| match row.strip_prefix(&format!("seat,,{seat},random,")) {
        Some(rest) => {
            seat += 1;
            format!("seat,,{},\"{}\",{rest}\n", seat - 1, names[seat - 1])
        }
        None => format!("{row}\n"),
    });
    let log = logs.join("odd.csv");
    let text: String = rows.collect();
    fs::write(&log, text).unwrap();
    assert_eq!(seat, names.len(), "all seats have other names");
    let errors_of = |seat: usize| errors.join(format!("odd-seat{seat}.txt"));
    let hostile = "<script>window.owned3=1</script>\n\u{1b}[31mred\n<iframe src=//example.org></iframe>\n";
    fs::write(errors_of(0), hostile).unwrap();
    // The first two lines are of turn 0.
    let end = hostile.find("<iframe").unwrap();
    fs::write(errors.join("odd-seat0.turns.csv"), format!("turn,end\n0,{end}\n1,{}\n", hostile.len()))
        .unwrap();
    fs::write(errors_of(1), "x".repeat(10_000) + "\n" + &"line\n".repeat(10_000)).unwrap();
    let texts = ["owned3"];
    let look = json!({ "file": page_of(&log, &folder), "look": "strangers", "texts": texts });
    let mut narrow = look.clone();
    narrow["context"] = json!({ "viewport": { "width": 390, "height": 844 } });
    for seen in watch(json!([look, narrow])) {
        assert_eq!(seen["ran"], json!([]), "no script of theirs has run");
        let due = json!([["b", 4], ["img", 0], ["iframe", 0], ["marquee", 0], ["script", 1]]);
        assert_eq!(seen["elements"], due, "the page's own elements alone");
        let shown = strings(&seen["names"]);
        assert_eq!(shown, names);
        let errors = strings(&seen["errors"]);
        assert_eq!(errors.len(), 2, "two bots have written something");
        assert!(
            errors[0].starts_with("<script>window.owned3=1</script>\n\\u{1b}[31mred\n<iframe"),
            "{errors:?}"
        );
        assert!(
            errors[1].len() < 5_000 && errors[1].contains("lines are left out here"),
            "{}",
            errors[1].len()
        );
        let wrote =
            [["<script>window.owned3=1</script>\n\\u{1b}[31mred"], ["<iframe src=//example.org></iframe>"]];
        assert_eq!(seen["wrote"], json!(wrote), "each turn has its own");
        assert_eq!(seen["fits"], json!(true), "nothing sticks out");
    }
}
