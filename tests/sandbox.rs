//! What a confined bot cannot do, in each tier, and that it can still play. Each attempt is made without a sandbox as
//! well, where it works: so it is the sandbox that stops it.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use referee::catalog;
use referee::rules::{Fault, Info, Parameters, Resource, Seat, Seed};
use referee::table::process::{ProcessTable, Program, Setup};
use referee::table::sandbox::{Choice, Limits, Tier, probe};
use referee::table::{Answer, Question, Table, TableError, Void};
use rustix::process::{Pid, Signal, geteuid, getpid, kill_process};

use crate::support::{Place, REFEREE, Ran, comes_true, results_in};

const CONFINED: [Tier; 2] = [Tier::Strict, Tier::Landlock];

/// A bot that makes an attempt and answers 1 if it worked, else 0.
fn attempt(body: &str) -> String {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "#!/usr/bin/env python3\nimport os, signal, socket, sys, threading, time\n\ndef attempt():\n{lines}\n\
         for line in sys.stdin:\n    try:\n        attempt()\n        print(1, flush=True)\n    \
         except (OSError, MemoryError, RuntimeError):\n        print(0, flush=True)\n"
    )
}

fn info() -> Info {
    let entry = catalog::find("target").expect("the game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("seats", 2), ("first_ms", 60_000), ("turn_ms", 60_000)] {
        parameters.set(name, value).expect("a parameter");
    }
    entry.start(&parameters, Seed(1)).info().clone()
}

fn setup(tier: Tier) -> Setup {
    Setup { sandbox: tier, ..Setup::with(REFEREE) }
}

/// A table with one bot.
fn table(program: Program, setup: &Setup) -> Result<ProcessTable, TableError> {
    ProcessTable::open(&info(), &vec![Some(program), None].into(), setup)
}

fn ask(table: &mut ProcessTable) -> Result<Answer, TableError> {
    let limit = Duration::from_secs(60);
    table.put(&[Question { seat: Seat::new(0), line: b"1 0\n".to_vec(), limit }])?;
    let mut answers = Vec::new();
    table.collect(&mut answers)?;
    Ok(answers.remove(0))
}

/// What a bot answers to its first question.
fn answer(program: Program, setup: &Setup) -> Answer {
    let mut table = table(program, setup).unwrap_or_else(|error| panic!("{error}"));
    let answer = ask(&mut table).unwrap_or_else(|error| panic!("{error}"));
    let remains = table.farewell();
    let errors = remains[Seat::new(0)].errors.to_bytes();
    assert!(answer.fault.is_none() || errors.is_empty(), "{}", String::from_utf8_lossy(&errors));
    answer
}

/// Whether an attempt works, in each tier from the strictest on.
fn works(place: &Place, body: &str) -> [bool; 3] {
    Tier::ALL.map(|tier| {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        answer(program, &setup(tier)).integers == [1]
    })
}

/// A place that anybody may enter: what is refused there is refused by the sandbox.
fn open_place() -> Place {
    let place = Place::new();
    for folder in ["", "tmp"] {
        fs::set_permissions(place.path(folder), Permissions::from_mode(0o777)).expect("permissions");
    }
    place
}

const BY_NONE_BUT_OFF: [bool; 3] = [false, false, true];

#[test]
fn no_file_outside_can_be_read_written_or_listed() {
    let place = open_place();
    fs::write(place.path("secret"), "42").expect("a file");
    fs::set_permissions(place.path("secret"), Permissions::from_mode(0o666)).expect("permissions");
    let secret = place.path("secret");
    let secret = secret.display();
    for body in [
        format!("open('{secret}').read()"),
        format!("open('{secret}', 'a').write('43')"),
        format!("os.truncate('{secret}', 1)"),
        format!("os.listdir('{}')", place.path("").display()),
        format!("open('{}', 'w')", place.path("new").display()),
        "open('/etc/passwd').read()".to_owned(),
        format!("open('/proc/{}/status').read()", getpid().as_raw_nonzero()),
    ] {
        assert_eq!(works(&place, &body), BY_NONE_BUT_OFF, "{body}");
    }
}

