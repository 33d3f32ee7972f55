//! Bots in many languages: in each language that is installed, a tiny bot is built, started and asked, in each tier
//! that confines bots. `scripts/languages install` installs all languages of `languages.txt`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use referee_record::play::table::{Question, Table};
use referee_rules::Seat;
use referee_sandbox::{Limits, Tier};
use referee_table::process::{ProcessTable, Program, Setup};

use crate::sandbox::{CONFINED, ask, attempt, info, open_place, setup, table};
use crate::support::Place;

/// A line of `languages.txt`.
#[derive(Clone, Debug)]
struct Language {
    name: &'static str,
    tools: Vec<&'static str>,
    source: &'static str,
    build: &'static str,
    options: Vec<&'static str>,
}

/// The languages that `scripts/test` installs. They must be installed.
const ALWAYS: [&str; 12] =
    ["awk", "bash", "c", "cpp", "dash", "go", "java", "java-jar", "javascript", "octave", "perl", "python"];

/// The minimum number of languages in the list.
const LEAST: usize = 24;

fn languages() -> Vec<Language> {
    let lines = include_str!("languages.txt").lines().filter(|line| !line.starts_with('#'));
    let language = |line: &'static str| {
        let columns: Vec<&str> = line.split(" |").map(str::trim).collect();
        let [name, tools, _packages, source, build, options] = columns[..] else {
            panic!("languages.txt: not six columns: {line}")
        };
        let words = |text: &'static str| text.split_whitespace().collect();
        Language { name, tools: words(tools), source, build, options: words(options) }
    };
    lines.map(language).collect()
}

impl Language {
    fn is_installed(&self) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_here = |tool: &&str| std::env::split_paths(&path).any(|folder| folder.join(tool).exists());
        self.tools.iter().all(is_here)
    }

    /// Builds the bot, puts it into a place without any other file of it, and returns its path.
    fn build(&self, finished: &Place) -> Result<String, String> {
        let place = Place::new();
        let source = sources().join(self.source);
        fs::copy(source, place.path(self.source)).map_err(|error| format!("{}: {error}", self.source))?;
        let mut command = Command::new("bash");
        command.args(["-ec", self.build]).current_dir(place.path("")).env("HOME", place.path("tmp"));
        let output = command.output().map_err(|error| format!("bash: {error}"))?;
        if !output.status.success() {
            return Err(format!("{}: {}", self.build, String::from_utf8_lossy(&output.stderr)));
        }
        let bot = fs::read(place.path("bot")).map_err(|error| format!("{}: no bot: {error}", self.build))?;
        Ok(finished.program("bot", bot))
    }

    fn limits(&self) -> Limits {
        let value = |name: &str, otherwise: u64| {
            let at = self.options.iter().position(|option| *option == name);
            at.map_or(otherwise, |at| self.options[at + 1].parse().expect("a number"))
        };
        let usual = Limits::default();
        Limits {
            tasks: value("--tasks", usual.tasks),
            data_mib: value("--memory", usual.data_mib),
            descriptors: value("--descriptors", usual.descriptors),
            ..usual
        }
    }

    fn may_fork(&self) -> bool {
        self.options.contains(&"--allow-fork")
    }

    fn plays_in(&self, tier: Tier) -> bool {
        let only =
            self.options.iter().position(|option| *option == "--sandbox").map(|at| self.options[at + 1]);
        only.is_none_or(|only| only == tier.name())
    }
}

fn sources() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sandbox/languages/bots")
}

#[test]
#[ignore = "needs compilers and interpreters"]
fn a_bot_in_each_language_that_is_installed_plays_in_each_tier() {
    let all = languages();
    let (here, missing): (Vec<_>, Vec<_>) = all.iter().partition(|language| language.is_installed());
    let (waiting, failures) = (Mutex::new(here.clone().into_iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(language) = { waiting.lock().expect("a list").next() } {
                    let found = play(language);
                    failures.lock().expect("a list").extend(found);
                }
            });
        }
    });
    let names = |languages: &[&Language]| {
        languages.iter().map(|language| language.name).collect::<Vec<_>>().join(" ")
    };
    // Bypasses the test's own capture: the user who runs the tests has to see what was left out.
    let said = format!("languages played: {}\nnot installed: {}\n", names(&here), names(&missing));
    std::io::stderr().write_all(said.as_bytes()).expect("standard error");
    let failures = failures.into_inner().expect("a list");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let left_out: Vec<&str> =
        ALWAYS.into_iter().filter(|name| !here.iter().any(|language| language.name == *name)).collect();
    assert!(left_out.is_empty(), "scripts/test installs what these need: {left_out:?}");
}

