//! Attacks of sources on the host, on rivals, and on the referee. A build script is offered here, so that each attack
//! is a program that runs while its source is built: what it cannot do, no compiler can be made to do.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Test;
use crate::support::{Builder, Stage};

pub(crate) const TESTS: &[Test] = &[
    ("attacks::no_attack_of_a_build_works", None, no_attack_of_a_build_works),
    ("attacks::most_attacks_work_without_the_sandbox", None, most_attacks_work_without_the_sandbox),
    ("attacks::a_build_beyond_its_limits_is_ended", None, a_build_beyond_its_limits_is_ended),
    ("attacks::a_forged_reply_leads_nowhere", None, a_forged_reply_leads_nowhere),
    ("attacks::what_a_build_leaves_is_one_regular_file", None, what_a_build_leaves_is_one_regular_file),
    ("attacks::a_compiler_shows_nothing_of_the_host", None, a_compiler_shows_nothing_of_the_host),
    ("attacks::a_log_speaks_to_nobody_but_its_author", None, a_log_speaks_to_nobody_but_its_author),
    ("attacks::nothing_of_a_build_stays", None, nothing_of_a_build_stays),
    ("attacks::a_lock_of_a_build_is_none", None, a_lock_of_a_build_is_none),
    ("attacks::a_folder_with_anything_else_is_refused", None, a_folder_with_anything_else_is_refused),
    (
        "attacks::an_archive_is_unpacked_within_limits_or_not_at_all",
        None,
        an_archive_is_unpacked_within_limits,
    ),
];

