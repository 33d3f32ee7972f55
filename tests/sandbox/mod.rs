//! A confined bot fails at each forbidden attempt, in each tier, and can still play. Each attempt is also made without
//! a sandbox, where it works: this proves that the sandbox stops it.

pub(crate) mod hostile;
mod languages;
mod layers;
mod narrow_hosts;
mod patience;
mod resident;
pub(crate) mod survival;
mod waits;

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use referee_games::catalog;
use referee_record::Answer;
use referee_record::play::table::{Question, Table, TableError, Void};
use referee_rules::{Fault, Info, Parameters, Resource, Seat, Seed};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::{Interpreters, Limits, Tier};
use referee_table::process::{ProcessTable, Program, Setup};
use rustix::process::{geteuid, getpid};

use crate::sandbox::hostile::tiers::own_programs;
use crate::support::{Place, REFEREE};

pub(crate) const CONFINED: [Tier; 2] = [Tier::Strict, Tier::Landlock];

/// A bot that makes an attempt and answers 1 if it worked, else 0.
pub(crate) fn attempt(body: &str) -> String {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "#!/usr/bin/env python3\nimport os, signal, socket, sys, threading, time\n\ndef attempt():\n{lines}\n\
         for line in sys.stdin:\n    try:\n        attempt()\n        print(1, flush=True)\n    \
         except (OSError, MemoryError, RuntimeError):\n        print(0, flush=True)\n"
    )
}

pub(crate) fn info() -> Info {
    let entry = catalog::find("target").expect("the game");
    let mut parameters = Parameters::defaults(entry.parameters);
    for (name, value) in [("seats", 2), ("first_ms", 60_000), ("turn_ms", 60_000)] {
        parameters.set(name, value).expect("a parameter");
    }
    entry.start(&parameters, Seed(1)).info().clone()
}

pub(crate) fn setup(tier: Tier) -> Setup {
    let referee = own_programs().map_or_else(|| (&REFEREE).into(), |programs| programs.join("referee"));
    Setup { sandbox: tier, ..Setup::with(referee) }
}

/// A table with one bot.
pub(crate) fn table(program: Program, setup: &Setup) -> Result<ProcessTable, TableError> {
    ProcessTable::open(&info(), &vec![Some(program), None].into(), setup)
}

pub(crate) fn send_question(table: &mut ProcessTable) -> Result<(), TableError> {
    let limit = Duration::from_secs(60);
    table.ask(&[Question { seat: Seat::new(0), line: b"1 0\n".to_vec(), limit }])
}

pub(crate) fn ask(table: &mut ProcessTable) -> Result<Answer, TableError> {
    send_question(table)?;
    let mut answers = Vec::new();
    table.collect(&mut answers)?;
    Ok(answers.remove(0))
}

/// Returns a bot's answer to its first question.
fn answer(program: Program, setup: &Setup) -> Answer {
    let mut table = table(program, setup).unwrap_or_else(|error| panic!("{error}"));
    let answer = ask(&mut table).unwrap_or_else(|error| panic!("{error}"));
    let remains = table.farewell();
    let errors = remains[Seat::new(0)].errors.to_bytes();
    assert!(answer.fault.is_none() || errors.is_empty(), "{}", String::from_utf8_lossy(&errors));
    answer
}

/// Tells for each tier whether an attempt works, the strictest tier first.
fn works(place: &Place, body: &str) -> [bool; 3] {
    Tier::ALL.map(|tier| {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        answer(program, &setup(tier)).integers == [1]
    })
}

/// A place that all users can enter: only the sandbox refuses access there.
pub(crate) fn open_place() -> Place {
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
        // It reveals the path of the bot's own file outside.
        "open('/proc/self/mountinfo').read()".to_owned(),
        "open('/proc/self/mounts').read()".to_owned(),
        format!("open('/proc/{}/status').read()", getpid().as_raw_nonzero()),
    ] {
        assert_eq!(works(&place, &body), BY_NONE_BUT_OFF, "{body}");
    }
}

