//! Programs of a stranger never run outside the sandbox, and a bot sees only its one interpreter, or the
//! folder that the host has listed for it: for every command that starts bots, as root and as an ordinary
//! user.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use referee_contest::admission::check::{LATE_PERCENT, NotAdmitted, check};
use referee_games::catalog::{self, Entry};
use referee_record::Digest;
use referee_rules::{Fault, Parameters};
use referee_sandbox::Tier;
use referee_sandbox::program::Look;
use referee_table::process::{Program, Setup};
use tempfile::TempDir;

use super::tiers::{own_programs, try_again_as_a_user};
use crate::support::{Place, REFEREE, Ran, files_below, named};

const CONFINED: [&str; 2] = ["strict", "landlock"];

/// Short games in which no bot is late.
const QUICK: [&str; 6] = ["-p", "1", "--max-turns", "3", "--turn-ms", "20000"];

/// Runs a test as the current user, and, if that is root, once more as an ordinary user.
fn each_user(test: &str, holds: impl Fn()) {
    holds();
    try_again_as_a_user(&format!("sandbox::hostile::strangers::{test}"));
}

fn referee_file() -> PathBuf {
    own_programs().map_or_else(|| PathBuf::from(&*REFEREE), |programs| programs.join("referee"))
}

fn command(place: &Place, words: &[&str]) -> Command {
    let mut command = Command::new(referee_file());
    command.args(words).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
    command
}

fn referee(place: &Place, words: &[&str]) -> Ran {
    Ran::new(words.join(" "), &command(place, words).output().expect("referee can be started"))
}

fn play(place: &Place, bot: &str, options: &[&str]) -> Ran {
    let words = [&["play", "football", bot, bot, bot, bot, "--stderr"], &QUICK[..], options];
    referee(place, &words.concat())
}

/// The parameters of a game in which an answer is one number.
fn one_player(entry: &Entry) -> Parameters {
    let mut parameters = Parameters::defaults(entry.parameters);
    parameters.set("p", 1).expect("one player");
    parameters
}

/// A folder that every user may enter, with an interpreter of its own and a secret in it.
fn home(base: &str) -> TempDir {
    let mut builder = tempfile::Builder::new();
    let home = builder.prefix("home-").permissions(Permissions::from_mode(0o755)).tempdir_in(base);
    let home = home.expect("a folder");
    fs::create_dir(home.path().join("bin")).expect("a folder");
    fs::copy("/bin/sh", home.path().join("bin/tool")).expect("a shell");
    fs::set_permissions(home.path().join("bin/tool"), Permissions::from_mode(0o755)).expect("permissions");
    fs::write(home.path().join("key"), "private\n").expect("a secret");
    home
}

/// A bot in a shell that reports what it can read, and then plays.
fn reader(interpreter: &Path, secrets: &[&Path]) -> String {
    let reads =
        |secret: &&Path| format!("if read -r key < {}; then echo \"saw $key\" >&2; fi\n", secret.display());
    let reads: String = secrets.iter().map(reads).collect();
    format!("#!{}\n{reads}while read -r line; do echo 4; done\n", interpreter.display())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain text")
}

#[test]
fn nothing_beside_a_bot_is_executed() {
    each_user("nothing_beside_a_bot_is_executed", || {
        let place = Place::new();
        fs::create_dir(place.path("bots")).expect("a folder");
        let mark = place.path("mark");
        referee(&place, &["hill", "new", "hill", "football", "-p", "1"]).with_status(0);
        play(&place, "still", &[]).with_status(0);
        let log = files_below(&place.path("games"), "csv").pop().expect("a log");
        let log = text(&log).to_owned();
        let path = std::env::var("PATH").expect("a path");
        // Empty and relative entries mean "here", where the bot is.
        let paths =
            [path.clone(), format!(":.:bots:{path}:"), format!("{}:{path}", place.path("bots").display())];
        let mut count = 0;
        for name in ["python3", "python", "node", "nodejs", "java", "env", "tool"] {
            let brought = format!("#!/bin/sh\necho run >> {}\nexec /bin/sh \"$@\"\n", mark.display());
            let brought = place.program(&format!("bots/{name}"), brought);
            for first in [brought.clone(), format!("/usr/bin/env {name}"), format!("./{name}")] {
                let bot =
                    place.program("bots/bot", format!("#!{first}\nwhile read -r line; do echo 4; done\n"));
                let toml = format!(
                    "name = \"t\"\ngame = \"football\"\nformat = {{ kind = \"rounds\", rounds = 1 }}\n\
                     entrant = [{{ name = \"a\", program = \"{bot}\" }}, {{ name = \"b\", program = \"house:still\" }}]\n"
                );
                fs::write(place.path("t.toml"), toml).expect("a file");
                let commands: [&[&str]; 5] = [
                    &["rerun", &log, &bot, "--seat", "0"],
                    &["tournament", "plan", "t.toml", "--dir", "t"],
                    &["hill", "submit", "hill", &bot],
                    &["play", "football", &bot, &bot, &bot, &bot, "--max-turns", "2"],
                    &["check", &bot, "--game", "football", "--set", "max_turns=2"],
                ];
                // A program in the host's own path runs the bot. Then the bot plays, which takes time.
                let is_refused = !first.starts_with("/usr/bin/env");
                let words = commands[count % if is_refused { 5 } else { 2 }];
                let path = &paths[count % 3];
                count += 1;
                let ran = command(&place, words).env("PATH", path).output().expect("referee");
                let ran = Ran::new(words.join(" "), &ran);
                assert!(!mark.exists(), "#!{first}: {words:?} with PATH={path}: {ran:?}");
                assert!(!is_refused || matches!(ran.status, Some(2 | 3)), "#!{first}: {ran:?}");
            }
        }
        let doctor = command(&place, &["doctor"]).env("PATH", &paths[1]).output().expect("referee");
        assert!(!mark.exists(), "{doctor:?}");
    });
}

