//! What a build can do that a bot cannot.

use referee_builds::languages::Languages;
use referee_files::walk;

use crate::Test;
use crate::support::Builder;

pub(crate) const TESTS: &[Test] = &[
    ("profile::a_build_has_what_compilers_need", None, a_build_has_what_compilers_need),
    ("profile::the_page_names_the_limits_of_the_table", None, the_page_names_the_limits),
];

fn the_page_names_the_limits() {
    let page = include_str!("../../docs/guides/sources.md");
    let limits = Languages::built_in().limits;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        format!("ended after {} seconds", limits.seconds),
        format!("up to {} KiB", limits.log_kib),
        format!("can have {} GiB of memory", limits.data_mib >> 10),
        format!("all together about {} GiB", (limits.data_mib + limits.folder_mib) >> 10),
        format!("up to {} GiB more", limits.folder_mib >> 10),
        format!("at most {} MiB (`artefact_mib` below)", limits.artefact_mib),
        format!("up to {} MiB (`builds_mib`)", limits.builds_mib),
        format!("author up to {} MiB (`author_mib`)", limits.author_mib),
        format!(
            "but {} can",
            ["six", "seven", "eight"][(limits.builds_mib / limits.author_mib - 6) as usize]
        ),
        format!(
            "of ten builds, {},{:03} seconds",
            limits.longest().as_secs() / 100,
            limits.longest().as_secs() * 10 % 1000
        ),
        format!("at most {} folders", walk::DEPTH_MAX - 1),
    ] {
        assert!(page.contains(&text), "{text}");
    }
}

/// Locks, modes and times of its own files, processes by every call that starts them, and many files.
fn a_build_has_what_compilers_need() {
    let code = "import fcntl, os, subprocess, socket\n\
        f = open('/tmp/tmp/lock', 'w')\n\
        fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX)\n\
        os.chmod('/tmp/tmp/lock', 0o700); os.truncate('/tmp/tmp/lock', 5); os.utime('/tmp/tmp/lock', (1, 2))\n\
        assert os.stat('/tmp/tmp/lock').st_mode & 0o777 == 0o700 and os.stat('/tmp/tmp/lock').st_mtime == 2\n\
        a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'\n\
        subprocess.run(['/bin/true'], check=True); subprocess.run(['/bin/true'], check=True, close_fds=False)\n\
        os.posix_spawn('/bin/true', ['true'], {}); os.wait()\n\
        for n in range(2000): open(f'/tmp/tmp/{n}', 'w')\n\
        print('all')\n";
    let files =
        [("build.sh", "/usr/bin/python3 code.py && cp code.py $1/bot && chmod +x $1/bot"), ("code.py", code)];
    let built = Builder::with_scripts().build(&files);
    assert_eq!(built.unwrap_or_else(|error| panic!("{error}")).log, ["all"]);
}