#[test]
fn nobody_can_be_reached() {
    let place = open_place();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("an address").port();
    let process = getpid().as_raw_nonzero();
    for body in [
        format!("socket.create_connection(('127.0.0.1', {port}), 5)"),
        "socket.socket(socket.AF_UNIX)".to_owned(),
        format!("os.kill({process}, 0)"),
        "os.kill(os.getppid(), 0) if os.getppid() else os.kill(-1, 0)".to_owned(),
        "os.setsid() if os.getpid() != os.getsid(0) else os.setpgid(os.fork() or os._exit(0), 0)".to_owned(),
    ] {
        // Where there is no sandbox the last one works, or not, as it happens: whom it starts may be gone.
        let [strict, landlock, off] = works(&place, &body);
        assert!(!strict && !landlock && (off || body.contains("fork")), "{body}: {strict} {landlock} {off}");
    }
}

#[test]
fn processes_are_started_by_permission_only() {
    let place = open_place();
    let body = "if os.fork() == 0: os._exit(0)\nos.wait()";
    assert_eq!(works(&place, body), BY_NONE_BUT_OFF);
    for tier in CONFINED {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        let program = Program { may_fork: true, ..program };
        assert_eq!(answer(program, &setup(tier)).integers, [1], "{tier}");
    }
}

#[test]
fn each_bot_has_its_threads_for_itself() {
    let place = open_place();
    let body = "for _ in range(40): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()";
    let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
    // In the other tier an ordinary user's bots share theirs.
    for tier in CONFINED.into_iter().filter(|tier| *tier == Tier::Strict || geteuid().is_root()) {
        let both = vec![Some(program.clone()), Some(program.clone())].into();
        let mut table = ProcessTable::open(&info(), &both, &setup(tier)).expect("both start");
        let limit = Duration::from_secs(60);
        let question = |seat| Question { seat: Seat::new(seat), line: b"1 0\n".to_vec(), limit };
        table.put(&[question(0), question(1)]).expect("both are asked");
        let mut answers = Vec::new();
        table.collect(&mut answers).expect("both answer");
        assert!(answers.iter().all(|answer| answer.integers == [1]), "{tier}: {answers:?}");
    }
}

#[test]
fn its_folder_is_empty_and_in_the_strict_tier_its_own_to_write_to() {
    let place = open_place();
    let body = "assert os.listdir('.') == [] and os.getcwd() == os.environ['HOME'] == os.environ['TMPDIR']\n\
                open('file', 'w').write('x')";
    assert_eq!(works(&place, body), [true, false, true]);
    let body = "open('program', 'wb').write(open('/bin/true', 'rb').read())\nos.chmod('program', 0o755)\n\
                os.execv('program', ['program'])";
    for tier in CONFINED {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        assert_eq!(answer(program, &setup(tier)).integers, [0], "{tier}: nothing in it can be executed");
    }
}

#[test]
fn memory_files_threads_and_descriptors_have_limits() {
    let place = open_place();
    let limits = Limits { data_mib: 128, tasks: 8, file_mib: 1, descriptors: 16, ..Limits::default() };
    for body in [
        "bytearray(200 << 20)",
        "for number in range(20): open('/dev/null', 'rb', closefd=True) and os.dup(0)",
        "for number in range(20): threading.Thread(target=time.sleep, args=(5,), daemon=True).start()",
    ] {
        for tier in CONFINED {
            let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
            let setup = Setup { limits: limits.clone(), ..setup(tier) };
            assert_eq!(answer(program.clone(), &setup).integers, [0], "{tier}: {body}");
            assert_eq!(
                answer(program, &Setup { limits: Limits::default(), ..setup }).integers,
                [1],
                "{body}"
            );
        }
    }
    let body = "for number in range(3): open(f'file{number}', 'wb').write(bytes(700 << 10))";
    let program = || Program::new(place.program("attempt", attempt(body)), Vec::new());
    let limited = |folder_mib| Limits { folder_mib, ..limits.clone() };
    let setup = |limits| Setup { limits, ..setup(Tier::Strict) };
    assert_eq!(answer(program(), &setup(limited(1))).integers, [0], "the folder is full");
    assert_eq!(answer(program(), &setup(limited(4))).integers, [1]);
}

