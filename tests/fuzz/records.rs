//! The files of hills and tournaments: one of them is changed, then everything is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_contest::audit as tournament_audit;
use referee_contest::batch::{self, list, losses};
use referee_contest::hill::Hill;
use referee_contest::plan;
use referee_contest::played;
use referee_contest::rulings::Rulings;
use referee_contest::verdicts;
use referee_files::{audit, results, voids};
use referee_record::error::Error;
use referee_record::results::ResultRow;
use referee_record::voids::{VoidReason, VoidRow};
use referee_report::pages as report;
use referee_report::pages::{Logs, Options, Replays};
use referee_statistics::stop_rule::StopRule;

use super::mutate::mutated;
use super::{names, run};
use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, files_below, results_in};

/// A folder, the files in it that are read, and their bytes.
struct Folder {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Folder {
    fn of(root: &Path) -> Folder {
        let mut files = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if !path.components().any(|part| part.as_os_str() == "store") {
                    files.push((path.clone(), fs::read(&path).expect("a file")));
                }
            }
        }
        files.sort();
        Folder { files }
    }

    /// Changes one file. Returns its number.
    fn change(&self, random: &mut Random) -> (usize, Vec<u8>) {
        // There are more logs than files of other kinds, which are chosen equally often.
        let is_log = |path: &Path| path.components().any(|part| part.as_os_str() == "logs");
        let kinds: Vec<usize> = if random.percent(25) {
            (0..self.files.len()).collect()
        } else {
            (0..self.files.len()).filter(|file| !is_log(&self.files[*file].0)).collect()
        };
        let number = random.pick(&kinds);
        let other = random.below(self.files.len());
        let (path, bytes) = &self.files[number];
        let bytes = mutated(bytes, &self.files[other].1, random);
        fs::write(path, &bytes).expect("a file");
        (number, bytes)
    }

    fn restore(&self, only: impl Fn(&Path) -> bool) {
        for (path, bytes) in self.files.iter().filter(|(path, _)| only(path)) {
            fs::write(path, bytes).expect("a file");
        }
    }
}

const SETTINGS: [&str; 10] =
    ["-p", "2", "--max-turns", "5", "--seed", "5", "--turn-ms", "30000", "--first-ms", "30000"];