#[test]
fn a_strict_bot_is_in_namespaces_that_it_shares_with_nobody_but_a_network_without_anything() {
    let place = open_place();
    let body = "names = ['mnt', 'pid', 'ipc', 'uts', 'cgroup', 'net']\n\
                sys.stderr.write(' '.join(os.readlink('/proc/self/ns/' + name) for name in names))";
    let program = Some(Program::new(place.program("attempt", attempt(body)), Vec::new()));
    let setup = setup(Tier::Strict);
    let mut table =
        ProcessTable::open(&info(), &vec![program.clone(), program].into(), &setup).expect("a table");
    let limit = Duration::from_secs(60);
    let questions = [0, 1].map(|seat| Question { seat: Seat::new(seat), line: b"1 0\n".to_vec(), limit });
    let mut answers = Vec::new();
    table.ask(&questions).and_then(|()| table.collect(&mut answers)).expect("answers");
    assert_eq!(answers.iter().map(|answer| &*answer.integers).collect::<Vec<_>>(), [[1], [1]]);
    if geteuid().is_root() {
        let process = table.process(Seat::new(0)).expect("it runs");
        let network = |name: &str| fs::read_to_string(format!("/proc/{process}/net/{name}")).expect("a file");
        let (devices, routes) = (network("dev"), network("route"));
        let devices: Vec<&str> =
            devices.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
        assert_eq!(devices, ["lo"], "no device except loopback");
        assert!(routes.lines().count() <= 1, "no route: {routes}");
    }
    let remains = table.farewell();
    let told =
        [0, 1].map(|seat| String::from_utf8(remains[Seat::new(seat)].errors.to_bytes()).expect("a text"));
    let of_bots = told.each_ref().map(|told| told.split(' ').collect::<Vec<_>>());
    assert_eq!(of_bots[0].len(), 6, "{told:?}");
    for (index, name) in ["mnt", "pid", "ipc", "uts", "cgroup", "net"].into_iter().enumerate() {
        let here = fs::read_link(format!("/proc/self/ns/{name}")).expect("a namespace");
        let [one, other] = of_bots.each_ref().map(|bot| bot[index]);
        assert!(one.starts_with(name) && here != Path::new(one) && here != Path::new(other), "{one} {other}");
        // Root makes one network for all bots.
        assert_eq!(one == other, name == "net" && geteuid().is_root(), "{one} {other}");
    }
}

/// Nothing but the referee wakes a frozen bot: no timer, no thread that sends the signal while the group is
/// being stopped, no child that ends.
#[test]
fn a_confined_bot_has_no_way_to_be_woken() {
    const TIMER: &str = "\
import ctypes
class Event(ctypes.Structure):
    _fields_ = [('value', ctypes.c_long), ('signal', ctypes.c_int), ('notify', ctypes.c_int), ('pad', ctypes.c_int * 12)]
timer, event = ctypes.c_long(), Event(0, signal.SIGCONT, 0)
if ctypes.CDLL(None, use_errno=True).timer_create(1, ctypes.byref(event), ctypes.byref(timer)) != 0:
    raise OSError(ctypes.get_errno())";
    const CHILD: &str = "\
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
child = libc.syscall(56 if os.uname().machine == 'x86_64' else 220, int(signal.SIGCONT), None, None, None, None)
if child == 0:
    os._exit(0)
if child < 0:
    raise OSError(ctypes.get_errno())";
    let place = open_place();
    let signals = ["os.kill(os.getpid(), signal.SIGCONT)", "os.kill(0, signal.SIGCONT)"];
    let thread = "signal.pthread_kill(threading.get_ident(), signal.SIGCONT)";
    for body in [TIMER, CHILD, signals[0], signals[1], thread] {
        for may_fork in [false, true] {
            let found = Tier::ALL.map(|tier| {
                let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
                answer(Program { may_fork, ..program }, &setup(tier)).integers == [1]
            });
            assert_eq!(found, [false, false, true], "{body}");
        }
    }
}

