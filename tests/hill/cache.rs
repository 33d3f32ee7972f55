//! What is kept of the results of a large hill for the next start: it always is what a fresh reading gives.

use std::fs;
use std::path::Path;

use referee_contest::cache::FOLDER;
use referee_contest::hill::{Goal, Hill, HillAccount};
use referee_contest::runner::GameEnd;
use referee_files::results::{self, ResultsFile};
use referee_files::voids;
use referee_notary::{Signing, key, verify};
use referee_record::voids::{VoidReason, VoidRow};
use referee_rules::BySeat;
use referee_statistics::stop_rule::StopRule;
use referee_table::process::Setup;

use crate::called::Calls;
use crate::random::Random;
use crate::support::{Place, copy_folder, files_below};
use crate::tournament::simulated::rows_of;

const QUICK: [&str; 4] = ["-p", "2", "--max-turns", "2"];

const BOTS: [(&str, &str); 5] =
    [("one", "still"), ("two", "still"), ("three", "still"), ("four", "still"), ("five", "still")];

/// Number of games that take more than the smallest results of which something is kept.
const MANY: usize = 2400;

/// Number of games that take more than is read again without being kept.
const MORE: usize = 900;

/// Opens a hill that keeps something of a twentieth of the results.
fn opened(root: &Path) -> Hill {
    let mut hill = Hill::open(root).expect("a hill");
    hill.set_cache_min(200 << 10);
    hill
}

fn bytes_of(hill: &Hill) -> Option<Vec<u8>> {
    let account = hill.account_up_to(None, StopRule::default()).expect("an account");
    so_far(&account)
}

/// The account of the last season and the seasons before it.
fn so_far(account: &HillAccount<'_>) -> Option<Vec<u8>> {
    let last = account.so_far()?;
    Some(postcard::to_stdvec(&(last, account.past())).expect("plain values"))
}

/// Returns what a fresh reading gives. What is kept stays as it is.
fn fresh(hill: &Hill) -> Option<Vec<u8>> {
    let (kept, aside) = (hill.root().join(FOLDER), hill.root().join("aside"));
    let was_kept = kept.exists();
    if was_kept {
        fs::rename(&kept, &aside).expect("put aside");
    }
    let bytes = bytes_of(hill);
    let _ = fs::remove_dir_all(&kept);
    if was_kept {
        fs::rename(&aside, &kept).expect("put back");
    }
    bytes
}

/// Enters invented games: a run begins, and must know what a fresh reading gives. Of each `gap` games one is given up.
fn grow(hill: &Hill, games: usize, random: &mut Random, gap: usize) {
    let setup = Setup::this_program();
    let (run, mut account) = hill.begin_run_by(&setup, Goal::Rounds(StopRule::default())).expect("a run");
    let so_far = so_far(&account);
    // The account of a season that has just begun has no game yet.
    assert!(so_far.is_none() || so_far == fresh(hill), "a run begins with what a fresh reading gives");
    let (mut results, _) = ResultsFile::open(&hill.root().join("results.csv")).expect("results");
    let mut entered = 0;
    for round in run.first_open_round().. {
        run.begin_stage(&mut account, round).expect("a race");
        for fixture in run.fixtures_of(round) {
            entered += 1;
            if entered % gap == 0 {
                let bots =
                    fixture.entrants.iter().map(|(_, bot)| format!("{}:{}", bot.name.name, bot.name.version));
                let row = VoidRow {
                    game: fixture.id.clone(),
                    bots: bots.collect::<Vec<String>>().join(" "),
                    reason: VoidReason::GivenUp,
                    attempt: 1,
                    ..VoidRow::default()
                };
                voids::append(&hill.root().join("voids.csv"), &row).expect("a void game");
                account.take(&fixture, GameEnd::Void("of no use".to_owned()));
                continue;
            }
            let bots: BySeat<usize> = fixture.entrants.iter().map(|(_, bot)| bot.name.name.len()).collect();
            let mut rows = rows_of(&fixture, &bots, random);
            let log = run.runner().log_path(&fixture.folder, &fixture.id);
            let log = log.strip_prefix(hill.root()).expect("below it").to_string_lossy().into_owned();
            rows.iter_mut().for_each(|row| row.log.clone_from(&log));
            results.append_soon(&rows).expect("room on the disk");
            account.take(&fixture, GameEnd::Over(rows));
        }
        if entered >= games {
            return;
        }
    }
}

fn kept_of(root: &Path) -> Option<Vec<u8>> {
    fs::read(root.join(FOLDER).join("rounds")).ok()
}

