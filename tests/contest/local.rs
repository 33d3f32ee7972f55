//! Copies of the programs on a node.

use std::fs::{self, File};

use referee_contest::local::{LOCK, remove_left_over};
use rustix::fs::{CWD, FileType, Mode, mknodat};

#[test]
fn what_a_killed_runner_has_left_is_removed_and_what_is_in_use_stays() {
    let base = tempfile::tempdir().unwrap();
    let folder = |name: &str| {
        let folder = base.path().join(name);
        fs::create_dir(&folder).unwrap();
        (File::create(folder.join(LOCK)).unwrap(), folder)
    };
    let (_, left) = folder("referee-run-1");
    let (lock, used) = folder("referee-run-2");
    let (_, making) = folder("referee-making-3");
    let (_, others) = folder("somebody-elses");
    lock.lock().unwrap();
    for (name, mode) in
        [("referee-run-4", None), ("referee-run-5", Some(Mode::RUSR)), ("x", Some(Mode::RUSR))]
    {
        fs::create_dir(base.path().join(name)).unwrap();
        let Some(mode) = mode else { continue };
        let pipe = base.path().join(name).join(LOCK);
        mknodat(CWD, pipe, FileType::Fifo, mode, 0).unwrap(); // nobody will ever write to it
    }
    remove_left_over(base.path());
    assert!(!left.exists());
    assert!(
        used.exists() && making.exists() && others.exists() && base.path().join("referee-run-4").exists()
    );
}
