//! Tournaments of many games, whose results nobody has played: what is made of them, and in how much memory.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use referee::clock::Clock;
use referee::record::results::ResultRow;
use referee::record::{Digest, Thinking};
use referee::rules::{FaultKind, Seat};
use referee::tournament::batch::{Came, results, results_of};
use referee::tournament::fixture::game_id;
use referee::tournament::plan::schedule_file::Game;
use referee::tournament::plan::{self, Plan};
use referee::tournament::publish;

use crate::random::Random;
use crate::support::Place;

use super::plan as plan_it;

const BOTS: usize = 8;

/// How much more may be held of ten times as many games: the list of batches, and what of freed memory the system keeps.
const GROWTH_KIB: u64 = 4096;

/// What the program takes for itself.
const OWN_KIB: u64 = 8192;

/// The file of a tournament of football.
fn file_of(rounds: u32, more: &str) -> String {
    let bot = |number| format!("[[entrant]]\nname = \"bot{number}\"\nprogram = \"house:still\"\n");
    let bots: String = (0..BOTS).map(bot).collect();
    format!(
        "name = \"x\"\ngame = \"football\"\nseed = \"7\"\n[format]\nkind = \"rounds\"\nrounds = {rounds}\n{more}{bots}"
    )
}

/// Plans a tournament of football.
fn planned(place: &Place, dir: &str, rounds: u32, more: &str) {
    fs::write(place.path("x.toml"), file_of(rounds, more)).expect("a file");
    plan_it(place, "x.toml", dir);
}

/// Commits all batches of a plan, as if they had been played: bot 0 is the best by a little, and so on.
fn simulate(plan: &Plan, random: &mut Random) {
    for batch in 0..plan.index.batches.len() {
        let games = plan.batch(batch).expect("a batch");
        let came = |game: Game| {
            let rows = rows_of(plan, &game, random);
            (game, Came::Over(rows))
        };
        let games: Vec<(Game, Came)> = games.into_iter().map(came).collect();
        let text = results::text(&plan.id, batch, &games);
        // Like a file of the runner's, but for the sync.
        let path = results_of(&plan.folder, batch);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a batch");
    }
}

fn rows_of(plan: &Plan, game: &Game, random: &mut Random) -> Vec<ResultRow> {
    let share = |bot: usize, random: &mut Random| {
        let noise = random.between(-150_000, 150_000) as f64 / 1e6;
        ((0.35 - 0.02 * bot as f64 + noise).clamp(0.0, 1.0) * 1e6).round() / 1e6
    };
    let shares: Vec<f64> = game.entrants.iter().map(|(_, bot)| share(*bot, random)).collect();
    let row = |(seat, bot): (Seat, &usize)| ResultRow {
        game: game_id(game.scheduled),
        started: "2026-01-01T00:00:00Z".to_owned(),
        rules: plan.entry.name.to_owned(),
        rules_version: plan.contents.rules_version,
        parameters: plan.parameters(game).to_string(),
        seed: game.seed,
        place_in_schedule: Some(game.scheduled),
        counts: !game.fillers.contains(&seat),
        clock: plan.timekeeping.name().to_owned(),
        sandbox: "off".to_owned(),
        seats: game.entrants.len(),
        seat,
        bot: plan.entrants[*bot].name.clone(),
        score: (shares[seat.index()] * 1020.0) as i64,
        share: shares[seat.index()],
        place: 1 + shares.iter().filter(|other| **other > shares[seat.index()]).count(),
        end: "no_balls".to_owned(),
        turns: 100,
        faults: [0; FaultKind::ALL.len()],
        thinking: Thinking { total_us: 1000, p99_us: 20, max_us: 30, wall_us: 1000, wall_max_us: 30 },
        log: "logs/none.csv".to_owned(),
        log_digest: Digest::of(b"none"),
    };
    game.entrants.iter().map(row).collect()
}