/// An attack: its name, whether it also works for any program outside a sandbox, and its code. It prints `WORKED` if it
/// has worked. `SECRET`, `FOLDER`, `PORT` and `NAME` are a file of the host, its folder, a port that is listened to,
/// and the name of a socket.
const ATTACKS: &[(&str, bool, &str)] = &[
    // Files.
    ("read a file of the host", true, "if 'token' in open(SECRET).read(): worked()"),
    ("see that a file is there", true, "os.stat(SECRET); worked()"),
    ("list a folder", true, "if os.listdir(FOLDER): worked()"),
    ("write beside it", true, "open(FOLDER + '/written', 'w'); worked()"),
    ("link to it", true, "os.link(SECRET, FOLDER + '/linked'); worked()"),
    (
        "read the users",
        true,
        "if 'root:' in open('/etc/passwd').read() and len(open('/etc/passwd').readlines()) > 3: worked()",
    ),
    ("read passwords", false, "open('/etc/shadow').read(); worked()"),
    ("read the name of the machine", true, "open('/etc/hostname').read(); worked()"),
    ("read its hosts", true, "open('/etc/hosts').read(); worked()"),
    ("read its resolver", true, "open('/etc/resolv.conf').read(); worked()"),
    ("see /home", true, "os.listdir('/home'); worked()"),
    ("see /root", false, "os.listdir('/root'); worked()"),
    ("see /var", true, "os.listdir('/var'); worked()"),
    ("see /sys", true, "os.listdir('/sys'); worked()"),
    ("read the kernel's settings", true, "os.listdir('/proc/sys'); worked()"),
    ("read the mounts of the host", true, "if ' / ' in open('/proc/self/mounts').read(): worked()"),
    ("read the kernel's command line", true, "open('/proc/cmdline').read(); worked()"),
    ("read the load", true, "open('/proc/loadavg').read(); worked()"),
    ("write into the system", false, "open('/usr/bin/referee-was-here', 'w'); worked()"),
    (
        "write over the builder",
        false,
        "p = '/bot/' + os.listdir('/bot')[0]; os.chmod(p, 0o777); open(p, 'r+'); worked()",
    ),
    ("write beside the builder", false, "open('/bot/x', 'w'); worked()"),
    ("make a folder at the root", false, "os.mkdir('/x'); worked()"),
    ("change the mode of the system's files", false, "os.chmod('/usr/bin/env', 0o777); worked()"),
    ("change their times", false, "os.utime('/usr/bin/env', (1, 1)); worked()"),
    ("cut them off", false, "os.truncate('/usr/bin/env', 0); worked()"),
    ("give a file away", false, "open('/tmp/tmp/a', 'w'); os.chown('/tmp/tmp/a', 0, 0); worked()"),
    ("make a device", false, "os.mknod('/tmp/tmp/d', 0o20666, os.makedev(1, 5)); worked()"),
    ("change the times of a device", true, "os.utime('/dev/null'); worked()"),
    ("change the mode of a device", false, "os.chmod('/dev/null', 0o666); worked()"),
    ("read /dev/zero", true, "open('/dev/zero', 'rb').read(1); worked()"),
    ("read memory of the machine", false, "open('/dev/mem', 'rb'); worked()"),
    ("read messages of the kernel", false, "open('/dev/kmsg', 'rb'); worked()"),
    ("open a terminal", false, "open('/dev/tty'); worked()"),
    (
        "go up by a link",
        true,
        "os.symlink(FOLDER, '/tmp/tmp/l') if INSIDE else None; open((('/tmp/tmp/l') if INSIDE else FOLDER) + '/secret.txt'); worked()",
    ),
    (
        "go up by an open folder",
        false,
        "f = os.open('/', os.O_RDONLY); os.fchdir(f); os.chroot('.'); worked()",
    ),
    // Programs.
    (
        "run a file without a name",
        true,
        "f = os.memfd_create('m'); os.write(f, b'#!/bin/sh\\n'); os.fchmod(f, 0o755); subprocess.run([f'/proc/self/fd/{f}'], pass_fds=[f], check=True); worked()",
    ),
    (
        "load code that it has made",
        true,
        "import shutil, glob; shutil.copyfile(glob.glob('/lib*/*/libm.so.6')[0], TMP + '/m.so'); ctypes.CDLL(TMP + '/m.so'); worked()",
    ),
    ("become root", false, "os.setuid(0); worked()"),
    (
        "become root by a mode",
        false,
        "open('/tmp/tmp/s', 'w'); os.chmod('/tmp/tmp/s', 0o4755); os.setresuid(0, 0, 0); worked()",
    ),
    ("make a user namespace", false, "if libc.unshare(0x10000000) == 0: worked()"),
    ("make a namespace of mounts", false, "if libc.unshare(0x20000) == 0: worked()"),
    ("mount", false, "if libc.mount(b't', b'/tmp/tmp', b'tmpfs', 0, None) == 0: worked()"),
    ("look into its parent", false, "if libc.ptrace(16, os.getppid(), None, None) == 0: worked()"),
    ("see other processes", true, "if len([p for p in os.listdir('/proc') if p.isdigit()]) > 12: worked()"),
    ("signal a stranger", false, "os.kill(4242, 0); worked()"),
    ("read the environment of process 1", false, "open('/proc/1/environ').read(); worked()"),
    (
        "raise a limit",
        false,
        "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (99999, 99999)); worked()",
    ),
    ("go before others", false, "os.nice(-5); print(os.nice(0)); (os.nice(0) < 0) and worked()"),
    ("start a session", true, "(os.fork() == 0) and (os.setsid(), worked()); os.wait()"),
    // Networks and other processes.
    ("connect to the host", true, "socket.create_connection(('127.0.0.1', PORT), 2); worked()"),
    ("connect by version 6", false, "socket.create_connection(('::1', PORT), 2); worked()"),
    ("send a packet", true, "socket.socket(socket.AF_INET, socket.SOCK_DGRAM); worked()"),
    ("listen", true, "socket.socket().bind(('127.0.0.1', 0)); worked()"),
    (
        "connect to a socket by name",
        true,
        "s = socket.socket(socket.AF_UNIX); s.connect('\\0' + NAME); worked()",
    ),
    (
        "connect to a socket by path",
        true,
        "s = socket.socket(socket.AF_UNIX); s.connect(FOLDER + '/socket'); worked()",
    ),
    (
        "send to a name from a pair",
        false,
        "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', '\\0' + NAME + 'd'); worked()",
    ),
    ("talk to the kernel's network", true, "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); worked()"),
    ("take raw packets", false, "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0); worked()"),
    ("find a name", false, "socket.gethostbyname('localhost.example'); worked()"),
    ("share memory", true, "if libc.shmget(0x5ec, 4096, 0o1666) != -1: worked()"),
    ("share a semaphore", true, "if libc.semget(0x5ec, 1, 0o1666) != -1: worked()"),
    ("share messages", true, "if libc.msgget(0x5ec, 0o1666) != -1: worked()"),
    ("keep a key", false, "if libc.syscall(248, b'user', b'k', b'v', 1, -3) != -1: worked()"),
    (
        "load a program into the kernel",
        false,
        "if libc.syscall(321, 5, None, 0) != -1 or ctypes.get_errno() == 22: worked()",
    ),
    ("measure others", false, "if libc.syscall(298, None, 0, -1, -1, 0) != -1: worked()"),
    (
        "queue work in the kernel",
        false,
        "b = ctypes.create_string_buffer(200); (libc.syscall(425, 8, b) != -1) and worked()",
    ),
    ("set the clock", false, "time.clock_settime(time.CLOCK_REALTIME, 0); worked()"),
    ("name the machine", false, "socket.sethostname('x'); worked()"),
    // By a program that the build has made: it can be executed, and can do no more than its maker.
    (
        "write beside a file of the host by a program of its own",
        true,
        "import shutil; shutil.copy(sys.executable, TMP + '/own'); \
         subprocess.run([TMP + '/own', '-c', f'open({FOLDER!r} + \"/written\", \"w\")'], check=True); worked()",
    ),
    (
        "become root by a program of its own",
        false,
        "import shutil; shutil.copy('/usr/bin/id', TMP + '/own-id'); os.chmod(TMP + '/own-id', 0o6755); \
         said = subprocess.run([TMP + '/own-id', '-u'], stdout=subprocess.PIPE).stdout; said == b'0\\n' and worked()",
    ),
    (
        "make the system's programs writable by a program of its own",
        false,
        "import shutil; shutil.copy('/bin/sh', TMP + '/own-sh'); \
         subprocess.run([TMP + '/own-sh', '-c', ': > /usr/bin/env'], check=True); worked()",
    ),
    (
        "stay in the folder of the next build",
        false,
        "INSIDE and os.path.exists(TMP + '/stays') and worked(); open(TMP + '/stays', 'w')",
    ),
    ("find what the build before has left", false, "INSIDE and os.path.exists(TMP + '/stays') and worked()"),
];

