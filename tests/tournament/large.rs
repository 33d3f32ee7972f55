//! Tournaments and hills with many invented games: the results, and the memory for them.

use std::fs;

use referee_contest::hill::Hill;
use referee_contest::{plan, publish};

use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, football, measure};

use super::filled::{fill, played};
use super::plan as plan_it;
use super::simulated::simulate;

const BOTS: usize = 8;

/// How much more memory ten times as many games may take: the list of batches, and freed memory that the
/// system keeps.
const GROWTH_KIB: u64 = 4096;

/// Memory for one more game while games are listed: its name, and which runner has recorded its end where.
const LISTED_BYTES: u64 = 1024;

/// The memory of the program itself.
const OWN_KIB: u64 = 12 * 1024;

/// Runs the program, and returns its maximum memory.
fn peak_kib(place: &Place, words: &[&str]) -> u64 {
    let (seconds, peak) = measure(&mut place.command(words));
    println!("{words:?}: {peak} KiB, {seconds:.1} s");
    peak
}

/// The file of a tournament of football.
fn file_of(rounds: u32, more: &str) -> String {
    let still = football("still").expect("a house bot");
    let bot = |number| format!("[[entrant]]\nname = \"bot{number}\"\nprogram = \"{still}\"\n");
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

#[test]
fn ten_times_as_many_games_are_ranked_in_little_more_memory() {
    // 2,000 games and 20,000. With `REFEREE_GAMES=100000` and `--nocapture` it prints how long a large tournament
    // takes.
    let games: u32 =
        std::env::var("REFEREE_GAMES").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let place = Place::new();
    let mut random = Random::new(1);
    let peaks = [("few", games / 10), ("many", games)].map(|(dir, games)| {
        let rounds = games / BOTS as u32;
        planned(&place, dir, rounds, &format!("[stop]\nmin_rounds = {rounds}\n"));
        simulate(&plan::open(&place.path(dir)).expect("a plan"), &mut random);
        // The last asks the stop rule.
        let of = |what: &[&str]| peak_kib(&place, &[&["tournament"], what, &["--dir", dir]].concat());
        let read = [&["standings"][..], &["status", "--losses"], &["plan", "--round", "2"]].map(of);
        // Who lists holds what each game has come to.
        fs::remove_file(place.path(dir).join("results.csv")).expect("the results");
        (read, [&["repair"][..], &["standings"]].map(of), u64::from(games))
    });
    let [(few, few_listed, fewer), (many, many_listed, more)] = peaks;
    // A short run can be over before its final size was observed.
    for (few, many) in few.into_iter().zip(many) {
        assert!(many < few.max(OWN_KIB) + GROWTH_KIB, "{peaks:?}");
    }
    for (few, many) in few_listed.into_iter().zip(many_listed) {
        let growth = GROWTH_KIB + (more - fewer) * LISTED_BYTES / 1024;
        assert!(many < few.max(OWN_KIB) + growth, "{peaks:?}");
    }
    let standings =
        place.call(&["tournament", "standings", "--dir", "many", "--format", "csv"]).with_status(0);
    assert!(standings.out.lines().nth(1).is_some_and(|first| first.starts_with("1,bot0,")), "{standings:?}");
}

/// Memory for one more game while a hill is audited: its name, and that of its log. Its rows take four times
/// as much.
const AUDITED_BYTES: u64 = 1024;

#[test]
fn of_the_games_of_a_hill_that_is_audited_little_more_is_held_than_their_names() {
    let place = Place::new();
    let peaks = [400, 4_000].map(|games| {
        let name = games.to_string();
        let root = place.hill(&name, &["-p", "2", "--max-turns", "2"], &[("one", "still"), ("two", "still")]);
        let hill = Hill::open(&root).expect("a hill");
        fill(&hill, games / 4, |run, fixture| played(hill.root(), run, fixture));
        let audited = place.call(&["audit", &name]).with_status(0);
        assert!(audited.out.contains(&format!("agrees: {games} games, {} rows", 4 * games)), "{audited:?}");
        peak_kib(&place, &["audit", &name])
    });
    // A short run can be over before its final size was observed.
    assert!(peaks[1] < peaks[0].max(OWN_KIB) + 3_600 * AUDITED_BYTES / 1024, "{peaks:?}");
}

/// How much more memory a report may take for ten times as many games: freed memory that the system keeps.
const REPORTED_KIB: u64 = 4096;

#[test]
fn a_report_holds_no_games() {
    let place = Place::new();
    let mut random = Random::new(3);
    let peaks = [2_000, 20_000].map(|games| {
        let dir = games.to_string();
        planned(&place, &dir, games / BOTS as u32, "");
        simulate(&plan::open(&place.path(&dir)).expect("a plan"), &mut random);
        let peak = peak_kib(&place, &["report", &dir, "--html", &format!("{dir}-report"), "--no-logs"]);
        let table = fs::read_to_string(place.path(&format!("{dir}-report/games.csv"))).expect("a table");
        assert_eq!(table.lines().count() as u32, 1 + 4 * games);
        peak
    });
    assert!(peaks[1] < peaks[0].max(OWN_KIB) + REPORTED_KIB, "{peaks:?}");
}

#[test]
fn a_large_tournament_is_planned_in_no_more_memory_than_a_small_one() {
    let place = Place::new();
    let peaks = [5_000, 100_000].map(|games| {
        let (file, dir) = (format!("{games}.toml"), games.to_string());
        fs::write(place.path(&file), file_of(games / BOTS as u32, "")).expect("a file");
        peak_kib(&place, &["tournament", "plan", &file, "--dir", &dir])
    });
    assert!(peaks[1] < peaks[0] + GROWTH_KIB, "{peaks:?}");
    let plan = plan::open(&place.path("100000")).expect("a plan");
    assert_eq!((plan.contents.games, plan.contents.batches), (100_000, 1924), "batches of 52: whole blocks");
    assert_eq!(plan.batch(1923).expect("the last").len(), 100_000 - 1923 * 52);
}

#[test]
fn the_stop_rule_takes_no_more_memory_for_more_rounds_and_finds_the_best() {
    let place = Place::new();
    let mut random = Random::new(2);
    // The gap is 0.02: after 100 rounds it is not clear, with all of them it is.
    planned(&place, "T", 5000, "[stop]\nmin_rounds = 100\nlook_every = 50\n");
    let mut peaks = Vec::new();
    for round in 1..100 {
        let plan = plan::open(&place.path("T")).expect("a plan");
        assert_eq!(plan.contents.round, round);
        simulate(&plan, &mut random);
        let next = (round + 1).to_string();
        peaks.push(peak_kib(&place, &["tournament", "plan", "--dir", "T", "--round", &next]));
        if place.path("T/verdicts.csv").exists() {
            break;
        }
    }
    let verdicts = fs::read_to_string(place.path("T/verdicts.csv")).expect("a verdict");
    assert!(verdicts.contains(",clear_king,bot0 1,betting,6,winner,,score,,7\n"), "{verdicts}");
    assert!(peaks.len() > 2 && peaks[peaks.len() - 1] < peaks[0].max(OWN_KIB) + GROWTH_KIB, "{peaks:?}");
    publish::replace(&place.path("T/verdicts.csv"), verdicts.replace("bot0", "bot1").as_bytes())
        .expect("a file");
    let standings = place.call(&["tournament", "standings", "--dir", "T"]).with_status(3);
    standings.complaining(&["verdicts.csv, line 2: the results give clear_king"]);
}
