//! Causes: what is wrong with a program, in one sentence, and what helps, in another. Both follow from its fault and
//! from the end of its standard error, in the same way for `check`, `hill submit`, `play`, `rerun` and the web.

use referee_games::catalog::GAMES;
use referee_record::text;
use referee_rules::Fault;

use crate::examine::{Grade, Mistake};

/// Who reads advice. A student who reads a page may not have this program, which does not run on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader<'a> {
    /// One who has this program, and whose bot plays this game.
    Here(&'a str),
    /// One who reads a page of a server.
    Web,
}

/// What is wrong with a program, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its class.
    pub mistake: Mistake,
    /// What happened, as a sentence without its full stop.
    pub what: String,
    /// What helps, as advice to the author.
    pub(super) cure: String,
    /// The advice for a reader of the web; empty if it is the same.
    pub(super) cure_on_web: String,
}

impl From<Mistake> for Cause {
    fn from(mistake: Mistake) -> Cause {
        Cause::new(mistake, mistake.about(), mistake.cure())
    }
}

impl Cause {
    /// Returns the cause of a fault. `errors` is what the program wrote to standard error; its last lines often say it.
    pub fn of(fault: &Fault, errors: &[u8]) -> Cause {
        let mistake = Mistake::behind(fault);
        let has_failed = matches!(fault, Fault::Crashed(_) | Fault::Closed)
            || matches!(fault, Fault::Exited(status) if *status != 0);
        if has_failed && let Some(cause) = of_errors(mistake, errors) {
            return cause;
        }
        match fault {
            Fault::Exited(status) => of_exit(*status, errors),
            Fault::Crashed(signal) => of_signal(mistake, *signal),
            Fault::StartFailed(why) => of_start(mistake, why),
            _ => mistake.into(),
        }
    }

    fn new(mistake: Mistake, what: impl Into<String>, cure: impl Into<String>) -> Cause {
        Cause { mistake, what: what.into(), cure: cure.into(), cure_on_web: String::new() }
    }

    /// Returns what helps, as advice to the author.
    pub fn cure(&self, reader: Reader<'_>) -> String {
        match reader {
            Reader::Here(game) => {
                // The book has no page of a host's own game.
                let has_page = GAMES.iter().any(|entry| entry.name == game);
                let page = if has_page {
                    format!("`referee docs {game}`")
                } else {
                    "the page of the game".to_owned()
                };
                self.cure.replace("{game}", &page).replace("{protocol}", "`referee docs protocol`")
            }
            Reader::Web => {
                let cure = if self.cure_on_web.is_empty() { &self.cure } else { &self.cure_on_web };
                cure.replace("{game}", RULES).replace("{protocol}", PROTOCOL)
            }
        }
    }

    /// Returns the mistake, what happened and what helps, in one line.
    pub fn summary(&self, reader: Reader<'_>) -> String {
        format!("{}: {}. Fix: {}", self.mistake.name(), self.what, self.cure(reader))
    }
}

/// Where a server shows what `referee docs` shows.
const RULES: &str = "the page Rules";
const PROTOCOL: &str = "the protocol on the page Rules";

/// Returns the fault of a game that is explained to the author: the first that is more than a warning. No late answer
/// is explained, since a game does not show why it is late.
pub fn first_grave<'a>(mut faults: impl Iterator<Item = &'a Fault>) -> Option<&'a Fault> {
    faults.find(|fault| **fault != Fault::Late && Mistake::behind(fault).grade() == Grade::Failed)
}

/// Returns the cause if a program has ended by itself and its standard error has no line of [`KNOWN`].
fn of_exit(status: i32, errors: &[u8]) -> Cause {
    if status == 0 {
        // It meant to end, whatever it wrote.
        return Mistake::Exited.into();
    }
    let errors = String::from_utf8_lossy(errors);
    let mut lines = errors.lines().rev().filter(|line| !line.trim().is_empty()).take(LINES).peekable();
    let is_silent = lines.peek().is_none();
    let (what, cure) = if let Some(exception) = lines.find(|line| is_exception(line)) {
        let exception = text::harmless(exception.trim(), SHOWN);
        (format!("it ends with an exception: {exception}"), "mend the line that its standard error names")
    } else if is_silent {
        (
            format!("it ends with status {status}, and says nothing"),
            "have it write to standard error why it stops",
        )
    } else {
        (
            format!("it ends with status {status}, and its standard error says why"),
            "mend what its standard error says",
        )
    };
    Cause::new(Mistake::Exited, what, cure)
}

