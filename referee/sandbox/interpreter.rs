//! Interpreters of scripts: always a program of the host, never one from the script's author.
//!
//! A script's first line only names an interpreter. The interpreter counts if it is a compiled program that only root
//! and this user can replace, and if the host's `PATH` finds it, the host has listed it, or it is part of the system.
//! The check executes nothing. A version manager's `python3`, a small script that finds the real one, does not count,
//! and the next one in `PATH` is tried; the host can list the real one.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Limits;
use super::root::is_of_the_system;
use super::runtime_folder::runtime_around;
use super::trust::{Distrust, Trusted, walk};
use crate::program::{self, FirstLine, Look, NotAProgram, Opened};

/// The interpreters that the host lists in addition to those that its `PATH` finds: single files, and folders
/// (a virtual environment, a whole runtime), which bots that use them see unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interpreters {
    files: Arc<[PathBuf]>,
    folders: Arc<[PathBuf]>,
}

/// An entry of the host's list that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotListed {
    path: PathBuf,
    why: String,
}

impl fmt::Display for NotListed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interpreters: {}: {}", program::shown(&self.path), self.why)
    }
}

impl std::error::Error for NotListed {}

/// The interpreter of a script.
#[derive(Clone, Debug)]
pub struct Interpreter {
    /// The program, by the path at which the bot sees it.
    pub file: PathBuf,
    /// Its arguments before the script.
    pub arguments: Vec<OsString>,
    /// The files and folders that the bot sees for it, in addition to the system's.
    pub shown: Vec<PathBuf>,
    /// The state of the file when it was checked.
    look: Look,
    runtime: Runtime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runtime {
    Node,
    Java,
    Sbcl,
    Other,
}

impl Runtime {
    fn by_file_name(interpreter: &Path) -> Runtime {
        match interpreter.file_name().map(OsStr::as_bytes) {
            Some(b"node" | b"nodejs") => Runtime::Node,
            Some(b"java") => Runtime::Java,
            Some(b"sbcl") => Runtime::Sbcl,
            _ => Runtime::Other,
        }
    }
}

impl Interpreter {
    /// Tells whether it reserves far more memory than it uses.
    pub fn reserves(&self) -> bool {
        self.runtime != Runtime::Other
    }

    /// Returns its arguments before the script: first those that make it respect its limits, then those of the script's
    /// first line, which can override them.
    pub fn arguments(&self, limits: &Limits) -> Vec<OsString> {
        let for_limits = match self.runtime {
            // Java writes performance data below /tmp, and warns on standard output if it cannot.
            Runtime::Java => vec![
                "-XX:-UsePerfData".into(),
                "-XX:+UseSerialGC".into(),
                format!("-Xmx{}m", (limits.data_mib / 2).max(2)).into(),
                format!("-XX:ActiveProcessorCount={}", limits.cores()).into(),
            ],
            // The default size of its heap is more than the whole limit, and it requests all of that at once.
            Runtime::Sbcl => {
                vec!["--dynamic-space-size".into(), format!("{}MB", (limits.data_mib / 2).max(2)).into()]
            }
            _ => Vec::new(),
        };
        for_limits.into_iter().chain(self.arguments.iter().cloned()).collect()
    }

    /// Tells whether this is the program at a path, and in the same virtual environment if that path is in one. A
    /// script of the system that calls this interpreter counts as this program.
    fn is_program_at(&self, path: &Path) -> bool {
        let is_same = |one: &Path, other: &Path| one.canonicalize().ok() == other.canonicalize().ok();
        if self.arguments.iter().any(|argument| is_same(Path::new(argument), path)) {
            return true;
        }
        let folder_of = |program: &Path| program.parent().and_then(Path::parent).map(Path::to_owned);
        let environment = folder_of(path).filter(|folder| folder.join("pyvenv.cfg").is_file());
        let is_in_environment = || match &environment {
            Some(environment) => folder_of(&self.file).is_some_and(|folder| is_same(&folder, environment)),
            None => true,
        };
        is_same(&self.file, path) && is_in_environment()
    }

    /// Opens the program; `None` if the file has changed since it was checked.
    fn open(&self) -> Option<File> {
        let file = File::open(&self.file).ok()?;
        let is_unchanged = Look::of(&file).is_ok_and(|look| look == self.look);
        is_unchanged.then_some(file)
    }
}

/// The choice of another interpreter for a script than the one that it gets when it is started by hand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassedOver {
    /// The interpreter that the script gets as a bot.
    pub taken: PathBuf,
    /// The interpreter that it gets by hand: the first one of the list and of `PATH`.
    pub first: PathBuf,
    /// The paths that the host has to list, so that it gets the first one; or the reason why it cannot.
    pub to_list: Result<Vec<PathBuf>, String>,
}

