//! Journals of batches: what is read of them after a damage.

use std::fs;

use referee_contest::batch::journal::{Journal, attempts};
use referee_contest::batch::journal_of;
use referee_contest::node::Machine;
use referee_record::Digest;

#[test]
fn a_torn_end_is_no_record_and_damage_before_a_record_is_named_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Digest::of(b"plan");
    let mut journal = Journal::begin(folder.path(), &plan, 0, &Machine::default()).expect("a journal");
    (0..3).for_each(|game| journal.begun(game).expect("on the disk"));
    drop(journal);
    let path = journal_of(folder.path(), 0, 0);
    let text = fs::read_to_string(&path).expect("a journal");
    let begun = || attempts(folder.path(), &plan, 0).map(|attempts| attempts[0].begun.clone());
    assert_eq!(begun().expect("whole"), [0, 1, 2]);
    for torn in ["0badc0de B", "0badc0de B 3\n", "\n\n"] {
        fs::write(&path, text.clone() + torn).expect("a torn end");
        assert_eq!(begun().expect("torn at its end alone"), [0, 1, 2], "{torn:?}");
    }
    let second = text.find(" B 1").expect("a record");
    let start = text[..second].rfind('\n').expect("records") + 1;
    fs::write(&path, text.replacen(" B 1", " B 7", 1)).expect("a change");
    let error = begun().expect_err("a record that follows would be hidden").to_string();
    assert!(error.contains(&format!("damaged at byte {start}: not a record, though one follows")), "{error}");
    // The last record that was changed is taken for a torn one.
    fs::write(&path, text.replacen(" B 2", " B 7", 1)).expect("a change");
    assert_eq!(begun().expect("torn at its end alone"), [0, 1]);
}