#[test]
fn a_bot_sees_the_listed_file_alone_or_the_listed_folder() {
    each_user("a_bot_sees_the_listed_file_alone_or_the_listed_folder", || {
        let place = Place::new();
        for base in ["/tmp", "/var/tmp"] {
            let home = home(base);
            let (tool, key) = (home.path().join("bin/tool"), home.path().join("key"));
            let bot = place.program("bot", reader(&tool, &[&key]));
            for tier in CONFINED {
                let tier = ["--sandbox", tier];
                let refused = play(&place, &bot, &tier).with_status(2);
                refused.complaining(&["not listed", &format!("--interpreter {}", tool.display())]);
                let alone = play(&place, &bot, &[&tier[..], &["--interpreter", text(&tool)]].concat());
                assert!(!alone.err.contains("saw"), "{tier:?}: {alone:?}");
                let whole = play(&place, &bot, &[&tier[..], &["--interpreter", text(home.path())]].concat());
                assert!(whole.err.contains("saw private"), "{tier:?}: {whole:?}");
                for ran in [alone.with_status(0), whole.with_status(0)] {
                    let faults = ["malformed", "exited", "start_failed"].map(|fault| ran.out.contains(fault));
                    assert_eq!(faults, [false; 3], "{ran:?}");
                }
            }
            let checked = referee(&place, &["check", &bot, "--game", "football"]).with_status(3);
            assert!(
                checked.out.contains("start_failed") && checked.out.contains("not listed"),
                "{checked:?}"
            );
        }
    });
}

#[test]
fn what_a_hill_and_a_tournament_list_runs_their_bots() {
    let place = Place::new();
    let home = home("/tmp");
    let tool = home.path().join("bin/tool");
    let bot = place.program("bot", reader(&tool, &[]));
    referee(&place, &["hill", "new", "hill", "football", "-p", "1", "--max-turns", "3"]).with_status(0);
    let submit = ["hill", "submit", "hill", &bot];
    referee(&place, &submit).with_status(2).complaining(&["bot is not admitted", "interpreters = ["]);
    let settings = fs::read_to_string(place.path("hill/hill.toml")).expect("settings");
    let with = |list: &str| {
        let settings = settings.replace("interpreters = []", &format!("interpreters = [{list}]"));
        fs::write(place.path("hill/hill.toml"), settings).expect("settings");
    };
    with("\"bin/tool\"");
    referee(&place, &submit)
        .with_status(2)
        .complaining(&["hill.toml, line", "\"bin/tool\" is not an absolute path"]);
    with(&format!("\"{}\"", place.path("").display()));
    referee(&place, &submit).with_status(2).complaining(&["contains the hill itself"]);
    with(&format!("\"{}\"", tool.display()));
    referee(&place, &submit).with_status(0);
    referee(&place, &["hill", "submit", "hill", "still"]).with_status(0);
    referee(&place, &["hill", "run", "hill"]).with_status(0);
    // A hill without the key lists nothing. The season continues; a bot that cannot be started is named
    // before any game.
    let without = settings.replace("interpreters = []\n", "");
    assert_ne!(without, settings);
    fs::write(place.path("hill/hill.toml"), without).expect("settings");
    let stopped = referee(&place, &["hill", "run", "hill"]).with_status(2);
    stopped.complaining(&["bot version 1 cannot be started", "not listed"]);
    referee(&place, &["hill", "run", "hill", "--interpreter", text(home.path())]).with_status(0);
    assert_eq!(
        fs::read_to_string(place.path("hill/seasons.csv")).expect("seasons").matches("\n2,").count(),
        0
    );
    referee(&place, &["audit", "hill"]).with_status(0);

    let toml = |list: &str| {
        let entrants =
            "entrant = [{ name = \"a\", program = \"bot\" }, { name = \"b\", program = \"house:still\" }]";
        let text = format!(
            "name = \"t\"\ngame = \"football\"\n{list}parameters = {{ p = 1, max_turns = 3 }}\n\
             format = {{ kind = \"rounds\", rounds = 1 }}\n{entrants}\n"
        );
        fs::write(place.path("t.toml"), text).expect("a file");
    };
    toml("");
    let plan = ["tournament", "plan", "t.toml", "--dir", "t"];
    referee(&place, &plan).with_status(2).complaining(&["t.toml, line", "not listed"]);
    assert!(!place.path("t").exists(), "nothing of it is kept");
    toml(&format!("interpreters = [\"{}\"]\n", tool.display()));
    referee(&place, &plan).with_status(0);
    let run = ["tournament", "run", "--dir", "t"];
    let ran = referee(&place, &run).with_status(0);
    assert!(!ran.err.contains("cannot be started"), "{ran:?}");
}

