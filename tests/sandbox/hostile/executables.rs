//! Files that are not programs: each is a failed start, with the reason, whichever command starts it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::Command;

use referee_contest::admission::check::{LATE_PERCENT, NotAdmitted, check};
use referee_games::catalog;
use referee_rules::{Fault, Parameters};
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::{Choice, Tier, probe};
use referee_table::process::{Program, Setup};

use crate::support::{FAULTY, Place, REFEREE, named};

/// Starts a file as a bot, bypassing all earlier checks, and returns the result of its first question.
fn first_fault(file: PathBuf, sandbox: Tier) -> Fault {
    let entry = catalog::find("football").expect("football");
    let setup = Setup { sandbox, ..Setup::with(&*REFEREE) };
    let program = Program::new(file, Vec::new());
    match check(entry, &Parameters::defaults(entry.parameters), &program, &named("bot"), &setup, LATE_PERCENT)
        .map_err(|error| error.cause::<NotAdmitted>().cloned().ok_or(error))
    {
        Err(Ok(NotAdmitted { fault: finding, .. })) => finding.fault,
        other => panic!("{}: {other:?}", program.file.display()),
    }
}

#[test]
fn a_file_that_is_no_program_fails_to_start_and_it_is_said_why() {
    let place = Place::new();
    let elf = fs::read(&FAULTY).expect("a program");
    let patched = |at: usize, bytes: &[u8]| {
        let mut elf = elf.clone();
        elf[at..at + bytes.len()].copy_from_slice(bytes);
        elf
    };
    let machine: u16 = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
    let loader = elf.windows(4).position(|part| part == b"/lib").expect("a program loader");
    for (name, bytes, reason) in [
        ("empty", Vec::new(), "an empty file"),
        ("text", b"print('hello')\n".to_vec(), "neither a compiled program"),
        ("archive", b"PK\x03\x04 and so on".to_vec(), "neither a compiled program"),
        ("windows-program", [b"MZ".as_slice(), &[0; 500]].concat(), "a program for Windows"),
        ("one-byte", b"\x7f".to_vec(), "neither a compiled program"),
        ("stump", elf[..10].to_vec(), "cut off"),
        ("header", elf[..64].to_vec(), "cut off"),
        ("part", elf[..20_000].to_vec(), "cut off"),
        ("other-machine", patched(18, &machine.to_le_bytes()), "another machine"),
        ("object", patched(16, &[1]), "an object file"),
        ("no-loader", patched(loader + 1, b"n"), "needs a program loader"),
        ("no-interpreter", b"#!/no/such/python\n".to_vec(), "/no/such/python"),
        ("no-interpreter-named", b"#!\n".to_vec(), "interpreter"),
        ("windows-script", b"#!/bin/sh\r\necho 4\r\n".to_vec(), "carriage return"),
    ] {
        place.program(name, bytes);
        assert_start_fails(&place, name, reason);
    }
}

#[test]
fn a_gigabyte_of_zeros_fails_to_start_at_once() {
    let place = Place::new();
    let file = File::create(place.path("zeros")).expect("a file");
    file.set_len(1 << 30).expect("a file with a hole");
    fs::set_permissions(place.path("zeros"), Permissions::from_mode(0o755)).expect("permissions");
    drop(file);
    assert_start_fails(&place, "zeros", "neither a compiled program");
}

#[test]
fn a_program_whose_library_is_missing_or_too_old_fails_to_start_and_the_library_is_named() {
    let place = Place::new();
    let compile = |words: &[&str], source: &str| {
        fs::write(place.path("source.c"), source).expect("a source");
        let mut compiler = Command::new("cc");
        compiler.current_dir(place.path("")).args(["source.c", "-o"]).args(words);
        assert!(compiler.status().expect("cc, which a Rust toolchain needs, too").success());
    };
    compile(&["libabsent.so", "-shared", "-fPIC"], "int answer(void) { return 4; }");
    let user = "int answer(void); int main(void) { return answer(); }";
    compile(&["homesick", "-L.", "-labsent"], user);
    fs::remove_file(place.path("libabsent.so")).expect("a file");
    assert_start_fails(&place, "homesick", "a shared library is missing: libabsent.so");

    // It was built with a later version of the system's own library.
    compile(&["modern"], "#include <stdlib.h>\nint main(void) { return atoi(\"0\"); }");
    let mut modern = fs::read(place.path("modern")).expect("a program");
    let named: Vec<usize> =
        (0..modern.len() - 8).filter(|at| modern[*at..].starts_with(b"GLIBC_2.")).collect();
    if named.is_empty() {
        return; // another C library, whose versions have no names
    }
    for at in named {
        modern[at + 6] = b'9';
    }
    fs::write(place.path("modern"), modern).expect("a program");
    assert_start_fails(&place, "modern", "a shared library is too old: ");
}

#[test]
fn what_is_no_file_fails_to_start() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).expect("a folder");
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().expect("mkfifo").success());
    let _socket = UnixListener::bind(place.path("socket")).expect("a socket");
    symlink(place.path("nowhere"), place.path("dangling")).expect("a link");
    symlink(place.path("loop"), place.path("loop")).expect("a link");
    fs::write(place.path("plain"), "#!/bin/sh\n").expect("a file");
    for (name, reason) in [
        ("missing", "no such file"),
        ("folder", "a directory"),
        ("pipe", "not a regular file"),
        ("socket", "not a regular file"),
        ("dangling", "no such file"),
        ("loop", "symbolic links"),
        ("plain", "not executable"),
    ] {
        assert_start_fails(&place, name, reason);
    }
}

#[track_caller]
fn assert_start_fails(place: &Place, name: &str, reason: &str) {
    let works_here =
        |tier: &Tier| probe::choose(Choice::Only(*tier), &ForkServer::of(&*REFEREE), i32::MAX).is_ok();
    for tier in Tier::ALL.into_iter().filter(works_here) {
        match first_fault(place.path(name), tier) {
            Fault::StartFailed(why) => assert!(why.contains(reason), "{tier}: {name}: {why}"),
            other => panic!("{tier}: {name}: {other}"),
        }
    }
}
