//! Values that are kept for the next start.

use std::fs;

use referee_contest::cache::{Cache, FOLDER};
use referee_files::beneath::Spot;

/// The length of the text before a value: two digests.
const HEAD: usize = 2 * 64;

#[test]
fn a_value_is_read_again_while_all_is_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let [settings, other] = ["settings", "other"].map(|name| Spot::below(folder.path(), name));
    fs::write(settings.path(), "a").expect("written");
    let keeper = |texts: &[&str]| {
        Cache::new(folder.path(), "value", texts, &[settings.clone(), other.clone()]).expect("a keeper")
    };
    let read = |texts: &[&str]| keeper(texts).read::<Vec<u64>>();
    assert_eq!(read(&["x"]), None);
    keeper(&["x"]).write(&vec![1_u64, 2]).expect("written");
    assert_eq!(read(&["x"]), Some(vec![1, 2]));
    assert_eq!(read(&["y"]), None, "another text");
    assert_eq!(read(&["x", ""]), None, "one more text");
    fs::write(settings.path(), "b").expect("written");
    assert_eq!(read(&["x"]), None, "another file");
    fs::write(settings.path(), "a").expect("written");
    fs::write(other.path(), "").expect("written");
    assert_eq!(read(&["x"]), None, "a file that was missing");
    fs::remove_file(other.path()).expect("removed");
    assert_eq!(read(&["x"]), Some(vec![1, 2]));
    let path = folder.path().join(FOLDER).join("value");
    let whole = fs::read(&path).expect("the value");
    for at in [0, HEAD - 1, HEAD, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).expect("written");
        assert_eq!(read(&["x"]), None, "byte {at} was changed");
    }
    for length in [0, HEAD - 1, HEAD, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("written");
        assert_eq!(read(&["x"]), None, "cut off at {length}");
    }
}
