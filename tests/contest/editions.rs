//! Editions that a signed beginning names.

use std::fs;
use std::path::Path;

use referee_contest::editions::Editions;
use referee_contest::hill::terms::{GameTerms, Terms};
use referee_sandbox::Tier;
use referee_statistics::stop_rule::StopRule;
use referee_table::process::Timekeeping;

/// Reads a beginning of these lines; `None` if it names an edition that is unknown here.
fn read(lines: &str) -> Option<Editions> {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |root: &Path| {
        fs::create_dir(root.join("proof"))?;
        fs::write(root.join("proof/beginning"), format!("referee beginning 1\n{lines}"))
    };
    write(folder.path()).expect("a beginning");
    Editions::read(folder.path()).ok()
}

#[test]
fn lines_are_read_as_they_are_written_and_others_are_unknown() {
    for editions in [Editions::of_tournament(), Editions::of_hill(Timekeeping::Serial, 3)] {
        assert_eq!(read(&editions.to_string()), Some(editions));
    }
    for line in ["clock fair", "rules 02", "seeds 2", "sources 0", "units", "units two", "moons 1"] {
        assert_eq!(read(&format!("edition {line}\n")), None, "{line}");
    }
}

#[test]
fn terms_of_an_older_edition_are_refused_and_later_rules_are_not() {
    let games = |clock, rules| GameTerms {
        sandbox: Tier::Strict,
        clock,
        limits: [("tasks".to_owned(), 32)].into(),
        block: "one-game".to_owned(),
        rules,
    };
    let terms = |clock, rules| Terms::new(games(clock, rules), StopRule::default(), false);
    let due = Editions::of_hill(Timekeeping::Charged, 2);
    for rules in [2, 3] {
        assert_eq!(due.check_terms(&terms(Timekeeping::Charged, rules)), Ok(()));
    }
    let of_hills_seed = Terms { has_own_seed: false, ..terms(Timekeeping::Charged, 2) };
    for older in [of_hills_seed.clone(), terms(Timekeeping::Charged, 1), terms(Timekeeping::Wall, 2)] {
        let what = due.check_terms(&older).expect_err("what is older");
        assert!(what.contains("the signed beginning says"), "{what}");
        // Without a line in the beginning, the record says which edition it is.
        assert_eq!(Editions::default().check_terms(&older), Ok(()));
        // Who signs later names what the seasons so far agree with.
        let agreed = due.that_agree(&[terms(Timekeeping::Charged, 2), older.clone()], &[]);
        assert_eq!(agreed.check_terms(&older), Ok(()));
        assert_ne!(agreed, due);
        assert!(agreed.has_sources());
    }
    assert_eq!(due.that_agree(&[terms(Timekeeping::Charged, 3)], &[]), due);
}
