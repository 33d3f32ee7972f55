//! Attacks of sources on the host, on rivals, and on the referee. A build script is offered here, so that each attack
//! is a program that runs while its source is built: what it cannot do, no compiler can be made to do.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use referee_builds::bundle::SourceFile;
use referee_builds::{NotBuilt, Source};
use referee_record::Digest;
use referee_testutil::attacks::corpus::{self, Attack, Setting};
use referee_testutil::attacks::trial::{self, Built, Outcome, Row, Surrounding};
use referee_testutil::support::PATIENCE;

use crate::Test;
use crate::support::{Builder, Stage};

pub(crate) const TESTS: &[Test] = &[
    (
        "attacks::of_the_corpus_only_what_a_build_may_do_works",
        None,
        of_the_corpus_only_what_a_build_may_do_works,
    ),
    ("attacks::a_build_beyond_its_limits_is_ended", None, a_build_beyond_its_limits_is_ended),
    ("attacks::the_builder_cannot_be_changed", None, the_builder_cannot_be_changed),
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

/// Attacks that work in a build, after the reason why they may.
const MAY: &[(&str, &str)] = &[
    (
        "compilers start programs, and what they have made can be executed, as `build.rs` of Rust",
        "fork vfork shell run-written load-written",
    ),
    (
        "the attack is a file of the source, a copy of which is the build's own",
        "overwrite-itself delete-itself plant-beside-itself list-beside-itself",
    ),
    ("the owner of the file is the build itself, and no program gains rights by it", "setuid-here"),
    (
        "its parent is the builder, which is in the same sandbox and is trusted as little",
        "kill-all kill-parent cpu-clock-parent",
    ),
    (
        "compilers lock files: each call succeeds, and locks nothing (a_lock_of_a_build_is_none)",
        "flock-library flock-program flock-own fcntl-lock fcntl-ofd-lock",
    ),
    (
        "compilers make and open many files; their number bounds the buffers of sockets",
        "fill-inodes exhaust high-descriptor socket-buffers",
    ),
    ("Java and Go reserve address space; its page tables count as memory", "page-tables"),
    (
        "its input is a file of the source: nobody asks a build",
        "ask-itself ask-itself-both ask-itself-append ask-itself-create ask-itself-thread ask-itself-task \
         ask-itself-number ask-itself-device ask-itself-name ask-itself-newer ask-itself-chmod ask-itself-copy",
    ),
];

fn of_the_corpus_only_what_a_build_may_do_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("attack");
    corpus::compile(&program);
    let attacks: Vec<Attack> =
        corpus::list(&program).into_iter().filter(|attack| attack.setting != Setting::Ponder).collect();
    let may: Vec<&str> = MAY.iter().flat_map(|(_, names)| names.split(' ')).collect();
    let counted = format!("{} attacks by", attacks.len());
    let security = include_str!("../../SECURITY.md");
    assert!(include_str!("../README.md").contains(&counted) && security.contains(&counted), "{counted}");
    assert!(security.contains(&format!("are refused but {},", may.len())), "{}", may.len());
    let bytes = fs::read(&program).expect("a program");
    // The limits of a bot: the corpus measures against those.
    let mut builder = Builder::with_scripts();
    let limits = &mut builder.languages.limits;
    (limits.data_mib, limits.folder_mib, limits.seconds) = (512, 16, PATIENCE.as_secs());
    let build = |words: &str| build_with(&builder, &bytes, words);
    let rows = trial::try_all(&program, &attacks, Surrounding::Build(&build));
    let is_allowed = |row: &&Row| may.contains(&&*row.name);
    let held =
        |row: &&Row| row.outcome == Outcome::Refused || row.outcome == Outcome::Worked && is_allowed(row);
    let not_held: Vec<&Row> = rows.iter().filter(|row| !held(row)).collect();
    assert!(not_held.is_empty(), "{not_held:#?}");
    let allowed: Vec<&Row> = rows.iter().filter(is_allowed).collect();
    assert_eq!(allowed.len(), may.len(), "attacks of the corpus: {may:?}");
    let worked = allowed.iter().filter(|row| row.outcome == Outcome::Worked).count();
    assert!(2 * worked > may.len(), "an attack that works is seen to work: {allowed:#?}");
}

/// Builds a source whose command is an attack.
fn build_with(builder: &Builder, attack: &[u8], words: &str) -> Built {
    let (_, words) = words.split_once(' ').expect("a program and its arguments");
    let script = format!(
        "printf '#!/bin/sh\\n' > $1/bot\ncd $2\nexport HOME=$2 TMPDIR=$2 REFEREE_GAME=football\n\
         exec ../src/attack {words} < ../src/question\n"
    );
    let file = |path: &str, executable, bytes: &[u8]| SourceFile {
        path: path.to_owned(),
        executable,
        bytes: bytes.to_owned(),
    };
    let files = vec![
        file("attack", true, attack),
        file("build.sh", false, script.as_bytes()),
        file("question", false, b"3 0 0 1\n"),
    ];
    match builder.build_source(&Source { files, digest: Digest::of(b""), notes: Vec::new() }) {
        Ok(built) => Built { log: built.log.join("\n"), fault: None },
        Err(error) => {
            let not_built = error.cause::<NotBuilt>().unwrap_or_else(|| panic!("{error}"));
            // A limit, the filter or a crash has ended it.
            let ends = ["ended by signal", "used up its", "wrote a file beyond its limit"];
            let is_end =
                not_built.how.starts_with("it used") || ends.iter().any(|end| not_built.how.contains(end));
            let fault = format!("{}{}", if is_end { "resource " } else { "" }, not_built.how);
            Built { log: not_built.log.join("\n"), fault: Some(fault) }
        }
    }
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

fn a_build_beyond_its_limits_is_ended() {
    let mut builder = Builder::with_scripts();
    let limits = &mut builder.languages.limits;
    (limits.data_mib, limits.folder_mib, limits.tasks, limits.log_kib) = (256, 64, 24, 8);
    limits.artefact_mib = 8;
    let out = "import os, sys, time\n";
    for (code, due) in [
        // Which of the two limits it reaches first depends on the load.
        ("while True: pass", "took more than 1 s|used up its processor time"),
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
        assert!(due.split('|').any(|due| refused.how.contains(due)), "{code}: {refused}");
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

fn the_builder_cannot_be_changed() {
    let builder = std::env::current_exe().expect("this program");
    let file = format!("/bot/{}", builder.file_name().expect("a name").display());
    let script = format!(
        "[ -x {file} ] && echo there\nchmod 777 {file} && echo changed\nmv {file} /bot/x && echo moved\n\
         (: >> {file}) && echo written\n(: > /bot/x) && echo beside\nprintf '#!/bin/sh\\n' > $1/bot\n"
    );
    let built =
        Builder::with_scripts().build(&[("build.sh", &*script)]).unwrap_or_else(|error| panic!("{error}"));
    let worked: Vec<&String> = built.log.iter().filter(|line| !line.contains(' ')).collect();
    assert_eq!(worked, ["there"], "{:#?}", built.log);
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
