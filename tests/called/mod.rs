//! The program as a call: a command line that runs in this process, in a place of a test's own.
//!
//! A command that starts no program is called. Bots that are no programs ([`guests`]) play in this process, too. What
//! only a process has is tested with a process: standard output and its terminal, signals, the environment, locks that
//! outlive it, programs as bots.

pub(crate) mod guests;

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};
use std::sync::LazyLock;
use std::thread;

use referee_bots::HOUSE_BOTS;
use referee_cli::Parts;
use referee_cli::call::Surroundings;
use rustix::thread::UnshareFlags;

use self::guests::GUESTS;
use crate::support::{Place, Ran};

/// The most memory that the thread of a call takes at a time, in bytes.
const MEMORY_MAX: u64 = 1 << 30;

/// The file that is the program `referee` to a call: a guest that plays as house bots. It starts nothing.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("house.guest");
    let due = guests::file("house", guests::HOUSE);
    // Other tests read it at the same time.
    if fs::read_to_string(&file).ok().as_ref() != Some(&due) {
        let part = file.with_extension(std::process::id().to_string());
        fs::write(&part, due).expect("the program is written");
        fs::rename(&part, &file).expect("and appears whole");
    }
    file
});

/// A tournament of short games, with limits that no bot comes near, but for its bots.
pub(crate) const SHORT: &str = r#"
name = "short"
game = "football"
seed = "11"
sandbox = "off"
batch = 8
[parameters]
p = [2, 3]
k = [10, 5]
max_turns = 30
turn_ms = 30000
first_ms = 30000
[format]
kind = "rounds"
rounds = 4
"#;

/// Calls of the program in a place.
pub(crate) trait Calls {
    /// Calls the program with these words.
    fn call(&self, words: &[&str]) -> Ran {
        self.call_with(100, words.iter().map(Into::into).collect())
    }

    /// Calls the program with words that can be no text, and with help of this width.
    fn call_with(&self, columns: usize, words: Vec<OsString>) -> Ran;

    /// Writes a bot that plays in this process. `words` say how: see [`guests`].
    fn guest(&self, name: &str, words: &str) -> String;

    /// Plans a tournament of four bots that play in this process: 32 games in four batches.
    fn tournament_of_guests(&self) -> PathBuf;

    /// Sets that bots of a hill are not confined: looking for a sandbox starts a program.
    fn without_sandbox(&self, hill: &str);

    /// Makes a hill and submits bots that play in this process: their names, and how they play: the name of a house
    /// bot, or words (see [`guests`]).
    fn hill_of_guests(&self, name: &str, settings: &[&str], bots: &[(&str, &str)]) -> PathBuf;
}

impl Calls for Place {
    fn call_with(&self, columns: usize, words: Vec<OsString>) -> Ran {
        let shown = words.iter().map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ");
        let words = ["referee".into()].into_iter().chain(words).collect();
        let here = self.path("");
        // Each thread can have a current folder of its own, which its threads share.
        let called = thread::scope(|scope| {
            let call = || {
                #[expect(unsafe_code, reason = "unsharing descriptors can break what others rely on")]
                // SAFETY: the table of descriptors is not among what is unshared.
                unsafe { rustix::thread::unshare_unsafe(UnshareFlags::FS) }.expect("a folder of its own");
                std::env::set_current_dir(here).expect("the place");
                let parts = Parts { guests: Some(GUESTS), ..referee::PARTS };
                let mut called = None;
                let taken = allocation_counter::measure(|| {
                    let around = Surroundings { program: PROGRAM.clone(), columns };
                    called = Some(referee_cli::call(&[], parts, around, words));
                });
                assert!(taken.bytes_max < MEMORY_MAX, "{} bytes of memory", taken.bytes_max);
                called.expect("it has ended")
            };
            scope.spawn(call).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let status = ExitStatus::from_raw(called.status << 8);
        Ran::new(shown, &Output { status, stdout: called.out, stderr: called.err })
    }

    fn guest(&self, name: &str, words: &str) -> String {
        let path = self.path(&format!("{name}.guest"));
        fs::write(&path, guests::file(name, words)).expect("the bot is written");
        path.into_os_string().into_string().expect("a path of plain text")
    }

    fn tournament_of_guests(&self) -> PathBuf {
        let bots = [("honest", "says 4 4 4"), ("other", "house still"), ("fast", "house random")];
        let entrant = |(name, words)| {
            let program = self.guest(name, words);
            format!("[[entrant]]\nname = \"{name}\"\nprogram = {program:?}\n")
        };
        let entrants: String = bots.into_iter().chain([("greedy", "house greedy")]).map(entrant).collect();
        fs::write(self.path("short.toml"), SHORT.to_owned() + &entrants).expect("a file");
        self.call(&["tournament", "plan", "short.toml", "--dir", "T"]).with_status(0);
        self.path("T")
    }

    fn without_sandbox(&self, hill: &str) {
        let file = self.path(hill).join("hill.toml");
        let text = fs::read_to_string(&file).expect("settings");
        assert!(text.contains("\nsandbox = \"auto\""), "{text}");
        fs::write(&file, text.replace("\nsandbox = \"auto\"", "\nsandbox = \"off\"")).expect("settings");
    }

    fn hill_of_guests(&self, name: &str, settings: &[&str], bots: &[(&str, &str)]) -> PathBuf {
        let block = if settings.contains(&"--block") { &[][..] } else { &["--block", "one-seating"] };
        self.call(&[&["hill", "new", name, "football"], settings, block].concat()).with_status(0);
        self.without_sandbox(name);
        for (bot, words) in bots {
            let house = HOUSE_BOTS.iter().any(|bot| bot.game == "football" && bot.name == *words);
            let guest = self.guest(bot, &if house { format!("house {words}") } else { (*words).to_owned() });
            self.call(&["hill", "submit", name, &guest, "--name", bot]).with_status(0);
        }
        self.path(name)
    }
}
