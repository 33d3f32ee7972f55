//! One set of tampered folders for both programs that check records: `referee audit` and `scripts/verify.py` give the
//! same verdicts. The tables have what is changed, where, and what each must say.

mod contests;
mod files;
mod rows;

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use referee_testutil::ROOT;

use self::contests::KINDS;
use super::second::verified;
use crate::called::Calls;
use crate::support::{Place, copy_folder};

pub(super) use self::contests::edit_once;

/// A change of a folder, and its verdict.
pub(crate) struct Tampering {
    name: &'static str,
    /// The contests that are changed so.
    contests: &'static [&'static str],
    change: fn(&Path),
    due: Due,
}

/// What the two programs must make of a change.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// Both notice it: what the audit says, and what the other program says.
    Noticed(&'static str, &'static str),
    /// Nobody can: the book says so in these words.
    Unnoticed(&'static str),
    /// Both accept the folder and say this of it.
    Told(&'static str, &'static str),
    /// The audit notices it and says this. The other program accepts it, and says that it does not check that.
    Unchecked(&'static str, &'static str),
}

impl Tampering {
    /// Changes a copy of a contest, and has both programs check it. Returns what is wrong with their verdicts.
    fn fault(&self, place: &Place, contest: &str) -> Option<String> {
        let copy = format!("{}/{contest}", self.name.replace(' ', "-"));
        copy_folder(&place.path(contest), &place.path(&copy));
        (self.change)(&place.path(&copy));
        let key = fs::read_to_string(place.path(contest).join("proof/key")).unwrap_or_default();
        let words = if key.is_empty() { vec![&*copy] } else { vec![&*copy, "--key", key.trim()] };
        let audit = place.call(&[&["audit"], &words[..]].concat());
        let audit = (audit.status.expect("a status"), audit.out + &audit.err);
        let second = verified(place, words);
        fs::remove_dir_all(place.path(&copy)).expect("removed");
        let is =
            |(found, text): &(i32, String), status, words: &str| *found == status && text.contains(words);
        let is_right = match self.due {
            Due::Noticed(first, other) => is(&audit, 3, first) && is(&second, 3, other),
            Due::Unnoticed(_) => is(&audit, 0, "") && is(&second, 0, ""),
            Due::Told(first, other) => is(&audit, 0, first) && is(&second, 0, other),
            Due::Unchecked(first, other) => {
                let is_told = |line: &str| line.starts_with("not checked: ") && line.contains(other);
                is(&audit, 3, first) && second.0 == 0 && second.1.lines().any(is_told)
            }
        };
        let is_clean = !second.1.contains("Traceback");
        let what = || format!("{}, {contest}: due {:?}\n{audit:?}\n{second:?}", self.name, self.due);
        (!is_right || !is_clean).then(what)
    }
}

#[test]
fn answers_by_another_table_of_costs_cannot_be_repeated_and_the_status_says_so() {
    let place = Place::new();
    contests::begin(&place, contests::UNSIGNED);
    contests::run(&place, contests::UNSIGNED, "1");
    contests::unsign(&place.path(contests::UNSIGNED));
    let audited = |words: &[&str]| place.call(&[&["audit", contests::UNSIGNED], words].concat());
    let repeated = audited(&["--bots"]).with_status(0);
    assert!(repeated.out.contains("36 answers in 1 game repeated"), "{repeated:?}");
    contests::set(&place.path(contests::UNSIGNED), "clock", "units-1");
    audited(&[]).with_status(0);
    let other = audited(&["--bots"]).with_status(2);
    other
        .complaining(&["cannot tell: 0 answers in 1 game repeated", "6 seats were charged by another table"]);
}

#[test]
fn a_receipt_names_the_source_of_a_bot_that_was_built() {
    let place = Place::new();
    contests::begin(&place, contests::SIGNED);
    let note = |text: &str| fs::write(place.path("bot.note"), text).expect("a note");
    let receipt = || place.call(&["proof", "receipt", contests::SIGNED, "homeward"]).with_status(0).out;
    let check = |status| {
        let audited = place.call(&["audit", contests::SIGNED, "--receipt", "bot.note"]).with_status(status);
        let second = verified(&place, [contests::SIGNED, "--note", "bot.note"]);
        assert_eq!(second.0, status, "{audited:?}{second:?}");
    };
    // Without the source, as earlier versions sign it.
    let of_earlier = receipt();
    contests::build_homeward(&place.path(contests::SIGNED));
    let of_built = receipt();
    assert!(!of_earlier.contains("\nbuilt ") && of_built.contains("\nbuilt "), "{of_built}");
    for text in [&of_earlier, &of_built] {
        note(text);
        check(0);
    }
    rows::make_ready(&place.path(contests::SIGNED));
    check(3);
    note(&of_earlier);
    check(0);
}

#[test]
fn both_programs_give_the_same_verdicts_about_the_same_tampered_folders() {
    let place = Place::new();
    contests::make_all(&place);
    let table: Vec<&Tampering> = files::TABLE.iter().chain(rows::TABLE).collect();
    let jobs = table.iter().flat_map(|one| one.contests.iter().map(move |contest| (*one, *contest)));
    let (jobs, faults) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let next = jobs.lock().expect("jobs").next();
            let Some((tampering, contest)) = next else { return };
            assert!(KINDS.contains(&contest), "{contest}");
            let fault = tampering.fault(&place, contest);
            faults.lock().expect("faults").extend(fault);
        }
    };
    thread::scope(|scope| drop([scope.spawn(work), scope.spawn(work)]));
    let faults = faults.into_inner().expect("faults");
    assert!(faults.is_empty(), "{} verdicts are wrong:\n{}", faults.len(), faults.join("\n"));
    let pages = ["audits", "proof"].map(|page| format!("{ROOT}/docs/explanation/{page}.md"));
    let book = pages.map(|page| fs::read_to_string(page).expect("a page").replace('\n', " ")).concat();
    for Tampering { name, due, .. } in table {
        if let Due::Unnoticed(words) = due {
            assert!(book.contains(words), "the book does not say that nobody notices it: {name}: {words}");
        }
    }
}