#[test]
fn a_rival_in_the_store_is_no_interpreter() {
    let place = Place::new();
    referee(&place, &["hill", "new", "hill", "football", "-p", "1"]).with_status(0);
    referee(&place, &["hill", "submit", "hill", "still"]).with_status(0);
    let rival = stored(&place).remove(0);
    let bot = place.program("bot", format!("#!{}\n", rival.display()));
    referee(&place, &["hill", "submit", "hill", &bot]).with_status(2).complaining(&["not listed"]);
    play(&place, &bot, &[]).with_status(2).complaining(&["not listed"]);
    // It is not visible through an interpreter that the host does list either.
    let home = home("/var/tmp");
    let tool = home.path().join("bin/tool");
    for listed in [&*tool, home.path()] {
        let bot = place.program("bot", reader(&tool, &[&rival, &place.path("hill/entrants.csv")]));
        let ran = play(&place, &bot, &["--interpreter", text(listed)]).with_status(0);
        assert!(!ran.err.contains("saw"), "{ran:?}");
    }
}

/// All files in the store of a hill.
fn stored(place: &Place) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    list(&place.path("hill/store")).iter().flat_map(|folder| list(folder)).collect()
}

#[test]
fn of_a_refused_bot_no_file_stays() {
    let place = Place::new();
    referee(&place, &["hill", "new", "hill", "football", "-p", "1"]).with_status(0);
    let body =
        "#!/bin/sh\nif [ \"$1\" = bad ]; then echo nonsense; fi\nwhile read -r line; do echo 4; done\n";
    let bot = place.program("bot", body);
    referee(&place, &["hill", "submit", "hill", &format!("{bot} bad")]).with_status(3);
    assert_eq!(stored(&place), Vec::<PathBuf>::new());
    // The leftovers of a killed submission are removed with the next one.
    fs::create_dir(place.path("hill/store/.checking-x")).expect("a folder");
    fs::write(place.path("hill/store/.checking-x/program"), "").expect("a file");
    referee(&place, &["hill", "submit", "hill", &bot]).with_status(0);
    let kept = stored(&place);
    assert_eq!(kept.len(), 1, "{kept:?}");
    referee(&place, &["hill", "submit", "hill", &format!("{bot} bad"), "--name", "other"]).with_status(3);
    referee(&place, &["hill", "submit", "hill", &bot]).with_status(2).complaining(&["plays already"]);
    assert_eq!(stored(&place), kept, "the file of another bot stays, though its content was refused");
    let folders = fs::read_dir(place.path("hill/store")).expect("the store").count();
    assert_eq!(folders, 1);
    referee(&place, &["audit", "hill"]).with_status(0);
}