fn of_signal(mistake: Mistake, signal: i32) -> Cause {
    const FOREIGN_MEMORY: &str = "build it with -g -fsanitize=address, and run it by hand with a question as its input: {game} has one";
    let (what, cure) = match signal {
        6 => (
            "it aborts: an assertion failed, or nobody caught an exception",
            "mend what its standard error says",
        ),
        7 | 11 => ("it touches memory that is not its own", FOREIGN_MEMORY),
        8 => ("it divides an integer by zero", "look for a division, or a remainder, by 0"),
        _ => return mistake.into(),
    };
    Cause::new(mistake, what, cure)
}

/// Returns the cause if a program was not started, by the reason. The reason has its remedy after a semicolon, if there
/// is one.
fn of_start(mistake: Mistake, why: &str) -> Cause {
    match why.split_once("; ") {
        Some((what, cure)) => Cause::new(mistake, what, cure),
        None => Cause::new(mistake, why, mistake.cure()),
    }
}

/// Number of lines at the end of standard error that are looked at.
const LINES: usize = 30;

/// A line that a runtime writes about a certain mistake. It can contain the name of something.
struct Known {
    /// The words before the name.
    before: &'static str,
    /// The words behind the name; empty if the name ends with the line.
    behind: &'static str,
    /// What happened; `{}` is the name.
    what: &'static str,
    /// What helps one who has this program, and a reader of the web; `{}` is the name.
    cure: [&'static str; 2],
}

/// Returns the cause that the last lines on standard error of a program that ended say; `None` if they say nothing that
/// is known here.
fn of_errors(mistake: Mistake, errors: &[u8]) -> Option<Cause> {
    let errors = String::from_utf8_lossy(errors);
    let mut is_in_traceback = false;
    for line in errors.lines().rev().take(LINES) {
        // The lines are read from the last one. Those of a traceback are indented. What stands before it was written
        // earlier: the program went on after that.
        if is_in_traceback && !line.starts_with(' ') {
            return None;
        }
        let found = KNOWN.iter().find_map(|known| known.read(line)).or_else(|| missing_program(line));
        if let Some((what, [cure, cure_on_web])) = found {
            return Some(Cause { mistake, what, cure, cure_on_web });
        }
        is_in_traceback |= is_exception(line);
    }
    None
}

/// What happened, and what helps each reader.
type Found = (String, [String; 2]);

/// Reads what `sh` says of a program that it does not find: `/bot/run.sh: 3: julia: not found`.
fn missing_program(line: &str) -> Option<Found> {
    let (script, program) = line.strip_suffix(": not found")?.rsplit_once(": ")?;
    let (_, line_number) = script.rsplit_once(": ")?;
    if program.is_empty() || program.contains(' ') || line_number.parse::<u32>().is_err() {
        return None;
    }
    let what = format!("a script calls {program}, a program that is not here");
    Some((what, [NO_PROGRAM.to_owned(), String::new()]))
}

/// Tells whether a line begins as an exception of Python, Java or JavaScript does: `KeyError: 3`.
fn is_exception(line: &str) -> bool {
    let line = line.strip_prefix("Exception in thread \"main\" ").unwrap_or(line);
    let name = line.split([':', ' ']).next().unwrap_or_default();
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    is_name(name) && ["Error", "Exception"].iter().any(|end| name.ends_with(end))
}

impl Known {
    /// Returns the cause if a line is of this kind.
    fn read(&self, line: &str) -> Option<Found> {
        let (_, rest) = line.split_once(self.before)?;
        let word = if self.behind.is_empty() { rest } else { rest.split_once(self.behind)?.0 }.trim();
        // In the sandbox the files of the author are below /bot.
        let name = text::harmless(word.strip_prefix("/bot/").unwrap_or(word), SHOWN);
        // A file that is opened by a path from the root is not found beside the bot.
        let opens_elsewhere = self.cure == FILE_BESIDE && is_absolute(&name);
        let cure = if opens_elsewhere { FILE_ELSEWHERE } else { self.cure };
        let fill = |words: &str| words.replace("{}", &name);
        Some((fill(self.what), cure.map(fill)))
    }
}

/// Tells whether a name is a path from the root, of Linux or of Windows.
fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.get(1..3).is_some_and(|colon| colon.starts_with(':'))
}

/// Maximum number of characters of what a program says, in a sentence.
const SHOWN: usize = 100;

macro_rules! known {
    ($($before:literal, $behind:literal => $what:literal, $cure:expr;)*) => {
        &[$(Known { before: $before, behind: $behind, what: $what, cure: $cure }),*]
    };
}

