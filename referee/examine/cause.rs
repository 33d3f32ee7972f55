//! Causes: why a program ended, as its runtime says on standard error, and what helps. One table.

use referee_record::text;
use referee_rules::Fault;

/// Why a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What happened, as a sentence without its full stop.
    pub what: String,
    /// What helps, as advice to the author.
    pub cure: String,
}

/// A line that a runtime writes.
struct Known {
    /// The words before the name in it. Empty names are not looked for.
    before: &'static str,
    /// The words behind the name; empty if it ends with the line.
    behind: &'static str,
    /// What happened; `{}` is the name.
    what: &'static str,
    /// What helps; `{}` is the name.
    cure: &'static str,
}

/// Returns why a program that ended by itself did so, by the last lines of its standard error; `None` if they say nothing
/// that is known here.
pub fn cause(fault: &Fault, errors: &[u8]) -> Option<Cause> {
    if !matches!(fault, Fault::Exited(_) | Fault::Crashed(_) | Fault::Closed) {
        return None;
    }
    const LINES: usize = 30;
    let errors = String::from_utf8_lossy(errors);
    let mut is_in_traceback = false;
    for line in errors.lines().rev().take(LINES) {
        // What was said before another exception was survived. The lines of its traceback are indented.
        if is_in_traceback && !line.starts_with(' ') {
            return None;
        }
        let found = KNOWN.iter().find_map(|known| known.read(line)).or_else(|| program_of_shell(line));
        if found.is_some() {
            return found;
        }
        is_in_traceback |= is_exception(line);
    }
    None
}

/// Returns the cause if a line is what `sh` says of a program that it does not find: `/bot/run.sh: 3: julia: not found`.
fn program_of_shell(line: &str) -> Option<Cause> {
    let (script, program) = line.strip_suffix(": not found")?.rsplit_once(": ")?;
    let (_, number) = script.rsplit_once(": ")?;
    let is_word = !program.is_empty() && !program.contains(' ');
    (is_word && number.parse::<u32>().is_ok()).then(|| Cause {
        what: "a script calls a program that is not here".to_owned(),
        cure: NO_PROGRAM.to_owned(),
    })
}

/// Tells whether a line begins as an exception of Python, Java or JavaScript does: `KeyError: 3`.
fn is_exception(line: &str) -> bool {
    let line = line.strip_prefix("Exception in thread \"main\" ").unwrap_or(line);
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    is_name(name) && ["Error", "Exception"].iter().any(|end| name.ends_with(end))
}

impl Known {
    fn read(&self, line: &str) -> Option<Cause> {
        let (_, rest) = line.split_once(self.before)?;
        let name = if self.behind.is_empty() { rest } else { rest.split_once(self.behind)?.0 };
        let name = text::harmless(name.trim(), text::NAME);
        let fill = |words: &str| words.replace("{}", &name);
        Some(Cause { what: fill(self.what), cure: fill(self.cure) })
    }
}

macro_rules! known {
    ($($before:literal, $behind:literal => $what:literal, $cure:expr;)*) => {
        &[$(Known { before: $before, behind: $behind, what: $what, cure: $cure }),*]
    };
}

const BESIDE: &str = "put {} beside the file to begin with, and submit the folder";
const MEMORY: &str = "use less memory; the limits are in `referee docs protocol`, section Surroundings, and a host can set \
                      data_mib";
const NO_NETWORK: &str = "a bot has no network: put what it downloads beside it, and submit the folder";
const NO_TASKS: &str =
    "start fewer threads; other processes need --allow-fork, which the host gives with `hill submit`";
const NO_WRITING: &str =
    "write below the folder that $TMPDIR names, under a name that no file beside the bot has";
const NO_PROGRAM: &str = "submit the source of that program, or a program that needs no other";
const PYTHON: &str = "put {} beside the bot and submit the folder; or, if another Python here has it, name that: \
                      --interpreter FOLDER, where FOLDER/bin/python3 is that Python";