/// Builds a bot and plays it in each tier; returns the failures.
fn play(language: &Language) -> Vec<String> {
    let place = open_place();
    match language.build(&place) {
        Err(why) => vec![format!("{}: not built: {why}", language.name)],
        Ok(bot) => {
            let tiers = CONFINED.into_iter().filter(|tier| language.plays_in(*tier));
            let said = tiers.map(|tier| (tier, answers(language, &bot, tier)));
            let wrong = said.filter(|(_, said)| *said != DUE);
            wrong.map(|(tier, said)| format!("{}, {tier}: {said}", language.name)).collect()
        }
    }
}

/// Questions, and the sum of each one's integers modulo 5.
const QUESTIONS: [&str; 4] = ["1 0\n", "4 17 4096 100 200\n", "2 3 4\n", "3 100 200 305\n"];
const DUE: &str = "1 2 4 3";

/// Returns the answer of a bot, or an error.
fn answers(language: &Language, bot: &str, tier: Tier) -> String {
    let program = Program { may_fork: language.may_fork(), ..Program::new(bot, Vec::new()) };
    let setup = Setup { limits: language.limits(), ..setup(tier) };
    let mut table = match ProcessTable::open(&info(), &vec![Some(program), None].into(), &setup) {
        Ok(table) => table,
        Err(error) => return error.to_string(),
    };
    let (mut answers, mut said) = (Vec::new(), String::new());
    for question in QUESTIONS {
        let limit = Duration::from_secs(60);
        let question = Question { seat: Seat::new(0), line: question.into(), limit };
        if let Err(error) = table.ask(&[question]).and_then(|()| table.collect(&mut answers)) {
            return error.to_string();
        }
        let separator = if said.is_empty() { "" } else { " " };
        match answers[0].given() {
            Ok(integers) => {
                write!(said, "{separator}{}", integers.iter().map(i64::to_string).collect::<String>())
            }
            Err(fault) => write!(said, "{separator}{fault}"),
        }
        .expect("a text takes words");
        if answers[0].fault.is_some() {
            break;
        }
    }
    let errors = table.farewell()[Seat::new(0)].errors.to_bytes();
    if said != DUE {
        let _ = write!(said, "; standard error: {}", String::from_utf8_lossy(&errors));
    }
    said
}

#[test]
fn check_names_the_options_that_a_bot_needs() {
    let place = open_place();
    // As Erlang's and R's starters do: it starts another program, and keeps many files open.
    let script =
        "#!/usr/bin/env bash\nset -e\n/bin/true\nexec 99</dev/null\nwhile read -r line; do echo 2; done\n";
    let bot = place.program("bot", script);
    let words = ["check", &bot, "--game", "target", "--set", "turn_ms=60000", "--set", "max_rounds=5"];
    let ran = place.referee(&words).with_status(3);
    // A narrow table breaks between words.
    let words_of = |out: &str| {
        let words = out.split(|letter: char| letter.is_whitespace() || "│┆".contains(letter));
        words.filter(|word| !word.is_empty()).collect::<Vec<&str>>().join(" ")
    };
    assert!(words_of(&ran.out).contains("with --allow-fork --descriptors 256 it answers"), "{}", ran.out);
    let ran = place.referee(&[&words[..], &["--allow-fork"]].concat()).with_status(3);
    assert!(words_of(&ran.out).contains("with --descriptors 256 it answers"), "{}", ran.out);
    place.referee(&[&words[..], &["--allow-fork", "--descriptors", "256"]].concat()).with_status(0);

    for language in
        languages().iter().filter(|language| language.is_installed() && !language.options.is_empty())
    {
        let place = open_place();
        let bot = language.build(&place).unwrap_or_else(|why| panic!("{}: {why}", language.name));
        let tier = if language.plays_in(Tier::Landlock) { "strict" } else { "landlock" };
        let ran =
            place.referee(&["check", &bot, "--game", "target", "--set", "first_ms=60000", "--sandbox", tier]);
        assert_eq!(ran.status, Some(3), "{}: {}", language.name, ran.out);
        let named =
            |option: &&&str| option.starts_with("--") && (**option != "--sandbox" || tier == "landlock");
        for option in language.options.iter().filter(named) {
            assert!(ran.out.contains(*option), "{}: no {option} in {}", language.name, ran.out);
        }
    }
}