#[test]
fn process_1_of_a_bot_has_no_power_holds_nothing_and_cannot_be_looked_into() {
    let place = open_place();
    let program = Program::new(place.program("attempt", attempt("pass")), Vec::new());
    let mut table = table(program, &setup(Tier::Strict)).expect("a table");
    assert_eq!(&*ask(&mut table).expect("an answer").integers, [1]);
    let bot = table.process(Seat::new(0)).expect("it runs").to_string();
    let of = |process: &str, what: &str| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
        let value = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(":\t"));
        value.unwrap_or_else(|| panic!("no {what} in {status}")).to_owned()
    };
    let launcher = of(&bot, "PPid");
    let children =
        fs::read_to_string(format!("/proc/{launcher}/task/{launcher}/children")).expect("children");
    let children: Vec<&str> = children.split_whitespace().filter(|child| *child != bot).collect();
    let [first] = children[..] else { panic!("besides the bot: {children:?}") };
    assert!(of(first, "NSpid").ends_with("\t1"), "{first}");
    let descriptors = fs::read_dir(format!("/proc/{first}/fd")).expect("descriptors").flatten();
    let descriptors: Vec<_> = descriptors.map(|entry| entry.file_name()).collect();
    assert_eq!(descriptors, ["0"], "its lifeline");
    let power = |process: &str, set: &str| u64::from_str_radix(&of(process, set), 16).expect("a number");
    assert_eq!(power(first, "CapEff") | power(first, "CapBnd") | power(first, "CapInh"), 0);
    // Its memory is the launcher's. Another user cannot read it, nor can a process without the launcher's
    // capabilities.
    let same_user = of(&bot, "Uid") == of(first, "Uid");
    assert_eq!(power(first, "CapPrm") & !power(&bot, "CapPrm") != 0, same_user);
}

#[test]
fn of_what_a_strict_bot_sees_only_its_folder_can_be_written_and_nothing_of_the_old_root_is_left() {
    // Devices are written through mounts that keep their times and modes.
    const WRITABLE: [&str; 2] = ["/proc", "/tmp"];
    let place = open_place();
    // One whose interpreter is part of the system, and one for which a folder is also shown.
    let shell = place.program("shell", "#!/bin/sh\nread question\necho 1\nread end\n");
    let mut home = tempfile::Builder::new();
    let home = home.prefix("referee-test-").permissions(Permissions::from_mode(0o755)).tempdir_in("/var/tmp");
    let home = home.expect("a folder that is not below the bot's own");
    fs::create_dir(home.path().join("bin")).expect("a folder");
    fs::copy("/bin/sh", home.path().join("bin/sh")).expect("a shell");
    let own = format!("#!{}\nread question\necho 1\nread end\n", home.path().join("bin/sh").display());
    for (program, folder) in [(shell, None), (place.program("own", own), home.path().to_str())] {
        let interpreters = Interpreters::listed(folder.as_slice()).expect("a folder");
        let setup = Setup { interpreters, ..setup(Tier::Strict) };
        let mut table = table(Program::new(program, Vec::new()), &setup).expect("a table");
        assert_eq!(&*ask(&mut table).expect("an answer").integers, [1]);
        let bot = table.process(Seat::new(0)).expect("it runs");
        let mounts = fs::read_to_string(format!("/proc/{bot}/mountinfo")).expect("mounts");
        let mounts: Vec<[&str; 2]> = mounts
            .lines()
            .map(|line| line.split(' ').collect::<Vec<_>>())
            .map(|line| [line[4].trim_end_matches('/'), line[5]])
            .collect();
        let writable = mounts.iter().filter(|[_, options]| !options.split(',').any(|option| option == "ro"));
        let mut writable: Vec<&str> = writable.map(|[place, _]| *place).collect();
        writable.sort_unstable();
        assert_eq!(writable, WRITABLE);
        let at = |path: &str| mounts.iter().filter(|[place, _]| Path::new(place).starts_with(path)).count();
        assert_eq!((at("/old"), at("/home"), at("/root"), at("/bot")), (0, 0, 0, 2), "{mounts:?}");
        let shown = folder.is_none_or(|folder| at(folder) == 1);
        assert!(shown, "{mounts:?}");
    }
}