/// Tells whether every user may enter all folders above a path.
pub fn is_public(path: &Path) -> bool {
    hidden_by(path).is_none()
}

/// Returns the folder above a path that not every user may enter, if there is one.
fn hidden_by(path: &Path) -> Option<&Path> {
    let may_enter =
        |folder: &Path| fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0);
    path.ancestors().skip(1).find(|folder| !may_enter(folder))
}

impl Interpreters {
    /// Makes the list from the host's entries.
    ///
    /// # Errors
    ///
    /// The first entry that does not exist, that another user could change, or that is neither a folder nor a
    /// compiled program.
    pub fn listed<P: AsRef<Path>>(paths: &[P]) -> Result<Interpreters, NotListed> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for path in paths.iter().map(AsRef::as_ref) {
            let wrong = |why: String| NotListed { path: path.to_owned(), why };
            let Trusted { real, file, .. } = walk(path).map_err(|why| wrong(why.to_string()))?;
            let metadata = file.metadata().map_err(|error| wrong(error.to_string()))?;
            if metadata.is_dir() {
                if real.parent().is_none() {
                    return Err(wrong("this is the whole machine; list the runtime's own folder".to_owned()));
                }
                folders.push(real);
            } else {
                match program::first_line_of(&file) {
                    Ok(None) => files.push(real),
                    Ok(Some(_)) => return Err(wrong(format!("{A_SCRIPT}; list the program that it calls"))),
                    Err(why) => return Err(wrong(why.to_string())),
                }
            }
        }
        Ok(Interpreters { files: files.into(), folders: folders.into() })
    }

    /// Returns the listed folder that contains a path or is that path, if there is one.
    pub fn folder_around(&self, path: &Path) -> Option<&Path> {
        self.listed_folder(&fs::canonicalize(path).ok()?).map(PathBuf::as_path)
    }

    /// Makes sure that a file can be started: that it is a program, and if it is a script, that its interpreter counts.
    pub fn check(&self, file: &Path) -> Result<(), NotAProgram> {
        self.check_opened(&Opened::open(file)?)
    }

    /// Makes the check of [`check`](Interpreters::check) for a file that is open.
    pub fn check_opened(&self, file: &Opened) -> Result<(), NotAProgram> {
        self.open_for(file, false).map(drop)
    }

    /// Finds the interpreter of a program, and opens it; `None` if the program needs none. If `public`, bots run as a
    /// user who owns nothing, and may enter only folders that everybody may enter.
    pub fn open_for(
        &self,
        opened: &Opened,
        public: bool,
    ) -> Result<Option<(Interpreter, File)>, NotAProgram> {
        static CHECKED: Mutex<Checked> = Mutex::new(BTreeMap::new());
        let Some(line) = opened.first_line() else { return Ok(None) };
        let key = (line.clone(), public, self.clone());
        let mut checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(interpreter) = checked.get(&key)
            && let Some(file) = interpreter.open()
        {
            return Ok(Some((interpreter.clone(), file)));
        }
        let interpreter = self.find(line, public, DEPTH_MAX)?;
        let file = interpreter.open().ok_or_else(|| NotAProgram::NoInterpreter(interpreter.file.clone()))?;
        checked.insert(key, interpreter.clone());
        Ok(Some((interpreter, file)))
    }

    /// Returns the two interpreters of a script that gets another one than by hand; `None` if it gets the same. It gets
    /// another one if the first one in `PATH` does not count, or only without the virtual environment around it.
    pub fn passed_over(&self, opened: &Opened) -> Option<PassedOver> {
        let line = opened.first_line()?;
        let (name, _) = asked_of_env(line)?;
        let first = self.by_name(&name).into_iter().next()?;
        let taken = self.find(line, false, DEPTH_MAX).ok()?;
        if taken.is_program_at(&first) {
            return None;
        }
        let folders = runtime_around(&first);
        let to_list = match self.judge(&first, false, DEPTH_MAX) {
            // How a script finds the real interpreter is not known, so nothing that could be listed is known either.
            Err(Distrust::Because(why)) if why.starts_with(A_SCRIPT) => Err(why),
            _ => Interpreters::listed(&folders)
                .map_err(|why| why.to_string())
                .and_then(|listed| listed.find(line, false, DEPTH_MAX).map_err(|why| why.to_string()))
                .map(|_| folders),
        };
        Some(PassedOver { taken: taken.file, first, to_list })
    }

    /// Finds the interpreter for a first line: of several candidates the best one, and of equal ones the first. If none
    /// counts, the error is about the first candidate that exists. `depth` is the number of scripts that may still run
    /// each other.
    fn find(&self, line: &FirstLine, public: bool, depth: u32) -> Result<Interpreter, NotAProgram> {
        let (named, candidates, arguments) = match asked_of_env(line) {
            Some((name, arguments)) => (PathBuf::from(&name), self.by_name(&name), arguments),
            None => {
                let arguments = if line.rest.is_empty() { vec![] } else { vec![line.rest.clone()] };
                (line.interpreter.clone(), vec![line.interpreter.clone()], arguments)
            }
        };
        let mut best: Option<(Rank, Interpreter)> = None;
        let mut refusal = Distrust::Missing;
        for candidate in candidates {
            match self.judge(&candidate, public, depth) {
                Ok((rank, interpreter)) => {
                    if best.as_ref().is_none_or(|(best_rank, _)| rank < *best_rank) {
                        best = Some((rank, interpreter));
                    }
                }
                Err(why) => {
                    if refusal == Distrust::Missing {
                        refusal = why;
                    }
                }
            }
        }
        let (_, best) = best.ok_or_else(|| match refusal {
            Distrust::Missing => NotAProgram::NoInterpreter(named.clone()),
            Distrust::Because(why) => NotAProgram::NotTheHosts { interpreter: named.clone(), why },
        })?;
        let arguments = best.arguments.iter().cloned().chain(arguments).collect();
        Ok(Interpreter { arguments, ..best })
    }

    /// Lists the programs of a name that the host has listed, and then those in its `PATH`. Folders of `PATH` that are
    /// not absolute are skipped.
    fn by_name(&self, name: &OsStr) -> Vec<PathBuf> {
        let listed = self.files.iter().filter(|file| file.file_name() == Some(name)).cloned();
        let below = self.folders.iter().flat_map(|folder| [folder.join("bin").join(name), folder.join(name)]);
        let all = listed.chain(below).chain(in_path(name));
        all.filter(|file| fs::metadata(file).is_ok_and(|found| found.is_file())).collect()
    }

    /// Returns the interpreter in a file and its rank. The error is the reason why the file may not run scripts.
    fn judge(&self, candidate: &Path, public: bool, depth: u32) -> Result<(Rank, Interpreter), Distrust> {
        let Trusted { real, place, file } = walk(candidate)?;
        let refuse = |why: String| Err(Distrust::Because(why));
        let metadata = file.metadata().map_err(|error| Distrust::Because(error.to_string()))?;
        if !metadata.is_file() {
            return refuse("not a regular file".to_owned());
        }
        let is_shown =
            is_of_the_system(&real) || self.files.contains(&real) || self.listed_folder(&real).is_some();
        if !is_shown && let Some(folder) = self.listed_folder(&place) {
            let (folder, real) = (program::shown(folder), program::shown(&real));
            return refuse(format!("{folder} is listed, but this leads to {real}: list that, too"));
        }
        if !is_shown && !is_found_by_path(candidate, &real) {
            return refuse("the host's PATH does not find it, and it is not listed".to_owned());
        }
        if metadata.permissions().mode() & 0o111 == 0 {
            return refuse("not executable".to_owned());
        }
        if program::first_line_of(&file).is_ok_and(|line| line.is_some()) {
            if !is_of_the_system(&real) || depth == 0 {
                return refuse(format!("{A_SCRIPT}; the host can list the program that it calls"));
            }
            // A program that the system itself installs may be a script that calls the real one. The interpreter in its
            // first line runs it, in the sandbox.
            let wrapper = if is_of_the_system(&place) { &place } else { &real };
            return self.judge_wrapper(wrapper, &file, public, depth);
        }
        if let Err(why) = Opened::open(&real) {
            return refuse(why.to_string());
        }
        let shown = self.paths_to_show(&place, &real);
        if public && let Some(folder) = shown.iter().find_map(|path| folder_closed_to_nobody(path)) {
            let folder = program::shown(&folder);
            return refuse(format!(
                "in this tier bots run as user nobody, who cannot enter {folder}: chmod o+x {folder}, or use the strict \
                 tier"
            ));
        }
        let rank = if is_shown { Rank::Shown } else { Rank::Lone };
        let (look, runtime) = (Look::at(&metadata), Runtime::by_file_name(&real));
        // A virtual environment's Python has to be called by the name of the link to it.
        let keeps_name = is_of_the_system(&place) || self.listed_folder(&place).is_some();
        let file = if keeps_name { place } else { real };
        Ok((rank, Interpreter { file, arguments: Vec::new(), shown, look, runtime }))
    }

    /// Returns the listed folder that contains a path with all links resolved.
    fn listed_folder(&self, path: &Path) -> Option<&PathBuf> {
        self.folders.iter().find(|folder| path.starts_with(folder))
    }

    /// Lists the files and folders that a bot has to see for an interpreter, besides those of the system.
    fn paths_to_show(&self, place: &Path, real: &Path) -> Vec<PathBuf> {
        let mut shown: Vec<PathBuf> =
            [place, real].into_iter().filter_map(|path| self.listed_folder(path).cloned()).collect();
        shown.dedup();
        if self.listed_folder(real).is_none() {
            shown.push(real.to_owned());
        }
        shown.retain(|path| !is_of_the_system(path));
        shown
    }

    /// Judges a script of the system that stands for an interpreter: finds the interpreter of that script.
    fn judge_wrapper(
        &self,
        wrapper: &Path,
        file: &File,
        public: bool,
        depth: u32,
    ) -> Result<(Rank, Interpreter), Distrust> {
        let because = |why: NotAProgram| Distrust::Because(why.to_string());
        let line = program::first_line_of(file).map_err(because)?.ok_or(Distrust::Missing)?;
        let mut interpreter = self.find(&line, public, depth - 1).map_err(because)?;
        interpreter.arguments.push(wrapper.as_os_str().to_owned());
        Ok((Rank::Wrapper, interpreter))
    }
}

