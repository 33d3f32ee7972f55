//! What a repair of a hill or a tournament says.

use std::path::Path;

use referee_contest::repair::Repaired;
use referee_record::text::count;

use crate::say;

/// Says which files were made again, and what is left out of them.
pub(crate) fn tell(dir: &Path, repaired: &Repaired) {
    let Repaired { changed, unrecorded, games } = repaired;
    for (file, kept) in changed {
        let kept =
            kept.as_ref().map_or(String::new(), |kept| format!("; the old file is {}", kept.display()));
        say(format!("{}: made again{kept}", file.display()));
    }
    if let Some(first) = unrecorded.first() {
        let left_out = count(unrecorded.len() as u64, "game");
        say(format!(
            "{left_out} of the old results are not recorded by a runner, so they are left out: {first} ..."
        ));
    }
    let nothing = if changed.is_empty() { "nothing to repair: " } else { "" };
    say(format!("{}: {nothing}{}, as recorded", dir.display(), count(*games as u64, "game")));
}