/// Runs the program, and returns the most memory that it held at a time.
fn peak_kib(place: &Place, words: &[&str]) -> u64 {
    let clock = Clock::start();
    let mut command = place.command(words);
    let mut referee = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("referee");
    let status = Path::new("/proc").join(referee.id().to_string()).join("status");
    let mut peak = 0;
    let ended = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak = peak.max(mark.unwrap_or(0));
        if let Some(ended) = referee.try_wait().expect("a child") {
            break ended;
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert!(ended.success(), "{words:?}: {ended}");
    println!("{words:?}: {peak} KiB, {:.1} s", clock.now().0.as_secs_f64());
    peak
}

#[test]
fn ten_times_as_many_games_are_merged_and_ranked_in_the_same_memory() {
    // 2,000 games and 20,000. With `REFEREE_GAMES=100000` and `--nocapture` it prints how long a large tournament takes.
    let games: u32 =
        std::env::var("REFEREE_GAMES").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let place = Place::new();
    let mut random = Random::new(1);
    let peaks = [("few", games / 10), ("many", games)].map(|(dir, games)| {
        let rounds = games / BOTS as u32;
        planned(&place, dir, rounds, &format!("[stop]\nmin_rounds = {rounds}\n"));
        simulate(&plan::open(&place.path(dir)).expect("a plan"), &mut random);
        // The last asks the stop rule.
        [&["merge"][..], &["standings"], &["status"], &["plan", "--round", "2"]]
            .map(|what| peak_kib(&place, &[&["tournament"], what, &["--dir", dir]].concat()))
    });
    for (few, many) in peaks[0].into_iter().zip(peaks[1]) {
        // A short run can be over before anybody has looked at it as it is in the end.
        assert!(many < few.max(OWN_KIB) + GROWTH_KIB, "{peaks:?}");
    }
    let standings =
        place.referee(&["tournament", "standings", "--dir", "many", "--format", "csv"]).with_status(0);
    assert!(standings.out.lines().nth(1).is_some_and(|first| first.starts_with("1,bot0,")), "{standings:?}");
}

/// What a game more may take while a tournament is planned: its line in the schedule is 76 bytes long.
const PLANNED_BYTES: u64 = 250;

#[test]
fn a_large_tournament_is_planned_in_little_more_memory_than_its_schedule_is_long() {
    let place = Place::new();
    let peaks = [5_000, 100_000].map(|games| {
        let (file, dir) = (format!("{games}.toml"), games.to_string());
        fs::write(place.path(&file), file_of(games / BOTS as u32, "")).expect("a file");
        peak_kib(&place, &["tournament", "plan", &file, "--dir", &dir])
    });
    assert!((peaks[1] - peaks[0]) * 1024 < 95_000 * PLANNED_BYTES, "{peaks:?}");
    let plan = plan::open(&place.path("100000")).expect("a plan");
    assert_eq!((plan.contents.games, plan.contents.batches), (100_000, 1924), "batches of 52: whole blocks");
    assert_eq!(plan.batch(1923).expect("the last").len(), 100_000 - 1923 * 52);
}

#[test]
fn the_stop_rule_takes_no_more_memory_for_more_rounds_and_finds_the_best() {
    let place = Place::new();
    let mut random = Random::new(2);
    // The gap is 0.02: after 100 rounds it is not clear, with all of them it is.
    planned(&place, "T", 5000, "[stop]\nmin_rounds = 100\nlook_every = 100\n");
    let mut peaks = Vec::new();
    for round in 1..100 {
        let plan = plan::open(&place.path("T")).expect("a plan");
        assert_eq!(plan.contents.round, round);
        simulate(&plan, &mut random);
        place.referee(&["tournament", "merge", "--dir", "T"]).with_status(0);
        let next = (round + 1).to_string();
        peaks.push(peak_kib(&place, &["tournament", "plan", "--dir", "T", "--round", &next]));
        if place.path("T/verdicts.csv").exists() {
            break;
        }
    }
    let verdicts = fs::read_to_string(place.path("T/verdicts.csv")).expect("a verdict");
    assert!(verdicts.contains(",clear_king,bot0 1\n"), "{verdicts}");
    assert!(peaks.len() > 2 && peaks[peaks.len() - 1] < peaks[0].max(OWN_KIB) + GROWTH_KIB, "{peaks:?}");
    publish::replace(&place.path("T/verdicts.csv"), verdicts.replace("bot0", "bot1").as_bytes())
        .expect("a file");
    let standings = place.referee(&["tournament", "standings", "--dir", "T"]).with_status(3);
    standings.complaining(&["verdicts.csv, line 2: by the results it is clear_king"]);
}