/// How well an interpreter is suited, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It is part of the system or listed, and bots see everything that belongs to it.
    Shown,
    /// It is a script of the system that calls the real one.
    Wrapper,
    /// Only `PATH` finds it, and bots see this file alone, without its surroundings.
    Lone,
}

/// The interpreters that were found, by first line, whether bots run as a user who owns nothing, and the host's list.
type Checked = BTreeMap<(FirstLine, bool, Interpreters), Interpreter>;

/// Maximum number of scripts that run each other.
const DEPTH_MAX: u32 = 4;

const A_SCRIPT: &str = "it is a script, not a compiled program";

/// Where `env` is. Another program of that name does not count.
const ENV: [&str; 2] = ["/usr/bin/env", "/bin/env"];

/// Returns the name and arguments of the program that `env` has to find; `None` if the first line does not call `env`,
/// or calls it to do more. `env` itself then does that, in the sandbox.
fn asked_of_env(line: &FirstLine) -> Option<(OsString, Vec<OsString>)> {
    if !ENV.iter().any(|env| Path::new(env) == line.interpreter) {
        return None;
    }
    let rest = line.rest.as_bytes();
    let words: Vec<&[u8]> = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let words = match &words[..] {
        [b"-S", words @ ..] if !rest.iter().any(|byte| b"'\"\\$#".contains(byte)) => words,
        [_] => &words[..],
        _ => return None,
    };
    let (name, arguments) = words.split_first()?;
    if name.starts_with(b"-") || name.contains(&b'=') || name.contains(&b'/') {
        return None;
    }
    let word = |word: &&[u8]| OsStr::from_bytes(word).to_owned();
    Some((word(name), arguments.iter().map(word).collect()))
}