#[test]
#[ignore = "needs root"]
fn what_is_installed_while_the_referee_runs_is_there_for_the_next_bot() {
    assert!(geteuid().is_root(), "this needs root: otherwise each bot has its own root");
    let place = open_place();
    let etc = place.path("etc");
    fs::create_dir(&etc).expect("a folder");
    // A referee that sees this folder as /etc.
    let line = format!("mount --bind {} /etc && exec {REFEREE} \"$@\"", etc.display());
    let server =
        place.program("server", format!("#!/bin/sh\nexec unshare --mount sh -c '{line}' sh \"$@\"\n"));
    let setup = Setup { fork_server: ForkServer::of(server), ..setup(Tier::Strict) };
    let body = "#!/bin/sh\nread question\nif [ -e /etc/java-new ]; then echo 1; else echo 0; fi\nread end\n";
    let program = Program::new(place.program("looks", body), Vec::new());
    assert_eq!(&*answer(program.clone(), &setup).integers, [0]);
    fs::create_dir(etc.join("java-new")).expect("a folder");
    assert_eq!(&*answer(program, &setup).integers, [1]);
}

#[test]
fn a_bot_may_look_at_itself() {
    let place = open_place();
    let body = "for name in 'cmdline limits maps schedstat stat statm status'.split():\n    \
                open('/proc/self/' + name).read()\nos.listdir('/proc/self/fd')";
    assert_eq!(works(&place, body), [true; 3]);
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
        "os.setpgid(0, 0)".to_owned(),
    ] {
        assert_eq!(works(&place, &body), BY_NONE_BUT_OFF, "{body}");
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
fn a_bot_of_a_folder_finds_its_files_where_it_starts_and_cannot_change_them_in_a_sandbox() {
    let place = open_place();
    fs::create_dir_all(place.path("fox/data")).expect("a folder");
    fs::write(place.path("fox/data/weights.txt"), "30").expect("a file");
    for (body, due) in [
        ("assert open('data/weights.txt').read() == '30'", [true; 3]),
        ("open('data/weights.txt', 'a')", BY_NONE_BUT_OFF),
        ("open('log.txt', 'w').write('x')", [true, false, true]),
    ] {
        let file = place.program("fox/attempt", attempt(body));
        let program = Program { with_folder: true, ..Program::new(file, Vec::new()) };
        let found = Tier::ALL.map(|tier| answer(program.clone(), &setup(tier)).integers == [1]);
        assert_eq!(found, due, "{body}");
    }
}

#[test]
fn no_file_of_a_bot_takes_the_place_of_what_the_host_shows() {
    let place = open_place();
    let mut home = tempfile::Builder::new();
    let home = home.prefix("referee-test-").permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp");
    let home = home.expect("a folder that is below the bot's own");
    fs::create_dir(home.path().join("bin")).expect("a folder");
    fs::copy("/bin/sh", home.path().join("bin/sh")).expect("a shell");
    let same = place.path("fox").join(home.path().file_name().expect("a name"));
    fs::create_dir_all(same.join("bin")).expect("a folder of the bot");
    let (shown, shell) = (home.path().display(), home.path().join("bin/sh"));
    let body =
        format!("#!{}\nread question\n[ -L {shown} ] && echo 0 || echo 1\nread end\n", shell.display());
    let file = place.program("fox/bot", body);
    let program = Program { with_folder: true, ..Program::new(file, Vec::new()) };
    let interpreters = Interpreters::listed(&[home.path()]).expect("a folder");
    let setup = Setup { interpreters, ..setup(Tier::Strict) };
    assert_eq!(answer(program, &setup).integers, [1]);
}

#[test]
fn semaphores_come_with_processes_in_the_strict_tier_and_are_its_own() {
    let place = open_place();
    let found = |body: &str, may_fork: bool| {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        let program = Program { may_fork, ..program };
        CONFINED.map(|tier| answer(program.clone(), &setup(tier)).integers == [1])
    };
    let lock =
        "import multiprocessing\nassert os.listdir('/dev/shm') == []\nmultiprocessing.Lock().acquire()";
    assert_eq!(found(lock, true), [true, false]);
    assert_eq!(found(lock, false), [false, false]);
    let much = "open('/dev/shm/x', 'wb').write(bytes(2 << 20))";
    assert_eq!(found(much, true), [false, false]);
}

#[test]
fn each_bot_has_threads_of_its_own_however_many_others_have() {
    let place = open_place();
    let body =
        "for number in range(7): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()";
    let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
    for tier in CONFINED {
        // For an ordinary user, only namespaces separate one bot's threads from another's.
        if tier == Tier::Landlock && !rustix::process::geteuid().is_root() {
            continue;
        }
        let setup = Setup { limits: Limits { tasks: 8, ..Limits::default() }, ..setup(tier) };
        let mut tables: Vec<ProcessTable> = (0..4)
            .map(|_| table(program.clone(), &setup).unwrap_or_else(|error| panic!("{error}")))
            .collect();
        for table in &mut tables {
            assert_eq!(ask(table).expect("an answer").integers, [1], "{tier}");
        }
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
    let computes = &|tier, ignores: &str| {
        let body = format!("{ignores}while True: pass");
        let name = format!("attempt-{tier}-{}", ignores.len());
        let program = Program::new(place.program(&name, attempt(&body)), Vec::new());
        let limits = Limits { cpu_seconds: 1, ..Limits::default() };
        let answer = answer(program, &Setup { limits, ..setup(tier) });
        assert_eq!(answer.fault, Some(Fault::Resource(Resource::Cpu)), "{tier}, {ignores:?}");
    };
    std::thread::scope(|scope| {
        for ignores in ["", "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"] {
            for tier in Tier::ALL {
                scope.spawn(move || computes(tier, ignores));
            }
        }
    });
}

#[test]
fn who_writes_too_long_a_file_is_ended_and_the_verdict_says_so() {
    let place = open_place();
    // Python ignores the signal that ends most programs.
    let body = "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nfile = open('file', 'wb')\n\
                for number in range(3): file.write(bytes(1 << 20))";
    for tier in Tier::ALL {
        let program = Program::new(place.program("attempt", attempt(body)), Vec::new());
        let limits = Limits { file_mib: 1, ..Limits::default() };
        let answer = answer(program, &Setup { limits, ..setup(tier) });
        if tier == Tier::Landlock {
            assert_eq!((answer.fault, &*answer.integers), (None, &[0][..]), "there it can write no file");
        } else {
            assert_eq!(answer.fault, Some(Fault::Resource(Resource::File)), "{tier}");
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
fn a_bot_leaves_the_core_to_the_referee() {
    const SCHED_BATCH: i32 = 3;
    let place = open_place();
    let own = rustix::process::getpriority_process(None).expect("a niceness");
    for tier in Tier::ALL {
        let program = Program::new(place.program("attempt", attempt("pass")), Vec::new());
        let mut table = table(program, &setup(tier)).expect("a table");
        ask(&mut table).expect("an answer");
        let process = table.process(Seat::new(0)).expect("it runs");
        assert_eq!(shown(process, [19, 41]), [(own + 5).min(19), SCHED_BATCH], "{tier}");
    }
}

/// Returns numbers from a process's `stat`, by their positions, from 1.
fn shown<const N: usize>(process: i32, numbers: [usize; N]) -> [i32; N] {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("what the system shows");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    numbers.map(|number| fields[number - 3].parse().expect("a number"))
}

#[test]
fn bots_have_a_group_each_and_one_session_for_all_that_has_no_terminal_and_is_not_the_referees() {
    const GROUP: usize = 5;
    const SESSION: usize = 6;
    const TERMINAL: usize = 7;
    let place = open_place();
    for tier in Tier::ALL {
        let program = || Some(Program::new(place.program("attempt", attempt("pass")), Vec::new()));
        let table =
            ProcessTable::open(&info(), &vec![program(), program()].into(), &setup(tier)).expect("a table");
        let bots = [0, 1].map(|seat| table.process(Seat::new(seat)).expect("it runs"));
        let [one, other] = bots.map(|bot| shown(bot, [GROUP, SESSION, TERMINAL]));
        assert_eq!([one[0], other[0]], bots, "{tier}");
        assert_eq!(one[1..], other[1..], "{tier}");
        let [own_session] = shown(getpid().as_raw_nonzero().get(), [SESSION]);
        assert_ne!(one[1], own_session, "{tier}");
        assert_eq!(one[2], 0, "{tier}");
    }
}
