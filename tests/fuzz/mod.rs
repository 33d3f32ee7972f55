//! Fuzzing: every reader of files, of the wire and of the command line gets tampered input.
//!
//! The tests demand that nothing panics, nothing hangs, memory stays within [`memory_max`], an error names the place,
//! and accepted input has the same meaning when it is written and read again. A run in the suite takes a fixed number
//! of cases from a fixed seed. `scripts/fuzz` takes cases from a fresh seed for some minutes, and writes an input that
//! fails to a file. The seed of a case is that of the run plus its number, so `scripts/fuzz --only TARGET --seed S`
//! begins with the case that failed.

mod logs;
mod mutate;
mod records;
mod texts;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use allocation_counter::measure;
use referee_table::clock::Clock;

use crate::random::Random;

/// The seed of the cases that the suite runs.
const SEED: u64 = 17;

/// Time limit of a case, on any machine.
const HANGS: Duration = Duration::from_secs(300);

/// Maximum memory, in bytes, that a reader can request for an input of this length.
fn memory_max(length: usize) -> u64 {
    (64 << 20) + 16 * length as u64
}

/// Runs the cases of a target: `count` of them in the suite. A case makes its input, stores it with the first argument,
/// then runs the code under test.
fn run(target: &str, count: u64, mut case: impl FnMut(&mut Random, &Input) -> Result<(), String>) {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = asked("REFEREE_FUZZ_SEED").unwrap_or(SEED);
    let time = asked("REFEREE_FUZZ_SECONDS").map(Duration::from_secs);
    let input = Input(Arc::new(Mutex::new(Vec::new())));
    let clock = Clock::start();
    let guard = Guard::start(target.to_owned(), input.clone());
    let mut number = 0;
    while time.map_or(number < count, |time| number == 0 || clock.now().0 < time) {
        let seed = seed.wrapping_add(number);
        guard.0.seed.store(seed, Ordering::Relaxed);
        guard.0.begun.fetch_add(1, Ordering::Relaxed);
        input.set(&[]);
        let mut came = Ok(Ok(()));
        let memory = measure(|| {
            came = catch_unwind(AssertUnwindSafe(|| case(&mut Random::new(seed), &input)));
        });
        let wrong = match came {
            Err(_) => Some("a panic, see above".to_owned()),
            Ok(Err(what)) => Some(what),
            Ok(Ok(())) if memory.bytes_max > memory_max(input.len()) => {
                Some(format!("{} MiB of memory for {} bytes", memory.bytes_max >> 20, input.len()))
            }
            Ok(Ok(())) => None,
        };
        if let Some(wrong) = wrong {
            let file = input.keep(target, seed);
            panic!(
                "{target}: {wrong}\n  scripts/fuzz --only {target} --seed {seed}\n  input: {}",
                file.display()
            );
        }
        number += 1;
    }
    println!("{target}: {number} cases from seed {seed}");
}

/// The input of a case.
#[derive(Clone, Debug)]
struct Input(Arc<Mutex<Vec<u8>>>);

impl Input {
    fn set(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clear();
        kept.extend_from_slice(bytes);
    }

    fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Writes it to a file.
    fn keep(&self, target: &str, seed: u64) -> PathBuf {
        let folder = std::env::var_os("REFEREE_FUZZ_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let file = folder.join(format!("referee-fuzz-{target}-{seed}"));
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::fs::write(&file, &*kept).expect("the input is written");
        file
    }
}

/// Ends the program when a case hangs: a thread cannot be stopped in any other way.
struct Guard(Arc<Guarded>);

struct Guarded {
    seed: AtomicU64,
    begun: AtomicU64,
    is_over: AtomicBool,
}

impl Guard {
    fn start(target: String, input: Input) -> Guard {
        let guarded = Arc::new(Guarded {
            seed: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        let its = Arc::clone(&guarded);
        thread::spawn(move || {
            let (mut seen, mut since, clock) = (0, Duration::ZERO, Clock::start());
            while !its.is_over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(200));
                let begun = its.begun.load(Ordering::Relaxed);
                if begun != seen {
                    (seen, since) = (begun, clock.now().0);
                } else if clock.now().0 - since > HANGS {
                    let seed = its.seed.load(Ordering::Relaxed);
                    eprintln!("{target}: hangs; seed {seed}; input: {}", input.keep(&target, seed).display());
                    std::process::abort();
                }
            }
        });
        Guard(guarded)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Makes sure that an error says where it is, and does not harm a terminal.
fn names(error: &impl std::fmt::Display, file: &Path) -> Result<(), String> {
    let text = error.to_string();
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if !text.contains(&*name) && !text.contains(&*folder) {
        return Err(format!("an error that does not name {name}: {}", text.escape_debug()));
    }
    if text.len() > 8192 || text.chars().any(|letter| letter.is_control() && letter != '\n') {
        return Err(format!("{} bytes, not fit for a terminal: {}", text.len(), text.escape_debug()));
    }
    Ok(())
}