fn in_path(name: &OsStr) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .collect()
}

/// Tells whether the host's `PATH` finds this very file under the candidate's name.
fn is_found_by_path(candidate: &Path, real: &Path) -> bool {
    let Some(name) = candidate.file_name() else { return false };
    in_path(name).iter().any(|path| walk(path).is_ok_and(|trusted| trusted.real == real))
}

/// Returns the folder that keeps a user who owns nothing away from the contents of a folder; `None` for a single file,
/// which is executed by its descriptor, in any place.
fn folder_closed_to_nobody(path: &Path) -> Option<PathBuf> {
    if !path.is_dir() {
        return None;
    }
    hidden_by(&path.join("any file")).map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with two compiled programs and a script, inside a folder of its own.
    fn runtime() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let bin = fs::canonicalize(folder.path()).unwrap().join("runtime/bin");
        fs::create_dir_all(&bin).unwrap();
        for name in ["tool", "java"] {
            fs::copy(fs::canonicalize("/bin/sh").unwrap(), bin.join(name)).unwrap();
        }
        fs::write(bin.join("python3"), "#!/bin/sh\ntouch executed\n").unwrap();
        fs::set_permissions(bin.join("python3"), fs::Permissions::from_mode(0o755)).unwrap();
        (folder, bin)
    }

    fn find(list: &Interpreters, first: &str) -> Result<Interpreter, NotAProgram> {
        let (interpreter, rest) = first.split_once(' ').unwrap_or((first, ""));
        let line = FirstLine { interpreter: interpreter.into(), rest: rest.into() };
        list.find(&line, false, DEPTH_MAX)
    }

    fn refusal(list: &Interpreters, first: &str) -> String {
        find(list, first).expect_err(first).to_string()
    }

    #[test]
    fn the_first_line_is_read_as_the_system_reads_it() {
        let none = Interpreters::default();
        let shell = find(&none, "/bin/sh").unwrap();
        assert!(is_of_the_system(&shell.file) && shell.file.ends_with("sh"), "{}", shell.file.display());
        assert!(shell.arguments.is_empty() && shell.shown.is_empty());
        assert_eq!(find(&none, "/bin/sh -e -u").unwrap().arguments, ["-e -u"]);
        assert_eq!(find(&none, "/usr/bin/env -S sh -e -u").unwrap().arguments, ["-e", "-u"]);
        // Calls of `env` that are left to `env`, in the sandbox.
        for rest in ["sh -e", "-S LD_PRELOAD=/x.so sh", "A=b sh", "-i", "-S sh -c 'a b'", "-S ./sh", "-Ssh"] {
            let env = find(&none, &format!("/usr/bin/env {rest}")).unwrap();
            assert_eq!((env.file, env.arguments), (PathBuf::from("/usr/bin/env"), vec![rest.into()]));
        }
    }

    #[test]
    fn an_interpreter_that_nobody_has_listed_does_not_count() {
        let (folder, bin) = runtime();
        let none = Interpreters::default();
        for name in ["tool", "java", "python3"] {
            let why = refusal(&none, bin.join(name).to_str().unwrap());
            assert!(why.contains("not listed") && why.contains("--interpreter"), "{why}");
        }
        let env = bin.join("env");
        symlink("/usr/bin/env", &env).unwrap();
        let found = find(&none, &format!("{} python3", env.display())).unwrap();
        assert_eq!((found.file, found.arguments), (PathBuf::from("/usr/bin/env"), vec!["python3".into()]));
        assert_eq!(
            refusal(&none, "/no/such/python"),
            "its first line names an interpreter that is not here: /no/such/python; name one that is, such as \
             #!/usr/bin/env python3, or have the host install it"
        );
        for first in ["/proc/self/exe", "/dev/fd/0", "bin/sh", "./sh", "", "/", "/usr", "/etc/passwd"] {
            refusal(&none, first);
        }
        assert!(!folder.path().join("executed").exists() && !Path::new("executed").exists());
    }

    #[test]
    fn a_listed_file_is_shown_alone_and_a_listed_folder_whole() {
        let (_folder, bin) = runtime();
        let (tool, home) = (bin.join("tool"), bin.parent().unwrap());
        let found = find(&Interpreters::listed(&[&tool]).unwrap(), tool.to_str().unwrap()).unwrap();
        assert_eq!((found.file, found.shown), (tool.clone(), vec![tool.clone()]));
        let listed = Interpreters::listed(&[home]).unwrap();
        let found = find(&listed, tool.to_str().unwrap()).unwrap();
        assert_eq!((found.file, found.shown), (tool.clone(), vec![home.to_owned()]));
        let by_name = find(&listed, "/usr/bin/env tool").unwrap();
        assert_eq!(by_name.file, tool);
        let why = refusal(&listed, bin.join("python3").to_str().unwrap());
        assert!(why.contains("a script"), "{why}");
    }

    #[test]
    fn an_environment_keeps_its_name_and_what_it_leads_to_is_listed_too() {
        let (folder, bin) = runtime();
        let home = fs::canonicalize(folder.path()).unwrap().join("environment");
        fs::create_dir_all(home.join("bin")).unwrap();
        let own = home.join("bin/python3");
        symlink(bin.join("tool"), &own).unwrap();
        let listed = Interpreters::listed(&[&home]).unwrap();
        let why = refusal(&listed, own.to_str().unwrap());
        assert!(
            why.contains(&format!("this leads to {}: list that, too", bin.join("tool").display())),
            "{why}"
        );
        let both = Interpreters::listed(&[&home, &bin.join("tool")]).unwrap();
        let found = find(&both, own.to_str().unwrap()).unwrap();
        assert_eq!((found.file, found.shown), (own.clone(), vec![home.clone(), bin.join("tool")]));
        fs::remove_file(&own).unwrap();
        symlink("/bin/sh", &own).unwrap();
        let found = find(&listed, own.to_str().unwrap()).unwrap();
        assert_eq!((found.file, found.shown), (own, vec![home]));
    }

    /// Returns what a script that asks `env` for this name gets, if it does not get the first of the list.
    fn passed_over(list: &Interpreters, folder: &Path, name: &str) -> Option<PassedOver> {
        let script = folder.join("script");
        fs::write(&script, format!("#!/usr/bin/env {name}\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        list.passed_over(&Opened::open(&script).unwrap())
    }

    #[test]
    fn what_is_listed_comes_before_what_path_finds() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap().join("environment");
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(home.join("pyvenv.cfg"), "").unwrap();
        symlink("/bin/sh", home.join("bin/sh")).unwrap();
        let listed = Interpreters::listed(&[&home]).unwrap();
        assert_eq!(find(&listed, "/usr/bin/env sh").unwrap().file, home.join("bin/sh"));
        assert_eq!(passed_over(&listed, folder.path(), "sh"), None);
        assert_eq!(passed_over(&Interpreters::default(), folder.path(), "sh"), None);
    }

    #[test]
    fn an_interpreter_that_does_not_count_is_named_with_what_has_to_be_listed() {
        let (folder, bin) = runtime();
        let home = fs::canonicalize(folder.path()).unwrap().join("environment");
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::write(home.join("pyvenv.cfg"), "").unwrap();
        symlink(bin.join("tool"), home.join("bin/sh")).unwrap();
        assert_eq!(runtime_around(&home.join("bin/sh")), [home.clone(), bin.join("tool")]);
        ["lib", "include"].iter().for_each(|name| fs::create_dir(bin.with_file_name(name)).unwrap());
        let listed = Interpreters::listed(&[&home]).unwrap();
        let passed = passed_over(&listed, folder.path(), "sh").unwrap();
        assert!(is_of_the_system(&passed.taken), "{passed:?}");
        assert_eq!(passed.first, home.join("bin/sh"));
        let to_list = passed.to_list.unwrap();
        assert_eq!(to_list, [home.clone(), bin.parent().unwrap().to_owned()]);
        let listed = Interpreters::listed(&to_list).unwrap();
        assert_eq!(find(&listed, "/usr/bin/env sh").unwrap().file, home.join("bin/sh"));
        fs::remove_file(home.join("bin/sh")).unwrap();
        fs::copy(bin.join("python3"), home.join("bin/sh")).unwrap();
        let passed = passed_over(&listed, folder.path(), "sh").unwrap();
        assert!(passed.to_list.is_err_and(|why| why.contains("a script")));
    }

    #[test]
    fn an_environment_that_path_finds_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(home.join("bin")).unwrap();
        symlink("/bin/sh", home.join("bin/sh")).unwrap();
        let found = find(&Interpreters::default(), "/usr/bin/env sh").unwrap();
        assert!(found.is_program_at(&home.join("bin/sh")), "a link like any other");
        fs::write(home.join("pyvenv.cfg"), "").unwrap();
        assert!(!found.is_program_at(&home.join("bin/sh")), "an environment has packages of its own");
        let listed = Interpreters::listed(&[&home]).unwrap();
        assert!(find(&listed, "/usr/bin/env sh").unwrap().is_program_at(&home.join("bin/sh")));
        assert_eq!(runtime_around(&home.join("bin/sh")), [home]);
    }

    #[test]
    fn a_list_names_what_is_there_and_nobody_else_can_change() {
        let (_folder, bin) = runtime();
        let why = |path: &Path| Interpreters::listed(&[path]).unwrap_err().to_string();
        assert!(why(Path::new("/")).contains("whole machine"));
        assert!(why(Path::new("bin/python3")).contains("not an absolute path"));
        assert!(why(&bin.join("none")).contains("no such file"));
        assert!(why(&bin.join("python3")).contains("a script"));
        fs::set_permissions(bin.join("tool"), fs::Permissions::from_mode(0o757)).unwrap();
        assert!(why(&bin.join("tool")).contains("chmod go-w"));
        fs::set_permissions(bin.parent().unwrap(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(why(&bin.join("java")).contains("chmod go-w"));
    }
}
