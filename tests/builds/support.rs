//! Builds of files that a test writes down.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use referee_builds::bundle::SourceFile;
use referee_builds::languages::Languages;
use referee_builds::{Artefact, HandedIn, NotBuilt, Source, Toolchain, Workplace, build};
use referee_record::error::Error;
use referee_sandbox::fork_server::ForkServer;

/// The program that starts all processes of a test: this one.
pub(crate) struct Builder {
    server: ForkServer,
    stop: AtomicBool,
    pub(crate) languages: Languages,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        let program = std::env::current_exe().expect("this program");
        Builder {
            server: ForkServer::of(program),
            stop: AtomicBool::new(false),
            languages: Languages::built_in(),
        }
    }

    pub(crate) fn place(&self) -> Workplace<'_> {
        Workplace { fork_server: &self.server, stop: &self.stop, landlock_version_max: i32::MAX }
    }

    pub(crate) fn take(&self, path: &Path) -> Result<Source, Error> {
        let handed_in = HandedIn::open(path).expect("opened");
        Source::take(self.place(), &handed_in, path, &self.languages.limits)
    }

    /// Builds what was handed in.
    pub(crate) fn make(&self, path: &Path) -> Result<Artefact, Error> {
        self.build_source(&self.take(path)?)
    }

    pub(crate) fn build_source(&self, source: &Source) -> Result<Artefact, Error> {
        let chosen = self.languages.choose(&source.files).map_err(Error::input)?;
        let limits = &self.languages.limits;
        let toolchain = Toolchain::of(self.place(), chosen.name, chosen.row, limits)?;
        build(self.place(), source, &chosen, &toolchain, limits)
    }

    /// Builds files with these contents.
    pub(crate) fn build(&self, files: &[(&str, &str)]) -> Result<Artefact, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, content).expect("written");
        }
        self.make(folder.path())
    }

    /// The same for files that cannot be built: returns the reason.
    pub(crate) fn refuse(&self, files: &[(&str, &str)]) -> NotBuilt {
        let error = self.build(files).expect_err("it is built");
        error.cause::<NotBuilt>().unwrap_or_else(|| panic!("{error}")).clone()
    }
}

/// Runs a program that was built, with a line of input, and returns its output. It is one that the test wrote.
pub(crate) fn run(files: &[SourceFile], input: &str) -> String {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = None;
    for file in files {
        let path = folder.path().join(&file.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, &file.bytes).expect("written");
        if file.executable {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
            program = Some(path);
        }
    }
    let mut child = std::process::Command::new(program.expect("a program"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("started");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ended");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A file of a host that an attack could reach.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    pub(crate) secret: std::path::PathBuf,
}

impl Stage {
    pub(crate) fn set() -> Stage {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).expect("open to all");
        let secret = folder.path().join("secret.txt");
        fs::write(&secret, "token-of-the-host\n").expect("written");
        Stage { folder, secret }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Builder {
    /// Offers build scripts.
    pub(crate) fn with_scripts() -> Builder {
        let mut builder = Builder::new();
        builder.languages.rows.get_mut("script").expect("a row").offered = true;
        builder
    }
}