/// Returns advice that is the same for both readers.
const fn all(cure: &'static str) -> [&'static str; 2] {
    [cure, ""]
}

const FILE_BESIDE: [&str; 2] = all("put {} beside the file to begin with, and submit the folder");
const FILE_ELSEWHERE: [&str; 2] =
    all("put that file beside the bot, open it by its name alone, and submit the folder");
const MEMORY: [&str; 2] =
    all("use less memory; the limits are in {protocol}, section Surroundings, and a host can set data_mib");
const NO_NETWORK: [&str; 2] =
    all("a bot has no network: put what it downloads beside it, and submit the folder");
const NO_TASKS: [&str; 2] = [
    "start fewer threads; other processes need --allow-fork, which the host gives with `hill submit`",
    "start fewer threads; other processes need the leave of the host",
];
const NO_WRITING: [&str; 2] =
    all("write below the folder that $TMPDIR names, under a name that no file beside the bot has");
const NO_PROGRAM: &str = "submit the source of that program, or a program that needs no other";
const PYTHON: [&str; 2] = [
    "put {} beside the bot and submit the folder; or, if another Python here has it, name that: --interpreter FOLDER, \
     where FOLDER/bin/python3 is that Python",
    "put {} beside the bot and submit the folder, or ask the host to list a Python that has it",
];
const NODE: [&str; 2] = all("put node_modules, with {} in it, beside the bot, and submit the folder");
const CLASSES: [&str; 2] = all("submit all .java files, or a jar with all classes");

const SEMAPHORES: [&str; 2] = [
    "--sandbox strict --allow-fork; or do without Pool, Queue and Lock: multiprocessing.Pipe needs none",
    "do without Pool, Queue and Lock: multiprocessing.Pipe needs no semaphores",
];

/// The known lines. If a line is of several kinds, the first kind counts.
const KNOWN: &[Known] = known! {
    "ModuleNotFoundError: No module named '", "'" => "the Python that plays has no module {}", PYTHON;
    "ImportError: No module named ", "" => "the Python that plays has no module {}", PYTHON;
    "ImportError: ", ": cannot open shared object file" => "a shared library is missing: {}",
        all("do without the module that needs it, or have the host install it");
    "FileNotFoundError: [Errno 2] No such file or directory: '", "'" => "it opens {}, which is not there", FILE_BESIDE;
    "Error: ENOENT: no such file or directory, open '", "'" => "it opens {}, which is not there", FILE_BESIDE;
    "java.io.FileNotFoundException: ", " (" => "it opens {}, which is not there", FILE_BESIDE;
    "java.nio.file.NoSuchFileException: ", "" => "it opens {}, which is not there", FILE_BESIDE;
    "No such file or directory @ rb_sysopen - ", "" => "it opens {}, which is not there", FILE_BESIDE;
    "Error: Cannot find module './", "'" => "Node.js finds no module ./{}", FILE_BESIDE;
    "Error: Cannot find module '/bot/", "'" => "Node.js finds no module {}", FILE_BESIDE;
    "Error: Cannot find module '", "'" => "Node.js finds no module {}", NODE;
    "cannot load such file -- ", " (LoadError)" => "Ruby finds no file {}", FILE_BESIDE;
    "Can't locate ", " in @INC" => "Perl finds no module {}", FILE_BESIDE;
    "UnsupportedClassVersionError: ", " has been compiled" => "{} was compiled for a later Java",
        all("submit the .java files, which are compiled here");
    "NoClassDefFoundError: ", "" => "Java finds no class {}", CLASSES;
    "ClassNotFoundException: ", "" => "Java finds no class {}", CLASSES;
    "no main manifest attribute, in ", "" => "the jar {} names no class to begin with",
        all("submit the .java files, which are compiled here");
    "SyntaxError: ", "" => "the program cannot be read: {}",
        ["mend the line that its standard error names; if it is right, write it for the version of the language that \
          `referee languages` shows", "mend the line that its standard error names; if it is right, write it for the \
          version of the language that the host has"];
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
        --allow-fork", SEMAPHORES;
    "PermissionError: [Errno 13] Permission denied: '", "'" => "it must not open {}",
        all("read what is beside it, and write only below the folder that $TMPDIR names");
    "invalid literal for int() with base 10: ", "" => "it reads {} as one number",
        all("a question is one line of integers: in Python [int(word) for word in line.split()]");
    ": command not found", "" => "a script calls a program that is not here", all(NO_PROGRAM);
};

#[cfg(test)]
mod tests;
