//! Readers of `merged.csv`: standings, reports and single games are read from it if it is complete, otherwise
//! from the batches.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use referee_record::{Digest, results};

use crate::called::Calls;
use crate::record::frozen::{TOURNAMENTS, copied, game_of};
use crate::support::{Place, files_below};

use super::{FILE, guests, plan_by_call};

/// The output about a tournament.
fn seen(place: &Place, dir: &str, game: &str) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    for words in [
        &["tournament", "standings", "--dir", dir, "--format", "csv"][..],
        &["replay", dir, game, "--plain", "--turn", "1"],
        &["replay", dir, "1", "--plain", "--turn", "1"],
        &["hill", "log", dir, game],
        &["report", dir, "--html", "report"],
    ] {
        seen.insert(words.join(" "), place.call(words).with_status(0).out);
    }
    for file in files_below(&place.path("report"), "csv") {
        seen.insert(file.display().to_string(), fs::read_to_string(&file).expect("a table"));
    }
    fs::remove_dir_all(place.path("report")).expect("a report");
    seen
}

/// Makes results of these lines, with a chain that fits.
fn chained(lines: &[&str]) -> String {
    let mut chain = Digest::of(format!("{}\n", lines[0]).as_bytes());
    let rows = lines[1..].iter().map(|row| {
        let row = row.rsplit_once(',').expect("a chain").0;
        results::chained(row, &mut chain)
    });
    format!("{}\n{}", lines[0], rows.collect::<String>())
}

#[test]
fn what_was_merged_shows_the_same_as_the_batches() {
    for name in TOURNAMENTS {
        let game = game_of(name);
        let place = copied(name);
        let merged = seen(&place, name, game);
        for file in files_below(&place.path(name), "csv") {
            if file.ends_with("merged.csv") {
                fs::remove_file(file).expect("what was merged");
            }
        }
        let mut batches = seen(&place, name, game);
        if name == "cup" {
            // Without it no winner is named.
            let standings = "tournament standings --dir cup --format csv".to_owned();
            assert_ne!(batches.remove(&standings), merged.get(&standings).cloned());
            batches.insert(standings.clone(), merged[&standings].clone());
        }
        for (what, said) in &merged {
            // A report says whether standings are final, and names the winner of a cup.
            let is_of_end = what.contains("overall") || name == "cup" && what.contains("/report/");
            assert!(batches[what] == *said || is_of_end, "{name}: {what}");
        }
    }
}

#[test]
fn what_was_merged_is_read_where_it_is_complete_and_checked_against_the_schedule() {
    let place = Place::new();
    let bots = ["one", "two", "three", "four"];
    let bots = bots.map(|name| guests(&place, &[(name, "house still")]) + "arguments = [\"honest\"]\n");
    fs::write(place.path("short.toml"), FILE.to_owned() + &bots.concat()).expect("a file");
    plan_by_call(&place, "short.toml", "T");
    let game = "s001-r00001-t001-g2";
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let whole = seen(&place, "T", game);
    let batch = place.path("T/results/0000/0000000.csv");
    let rows = fs::read_to_string(&batch).expect("a batch");
    let standings = || place.call(&["tournament", "standings", "--dir", "T", "--format", "csv"]);

    // A batch is not read: it may be damaged, or missing.
    fs::write(&batch, rows.replacen(",max_turns,", ",no_balls,", 1)).expect("a batch");
    assert_eq!(seen(&place, "T", game), whole);
    fs::remove_dir_all(place.path("T/results")).expect("the batches");
    let without = seen(&place, "T", game);
    assert!(
        whole.iter().all(|(what, said)| without[what] == *said || what.contains("overall")),
        "{without:?}"
    );
    fs::create_dir_all(batch.parent().expect("a folder")).expect("a folder");
    let write_batch = || fs::write(&batch, &rows).expect("a batch");

    // Merged results must be of this schedule.
    let path = place.path("T/merged.csv");
    let merged = fs::read_to_string(&path).expect("what was merged");
    let lines: Vec<&str> = merged.lines().collect();
    fs::write(&path, merged.replacen(",max_turns,", ",no_balls,", 1)).expect("merged");
    standings().with_status(3).complaining(&["merged.csv, line 2: "]);
    let other = lines[5].replacen(",honest,", ",tagged,", 1);
    let changed = [&lines[..5], &[&*other], &lines[6..]].concat();
    fs::write(&path, chained(&changed)).expect("merged");
    standings()
        .with_status(3)
        .complaining(&["merged.csv, line 6: column arguments is tagged; the schedule says honest"]);
    let missing = [&lines[..5], &lines[9..]].concat();
    fs::write(&path, chained(&missing)).expect("merged");
    standings().with_status(3).complaining(&["merged.csv, line 6: s001-r00001-t001-g2 is expected here"]);

    // An incomplete one is not used: all existing batches are read.
    write_batch();
    fs::write(&path, chained(&lines[..1 + 4 * 20])).expect("merged");
    let some = standings().with_status(0);
    assert!(some.err.contains("not all games are played and merged"), "{}", some.err);
    let games = |out: &str| -> u64 {
        let mut table = csv::Reader::from_reader(out.as_bytes());
        let column =
            table.headers().expect("names").iter().position(|name| name == "games").expect("a column");
        table
            .records()
            .map(|row| row.expect("a row")[column].parse::<u64>().expect("a number"))
            .max()
            .unwrap_or(0)
    };
    assert_eq!(games(&some.out), 8, "{}", some.out);
    assert!(Path::new(&path).exists());
}