#[test]
fn who_computes_longer_than_ever_allowed_is_ended_and_the_verdict_says_so() {
    let place = open_place();
    for tier in Tier::ALL {
        for ignores in ["", "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"] {
            let body = format!("{ignores}while True: pass");
            let program = Program::new(place.program("attempt", attempt(&body)), Vec::new());
            let limits = Limits { cpu_seconds: 1, ..Limits::default() };
            let answer = answer(program, &Setup { limits, ..setup(tier) });
            assert_eq!(answer.fault, Some(Fault::Resource(Resource::Cpu)), "{tier}, {ignores:?}");
        }
    }
}

#[test]
fn who_crashes_for_want_of_memory_gets_that_verdict() {
    let place = open_place();
    for tier in Tier::ALL {
        for (mib, fault) in [(110, Fault::Resource(Resource::Memory)), (10, Fault::Crashed(libc::SIGABRT))] {
            let body = format!("memory = bytearray(b'x') * ({mib} << 20)\nos.abort()");
            let program = Program::new(place.program("attempt", attempt(&body)), Vec::new());
            let limits = Limits { data_mib: 128, ..Limits::default() };
            assert_eq!(
                answer(program, &Setup { limits, ..setup(tier) }).fault,
                Some(fault),
                "{tier}, {mib} MiB"
            );
        }
    }
}

#[test]
fn bots_of_all_languages_play_in_all_tiers() {
    let place = open_place();
    let scripts = [
        ("python3", "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print(7, flush=True)\n"),
        (
            "node",
            "#!/usr/bin/env node\nrequire('readline').createInterface({ input: process.stdin })\
             .on('line', () => console.log(7))\n",
        ),
        (
            "java",
            "#!/usr/bin/env -S java --source 11\nclass Bot {\n  public static void main(String[] words) throws Exception {\n    \
             var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));\n    \
             while (input.readLine() != null) System.out.println(7);\n  }\n}\n",
        ),
        ("sh", "#!/bin/sh\nwhile read line; do echo 7; done\n"),
    ];
    let path = std::env::var_os("PATH").expect("a path");
    let is_here = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).exists());
    for (language, script) in scripts.iter().filter(|(language, _)| is_here(language)) {
        for tier in Tier::ALL {
            let program = Program::new(place.program("bot", script), Vec::new());
            let answer = answer(program, &setup(tier));
            assert_eq!(answer.integers, [7], "{language}, {tier}: {answer:?}");
        }
    }
}