#[test]
fn hills() {
    let place = Place::new();
    let root = place.hill_of_guests("hill", &SETTINGS, &[("one", "says 4 4"), ("two", "says 4 4")]);
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    let row = VoidRow {
        game: "s1r1t1a".to_owned(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        attempt: 1,
        turn: 3,
        reason: VoidReason::HostOverload,
        seat: Some(1),
        bot: "one".to_owned(),
        bot_version: Some(1),
        bots: "one:1 two:1".to_owned(),
        sandbox: "off".to_owned(),
        detail: "too busy".to_owned(),
        log: String::new(),
        log_digest: String::new(),
    };
    let due = results_in(&root);
    let with_voids = Place::new();
    voids::append(&with_voids.path("voids.csv"), &row).expect("a list of voids");
    let list = fs::read(with_voids.path("voids.csv")).expect("a list");
    let folder = Folder::of(&root);
    run("hills", 60, |random, input| {
        if random.percent(10) {
            let bytes = mutated(&list, &folder.files[0].1, random);
            input.set(&bytes);
            let path = with_voids.path("voids.csv");
            fs::write(&path, &bytes).expect("a file");
            return voids::read(&path).err().map_or(Ok(()), |error| names(&error, &path));
        }
        let (number, bytes) = folder.change(random);
        let (path, honest) = &folder.files[number];
        input.set(&bytes);
        let came = every_reader_of_hills(&root, path, &due, bytes != *honest);
        folder.restore(|other| other == path);
        came
    });
}

#[test]
fn a_digest_in_a_list_of_entrants_is_no_path() {
    let place = Place::new();
    let root = place.hill_of_guests("hill", &SETTINGS, &[("one", "says 4 4"), ("two", "says 4 4")]);
    let file = root.join("entrants.csv");
    let text = fs::read_to_string(&file).expect("entrants");
    let digest = text.split([',', '\n']).find(|field| field.len() == 64).expect("a digest").to_owned();
    for wrong in ["/dev/zero", "../../../one", &"9".repeat(50_000), "..", &digest.to_uppercase()] {
        fs::write(&file, text.replacen(&digest, wrong, 1)).expect("a file");
        let error = Hill::open(&root).expect("a hill").entrants().expect_err("no digest").to_string();
        assert!(
            error.contains("entrants.csv, line 2: ") && error.contains("no SHA-256") && error.len() < 2000,
            "{error}"
        );
    }
}

fn every_reader_of_hills(
    root: &Path,
    changed: &Path,
    due: &[ResultRow],
    is_changed: bool,
) -> Result<(), String> {
    let hill = match Hill::open(root) {
        Ok(hill) => hill,
        Err(error) => return names(&error, changed),
    };
    let found = [
        hill.entrants().err(),
        hill.seasons().err(),
        hill.results().err(),
        hill.games().and_then(|mut games| games.try_for_each(|game| game.map(drop))).err(),
        verdicts::read(root).err(),
        results::game_named(&root.join("results.csv"), &due[due.len() - 1].game).err(),
    ];
    for error in found.iter().flatten() {
        names(error, changed)?;
    }
    match hill.audit() {
        Err(error) => names(&error, changed),
        Ok(_) if !is_changed => Ok(()),
        Ok(_) => {
            let rows =
                hill.results().map_err(|error| format!("the audit agrees, the reader does not: {error}"))?;
            if changed.ends_with("results.csv") && !due.starts_with(&rows) {
                return Err("the audit agrees with other results".to_owned());
            }
            if changed.components().any(|part| part.as_os_str() == "logs") {
                return Err("the audit agrees with another log".to_owned());
            }
            Ok(())
        }
    }
}

/// Shows a hill in every way: its report is pages and tables of everything, `status` and `standings` are about the
/// same.
fn shows_of_hills(root: &Path, changed: &Path, target: &Path) -> Result<(), String> {
    let Ok(hill) = Hill::open(root) else { return Ok(()) };
    let options = Options { logs: Logs::Read, replays: Replays::All };
    let found = [
        report::of_hill(&hill, None, options, target, &Arc::default()).err(),
        hill.account(None, StopRule::default()).err(),
        losses::LossTally::of_hill(&hill).err(),
        hill.seasons()
            .and_then(|seasons| seasons.iter().try_for_each(|season| hill.given_up(season).map(drop)))
            .err(),
    ];
    found.iter().flatten().try_for_each(|error| {
        let is_about_the_hill =
            error.to_string().contains(&*root.file_name().unwrap_or_default().to_string_lossy());
        if is_about_the_hill { Ok(()) } else { names(error, changed) }
    })
}

#[test]
fn reports() {
    let place = Place::new();
    let root = place.hill_of_guests("hill", &SETTINGS, &[("one", "says 4 4"), ("two", "says 4 4")]);
    place.call(&["hill", "run", "hill"]).with_status(0);
    let folder = Folder::of(&root);
    let target = place.path("report");
    run("reports", 25, |random, input| {
        let (number, bytes) = folder.change(random);
        let path = &folder.files[number].0;
        input.set(&bytes);
        let came = shows_of_hills(&root, path, &target);
        folder.restore(|other| other == path);
        came
    });
}

const FILE: &str = r#"
name = "short"
game = "football"
seed = "11"
sandbox = "off"
batch = 4
[parameters]
p = [2, 3]
max_turns = 5
turn_ms = 30000
first_ms = 30000
[format]
kind = "rounds"
rounds = 1
"#;

#[test]
fn tournaments() {
    let place = Place::new();
    let entrant = |name| {
        let program = place.guest(name, "says 4 4");
        format!("[[entrant]]\nname = \"{name}\"\nprogram = {program:?}\n")
    };
    let bots = ["honest", "other"].map(entrant).concat();
    fs::write(place.path("short.toml"), format!("{FILE}{bots}")).expect("a file");
    place.call(&["tournament", "plan", "short.toml", "--dir", "T"]).with_status(0);
    place.call(&["tournament", "run", "--dir", "T"]).with_status(0);
    let root = place.path("T");
    let folder = Folder::of(&root);
    let results = root.join("results.csv");
    let due = fs::read(&results).expect("the results");
    run("tournaments", 60, |random, input| {
        let (number, bytes) = folder.change(random);
        let (path, honest) = &folder.files[number];
        input.set(&bytes);
        let came = every_reader_of_tournaments(&root, path, &due, bytes != *honest, random);
        // A repair has made some of them again.
        folder.restore(|other| other == path || other == results);
        files_below(&root, "aside").iter().for_each(|kept| fs::remove_file(kept).expect("removed"));
        came
    });
}

fn every_reader_of_tournaments(
    root: &Path,
    changed: &Path,
    due: &[u8],
    is_changed: bool,
    random: &mut Random,
) -> Result<(), String> {
    let results = root.join("results.csv");
    let is_other = || !due.starts_with(&fs::read(&results).expect("the results"));
    match audit::audit_listed(&results, 1, |_| Ok(())) {
        Err(error) => names(&error, changed)?,
        Ok(_) if is_other() => return Err("the audit agrees with other results".to_owned()),
        Ok(_) if is_changed && changed.components().any(|part| part.as_os_str() == "logs") => {
            return Err("the audit agrees with another log".to_owned());
        }
        Ok(_) => {}
    }
    let plan = match plan::open(root) {
        Ok(plan) => plan,
        Err(error) => return names_in(&error, root, changed),
    };
    let is_deep = random.percent(30);
    let came = [
        batch::missing(&plan).err(),
        losses::LossTally::default().add(&plan).err(),
        Rulings::read(root).err(),
        played::each_game(&plan, |_, _, _| Ok(())).err(),
        is_deep.then(|| tournament_audit::audit(root, 1).err()).flatten(),
    ];
    for error in came.iter().flatten() {
        names_in(error, root, changed)?;
    }
    match list::repair(&plan) {
        Err(error) => names_in(&error, root, changed),
        Ok(_) if is_other() => Err("a repair makes other results".to_owned()),
        Ok(_) => Ok(()),
    }
}

/// An error of a plan may be about the plan as a whole.
fn names_in(error: &Error, root: &Path, changed: &Path) -> Result<(), String> {
    let text = error.to_string();
    if text.contains(&*root.file_name().unwrap_or_default().to_string_lossy()) {
        Ok(())
    } else {
        names(error, changed)
    }
}
