//! Landlock alone: each right, in a thread without any other confinement.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::thread;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, test_kill_process};

use super::{Rules, enforce, prepare, version};

/// Fills a folder with folders, files and a program.
fn furnish(folder: &Path) {
    for name in ["folder", "folder/inner", "empty"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    for name in ["file", "folder/file", "gone"] {
        fs::write(folder.join(name), "text").unwrap();
    }
    fs::copy("/bin/true", folder.join("program")).unwrap();
    fs::set_permissions(folder.join("program"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Actions in a folder, each with the right that it needs there: to read, to write or to execute.
type Attempt = (&'static str, Needs, fn(&Path) -> io::Result<()>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Read,
    Write,
    Execute,
}

fn make(folder: &Path, name: &str, kind: FileType) -> io::Result<()> {
    // Number 0 is no device: every user may make it.
    Ok(mknodat(CWD, folder.join(name), kind, Mode::RUSR, 0)?)
}

const ATTEMPTS: [Attempt; 16] = [
    ("read a file", Needs::Read, |folder| fs::read(folder.join("file")).map(drop)),
    ("list a folder", Needs::Read, |folder| fs::read_dir(folder.join("folder")).map(drop)),
    ("list the folder itself", Needs::Read, |folder| fs::read_dir(folder).map(drop)),
    ("execute", Needs::Execute, |folder| Command::new(folder.join("program")).status().map(drop)),
    ("write a file", Needs::Write, |folder| {
        OpenOptions::new().write(true).open(folder.join("file")).map(drop)
    }),
    ("append to a file", Needs::Write, |folder| {
        OpenOptions::new().append(true).open(folder.join("file")).map(drop)
    }),
    ("make a file", Needs::Write, |folder| File::create_new(folder.join("new")).map(drop)),
    ("make a folder", Needs::Write, |folder| fs::create_dir(folder.join("new-folder"))),
    ("make a link", Needs::Write, |folder| symlink("file", folder.join("link"))),
    ("make a named pipe", Needs::Write, |folder| make(folder, "pipe", FileType::Fifo)),
    ("make a socket", Needs::Write, |folder| make(folder, "socket", FileType::Socket)),
    ("make a device", Needs::Write, |folder| make(folder, "device", FileType::CharacterDevice)),
    ("remove a file", Needs::Write, |folder| fs::remove_file(folder.join("gone"))),
    ("remove a folder", Needs::Write, |folder| fs::remove_dir(folder.join("empty"))),
    ("rename within the folder", Needs::Write, |folder| {
        fs::rename(folder.join("file"), folder.join("renamed"))
    }),
    // The last one: from one folder to another.
    ("move a file", Needs::Write, |folder| {
        fs::rename(folder.join("folder/file"), folder.join("folder/inner/file"))
    }),
];

/// Runs a function in a thread that has only these rights.
fn confined<T: Send>(rules: &Rules, run: impl FnOnce() -> T + Send) -> T {
    let rules = prepare(rules, version(i32::MAX)).unwrap();
    thread::scope(|scope| {
        let confined = scope.spawn(|| {
            rustix::thread::set_no_new_privs(true).unwrap();
            enforce(rules).unwrap();
            run()
        });
        confined.join().unwrap()
    })
}

#[test]
fn each_right_is_there_where_it_is_given_and_nowhere_else() {
    if version(i32::MAX) == 0 {
        return;
    }
    let [outside, read, write] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    [&outside, &read, &write].into_iter().for_each(|folder| furnish(folder.path()));
    let system = ["/usr", "/lib", "/lib64", "/bin"].map(Into::into);
    let rules = Rules {
        open: Vec::new(),
        read: [&[read.path().to_owned()][..], &system].concat(),
        write: vec![write.path().to_owned()],
    };
    let found = confined(&rules, || {
        ATTEMPTS.map(|(_, _, run)| [&outside, &read, &write].map(|folder| run(folder.path()).is_ok()))
    });
    for ((name, needs, run), found) in ATTEMPTS.into_iter().zip(found) {
        let expected = match needs {
            Needs::Read => [false, true, true],
            Needs::Execute => [false, true, false],
            Needs::Write => [false, false, true],
        };
        assert_eq!(found, expected, "{name}: outside, where it may read, where it may write");
        // A refused action is possible without the refusal.
        assert!(run(outside.path()).is_ok(), "{name}");
    }
}

#[test]
fn a_file_alone_may_be_read_or_written_by_itself() {
    if version(i32::MAX) < 3 {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let at = |name: &str| folder.path().join(name);
    let rules = Rules { open: Vec::new(), read: vec![at("file")], write: vec![at("gone")] };
    let found = confined(&rules, || {
        let truncate = |name| rustix::fs::open(at(name), rustix::fs::OFlags::TRUNC, Mode::empty()).is_ok();
        let write = |name| OpenOptions::new().write(true).open(at(name)).is_ok();
        [
            fs::read(at("file")).is_ok(),
            write("file"),
            truncate("file"),
            fs::read(at("folder/file")).is_ok(),
            write("gone"),
            fs::read_dir(folder.path()).is_ok(),
        ]
    });
    assert_eq!(found, [true, false, false, false, true, false]);
}

#[test]
fn nobody_outside_can_be_reached() {
    let version = version(i32::MAX);
    let name = format!("referee-landlock-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixListener::bind_addr(&address).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = port.local_addr().unwrap();
    let mut stranger = Command::new("sleep").arg("600").spawn().unwrap();
    let number = Pid::from_child(&stranger);
    let try_all = || {
        [
            (4, TcpStream::connect(to).is_ok()),
            (4, TcpListener::bind("127.0.0.1:0").is_ok()),
            (6, UnixStream::connect_addr(&address).is_ok()),
            (6, test_kill_process(number).is_ok()),
        ]
    };
    let before = try_all();
    let found = (version > 0).then(|| confined(&Rules::default(), try_all));
    stranger.kill().and_then(|()| stranger.wait()).unwrap();
    drop(listener);
    assert!(before.iter().all(|(_, works)| *works), "{before:?}");
    for (since, works) in found.into_iter().flatten() {
        assert_eq!(works, version < since, "what version {since} of Landlock keeps from a process");
    }
}