#[test]
fn what_is_kept_is_what_a_fresh_reading_gives() {
    let hills: [&[&str]; 3] = [
        &["--block", "one-seating"],
        &["--block", "one-game", "--rank-by", "place"],
        &["--block", "one-game", "--until", "ranked", "--racing"],
    ];
    for settings in hills {
        let place = Place::new();
        let root = place.hill_of_guests("h", &[&QUICK[..], &["--no-key"], settings].concat(), &BOTS);
        let hill = opened(&root);
        let mut random = Random::new(3);
        grow(&hill, 8, &mut random, usize::MAX);
        assert_eq!(bytes_of(&hill), fresh(&hill));
        assert_eq!(kept_of(&root), None, "{settings:?}: little is read in no time");
        let mut before = None;
        for (games, gap) in [(MANY / 20, 40), (MORE / 20, 3), (7, 2), (MORE / 20, usize::MAX)] {
            grow(&hill, games, &mut random, gap);
            assert!(bytes_of(&hill) == fresh(&hill), "{settings:?}: {games} more games");
            let now = kept_of(&root);
            assert!(now.is_some(), "{settings:?}");
            assert_eq!(now != before, games > 7, "{settings:?}: kept anew if much is new");
            before = now;
            // Another process knows nothing of this one.
            assert!(bytes_of(&opened(&root)) == fresh(&hill), "{settings:?}");
        }
        // Another field: a season more, for which games of the last one count.
        place.call(&["hill", "retire", "h", "five"]).with_status(0);
        let hill = opened(&root);
        grow(&hill, MORE / 20, &mut random, 17);
        assert!(bytes_of(&hill) == fresh(&hill), "{settings:?}: the next season");
        assert!(bytes_of(&hill) == fresh(&hill), "{settings:?}: the next season, from what is kept");
    }
}

#[test]
fn a_reader_keeps_results_and_needs_no_records() {
    let place = Place::new();
    let root = place.hill_of_guests("h", &[&QUICK[..], &["--no-key"]].concat(), &BOTS);
    let hill = opened(&root);
    let mut random = Random::new(5);
    for _ in 0..4 {
        grow(&hill, MANY / 20, &mut random, usize::MAX);
    }
    fs::remove_dir_all(root.join(FOLDER)).expect("removed");
    // Damaged records are no reader's business.
    fs::rename(root.join("records"), root.join("records-away")).expect("put away");
    assert!(bytes_of(&opened(&root)).is_some() && kept_of(&root).is_some());
}

#[test]
fn a_signed_hill_reads_what_is_new_and_takes_nothing_on_trust() {
    let place = Place::new();
    let root = place.hill_of_guests("h", &QUICK, &BOTS);
    let hill = Hill::open(&root).expect("a hill");
    let mut random = Random::new(4);
    let key = key(&root).expect("a key");
    let sign = || Signing::begin(&root).and_then(|signing| signing.expect("a key").sign());
    let kept = root.join(FOLDER).join("signed");
    for (round, games) in [10, MANY, MORE, 4].into_iter().enumerate() {
        grow(&hill, games, &mut random, 50);
        sign().expect("signed").expect("games are new");
        assert_eq!(kept.exists(), round > 0, "little is read in no time");
        let verified = verify(&root, &key).expect("all checkpoints agree");
        // The beginning of a hill is signed, too.
        assert_eq!((verified.checkpoints, verified.signed), (round + 2, verified.entries));
    }

    // The last note is the one that is kept; any other change of it is compared with the key.
    let last = files_below(&root.join("proof/checkpoints"), "note").pop().expect("a note");
    let genuine = fs::read_to_string(&last).expect("a note");
    fs::write(&last, genuine.replacen("time ", "time 1", 1)).expect("changed");
    assert!(Signing::begin(&root).is_err());
    fs::write(&last, genuine).expect("put back");
    // All is kept anew.
    fs::remove_file(&kept).expect("removed");
    assert!(Signing::begin(&root).is_ok() && kept.exists());

    // A row that was changed: at once if nothing came after it, else in an audit.
    let path = root.join("results.csv");
    let change = |from: &str, to: &str| {
        let text = fs::read_to_string(&path).expect("results");
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        fs::write(&path, changed).expect("written");
    };
    let is_noticed = || {
        let by_account = Hill::open(&root).expect("a hill").account(None, StopRule::default()).is_err();
        (by_account, Signing::begin(&root).is_err(), results::read(&path).is_err())
    };
    fs::remove_file(root.join(FOLDER).join("rounds")).expect("removed");
    assert_eq!(is_noticed(), (false, false, false));
    change(",no_balls,", ",no_bulls,");
    assert_eq!(is_noticed(), (true, true, true));
    change(",no_bulls,", ",no_balls,");
    assert_eq!(is_noticed(), (false, false, false));
    // Void games come after it, too: a list that has not grown is compared more closely.
    grow(&hill, 4, &mut random, 2);
    change(",no_balls,", ",no_bulls,");
    let whole_file = true;
    assert_eq!(is_noticed(), (false, false, whole_file), "what was read before is not read again");
    // In a copy nothing that is kept counts, so nobody can hand over standings of his own making.
    let copy = place.path("copy");
    copy_folder(&root, &copy);
    assert!(copy.join(FOLDER).join("rounds").exists());
    assert!(Hill::open(&copy).expect("a hill").account(None, StopRule::default()).is_err());
}