#[test]
fn scheduling_can_be_read_and_seems_to_be_set() {
    let place = open_place();
    // Its own, and those of a thread, which has another number.
    let body = "for who in (0, os.getpid(), threading.get_native_id(), 1 << 20):\n    \
                os.sched_setscheduler(who, os.SCHED_OTHER, os.sched_param(0))\n    \
                os.sched_setparam(who, os.sched_param(0))\n    \
                os.sched_setaffinity(who, {0})\n    \
                os.setpriority(os.PRIO_PROCESS, who, 19)\n    \
                assert os.sched_getscheduler(who) & ~os.SCHED_RESET_ON_FORK in (os.SCHED_OTHER, os.SCHED_BATCH)\n    \
                os.sched_getparam(who)\n\
                assert os.getpriority(os.PRIO_PROCESS, 0) < 19\n\
                for forbidden in (lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),\n    \
                lambda: os.setpriority(os.PRIO_PROCESS, 0, -5)):\n    \
                try:\n        forbidden()\n    except PermissionError:\n        continue\n    \
                raise OSError('it may')";
    for tier in CONFINED {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        let mut table = table(program, &setup(tier)).expect("a table");
        let answer = ask(&mut table).expect("an answer");
        let errors = table.farewell()[Seat::new(0)].errors.to_bytes();
        assert_eq!(answer.integers, [1], "{tier}: {answer:?} {}", String::from_utf8_lossy(&errors));
    }
}

#[test]
#[ignore = "needs a JDK"]
fn java_that_has_not_collected_yet_does_not_grow() {
    let place = open_place();
    let source =
        include_str!("bots/Bot.java").replace("int sum = 0;", "int sum = new byte[300_000].length * 0;");
    std::fs::write(place.path("Bot.java"), source).expect("a file");
    let language = languages().into_iter().find(|language| language.name == "java-jar").expect("Java");
    let mut build = Command::new("bash");
    let built = build.args(["-ec", language.build]).current_dir(place.path("")).status().expect("bash");
    assert!(built.success());
    // A heap that is large from the beginning: a small one is collected earlier, and grows less.
    let (short, large) = (&b"java -jar"[..], b"java -Xms256m -jar");
    let mut bot = fs::read(place.path("bot")).expect("the bot");
    let at = bot.windows(short.len()).position(|words| words == short).expect("how it is started");
    bot.splice(at..at + short.len(), large.iter().copied());
    let bot = place.program("bot", bot);
    let words = ["check", &bot, "--game", "target", "--set", "turn_ms=60000", "--set", "first_ms=60000"];
    let ran = place.referee(&[&words[..], &["--format", "json"]].concat());
    let examined: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let findings = examined["findings"].as_array().expect("findings");
    let memory = findings.iter().find(|finding| finding["test"] == "memory").expect("a look at memory");
    let seen = memory["what"].as_str().expect("words");
    assert_eq!(memory["grade"], "passed", "{seen}");
    let mib: Vec<u64> = seen.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(mib[2] > mib[0] + 16 && mib[2] * 2 > mib[0] * 3, "it did grow: {seen}");
    assert!(seen.contains("can take 256 MiB more"), "{seen}");
}

#[test]
fn the_script_lists_the_same_languages() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/languages");
    let output = Command::new(script).arg("list").output().expect("a script");
    let text = String::from_utf8(output.stdout).expect("text");
    let listed: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed, languages().iter().map(|language| language.name).collect::<Vec<_>>());
}

#[test]
fn each_source_belongs_to_a_language_and_is_short() {
    let all = languages();
    assert!(all.len() >= LEAST, "{} languages", all.len());
    for entry in fs::read_dir(sources()).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("a name");
        assert!(all.iter().any(|language| language.source == name), "{name}: of no language");
        let lines = fs::read_to_string(entry.path()).expect("a text").lines().count();
        assert!((4..=25).contains(&lines), "{name}: {lines} lines");
    }
}
