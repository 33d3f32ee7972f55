//! Runs the programs of the document: the bot, its broken versions, and commands, with the real referee.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use referee_files::results;
use referee_record::results::ResultRow;
use referee_rules::FaultKind;

use crate::docs::document::{Block, PROTOCOL};
use crate::docs::shell;

/// A folder of its own with the bot of the document in it.
pub(super) struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    /// Opens a folder.
    ///
    /// Panics if there is no Python: an example that is not run is worth nothing.
    pub(super) fn open() -> Workshop {
        let python = Command::new("python3").arg("--version").output();
        assert!(
            python.is_ok_and(|output| output.status.success()),
            "python3 is needed to run the bot in protocol.md; install it (scripts/test does)"
        );
        let workshop = Workshop { folder: tempfile::tempdir().unwrap() };
        let [bot] = PROTOCOL.blocks_of("python")[..] else { panic!("one bot in Python") };
        fs::write(workshop.path(&bot.words[0]), &bot.text).unwrap();
        workshop
    }

    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a program.
    pub(super) fn write_program(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs commands in the folder, with `referee` being the real program, and returns what they print.
    pub(super) fn shell(&self, commands: &str) -> String {
        let ran = shell::run(self.folder.path(), commands);
        assert_eq!(ran.status, Some(0), "{commands}\n{}", ran.err);
        ran.out
    }

    /// Plays a game with a bot in the first seat and the words that follow, in a folder named after the bot.
    /// Returns its row of the results.
    pub(super) fn play(&self, bot: &str, words: &str) -> ResultRow {
        self.shell(&format!("referee play football ./{bot} {words} --seed 7 --dir {bot}-games"));
        let rows = results::read(&self.path(format!("{bot}-games/results.csv"))).unwrap();
        rows.into_iter().map(|(_, row)| row).rfind(|row| row.seat.index() == 0).unwrap()
    }
}

/// The names of the faults of a seat.
pub(super) fn faults(row: &ResultRow) -> BTreeSet<&'static str> {
    FaultKind::ALL.into_iter().filter(|kind| row.faults(*kind) > 0).map(FaultKind::name).collect()
}

/// Makes the change of a `diff` block to the bot, plays, and checks that the faults are those after the word
/// `diff` (`ok`: none). Returns the folder of the game.
pub(super) fn play_changed(workshop: &Workshop, block: &Block) -> PathBuf {
    let side = |other| {
        let lines = block.text.lines().filter(|line| !line.starts_with(other));
        lines.map(|line| line.get(1..).unwrap_or_default().to_owned() + "\n").collect::<String>()
    };
    let (old, new) = (side('+'), side('-'));
    let bot = &PROTOCOL.blocks_of("python")[0].text;
    assert_eq!(bot.matches(&old).count(), 1, "line {}: must be in the bot exactly once:\n{old}", block.line);
    let name = format!("changed-at-{}", block.line);
    workshop.write_program(&name, &bot.replace(&old, &new));
    let expected: BTreeSet<&str> =
        block.words.iter().map(String::as_str).filter(|word| *word != "ok").collect();
    // A late bot makes all others wait; bots that should not be late get much time, also on a busy machine.
    let limits = if expected.contains("late") {
        "--max-turns 10 --turn-ms 100 --first-ms 2000"
    } else {
        "--max-turns 200 --turn-ms 20000 --first-ms 60000"
    };
    let row = workshop.play(&name, &format!("still still still {limits}"));
    assert_eq!(faults(&row), expected, "line {}", block.line);
    workshop.path(format!("{name}-games"))
}

/// Compares rows of a log: each is in the log, in this order. A time matches any time, and elapsed time and CPU time
/// may be there or not; `...` stands for anything.
pub(super) fn compare_log(block: &Block, log: &str) {
    let mut real = log.lines();
    assert_eq!(block.text.lines().next(), log.lines().next(), "line {}: the header", block.line);
    for (due, line) in block.text.lines().zip(block.line + 1..) {
        let fits = |row: &&str| {
            let (found, due): (Vec<&str>, Vec<&str>) = (row.split(',').collect(), due.split(',').collect());
            let is_time = |text: &str| text.parse::<u64>().is_ok();
            let column_fits = |(index, (found, due)): (usize, (&&str, &&str))| match index {
                4 => is_time(found) && is_time(due) || found == due,
                5 | 6 => is_time(found) || found.is_empty() || found == due,
                _ => found == due || *due == "...",
            };
            found.len() == due.len() && found.iter().zip(&due).enumerate().all(column_fits)
        };
        assert!(real.any(|row| fits(&row)), "line {line}: not in the log, or not here: {due}");
    }
}
