//! Copies of the programs on a node.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use referee_contest::local::{LOCK, MARK, remove_left_over};
use referee_record::Digest;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// Makes a folder with a lock of this text, and a copy of a program.
fn folder(base: &Path, name: &str, mark: &str) -> (File, PathBuf) {
    let folder = base.join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(LOCK), mark).unwrap();
    fs::write(folder.join(Digest::of(b"a bot").as_str()), "a bot").unwrap();
    (File::open(folder.join(LOCK)).unwrap(), folder)
}

#[test]
fn what_a_killed_runner_has_left_is_removed_and_what_is_in_use_stays() {
    let base = tempfile::tempdir().unwrap();
    let mark = format!("{MARK}1");
    let (_, left) = folder(base.path(), "referee-run-1", &mark);
    let (lock, used) = folder(base.path(), "referee-run-2", &mark);
    let (_, making) = folder(base.path(), "referee-making-3", &mark);
    let (_, others) = folder(base.path(), "somebody-elses", &mark);
    let (_, unmarked) = folder(base.path(), "referee-run-6", "");
    let (_, linked) = folder(base.path(), "far-away", &mark);
    std::os::unix::fs::symlink(&linked, base.path().join("referee-run-7")).unwrap();
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
    for stays in [used, making, others, unmarked, linked, base.path().join("referee-run-4")] {
        let copy = stays.join(Digest::of(b"a bot").as_str());
        assert!(stays.exists() && (copy.exists() || stays.ends_with("referee-run-4")), "{}", stays.display());
    }
}

#[test]
fn whatever_else_lies_in_a_folder_stays_there() {
    let base = tempfile::tempdir().unwrap();
    let (_, used) = folder(base.path(), "referee-run-1", &format!("{MARK}1"));
    fs::write(used.join("thesis.tex"), "years of work").unwrap();
    fs::create_dir(used.join(Digest::of(b"a folder").as_str())).unwrap();
    remove_left_over(base.path());
    let names = fs::read_dir(&used).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, [Digest::of(b"a folder").as_str(), LOCK, "thesis.tex"]);
}
