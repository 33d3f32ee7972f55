//! A repeated report reuses the work on finished games. Its bytes are those of a report from scratch.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Permissions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use rustix::process::{Pid, Signal, kill_process};

use referee_contest::hill::Hill;
use referee_files::small;
use referee_record::error::{Error, ErrorKind};
use referee_record::game_result::GameResult;
use referee_record::voids::{VoidReason, VoidRow};
use referee_report::pages::{Logs, Options, Replays, of_hill};
use referee_testutil::season_results::Simulated;

use super::folder::contents;
use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, Ran, comes_true, files_below};

const HILL: [&str; 8] = ["-p", "2", "--max-turns", "20", "--turn-ms", "30000", "--seed", "3"];

fn hill(place: &Place, rounds: &str) -> PathBuf {
    let hill = place.hill_of_guests(
        "hill",
        &HILL,
        &[("stone", "house still"), ("fox", "house greedy"), ("elk", "house sweeper")],
    );
    place.call(&["hill", "run", "hill", "--rounds", rounds]).with_status(0);
    hill
}

fn report(place: &Place, records: &str, folder: &str) -> Ran {
    place.call(&["report", records, "--html", folder, "--replays", "5"])
}

/// Makes a report over an earlier one, and another from scratch. Both are the same.
#[track_caller]
fn assert_same_as_from_nothing(place: &Place, records: &str) {
    report(place, records, "report").with_status(0);
    let _ = fs::remove_dir_all(place.path("other"));
    report(place, records, "other").with_status(0);
    let [one, other] = ["report", "other"].map(|name| contents(&place.path(name)));
    let differs = one.iter().find(|(name, bytes)| other.get(*name) != Some(bytes));
    assert!(one == other, "{:?} of {:?}", differs.map(|(name, _)| name), other.keys());
}

/// Changes a file so that only reading it shows the change.
fn spoil_unseen(file: &Path) {
    let data = fs::metadata(file).unwrap();
    let mut opened = File::options().write(true).open(file).unwrap();
    opened.write_all(&vec![b'?'; data.len() as usize]).unwrap();
    opened.set_times(FileTimes::new().set_modified(data.modified().unwrap())).unwrap();
}

fn numbers(folder: &Path) -> Vec<(PathBuf, u64)> {
    let pages = files_below(&folder.join("games"), "html").into_iter();
    pages.map(|page| (page.clone(), fs::metadata(page).unwrap().ino())).collect()
}

#[test]
fn after_further_rounds_a_report_has_the_bytes_of_one_that_is_made_from_nothing() {
    let place = Place::new();
    hill(&place, "2");
    report(&place, "hill", "report").with_status(0);
    for _ in 0..2 {
        place.call(&["hill", "run", "hill"]).with_status(0);
        assert_same_as_from_nothing(&place, "hill");
    }
    place.call(&["hill", "submit", "hill", &place.guest("random", "house random")]).with_status(0);
    place.call(&["hill", "run", "hill"]).with_status(0);
    assert_same_as_from_nothing(&place, "hill");
}

#[test]
fn logs_of_earlier_games_are_not_read_again_and_their_pages_stay() {
    let place = Place::new();
    let hill = hill(&place, "2");
    report(&place, "hill", "report").with_status(0);
    let (before, pages) = (contents(&place.path("report")), numbers(&place.path("report")));
    assert!(pages.len() >= 5, "{pages:?}");
    files_below(&hill.join("logs"), "csv").iter().for_each(|log| spoil_unseen(log));
    report(&place, "hill", "report").with_status(0);
    assert!(contents(&place.path("report")) == before);
    assert_eq!(numbers(&place.path("report")), pages);
    // Without the stored work, the logs are read.
    fs::remove_file(place.path("report/cache.json")).unwrap();
    report(&place, "hill", "report").with_status(3);
    assert!(contents(&place.path("report")) == before, "it stands as it was");
}

#[test]
fn results_that_are_shorter_or_changed_make_all_of_it_anew() {
    let place = Place::new();
    let hill = hill(&place, "3");
    report(&place, "hill", "report").with_status(0);
    let results = fs::read_to_string(hill.join("results.csv")).unwrap();
    let last = results.trim_end().rfind("\ns001-r00003-").unwrap();
    let game = results[last + 1..].split(',').next().unwrap();
    let shorter = &results[..results.find(&format!("\n{game},")).unwrap() + 1];
    fs::write(hill.join("results.csv"), shorter).unwrap();
    assert_same_as_from_nothing(&place, "hill");
    fs::write(hill.join("results.csv"), &results).unwrap();
    assert_same_as_from_nothing(&place, "hill");

    // A changed log is read again, a changed page is made again.
    let log = files_below(&hill.join("logs"), "csv").remove(0);
    let text = fs::read_to_string(&log).unwrap();
    let slower = text.replacen(",ok,", ",ok,9", 1);
    fs::write(&log, slower).unwrap();
    let page = files_below(&place.path("report/games"), "html").remove(0);
    fs::write(page, "mine").unwrap();
    let kept = report(&place, "hill", "report");
    fs::remove_dir_all(place.path("other")).unwrap();
    let anew = report(&place, "hill", "other");
    assert_eq!(kept.err.replace("report", "other"), anew.err);
    fs::write(&log, text).unwrap();
    assert_same_as_from_nothing(&place, "hill");

    fs::write(place.path("report/cache.json"), "{").unwrap();
    assert_same_as_from_nothing(&place, "hill");
}

