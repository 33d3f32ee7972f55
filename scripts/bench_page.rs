//! Measures the pages of recorded games: their size, the time to make and to open them, and how smoothly they play. The
//! games are played by house bots; the browser is Chromium, driven as in the tests (`scripts/test` installs both).
//! `scripts/bench page`

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Parser;
use referee_files::beneath::Spot;
use referee_files::threads::together;
use referee_files::{log, standard_error};
use referee_show::page::html::page;
use serde_json::{Value, json};

/// Measures the pages of recorded games.
#[derive(Parser)]
struct Options {
    /// Number of turns in the long game of football.
    #[arg(long, default_value_t = 50_000)]
    turns: u32,
    /// Folder in which the games and their pages are kept.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Cargo passes this to every bench.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { turns, keep, .. } = Options::parse();
    let temporary = tempfile::tempdir()?;
    let folder = keep.unwrap_or_else(|| temporary.path().to_owned());

    let games = [
        ("football", "football --seed 7 greedy greedy sweeper random".to_owned()),
        ("football p=255", "football --seed 8 -p 255 greedy sweeper greedy random".to_owned()),
        (
            "football, long",
            format!("football --seed 9 --stall-turns 0 --max-turns {turns} random random random random"),
        ),
        ("foosball", "foosball --seed 7 planner chaser".to_owned()),
        ("push", "push --seed 7 reader homeward random homeward reader random".to_owned()),
        ("target", format!("target --seed 7{}", " bayes random lurker still".repeat(4))),
    ];
    let mut made = Vec::new();
    for (number, (name, words)) in games.iter().enumerate() {
        let log = play(&folder.join(format!("games{number}")), words)?;
        let began = Instant::now();
        let spot = Spot::from(&log);
        let text = page(log::open(&spot)?, &standard_error::of_log(&spot), None, &together)?;
        let seconds = began.elapsed().as_secs_f64();
        let file = folder.join(format!("{number}.html"));
        fs::write(&file, &text)?;
        let tape = text.split_once("id=\"tape\">").and_then(|(_, rest)| rest.split_once('<'));
        let tape = tape.ok_or("a page without a tape")?.0.len();
        made.push((name, fs::metadata(&log)?.len(), text.len(), tape, seconds, file));
    }
    let files: Vec<&Path> = made.iter().map(|(.., file)| file.as_path()).collect();
    let seen = measure(&files)?;
    println!("house bots; all pages have the same script and style; times in ms unless the column says s");
    println!(
        "{:<15} {:>7} {:>8} {:>8} {:>6} {:>7} {:>7} {:>11} {:>11} {:>7} {:>6}",
        "game",
        "turns",
        "log KB",
        "page KB",
        "B/turn",
        "made s",
        "opened",
        "frame 50/99",
        "draw 50/99",
        "turn 99",
        "seek"
    );
    for ((name, log, page, tape, seconds, _), seen) in made.iter().zip(&seen) {
        let number = |name: &str| seen[name].as_f64().unwrap_or(f64::NAN);
        let pair = |one: &str, other: &str| format!("{:.1}/{:.1}", number(one), number(other));
        println!(
            "{name:<15} {:>7} {:>8.0} {:>8.0} {:>6.1} {seconds:>7.2} {:>7.0} {:>11} {:>11} {:>7.1} {:>6.1}",
            number("turns"),
            *log as f64 / 1e3,
            *page as f64 / 1e3,
            *tape as f64 / number("turns"),
            number("opened"),
            pair("frame50", "frame99"),
            pair("draw50", "draw99"),
            number("turn99"),
            number("seek"),
        );
    }
    Ok(())
}

/// Plays a game, and returns its log.
fn play(folder: &Path, words: &str) -> Result<PathBuf, Box<dyn Error>> {
    let mut play = Command::new(env!("CARGO_BIN_EXE_referee"));
    play.arg("play").args(words.split(' ')).arg("--dir").arg(folder).args(["--sandbox", "off"]);
    if !play.stdout(Stdio::null()).status()?.success() {
        return Err(format!("no game: {words}").into());
    }
    let log = fs::read_dir(folder.join("logs"))?.next().ok_or("no log")??;
    Ok(log.path())
}

/// Lets the browser open each page and play it.
fn measure(files: &[&Path]) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut node = Command::new("node")
        .arg("measure.mjs")
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/view/browser"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    serde_json::to_writer(
        node.stdin.take().ok_or("no pipe")?,
        &json!({ "browser": "/usr/bin/chromium", "files": files }),
    )?;
    Ok(serde_json::from_slice(&node.wait_with_output()?.stdout)?)
}