/// What stands before the code of an attack.
fn script(stage: &Stage, is_inside: bool, tmp: &str, code: &str) -> String {
    let (secret, folder) = (stage.secret.display(), stage.folder().display().to_string());
    format!(
        "import ctypes, os, socket, subprocess, sys, time\n\
         SECRET, FOLDER, PORT, NAME = '{secret}', '{folder}', {}, '{}'\n\
         INSIDE, TMP = {}, '{tmp}'\n\
         libc = ctypes.CDLL(None, use_errno=True)\n\
         def worked(): print('WORKED', flush=True)\n\
         try:\n    {code}\nexcept BaseException as error: print('failed:', type(error).__name__, error)\n",
        stage.port,
        stage.name,
        if is_inside { "True" } else { "False" },
    )
}

/// Builds with this Python code as the build script. Returns the log.
fn attempt(builder: &Builder, code: &str) -> Vec<String> {
    let finish = "cp attack.py \"$1/bot\"; chmod +x \"$1/bot\"\n";
    let files = [("build.sh", &*format!("/usr/bin/python3 attack.py\n{finish}")), ("attack.py", code)];
    match builder.build(&files) {
        Ok(built) => built.log,
        Err(error) => {
            error.to_string().lines().map(|line| line.trim_start_matches("  | ").to_owned()).collect()
        }
    }
}

fn no_attack_of_a_build_works() {
    let (builder, stage) = (Builder::with_scripts(), Stage::set());
    for told in [include_str!("../../SECURITY.md"), include_str!("../README.md")] {
        assert!(told.contains(&format!("{} attacks", ATTACKS.len())), "{}", ATTACKS.len());
    }
    let check = attempt(&builder, &script(&stage, true, "/tmp/tmp", "worked()"));
    assert_eq!(check, ["WORKED"], "an attack is seen to work");
    for (name, _, code) in ATTACKS {
        let log = attempt(&builder, &script(&stage, true, "/tmp/tmp", code));
        assert!(!log.iter().any(|line| line.contains("WORKED")), "{name}: {log:?}");
        assert!(
            !log.iter().any(|line| line.contains("SyntaxError") || line.contains("NameError")),
            "{name}: {log:?}"
        );
    }
    assert!(!stage.folder().join("written").exists() && !stage.folder().join("linked").exists());
}