#[test]
fn a_report_that_was_moved_and_a_hill_with_any_name_are_told_as_from_nothing() {
    let place = Place::new();
    let hill = hill(&place, "2");
    // Not text, as in a folder from another system.
    let other = place.path(".").join(OsStr::from_bytes(b"h\xff"));
    fs::rename(&hill, &other).unwrap();
    let write = |folder: &Path| {
        let options = Options { logs: Logs::Read, replays: Replays::Last(3) };
        of_hill(&Hill::open(&other).unwrap(), None, options, folder, &Arc::default()).unwrap();
    };
    let [inside, outside, fresh] = ["a/report", "report", "fresh"].map(|name| place.path(name));
    write(&inside);
    fs::rename(&inside, &outside).unwrap();
    write(&outside);
    write(&fresh);
    assert!(contents(&outside) == contents(&fresh));
    // Others read the report: it says nothing of the folders of this machine.
    let above = place.path(".").parent().unwrap().to_str().unwrap().to_owned();
    for file in ["cache.json", "cache-logs.csv"] {
        let text = fs::read_to_string(outside.join(file)).unwrap();
        assert!(!text.contains(&above), "{file}: {text}");
    }
}

#[test]
fn a_tournament_of_which_more_batches_are_played_is_told_as_from_nothing() {
    let place = Place::new();
    place.tournament_of_guests();
    for shard in ["2/3", "0/3", "1/3"] {
        place.call(&["tournament", "run", "--dir", "T", "--shard", shard]).with_status(0);
        assert_same_as_from_nothing(&place, "T");
    }
}

#[test]
fn a_report_follows_a_run_until_somebody_stops_it() {
    let place = Place::new();
    hill(&place, "1");
    let mut command = place.command(&["report", "hill", "--html", "report", "--follow"]);
    let mut following = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let games = || {
        let table = fs::read_to_string(place.path("report/games.csv")).unwrap_or_default();
        table.lines().filter_map(|line| line.split(',').next()).skip(1).collect::<BTreeSet<_>>().len()
    };
    assert!(comes_true(|| games() == 4), "{}", games());
    place.call(&["hill", "run", "hill"]).with_status(0);
    assert!(comes_true(|| games() == 8), "{}", games());
    kill_process(Pid::from_child(&following), Signal::INT).unwrap();
    assert_eq!(following.wait().unwrap().code(), Some(130));
    assert!(place.path("report/index.html").exists());
    let mut left = fs::read_dir(place.path(".")).unwrap().flatten();
    assert!(!left.any(|entry| entry.file_name().as_encoded_bytes().starts_with(b".referee")));
}

/// A hill of four invented bots, with its number of entered games and void games.
struct Grown {
    place: Place,
    simulated: Simulated,
    games: Vec<GameResult>,
    entered: usize,
}

impl Grown {
    fn new() -> Grown {
        let mut random = Random::new(4);
        Grown::of(|_, _| 0.25 + f64::from(random.between(-200, 200) as i32) / 1000.0)
    }

    /// Games in which the bots have these shares, by the number of the game and the bot.
    fn of(mut share: impl FnMut(usize, usize) -> f64) -> Grown {
        let mut simulated = Simulated::new(4);
        // What was read of the results is kept, too, however short they are.
        simulated.hill.set_cache_min(1);
        let game = |(number, pairing)| {
            let mut game = simulated.game(pairing, |bot, _| share(number, bot));
            let log = format!("logs/{}.csv", game.game());
            game.iter_mut().for_each(|row| row.log.clone_from(&log));
            game
        };
        let games = simulated.pairings(601).iter().enumerate().map(game).collect();
        fs::create_dir(simulated.hill.root().join("logs")).unwrap();
        Grown { place: Place::new(), simulated, games, entered: 0 }
    }

    /// Enters further games, each with a log, and after an attempt that did not count.
    fn grow(&mut self, count: usize) {
        let games = &self.games[self.entered..self.entered + count];
        let root = self.simulated.hill.root();
        for game in games {
            fs::write(root.join(game.log()), "").unwrap();
        }
        let lost = |game: &GameResult| VoidRow {
            game: game.game().to_owned(),
            started: "2026-01-01T00:00:00Z".to_owned(),
            bots: "bot0:1".to_owned(),
            attempt: 1,
            reason: VoidReason::LostInFlight,
            ..VoidRow::default()
        };
        let rows: Vec<VoidRow> = games.iter().map(lost).collect();
        let mut list = File::options().create(true).append(true).open(root.join("voids.csv")).unwrap();
        let text = small::text(&rows);
        let head = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        list.write_all(if self.entered == 0 { &text } else { &text[head..] }).unwrap();
        self.simulated.enter(games);
        self.entered += count;
    }