/// The first that fits the last line that any fits.
const KNOWN: &[Known] = known! {
    "ModuleNotFoundError: No module named '", "'" => "the Python that plays has no module {}", PYTHON;
    "ImportError: No module named ", "" => "the Python that plays has no module {}", PYTHON;
    "ImportError: ", ": cannot open shared object file" => "a shared library is missing: {}",
        "have the host install it, or do without the module that needs it";
    "FileNotFoundError: [Errno 2] No such file or directory: '", "'" => "it opens {}, which is not there", BESIDE;
    "Error: ENOENT: no such file or directory, open '", "'" => "it opens {}, which is not there", BESIDE;
    "java.io.FileNotFoundException: ", " (" => "it opens {}, which is not there", BESIDE;
    "java.nio.file.NoSuchFileException: ", "" => "it opens {}, which is not there", BESIDE;
    "No such file or directory @ rb_sysopen - ", "" => "it opens {}, which is not there", BESIDE;
    "Error: Cannot find module '", "'" => "Node.js finds no module {}", BESIDE;
    "cannot load such file -- ", " (LoadError)" => "Ruby finds no file {}", BESIDE;
    "Can't locate ", " in @INC" => "Perl finds no module {}", BESIDE;
    "UnsupportedClassVersionError: ", " has been compiled" => "{} was compiled for a later Java",
        "submit the .java files, which are compiled here; or javac --release 17";
    "NoClassDefFoundError: ", "" => "Java finds no class {}", "submit all .java files, or a jar with all classes";
    "ClassNotFoundException: ", "" => "Java finds no class {}", "submit all .java files, or a jar with all classes";
    "no main manifest attribute, in ", "" => "the jar {} names no class to begin with",
        "submit the .java files; or jar --create --file bot.jar --main-class and the name of the class";
    "SyntaxError: ", "" => "the program cannot be read: {}",
        "run it by hand, with the version of the language that the host has: `referee languages`";
    "MemoryError", "" => "it has no memory left", MEMORY;
    "java.lang.OutOfMemoryError: unable to create native thread", "" => "it starts more threads than it may", NO_TASKS;
    "java.lang.OutOfMemoryError", "" => "it has no memory left", MEMORY;
    "JavaScript heap out of memory", "" => "it has no memory left", MEMORY;
    "std::bad_alloc", "" => "it has no memory left", MEMORY;
    "memory allocation of ", " bytes failed" => "it has no memory left for {} bytes", MEMORY;
    "can't start new thread", "" => "it starts more threads than it may", NO_TASKS;
    "failed to spawn thread", "" => "it starts more threads than it may", NO_TASKS;
    "Name or service not known", "" => "it looks for a server", NO_NETWORK;
    "Temporary failure in name resolution", "" => "it looks for a server", NO_NETWORK;
    "Network is unreachable", "" => "it looks for a server", NO_NETWORK;
    "Read-only file system: '", "'" => "it writes {}, where it must not", NO_WRITING;
    "_multiprocessing.SemLock(", "" => "multiprocessing needs semaphores, which a bot has in the tier strict alone, and with \
        --allow-fork", "--sandbox strict --allow-fork; or do without Pool, Queue and Lock: multiprocessing.Pipe needs none";
    "PermissionError: [Errno 13] Permission denied: '", "'" => "it must not open {}",
        "read what is beside it, and write only below the folder that $TMPDIR names";
    "invalid literal for int() with base 10: ", "" => "it reads {} as one number",
        "a question is one line of integers: in Python [int(word) for word in line.split()]";
    ": command not found", "" => "a script calls a program that is not here", NO_PROGRAM;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runtime_says_has_a_cause_and_something_that_helps() {
        for (line, what, cure) in [
            ("ModuleNotFoundError: No module named 'numpy'", "has no module numpy", "--interpreter FOLDER"),
            (
                "FileNotFoundError: [Errno 2] No such file or directory: 'data/w.txt'",
                "opens data/w.txt,",
                "put data/w.txt beside",
            ),
            ("Error: Cannot find module './lib.js'", "Node.js finds no module ./lib.js", "submit the folder"),
            (
                "<internal:/usr/x>:1:in 'require': cannot load such file -- json2 (LoadError)",
                "json2",
                "beside",
            ),
            ("Can't locate Foo/Bar.pm in @INC (you may need to", "Foo/Bar.pm", "beside"),
            (
                "Exception in thread \"main\" java.lang.UnsupportedClassVersionError: Fox has been compiled by a more",
                "Fox was compiled for a later Java",
                "submit the .java files",
            ),
            ("java.nio.file.NoSuchFileException: w.txt", "opens w.txt", "beside"),
            ("terminate called after throwing an instance of 'std::bad_alloc'", "no memory", "less memory"),
            ("RuntimeError: can't start new thread", "more threads", "--allow-fork"),
            ("socket.gaierror: [Errno -2] Name or service not known", "a server", "no network"),
            ("OSError: [Errno 30] Read-only file system: 'log.txt'", "writes log.txt", "$TMPDIR"),
            (
                "    sl = self._semlock = _multiprocessing.SemLock(\n        ^^^^\nPermissionError: [Errno 13] Permission denied",
                "needs semaphores",
                "--sandbox strict --allow-fork",
            ),
            ("/bot/run.sh: 3: julia: not found", "a script calls", "source"),
        ] {
            let text = format!(
                "Traceback (most recent call last):\n{line}\n{}Node.js v18\n",
                "    at f\n".repeat(20)
            );
            let found = cause(&Fault::Exited(1), text.as_bytes()).unwrap_or_else(|| panic!("{line}"));
            assert!(found.what.contains(what) && found.cure.contains(cure), "{line}: {found:?}");
            assert_eq!(cause(&Fault::Late, text.as_bytes()), None);
        }
        let last = b"ModuleNotFoundError: No module named 'a'\nFileNotFoundError: [Errno 2] No such file or directory: 'b'\n";
        assert!(
            cause(&Fault::Exited(1), last).is_some_and(|found| found.what.contains("opens b")),
            "the last counts"
        );
        for survived in [
            "ModuleNotFoundError: No module named 'numba'\nTraceback:\nIndexError: 7\n",
            "book.bin: not found\n",
        ] {
            assert_eq!(cause(&Fault::Exited(1), survived.as_bytes()), None, "{survived}");
        }
        assert_eq!(cause(&Fault::Exited(1), b"KeyError: 3\n"), None);
        let long = format!("Error: Cannot find module '{}\x1b[2J'", "x".repeat(500));
        let found = cause(&Fault::Exited(1), long.as_bytes()).unwrap();
        assert!(found.what.len() < 100 && !found.what.contains('\x1b'), "{found:?}");
    }
}
