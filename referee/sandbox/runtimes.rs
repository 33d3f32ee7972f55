//! Language runtimes: which system files they read, and which variables make them start in a sandbox and
//! respect a bot's limits.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Limits;

/// Files and folders of runtimes outside the system's folders, if they exist: files of a distribution's
/// packages, and nothing that reveals this machine. None contains keys or passwords of its owner.
pub(super) const FILES: [&str; 13] = [
    "/etc/R",
    "/etc/dotnet",
    "/etc/erlang",
    "/etc/gnucobol",
    "/etc/julia",
    "/etc/mono",
    "/etc/octave.conf",
    "/etc/octaverc",
    "/etc/racket",
    "/etc/sbclrc",
    // Libraries of CHICKEN, the ones that root has installed for Ruby, and the list of those of GHC.
    "/var/lib/chicken",
    "/var/lib/gems",
    "/var/lib/ghc",
];

/// Beginnings of names in `/etc` that belong to runtimes. Several versions of a runtime can be installed.
const BEGINNINGS: [&str; 3] = ["java", "nodejs", "python3"];

/// Folders below `/etc/php/VERSION` that every program in PHP reads. Others contain a web server's secrets.
const PHP_FOLDERS: [&str; 2] = ["cli", "mods-available"];

/// Settings of runtimes whose paths depend on what is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// The files and folders, named as if `/` were the root.
    pub(super) found: Vec<PathBuf>,
    /// The folders that were searched for them. As long as these do not change, a search finds the same.
    pub(super) searched: Vec<PathBuf>,
}

/// Finds the settings of all installed runtimes, with the given folder as `/`.
pub(super) fn settings(root: &str) -> Settings {
    let etc = PathBuf::from("/etc");
    let php = etc.join("php");
    let versions: Vec<PathBuf> = entries(root, &php);
    let is_runtimes = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_bytes();
        BEGINNINGS.iter().any(|beginning| name.starts_with(beginning.as_bytes()))
    };
    let mut found: Vec<PathBuf> = entries(root, &etc).into_iter().filter(is_runtimes).collect();
    found.extend(versions.iter().flat_map(|version| PHP_FOLDERS.map(|name| version.join(name))));
    Settings { found, searched: [etc, php].into_iter().chain(versions).collect() }
}

/// Lists a folder, in order.
fn entries(root: &str, folder: &Path) -> Vec<PathBuf> {
    let below_root = Path::new(root).join(folder.strip_prefix("/").unwrap_or(folder));
    let entries = fs::read_dir(below_root).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| folder.join(entry.file_name())).collect();
    entries.sort();
    entries
}

/// Returns environment variables for the runtimes of programs. The author's file is started unchanged, so no argument
/// can set these limits.
pub fn variables(limits: &Limits) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    // The maximum heap of .NET, in bytes, hexadecimal. Without it, .NET reserves 256 GiB and takes as much as it likes.
    let heap = format!("{:x}", limits.data_mib.saturating_mul(1 << 20) / 2);
    // .NET makes named pipes for debuggers, and unless these are switched off, it does not start where it can make
    // none.
    for (name, value) in [("EnableDiagnostics", "0"), ("GCHeapHardLimit", heap.as_str())] {
        // .NET before version 6 knows only the second name.
        for prefix in ["DOTNET_", "COMPlus_"] {
            variables.push((format!("{prefix}{name}"), value.to_owned()));
        }
    }
    let cores = limits.cores();
    variables.extend(CORES.map(|name| (name.to_owned(), cores.to_string())));
    // By default Erlang also starts ten threads for files.
    variables.push(("ERL_FLAGS".to_owned(), format!("+S {cores}:{cores} +SDcpu {cores}:{cores} +SDio 2")));
    // Python would write the compiled form of a module beside it, into the stored program where the tier allows that.
    variables.push(("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()));
    variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Variables that tell runtimes for how many cores to start threads: Go, .NET, OpenMP and software based on
/// it, OpenBLAS, Rust's rayon and tokio. A bot that sets the number itself can have more threads.
const CORES: [&str; 6] = [
    "GOMAXPROCS",
    "DOTNET_PROCESSOR_COUNT",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "TOKIO_WORKER_THREADS",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_searched_tells_all_that_is_found() {
        let root = tempfile::tempdir().unwrap();
        let name = root.path().to_str().unwrap();
        let folder = |path: &str| fs::create_dir_all(root.path().join(path)).unwrap();
        for path in ["java-17-openjdk", "python3", "python3.11", "pam.d", "php/8.2/cli", "php/8.2/fpm"] {
            folder(&format!("etc/{path}"));
        }
        let settings = settings(name);
        let shown = |path: &str| settings.found.iter().any(|found| found == Path::new(path));
        assert!(shown("/etc/java-17-openjdk") && shown("/etc/python3") && shown("/etc/python3.11"));
        assert!(shown("/etc/php/8.2/cli") && !shown("/etc/php/8.2/fpm") && !shown("/etc/pam.d"));
        assert_eq!(settings.searched, ["/etc", "/etc/php", "/etc/php/8.2"].map(PathBuf::from));
    }

    #[test]
    fn runtimes_are_told_of_a_quarter_as_many_cores_as_they_may_have_threads() {
        let cores = |tasks| Limits { tasks, ..Limits::default() }.cores();
        assert_eq!([cores(0), cores(7)], [1, 1]);
        assert!((1..=8).contains(&cores(32)) && cores(1 << 20) >= cores(32));
        let value = |name: &str| {
            let variables = variables(&Limits { data_mib: 512, ..Limits::default() });
            let value = variables.into_iter().find(|(found, _)| found == name).map(|(_, value)| value);
            value.unwrap_or_else(|| panic!("no {name}")).into_string().unwrap()
        };
        assert_eq!(value("GOMAXPROCS"), cores(32).to_string());
        assert_eq!([value("DOTNET_GCHeapHardLimit"), value("COMPlus_EnableDiagnostics")], ["10000000", "0"]);
    }
}