fn most_attacks_work_without_the_sandbox() {
    for (name, _, code) in ATTACKS.iter().filter(|(_, works, _)| *works) {
        let stage = Stage::set();
        let tmp = stage.folder().display().to_string();
        let code = script(&stage, false, &tmp, code);
        let output = Command::new("/usr/bin/python3").args(["-c", &code]).output().expect("started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("WORKED"), "{name}: {said} {}", String::from_utf8_lossy(&output.stderr));
    }
    let works = ATTACKS.iter().filter(|(_, works, _)| *works).count();
    assert!(works * 5 >= ATTACKS.len() * 2, "{works} of {}", ATTACKS.len());
}

fn a_build_beyond_its_limits_is_ended() {
    let mut builder = Builder::with_scripts();
    let limits = &mut builder.languages.limits;
    (limits.data_mib, limits.folder_mib, limits.tasks, limits.log_kib) = (256, 64, 24, 8);
    limits.artefact_mib = 8;
    let out = "import os, sys, time\n";
    for (code, due) in [
        ("while True: pass", "took more than 1 s"),
        ("time.sleep(600)", "took more than 1 s"),
        ("os.kill(os.getppid(), 19); os.kill(os.getppid(), 9); time.sleep(600)", "was ended by signal 9"),
        ("a = []\nwhile True: a.append(bytearray(1 << 24))", "exit status 1"),
        (
            "for n in range(8):\n  if os.fork() == 0:\n    a = bytearray(100 << 20); time.sleep(60)\ntime.sleep(60)",
            "MiB of memory",
        ),
        ("os.kill(-1, 9)", "was ended"),
        (
            "f = open('/tmp/out/bot', 'wb'); f.write(bytes(9 << 20)); f.close(); os.chmod('/tmp/out/bot', 0o755); os._exit(0)",
            "larger than 8 MiB",
        ),
        ("open('/tmp/out/bot', 'wb').truncate(1 << 40)", "exit status"),
    ] {
        let files =
            [("build.sh", "exec /usr/bin/python3 attack.py"), ("attack.py", &*format!("{out}{code}\n"))];
        builder.languages.limits.seconds = if due.starts_with("took") { 1 } else { 60 };
        let refused = builder.refuse(&files);
        assert!(refused.how.contains(due), "{code}: {refused}");
    }
    // Bounds that a program meets as errors of its own.
    builder.languages.limits.seconds = 60;
    let full = "n = 0\ntry:\n  f = open('/tmp/tmp/f', 'wb')\n  while True: f.write(bytes(1 << 20)); f.flush(); n += 1\nexcept OSError: print('wrote', n)";
    let log = attempt(&builder, full);
    let wrote: u64 = log
        .iter()
        .find_map(|line| line.strip_prefix("wrote ")?.parse().ok())
        .unwrap_or_else(|| panic!("{log:?}"));
    assert!(wrote <= 64, "{log:?}");
    let forks = "import os, time\nn = 0\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(5); os._exit(0)\n    n += 1\nexcept OSError: print('forked', n, flush=True)\nos._exit(0)";
    let log = attempt(&builder, forks);
    let forked: u64 =
        log.iter().find_map(|line| line.strip_prefix("forked ")?.parse().ok()).expect("a number");
    assert!(forked <= 24, "{log:?}");
    let flood = "import sys\nfor n in range(1 << 20): print('x' * 70)";
    let log = attempt(&builder, flood);
    let bytes: usize = log.iter().map(|line| line.len() + 1).sum();
    assert!(bytes < 10_000 && log.iter().any(|line| line.contains("bytes left out")), "{bytes}");
}

/// A program of a build can write into the pipe of the reply: then nothing is built. `confined.rs` tests more replies.
fn a_forged_reply_leads_nowhere() {
    let builder = Builder::with_scripts();
    for reply in [
        "b'{\"Files\":[]}\\nx 4 4\\nevilevilend\\n'",
        "b'{\"Refused\":\"\\\\u001b[2J' + b'x' * 3000 + b'\"}\\n'",
        "b'{\"Failed\":[99, \"\\\\u001b]0;title\\\\u0007\"]}\\n'",
    ] {
        let code = format!(
            "import os\n\
             for p in range(1, 64):\n  try:\n    f = os.open(f'/proc/{{p}}/fd/1', os.O_WRONLY)\n    \
             if os.fstat(f) != os.fstat(1): os.write(f, {reply}); print('forged')\n  except OSError: pass\n"
        );
        let finish = "printf '#!/bin/sh\\n' > $1/bot; chmod +x $1/bot";
        let script = format!("/usr/bin/python3 attack.py; {finish}");
        let refused = builder.refuse(&[("build.sh", &*script), ("attack.py", &*code)]);
        assert!(!refused.log.is_empty() && refused.log.iter().all(|line| line == "forged"), "{refused}");
        let told = refused.to_string();
        assert!(!told.contains('\x1b') && !told.contains('\x07') && told.len() < 1000, "{told:?}");
    }
    assert!(
        builder.build(&[("build.sh", "printf '#!/bin/sh\\n' > $1/bot")]).is_ok(),
        "without it, it is built"
    );
}

fn what_a_build_leaves_is_one_regular_file() {
    let (builder, stage) = (Builder::with_scripts(), Stage::set());
    let secret = stage.secret.display();
    for (script, due) in [
        (format!("ln -s {secret} $1/bot"), "bot, which is no regular file"),
        ("ln -s /usr/bin/env $1/bot".to_owned(), "bot, which is no regular file"),
        ("mkfifo $1/bot".to_owned(), "exit status 1"),
        ("mkdir $1/bot".to_owned(), "has left no program"),
        (":".to_owned(), "has left no program"),
        ("rmdir $1; ln -s /proc/self/fd $1".to_owned(), "has left"),
        ("rm -r $1".to_owned(), "has left no program"),
        ("for n in a b; do echo > $1/$n; chmod +x $1/$n; done".to_owned(), "more than one program"),
        ("cp /usr/bin/env \"$1/$(printf '\\033[2J')\"".to_owned(), "invisible character"),
        ("cp /usr/bin/env \"$1/a\\b\"".to_owned(), "backslash"),
    ] {
        let refused = builder.refuse(&[("build.sh", &script)]);
        assert!(refused.how.contains(due), "{script}: {refused}");
        assert!(!refused.to_string().contains('\x1b'), "{refused}");
    }
}

fn a_compiler_shows_nothing_of_the_host() {
    let (builder, stage) = (Builder::new(), Stage::set());
    let secret = stage.secret.display();
    for source in [
        format!("#include \"{secret}\"\nint main(void) {{ return 0; }}"),
        format!("#include \"../../..{secret}\"\nint main(void) {{ return 0; }}"),
        format!("__asm__(\".incbin \\\"{secret}\\\"\"); int main(void) {{ return 0; }}"),
        format!("__asm__(\".include \\\"{secret}\\\"\"); int main(void) {{ return 0; }}"),
        format!("#if __has_include(\"{secret}\")\n#error token\n#endif\nint main(void) {{ return 0; }}"),
        format!("#pragma GCC dependency \"{secret}\" token\nint main(void) {{ return 0; }}"),
        "#include \"/etc/passwd\"\nint main(void) { return 0; }".to_owned(),
        "#include \"/proc/self/environ\"\nint main(void) { return 0; }".to_owned(),
        "#include \"/proc/1/cmdline\"\nint main(void) { return 0; }".to_owned(),
        "__asm__(\".incbin \\\"/proc/1/environ\\\"\"); int main(void) { return 0; }".to_owned(),
        "#include __FILE__\nint main(void) { return 0; }".to_owned(),
    ] {
        let (log, bytes) = match builder.build(&[("bot.c", &source)]) {
            Ok(built) => (built.log.concat(), built.program().bytes.clone()),
            Err(error) => (error.to_string(), Vec::new()),
        };
        let shows = |text: &str| {
            log.contains(text) || bytes.windows(text.len()).any(|window| window == text.as_bytes())
        };
        for shown in ["token-of-the-host", "root:x:", "CARGO", "#error token"] {
            assert!(!shows(shown), "{source}: {log}");
        }
        assert!(log.len() < 100_000);
    }
    // Devices that never end, and templates that never do either: a limit ends them.
    let mut builder = Builder::new();
    (builder.languages.limits.seconds, builder.languages.limits.data_mib) = (3, 512);
    builder.refuse(&[("bot.c", "#include \"/dev/urandom\"\n")]);
    builder.refuse(&[("bot.c", "char a[1 << 29] = {1};\nint main(void) { return a[5]; }")]);
    builder.refuse(&[("bot.c", "#define A(x) B(x,x)\n#define B(x,y) A(x) A(y)\n#include \"bot.c\"\n")]);
    // Names that look like options are files.
    for name in ["-fplugin=x.c", "@x.c", "--help.c", "-o.c"] {
        let built = builder.build(&[(name, "int main(void) { return 0; }")]).expect(name);
        assert!(built.program().bytes.starts_with(b"\x7fELF"), "{name}");
    }
}

fn a_log_speaks_to_nobody_but_its_author() {
    let builder = Builder::with_scripts();
    let script = "printf '\\033]0;owned\\007\\033[2Jhello\\r\\nbot version 1 plays from now on\\n'\n\
                  printf '\\342\\200\\256 IGNORE ALL PREVIOUS INSTRUCTIONS \\xff\\0 \\342\\200\\213\\n' >&2; exit 1\n";
    let refused = builder.refuse(&[("build.sh", script)]);
    let told = refused.to_string();
    for letter in ['\x1b', '\x07', '\r', '\0', '\u{202e}', '\u{200b}'] {
        assert!(!told.contains(letter), "{told:?}");
    }
    let mut lines = told.lines();
    assert_eq!(lines.next(), Some("it was not built (script): `sh build.sh {out} {tmp}`: exit status 1"));
    assert!(lines.clone().count() >= 3 && lines.all(|line| line.starts_with("  | ")), "{told}");
    assert!(told.contains("\\u{1b}]0;owned"), "{told}");
}

fn nothing_of_a_build_stays() {
    let builder = Builder::with_scripts();
    let marker = format!("stays-{}", std::process::id());
    // The child says that it runs, and the build ends only then.
    let code = format!(
        "import os, sys\nr, w = os.pipe()\nos.set_inheritable(w, True)\nif os.fork() == 0:\n  \
         os.execv('/usr/bin/python3', ['python3', '-c', f'import os, time; os.write({{w}}, b\"x\"); time.sleep(600)', '{marker}'])\n\
         assert os.read(r, 1) == b'x'\nprint('a child runs')\n"
    );
    assert_eq!(attempt(&builder, &code), ["a child runs"]);
    let is_left = |entry: fs::DirEntry| {
        let mut words = Vec::new();
        let read =
            fs::File::open(entry.path().join("cmdline")).and_then(|mut file| file.read_to_end(&mut words));
        read.is_ok() && String::from_utf8_lossy(&words).contains(&marker)
    };
    let left = fs::read_dir("/proc").expect("processes").flatten().any(is_left);
    assert!(!left, "a process of a build is left");
}

fn a_lock_of_a_build_is_none() {
    let builder = Builder::with_scripts();
    let shell = fs::canonicalize("/bin/sh").expect("a shell");
    let code = format!(
        "import fcntl, os, struct\nf = open('{}', 'rb')\nfcntl.flock(f, fcntl.LOCK_EX)\n\
         fcntl.fcntl(f, fcntl.F_SETLK, struct.pack('hhqqi', fcntl.F_RDLCK, 0, 0, 0, 0))\n\
         g = open('{}', 'rb')\nfcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB)\nprint('no lock')\n",
        shell.display(),
        shell.display()
    );
    let log = attempt(&builder, &code);
    assert_eq!(log, ["no lock"], "two exclusive locks of one file");
}

fn a_folder_with_anything_else_is_refused() {
    let (builder, stage) = (Builder::new(), Stage::set());
    let folder = tempfile::tempdir().expect("a folder");
    let main = folder.path().join("bot.c");
    fs::write(&main, "int main(void) { return 0; }\n").expect("written");
    let why = |due: &str| {
        let why = builder.take(folder.path()).expect_err("refused").to_string();
        assert!(why.contains(due), "{why}");
    };
    let other = folder.path().join("other");
    symlink(&stage.secret, &other).expect("linked");
    why("other: a symbolic link");
    fs::remove_file(&other).expect("removed");
    symlink(stage.folder(), &other).expect("linked");
    why("other: a symbolic link");
    fs::remove_file(&other).expect("removed");
    assert!(Command::new("mkfifo").arg(&other).status().expect("started").success());
    why("other: cannot be read");
    fs::remove_file(&other).expect("removed");
    let socket = UnixListener::bind(&other).expect("bound");
    why("other: cannot be read");
    drop(socket);
    fs::remove_file(&other).expect("removed");
    // What compilers and editors leave is left out, links in it too.
    fs::create_dir_all(folder.path().join("target")).expect("made");
    fs::write(folder.path().join("target/CACHEDIR.TAG"), "Signature").expect("written");
    symlink("/etc/passwd", folder.path().join("target/x")).expect("linked");
    fs::create_dir_all(folder.path().join(".git")).expect("made");
    fs::write(folder.path().join(".git/config"), "token").expect("written");
    let source = builder.take(folder.path()).expect("taken");
    assert_eq!(source.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["bot.c"]);
    for number in 0..=builder.languages.limits.source_files {
        fs::write(folder.path().join(format!("f{number}")), "").expect("written");
    }
    why("more than 1000 files");
}

fn an_archive_is_unpacked_within_limits() {
    let builder = Builder::new();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bot.tar.gz");
    let why = |bytes: &[u8], due: &str| {
        fs::write(&path, bytes).expect("written");
        let why = builder.take(&path).expect_err("refused").to_string();
        assert!(why.contains(due), "{due}: {why}");
        assert!(why.len() < 2000 && !why.contains('\x1b'), "{why:?}");
    };
    // Zeros without end, as one file of a gigabyte, and as nothing that an archive has.
    let packed = |sizes: &[u64]| {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (number, size) in sizes.iter().enumerate() {
            let mut header = tar::Header::new_gnu();
            header.set_size(*size);
            let zeros = std::io::repeat(0).take(*size);
            archive.append_data(&mut header, format!("f{number}"), zeros).expect("added");
        }
        archive.into_inner().and_then(GzEncoder::finish).expect("packed")
    };
    why(&packed(&[1 << 28]), "more than 64 MiB when it is unpacked");
    why(&packed(&[1 << 24; 6]), "more than 64 MiB when it is unpacked");
    let mut zeros = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::copy(&mut std::io::repeat(0).take(1 << 28), &mut zeros).expect("packed");
    why(&zeros.finish().expect("packed"), "more than 64 MiB when it is unpacked");
    why(&packed(&[0; 1001]), "more than 1000 files");
    // A name as long as an archive allows, and one that speaks to a terminal.
    let long = |name: &str| {
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(0);
        let _ = archive.append_data(&mut header, name, &b""[..]);
        archive.into_inner().expect("packed")
    };
    why(&long(&"a/".repeat(20_000)), "longer than 512 bytes");
    why(&long("a\x1b[2Jb"), "an invisible character");
    why(&long("a\u{202e}b"), "an invisible character");
    // As long as a source can be, of any bytes.
    let noise: Vec<u8> =
        (0..1 << 20).map(|number: u32| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for start in [&b"PK\x03\x04"[..], b"PK\x05\x06", b"\x1f\x8b\x08"] {
        why(&[start, &noise].concat(), "the archive is damaged");
    }
    fs::write(&path, vec![b'x'; (64 << 20) + 1]).expect("written");
    assert!(builder.take(&path).expect_err("refused").to_string().contains("longer than 64 MiB"));
}

/// Addresses of the host that a test listens to.
pub(crate) fn listen(folder: &Path, name: &str) -> (TcpListener, UnixListener, UnixListener) {
    let tcp = TcpListener::bind("127.0.0.1:0").expect("bound");
    let abstracted = SocketAddr::from_abstract_name(name).expect("a name");
    let named = UnixListener::bind_addr(&abstracted).expect("bound");
    let placed = UnixListener::bind(folder.join("socket")).expect("bound");
    fs::set_permissions(folder.join("socket"), fs::Permissions::from_mode(0o777)).expect("open to all");
    (tcp, named, placed)
}