#[test]
fn a_file_that_is_exchanged_while_it_starts_is_not_run_by_the_others_interpreter() {
    each_user("a_file_that_is_exchanged_while_it_starts_is_not_run_by_the_others_interpreter", || {
        let place = Place::new();
        for folder in ["", "tmp"] {
            fs::set_permissions(place.path(folder), Permissions::from_mode(0o755)).expect("permissions");
        }
        let python = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(4, flush=True)\n";
        let scripts =
            [place.program("python", python), place.program("shell", reader(Path::new("/bin/sh"), &[]))];
        let bot = place.program("bot", python);
        let entry = catalog::find("football").expect("football");
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for script in scripts.iter().cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
                    fs::hard_link(script, place.path("next")).expect("a link");
                    fs::rename(place.path("next"), &bot).expect("another file");
                    let _ = fs::remove_file(place.path("next")); // it is there if both were one file
                }
            });
            let tried = std::panic::catch_unwind(|| {
                for round in 0..40 {
                    let sandbox = if round % 2 == 0 { Tier::Strict } else { Tier::Landlock };
                    let setup = Setup { sandbox, ..Setup::with(referee_file()) };
                    let program = Program::new(&bot, Vec::new());
                    match check(entry, &one_player(entry), &program, &named("bot"), &setup, LATE_PERCENT)
                        .map_err(|error| error.cause::<NotAdmitted>().cloned().ok_or(error))
                    {
                        Ok(_) => {}
                        Err(Ok(NotAdmitted { fault: finding, .. })) => {
                            let words = finding.last_words.unwrap_or_default();
                            let is_read_by_the_other = ["SyntaxError", "rror", "not found"];
                            let is_kept_closed =
                                words.contains("ermission denied") || words.contains("annot open");
                            let is_wrong = is_read_by_the_other.iter().any(|part| words.contains(part));
                            assert!(is_kept_closed || !is_wrong, "{sandbox}: {:?}: {words}", finding.fault);
                        }
                        Err(Err(error)) => panic!("{sandbox}: {error}"),
                    }
                }
            });
            over.store(true, Ordering::Relaxed);
            tried.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
    });
}

#[test]
fn a_program_that_was_changed_since_its_digest_was_found_right_is_not_started() {
    let place = Place::new();
    let bot = place.program("bot", reader(Path::new("/bin/sh"), &[]));
    let seen = Look::of(&fs::File::open(&bot).expect("a bot")).expect("a look");
    let content = Digest::of(&fs::read(&bot).expect("a bot"));
    let entry = catalog::find("football").expect("football");
    let start = || {
        let content = Some(content.clone());
        let program = Program { state_when_checked: Some(seen), content, ..Program::new(&bot, Vec::new()) };
        check(entry, &one_player(entry), &program, &named("bot"), &Setup::with(&*REFEREE), LATE_PERCENT)
    };
    start().expect("the program that was looked at");
    fs::set_permissions(&bot, Permissions::from_mode(0o705)).expect("another mode");
    start().expect("the program that was looked at, in another mode");
    // Others could change it after any look.
    fs::set_permissions(&bot, Permissions::from_mode(0o777)).expect("another mode");
    start().expect_err("a program that others can change");
    fs::set_permissions(&bot, Permissions::from_mode(0o755)).expect("its mode");
    let changed = fs::read_to_string(&bot).expect("a bot") + "exit 0\n";
    fs::write(&bot, changed).expect("another bot");
    let error = start().expect_err("another program").to_string();
    assert!(error.contains("was changed since it was checked"), "{error}");
}

#[test]
fn a_program_loader_that_an_author_brought_is_not_used() {
    each_user("a_program_loader_that_an_author_brought_is_not_used", || {
        let place = Place::new();
        let mut builder = tempfile::Builder::new();
        let folder = builder.prefix("l").permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp");
        let folder = folder.expect("a folder");
        let mut program = fs::read(referee_file()).expect("a program");
        let at = program.windows(4).position(|part| part == b"/lib").expect("a program loader");
        let length = program[at..].iter().position(|byte| *byte == 0).expect("its end");
        let usual = String::from_utf8(program[at..at + length].to_vec()).expect("a path");
        let brought = folder.path().join("ld");
        fs::copy(usual, &brought).expect("a copy of it");
        let name = text(&brought).as_bytes();
        program[at..at + length].fill(0);
        program[at..at + name.len()].copy_from_slice(name);
        let bot = place.program("bot", program);
        let entry = catalog::find("football").expect("football");
        for (sandbox, works) in [(Tier::Strict, false), (Tier::Landlock, false), (Tier::Off, true)] {
            let setup = Setup { sandbox, ..Setup::with(referee_file()) };
            let program = Program::new(&bot, ["bot", "football", "still"].map(Into::into).to_vec());
            match check(entry, &one_player(entry), &program, &named("bot"), &setup, LATE_PERCENT)
                .map_err(|error| error.cause::<NotAdmitted>().cloned().ok_or(error))
            {
                Ok(_) => assert!(works, "{sandbox}"),
                Err(Ok(NotAdmitted { fault: finding, .. })) => {
                    assert!(!works && matches!(finding.fault, Fault::StartFailed(_)), "{sandbox}: {finding}");
                }
                Err(Err(error)) => panic!("{sandbox}: {error}"),
            }
        }
    });
}