/// The processes that run a program of this name.
fn running(name: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let is_it = |process: &std::path::PathBuf| {
        let line = fs::read(process.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        // Not the launcher, nor this test: a bot's own words begin with its interpreter.
        line.contains(name) && line.contains("python")
    };
    processes.filter(is_it).map(|process| process.display().to_string()).collect()
}

/// A bot that starts others and has them leave it, if they can. Returns a part of its name that nobody else has.
fn fertile(place: &Place, name: &str) -> (Program, String) {
    let name = format!("{name}-{}", getpid().as_raw_nonzero());
    let body = "for number in range(3):\n    if os.fork() == 0:\n        \
                for leave in [os.setsid, lambda: os.setpgid(0, 0)]:\n            try: leave()\n            \
                except OSError: pass\n        if os.fork() == 0: time.sleep(1000)\n        time.sleep(1000)";
    let program = Program::new(place.program(&name, attempt(body)), Vec::new());
    (Program { may_fork: true, ..program }, name)
}

#[test]
fn nobody_survives_the_game() {
    let place = open_place();
    for tier in Tier::ALL {
        let (program, name) = fertile(&place, &format!("survivor-{tier}"));
        let mut table = table(program, &setup(tier)).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
        assert!(comes_true(|| running(&name).len() == 7), "{tier}: {:?}", running(&name));
        table.farewell();
        assert_eq!(running(&name), [""; 0], "{tier}");
    }
    let left: Vec<_> = fs::read_dir(place.path("tmp")).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn nobody_survives_the_launcher_and_its_death_is_no_bots_fault() {
    let place = open_place();
    for tier in CONFINED {
        let (program, name) = fertile(&place, &format!("orphan-{tier}"));
        let mut table = table(program, &setup(tier)).expect("a table");
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
        assert!(comes_true(|| running(&name).len() == 7), "{tier}: {:?}", running(&name));
        let launchers = children_of_this_thread();
        launchers.iter().for_each(|launcher| kill_process(*launcher, Signal::KILL).expect("it runs"));
        let error = ask(&mut table).expect_err("the game is void");
        assert!(matches!(error, TableError::Void(Void::SandboxError { .. })), "{error}");
        drop(table);
        assert!(comes_true(|| running(&name).is_empty()), "{tier}: {:?}", running(&name));
    }
}

fn children_of_this_thread() -> Vec<Pid> {
    let own = rustix::thread::gettid().as_raw_nonzero();
    let numbers = fs::read_to_string(format!("/proc/self/task/{own}/children")).expect("/proc");
    numbers.split_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}

#[test]
fn a_bot_outlives_the_thread_that_started_it() {
    let place = open_place();
    for tier in Tier::ALL {
        let program = Program::new(place.program("attempt", attempt("pass")), Vec::new());
        let opened = std::thread::spawn(move || table(program, &setup(tier)));
        let mut table = opened.join().expect("no panic").expect("a table");
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(ask(&mut table).expect("an answer").integers, [1], "{tier}");
    }
}

#[test]
fn a_sandbox_that_fails_makes_the_game_void_and_no_bot_guilty() {
    let place = open_place();
    let program = Program::new(place.program("attempt", attempt("pass")), Vec::new());
    let without = Setup { landlock_version_max: 0, ..setup(Tier::Landlock) };
    match table(program, &without) {
        Err(TableError::Void(Void::SandboxError { seat, why })) => {
            assert_eq!(seat, Seat::new(0));
            assert!(why.contains("Landlock"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn old_versions_of_landlock_do() {
    let launcher = Path::new(REFEREE);
    for version in [1, 2, 4, 6] {
        for tier in CONFINED {
            assert_eq!(probe::probe(tier, launcher, version), Ok(()), "{tier}, version {version}");
        }
    }
    let none = probe::choose(Choice::Only(Tier::Landlock), launcher, 0).expect_err("there is none");
    assert!(none.to_string().contains("--sandbox off"), "{none}");
    assert_eq!(probe::choose(Choice::Auto, launcher, 0), Ok(Tier::Strict));
}

/// Calls that a narrow host forbids, as numbers: those that make namespaces, as in Docker; and Landlock's.
const NAMESPACES: &[i64] = &[libc::SYS_unshare, libc::SYS_setns, libc::SYS_mount];
const LANDLOCK: &[i64] = &[libc::SYS_landlock_create_ruleset];

/// Returns `referee play`, in which some calls fail.
fn play_on_a_host_without(place: &Place, calls: &[i64], sandbox: &str) -> std::process::Command {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    use std::os::unix::process::CommandExt;
    let calls = calls.iter().map(|call| (*call, Vec::new())).collect();
    let forbidden = SeccompAction::Errno(libc::EPERM as u32);
    let machine = std::env::consts::ARCH.try_into().expect("a known machine");
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, forbidden, machine).expect("a filter");
    let filter: BpfProgram = filter.try_into().expect("a filter");
    let words =
        ["play", "target", "still", "still", "--max-rounds", "3", "--sandbox", sandbox, "--dir", "games"];
    let mut command = place.command(&words);
    let install = move || seccompiler::apply_filter(&filter).map_err(std::io::Error::other);
    #[expect(unsafe_code, reason = "the filter has to be there before the program is")]
    // SAFETY: the filter is made before; to put it in force takes two system calls and neither memory nor a lock.
    unsafe {
        command.pre_exec(install);
    }
    command
}

#[test]
fn a_narrow_host_gets_the_tier_that_works_there_and_is_told_which() {
    let place = open_place();
    let play = |calls: &[i64], sandbox: &str| {
        let output = play_on_a_host_without(&place, calls, sandbox).output().expect("referee can be started");
        Ran::new(format!("play, without {calls:?}, --sandbox {sandbox}"), &output)
    };
    let all = [NAMESPACES, LANDLOCK].concat();
    play(&[libc::SYS_swapon], "auto").with_status(0).complaining(&["sandbox: strict"]);
    play(NAMESPACES, "auto").with_status(0).complaining(&["sandbox: landlock"]);
    play(LANDLOCK, "auto").with_status(0).complaining(&["sandbox: strict"]);
    let refused = ["strict: ", "landlock: ", "max_user_namespaces", "lsm=", "--sandbox off"];
    play(&all, "auto").with_status(1).complaining(&refused);
    play(NAMESPACES, "strict").with_status(1).complaining(&["strict: make namespaces"]);
    play(&all, "off").with_status(0).complaining(&["sandbox: off"]);
    let rows = results_in(&place.path("games"));
    let mut tiers: Vec<&str> = rows.iter().map(|row| &*row.sandbox).collect();
    tiers.dedup();
    assert_eq!(tiers, ["strict", "landlock", "strict", "off"]);
    place.assert_nothing_stays();
}

#[test]
fn an_ordinary_user_confines_bots_as_root_does() {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        return; // then all other tests have shown it
    }
    let place = open_place();
    // Copied by another program: no process of this one can have the copy open for writing.
    let program = place.path("referee");
    let copied = std::process::Command::new("cp").arg(REFEREE).arg(&program).status();
    assert!(copied.expect("cp").success());
    for sandbox in ["strict", "landlock"] {
        let mut command = std::process::Command::new(&program);
        command.args(["play", "target", "still", "still", "--max-rounds", "3", "--sandbox", sandbox]);
        command.uid(65_534).gid(65_534).current_dir(place.path("")).env("TMPDIR", place.path("tmp"));
        let output = command.output().expect("referee can be started");
        let told = format!("sandbox: {sandbox}");
        Ran::new("play".to_owned(), &output).with_status(0).complaining(&[&told]);
    }
    place.assert_nothing_stays();
}

#[test]
fn nobody_survives_the_referee() {
    let place = open_place();
    for tier in Tier::ALL {
        let (program, name) = fertile(&place, &format!("widow-{tier}"));
        let bot = program.file.display().to_string();
        let words =
            ["play", "target", &bot, "still", "--allow-fork", "--first-ms", "60000", "--turn-ms", "60000"];
        let mut referee = place.command(&[&words[..], &["--sandbox", tier.name()]].concat());
        let quiet = std::process::Stdio::null;
        let mut running_game =
            referee.stdout(quiet()).stderr(quiet()).spawn().expect("referee can be started");
        assert!(comes_true(|| running(&name).len() >= 7), "{tier}: {:?}", running(&name));
        running_game.kill().expect("it runs");
        running_game.wait().expect("its end");
        assert!(comes_true(|| running(&name).is_empty()), "{tier}: {:?}", running(&name));
        place.assert_no_process_stays();
    }
    let left = || -> Vec<_> {
        let left = fs::read_dir(place.path("tmp")).expect("a folder").flatten();
        left.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"referee-bot")).collect()
    };
    assert!(comes_true(|| left().is_empty()), "{:?}", left());
}
