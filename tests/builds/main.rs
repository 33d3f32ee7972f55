//! Sources built in the sandbox, in real processes. This harness is a program of its own, since copies of it do the
//! work in the sandbox; it speaks the few words of a test harness that cargo and nextest use.

mod attacks;
mod eleven;
mod exam;
mod hills;
mod languages;
mod profile;
mod support;

use std::panic::catch_unwind;
use std::process::ExitCode;

use referee_sandbox::launcher;
use referee_testutil::attacks::SECRET;

/// A test: its name, and the reason why it is left out usually.
type Test = (&'static str, Option<&'static str>, fn());

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, rest @ ..] = &words[..]
        && first == launcher::COMMAND
    {
        let status =
            if rest == [referee_builds::WORD] { referee_builds::work() } else { launcher::launch(rest) };
        std::process::exit(status);
    }
    #[expect(unsafe_code, reason = "an attack looks for the secret of the program that starts builds")]
    // SAFETY: no thread but this one runs.
    unsafe {
        std::env::set_var(SECRET, format!("token-of-builds-{}", std::process::id()));
    }
    let tests =
        [attacks::TESTS, eleven::TESTS, exam::TESTS, hills::TESTS, languages::TESTS, profile::TESTS].concat();
    let is_reason = |reason: &str| ["slow: ", "needs "].iter().any(|due| reason.starts_with(due));
    assert!(
        tests.iter().all(|(_, left_out, _)| left_out.is_none_or(is_reason)),
        "tests/README.md says which reasons"
    );
    let has = |word: &str| words.iter().any(|other| other == word);
    let (only_ignored, all) = (has("--ignored"), has("--include-ignored"));
    let named: Vec<&String> =
        words.iter().filter(|word| !word.starts_with("--") && *word != "terse").collect();
    let is_named = |name: &str| {
        named.is_empty()
            || named.iter().any(|word| if has("--exact") { *word == name } else { name.contains(&***word) })
    };
    let chosen = tests
        .iter()
        .filter(|(name, left_out, _)| is_named(name) && (all || left_out.is_some() == only_ignored));
    let mut has_failed = false;
    for (name, _, test) in chosen {
        if has("--list") {
            println!("{name}: test");
        } else if catch_unwind(test).is_err() {
            has_failed = true;
            println!("test {name} ... FAILED");
        } else {
            println!("test {name} ... ok");
        }
    }
    ExitCode::from(u8::from(has_failed))
}