    fn write(&self, folder: &str) -> Result<usize, Error> {
        let options = Options { logs: Logs::LeaveAlone, replays: Replays::None };
        let written =
            of_hill(&self.simulated.hill, None, options, &self.place.path(folder), &Arc::default())?;
        Ok(written.games)
    }

    /// Writes the report over the earlier one, and another from nothing. Both are the same. Tells whether the first
    /// page of games was taken over.
    #[track_caller]
    fn goes_on(&self) -> bool {
        let page = self.place.path("report/games-1.html");
        let number = || fs::metadata(&page).map(|page| page.ino()).ok();
        let before = number();
        assert_eq!(self.write("report").unwrap(), self.entered);
        let goes_on = number() == before;
        let _ = fs::remove_dir_all(self.place.path("other"));
        self.write("other").unwrap();
        let [one, other] = ["report", "other"].map(|name| contents(&self.place.path(name)));
        let differs = one.iter().find(|(name, bytes)| other.get(*name) != Some(bytes));
        assert!(one == other, "{:?} of {:?}", differs.map(|(name, _)| name), other.keys());
        goes_on
    }
}

#[test]
fn the_report_of_a_hill_reads_only_the_games_since_the_one_before() {
    let mut grown = Grown::new();
    grown.grow(999);
    assert!(!grown.goes_on());
    // The first page is full, but lists some of the last games, then it is not.
    for (count, is_full) in [(1, false), (19, false), (1, false), (1, true), (980, true), (399, true)] {
        grown.grow(count);
        assert_eq!(grown.goes_on(), is_full, "{} games", grown.entered);
    }
    let index = fs::read_to_string(grown.place.path("report/index.html")).unwrap();
    assert!(index.contains("2400 games, ") && index.contains("games-3.html"), "{index}");

    // What was read is not read again: from nothing it is found to be damaged.
    let results = grown.simulated.hill.root().join("results.csv");
    let text = fs::read_to_string(&results).unwrap();
    fs::write(&results, text.replacen(",no_balls,", ",no_ball?,", 1)).unwrap();
    grown.grow(1);
    assert_eq!(grown.write("report").unwrap(), grown.entered);
    let _ = fs::remove_dir_all(grown.place.path("other"));
    assert_eq!(grown.write("other").unwrap_err().kind(), ErrorKind::Tampered);
}

#[test]
fn games_keep_their_bots_when_the_order_of_the_standings_has_changed() {
    let mut grown = Grown::of(|game, bot| 0.1 + 0.2 * if game < 4 { bot } else { 3 - bot } as f64);
    for count in [4, 5] {
        grown.grow(count);
        grown.goes_on();
    }
    let page = fs::read_to_string(grown.place.path("report/index.html")).unwrap();
    let places = ["bot0", "bot3"].map(|bot| page.find(&format!("{bot}</a>")).unwrap());
    assert!(places.is_sorted(), "the last one has become the first");
}

/// What happens to a report or to its hill: its name, and how it is done.
type Change<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn what_is_in_doubt_makes_the_report_of_a_hill_anew() {
    let mut grown = Grown::new();
    grown.grow(1100);
    grown.goes_on();
    assert!(grown.goes_on());
    let root = grown.simulated.hill.root().to_owned();
    let log = root.join(grown.games[5].log());
    let changes: [Change; 12] = [
        ("a log is gone", &|_| fs::remove_file(&log).unwrap()),
        ("a log is there again", &|_| fs::write(&log, "").unwrap()),
        ("a log was changed", &|_| fs::write(&log, "#").unwrap()),
        ("a page was changed", &|report| fs::write(report.join("games-1.html"), "mine").unwrap()),
        ("the table was changed", &|report| fs::write(report.join("games.csv"), "mine").unwrap()),
        ("the void games were changed", &|report| fs::write(report.join("voids.csv"), "mine").unwrap()),
        ("the list of logs is gone", &|report| fs::remove_file(report.join("cache-logs.csv")).unwrap()),
        ("a table cannot be written to", &|report| {
            fs::write(report.join("games.csv"), "mine").unwrap();
            fs::set_permissions(report.join("games.csv"), Permissions::from_mode(0o444)).unwrap();
        }),
        ("the logs are a link", &|_| {
            fs::rename(root.join("logs"), root.join("big")).unwrap();
            symlink("big", root.join("logs")).unwrap();
        }),
        ("the logs are a folder", &|_| {
            fs::remove_file(root.join("logs")).unwrap();
            fs::rename(root.join("big"), root.join("logs")).unwrap();
        }),
        ("the cache is of an earlier form", &|report| {
            let cache = report.join("cache.json");
            let text = fs::read_to_string(&cache).unwrap();
            assert_eq!(text.matches("\"recent\":").count(), 1);
            fs::write(&cache, text.replace("\"recent\":", "\"other\":")).unwrap();
        }),
        ("void games are gone", &|_| fs::remove_file(root.join("voids.csv")).unwrap()),
    ];
    for (what, change) in changes {
        change(&grown.place.path("report"));
        assert!(!grown.goes_on(), "{what}");
        assert!(grown.goes_on(), "{what}, and then no more");
    }
}
