//! Files that a run opens: what it wrote itself it does not read again.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::support::Place;

const STILL: [(&str, &str); 2] = [("one", "still"), ("two", "still")];

/// The folders whose files are watched, below that of the hill.
const WATCHED: [&str; 5] = ["", "records/runs", "records/sealed", "records/sealing", "proof"];

/// Counts how often each file of the watched folders is opened meanwhile, and how often each folder is listed, by its
/// name and a slash.
fn opens(root: &Path, act: impl FnOnce()) -> BTreeMap<String, usize> {
    let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).expect("a watch");
    let number = |folder: &&str| inotify::add_watch(&watch, root.join(folder), WatchFlags::OPEN);
    let numbers: Vec<i32> = WATCHED.iter().map(|folder| number(folder).expect(folder)).collect();
    act();
    let mut room = [MaybeUninit::uninit(); 1 << 14];
    let mut events = inotify::Reader::new(&watch, &mut room);
    let mut opens = BTreeMap::new();
    loop {
        let event = match events.next() {
            Ok(event) => event,
            Err(Errno::AGAIN) => return opens,
            Err(error) => panic!("the watch: {error}"),
        };
        assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "too many to count");
        let at = numbers.iter().position(|number| *number == event.wd()).expect("a watch");
        let name = event.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let is_folder = event.events().contains(ReadFlags::ISDIR);
        let name = match WATCHED[at] {
            // It is told by the one that contains it, too.
            _ if is_folder && !name.is_empty() => continue,
            folder if is_folder => format!("{folder}/"),
            // Each runner has names of its own there.
            folder if folder.starts_with("records/") => format!("{folder}/*"),
            _ => name,
        };
        *opens.entry(name).or_default() += 1;
    }
}

#[test]
fn a_run_opens_no_file_more_often_if_it_plays_more_rounds() {
    // On a busy machine a game can be void. It is recorded and listed in more steps, so it is none to count.
    let of_rounds = |rounds: &str| loop {
        let place = Place::new();
        let root = place.hill("h", &["-p", "1", "--max-turns", "1"], &STILL);
        place.referee(&["hill", "run", "h", "--rounds", "1"]).with_status(0);
        let opens =
            opens(&root, || drop(place.referee(&["hill", "run", "h", "--rounds", rounds]).with_status(0)));
        if !root.join("voids.csv").exists() {
            break opens;
        }
    };
    let (few, many) = (of_rounds("2"), of_rounds("22"));
    for (name, count) in &many {
        assert!(count <= few.get(name).unwrap_or(&0), "{name}: {count} times, {few:?}");
    }
    for name in ["results.csv", "seasons.csv", "records/runs/*", "records/sealed/"] {
        assert!((1..=10).contains(&many[name]), "{name}: {} times", many[name]);
    }
}
