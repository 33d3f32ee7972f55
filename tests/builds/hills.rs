//! Sources that are submitted to a hill: what is recorded and kept of them, and what plays.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_builds::{HandedIn, NotBuilt, Source};
use referee_contest::admission::by::By;
use referee_contest::admission::sources;
use referee_contest::admission::submission::{Admitted, Replaces, Submission};
use referee_contest::admission::turns;
use referee_contest::audit::builds::{AuditedBuilds, audit_builds};
use referee_contest::bot::{Bot, NewBot};
use referee_contest::hill::{Hill, HillSettings};
use referee_files::work::Work;
use referee_games::catalog;
use referee_record::error::{Error, ErrorKind};
use referee_rules::{Parameters, Seed};
use referee_sandbox::Tier;
use referee_table::process::Setup;

use crate::Test;
use crate::languages::LONG;
use crate::support::Builder;

pub(crate) const TESTS: &[Test] = &[
    ("hills::a_source_is_recorded_with_its_digests_and_its_build", None, recorded),
    ("hills::a_folder_plays_with_its_files_in_each_tier", None, folder_plays),
    ("hills::a_changed_file_of_a_folder_is_found", None, changed_file),
    ("hills::a_source_that_was_built_is_not_built_again", None, cached),
    ("hills::an_audit_builds_again_and_compares", None, audited),
    ("hills::a_bad_source_leaves_nothing", None, bad_source),
    ("hills::one_build_of_a_hill_runs_at_a_time_and_another_hill_does_not_wait", None, one_at_a_time),
    ("hills::neither_the_hill_nor_its_store_is_a_source", None, own_folder),
    ("hills::what_is_admitted_can_be_played_from_the_store", None, admitted_can_be_played),
    ("hills::a_refused_source_is_not_kept", None, refused_is_not_kept),
    ("hills::a_bot_that_changes_its_folder_is_not_admitted", None, changing_bot),
    ("hills::a_damaged_folder_is_repaired_by_another_submission", None, repaired_folder),
    ("hills::a_built_program_is_no_larger_than_one_handed_in", None, program_size),
    ("hills::what_was_checked_is_what_is_read", None, swapped),
    ("hills::an_audit_says_what_it_could_not_build", None, audit_goes_on),
    ("hills::a_wait_for_another_build_can_be_stopped", None, stopped_wait),
    ("hills::old_sources_make_room_and_those_of_bots_that_play_stay", None, room),
    ("hills::an_author_has_a_share_of_the_room_for_sources", None, share),
    ("hills::a_wait_for_another_build_has_an_end", None, ended_wait),
    ("hills::an_audit_goes_on_after_a_source_that_is_not_there", None, audit_counts),
    ("hills::a_folder_that_is_packed_is_the_same_source", None, packed_folder),
    ("hills::a_history_without_the_columns_of_sources_is_read_and_continued", None, older_history),
];

/// A hill in a folder of its own.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    pub(crate) hill: Hill,
    pub(crate) setup: Setup,
}

impl Place {
    fn new() -> Place {
        Place::with(&[])
    }

    /// A hill of Push with these parameters.
    pub(crate) fn with(set: &[(&str, i64)]) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("open to all");
        let entry = catalog::GAMES.iter().find(|game| game.name == "push").expect("a game");
        let entry = catalog::find(entry.name).expect("a game");
        let mut parameters = Parameters::defaults(entry.parameters);
        set.iter().for_each(|(name, value)| parameters.set(name, *value).expect("a parameter"));
        let hill =
            Hill::create(&folder.path().join("h"), entry, parameters, Seed(1), HillSettings::default());
        let setup =
            Setup { sandbox: Tier::Strict, ..Setup::with(std::env::current_exe().expect("this program")) };
        Place { folder, hill: hill.expect("a hill"), setup }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, content).expect("written");
        path
    }

    pub(crate) fn submit(&self, name: &str, file: &Path) -> Result<Admitted, Error> {
        self.submit_by(None, name, file)
    }

    pub(crate) fn submit_by(&self, author: Option<&str>, name: &str, file: &Path) -> Result<Admitted, Error> {
        let submission = Submission {
            bot: NewBot {
                name: name.to_owned(),
                file: file.to_owned(),
                source: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                arguments: Vec::new(),
                allow_fork: false,
                author: author.unwrap_or_default().to_owned(),
                built: None,
            },
            contact: None,
            replaces: Replaces::Any,
            by: By::Host,
        };
        self.hill.submit(&submission, &self.setup)
    }

    /// A bot in Python that answers with what its file says.
    pub(crate) fn python(&self) -> PathBuf {
        self.write(
            "py/bot.py",
            "import sys, helper\nfor line in sys.stdin: print(helper.answer(), flush=True)\n",
        );
        self.write(
            "py/helper.py",
            "import os\ndef answer(): return open(os.path.dirname(__file__) + '/data/answer.txt').read().strip()\n",
        );
        self.write("py/data/answer.txt", "30 3\n");
        self.path("py")
    }

    pub(crate) fn stored(&self, digest: &str) -> PathBuf {
        self.path("h").join("store").join(&digest[..2]).join(digest)
    }

    fn records(&self) -> Vec<PathBuf> {
        let all =
            fs::read_dir(self.path("h/builds")).into_iter().flatten().flatten().map(|entry| entry.path());
        all.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect()
    }
}

pub(crate) const C: &str = "#include <stdio.h>\nint main(void) { char b[9999]; while (fgets(b, 9999, stdin)) { puts(\"30 3\"); fflush(stdout); } }\n";

fn recorded() {
    let place = Place::new();
    let admitted = place.submit("bot", &place.write("bot.c", C)).expect("admitted");
    let (event, made) = (admitted.bot, admitted.made.expect("it was built"));
    assert_eq!((&*made.language, &event.source_digest), ("c", &Some(made.source.clone())));
    assert_eq!(event.toolchain, Some(made.toolchain.clone()));
    assert!(!made.version.is_empty() && made.log.is_empty(), "{made:?}");
    assert!(fs::read(place.stored(event.digest.as_str())).expect("a program").starts_with(b"\x7fELF"));
    let [record] = &place.records()[..] else { panic!("one record") };
    let record = fs::read_to_string(record).expect("read");
    for text in [event.digest.as_str(), made.source.as_str(), made.toolchain.as_str(), &made.version] {
        assert!(record.contains(text), "{record}");
    }
    let again = place.hill.entrants().expect("read").last_submission("bot").map(|event| event.bot.clone());
    assert_eq!(again, Some(event));
}

fn folder_plays() {
    let mut place = Place::new();
    let folder = place.python();
    for (name, tier) in [("strict", Tier::Strict), ("off", Tier::Off)] {
        place.setup.sandbox = tier;
        let admitted = place.submit(name, &folder).unwrap_or_else(|error| panic!("{tier}: {error}"));
        assert!(
            admitted.warnings.iter().all(|warning| warning.to_string().contains("illegal")),
            "{admitted:?}"
        );
        let stored = place.stored(admitted.bot.digest.as_str());
        assert!(stored.join("data/answer.txt").exists() && stored.join("bot.py").exists());
    }
    // A compiled program has the folder `data` beside it.
    place.setup.sandbox = Tier::Strict;
    place.write(
        "net/bot.c",
        &C.replace("int main(void) {", "int main(void) { if (!fopen(\"/bot/data/w\", \"r\")) return 1;"),
    );
    place.write("net/data/w", "weights");
    place.submit("net", &place.path("net")).expect("admitted");
}

fn changed_file() {
    let place = Place::new();
    let event = place.submit("py", &place.python()).expect("admitted").bot;
    let program = |place: &Place| place.hill.entrants().expect("read").program(&event).map(drop);
    program(&place).expect("as it was submitted");
    let stored = place.stored(event.digest.as_str());
    let (helper, answer) = (stored.join("helper.py"), stored.join("data/answer.txt"));
    let text = fs::read(&helper).expect("read");
    let change = |what: &str, done: std::io::Result<()>, undo: &dyn Fn() -> std::io::Result<()>| {
        done.expect(what);
        let why = program(&place).expect_err(what).to_string();
        assert!(why.contains("is not the program that was submitted as py"), "{what}: {why}");
        let why = place.hill.audit().expect_err(what).to_string();
        assert!(why.contains("the program was changed"), "{what}: {why}");
        undo().expect(what);
        program(&place).expect("put back");
    };
    let write = |bytes: &[u8]| {
        fs::remove_file(&helper)?;
        fs::write(&helper, bytes)
    };
    change("another content", write(b"x = 1\n"), &|| write(&text));
    change("one file more", fs::write(stored.join("data/more"), "1"), &|| {
        fs::remove_file(stored.join("data/more"))
    });
    let moved = stored.join("data/other");
    change("another name", fs::rename(&answer, &moved), &|| fs::rename(&moved, &answer));
    let mode = |mode| fs::set_permissions(&helper, fs::Permissions::from_mode(mode));
    // Two programs at the top: which one is started would be open.
    change(
        "another program",
        mode(0o555)
            .and_then(|()| fs::set_permissions(stored.join("bot.py"), fs::Permissions::from_mode(0o444))),
        &|| {
            mode(0o444)?;
            fs::set_permissions(stored.join("bot.py"), fs::Permissions::from_mode(0o555))
        },
    );
}

fn cached() {
    let place = Place::new();
    let file = place.write("bot.c", C);
    let first = place.submit("one", &file).expect("admitted").bot;
    let written = |place: &Place| {
        fs::metadata(&place.records()[0]).and_then(|record| record.modified()).expect("a record")
    };
    let before = written(&place);
    let second = place.submit("two", &file).expect("admitted").bot;
    assert_eq!((first.digest.as_str(), before), (second.digest.as_str(), written(&place)));
    // A cache that says something else than the store is not believed.
    let stored = place.stored(first.digest.as_str());
    fs::set_permissions(&stored, fs::Permissions::from_mode(0o755)).expect("open");
    fs::write(&stored, "#!/bin/sh\necho poisoned\n").expect("written");
    let third = place.submit("three", &file).expect("admitted").bot;
    assert_eq!(third.digest, first.digest);
    assert!(fs::read(&stored).expect("a program").starts_with(b"\x7fELF"), "it was built again");
}

fn audited() {
    let place = Place::new();
    place.submit("c", &place.write("bot.c", C)).expect("admitted");
    place.submit("py", &place.python()).expect("admitted");
    let script = place.write("ready", "#!/bin/sh\nwhile read -r line; do echo 30 3; done\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("executable");
    place.submit("ready", &script).expect("admitted");
    let due = AuditedBuilds { same: 2, ready: 1, ..AuditedBuilds::default() };
    assert_eq!(audit_builds(&place.hill, &place.setup).expect("built"), due);
    // Another row of the table is another toolchain.
    place.write("h/languages.toml", "[c]\nbuild = [['cc', '-O1', '-o', '{out}/bot', '{sources}']]\n");
    let due = AuditedBuilds { same: 1, other_toolchain: 1, ready: 1, ..AuditedBuilds::default() };
    assert_eq!(audit_builds(&place.hill, &place.setup).expect("built"), due);
    fs::remove_file(place.path("h/languages.toml")).expect("removed");
    let source = fs::read_dir(place.path("h/builds")).expect("builds").flatten().map(|entry| entry.path());
    for file in source.filter(|path| path.extension().is_some_and(|ending| ending == "source")) {
        let text = fs::read(&file).expect("read");
        let at = text.windows(4).position(|bytes| bytes == b"line" || bytes == b"main").expect("a word");
        let mut changed = text.clone();
        changed[at] = b'x';
        fs::write(&file, &changed).expect("written");
        let audited = audit_builds(&place.hill, &place.setup).expect("the others are built");
        assert_eq!((audited.changed.len(), audited.same), (1, 1), "{audited:?}");
        fs::write(&file, &text).expect("written");
    }
}

fn bad_source() {
    let place = Place::new();
    let error = place.submit("bad", &place.write("bad.c", "int main({\n")).expect_err("refused");
    let why = error.cause::<NotBuilt>().expect("a cause");
    assert!(
        why.how.ends_with("exit status 1") && why.log.iter().any(|line| line.contains("bad.c:1:")),
        "{why}"
    );
    // It is built, and then it fails its check game.
    let silent = "int main(void) { return 0; }\n";
    let error = place.submit("silent", &place.write("silent.c", silent)).expect_err("refused");
    assert!(error.cause::<NotBuilt>().is_none() && error.to_string().contains("check game"), "{error}");
    assert!(place.submit("text", &place.write("notes.txt", "hello")).is_err());
    assert!(place.hill.entrants().expect("read").field().is_empty());
    let stored: Vec<_> = fs::read_dir(place.path("h/store")).into_iter().flatten().flatten().collect();
    assert!(stored.is_empty(), "{stored:?}");
}

/// Each source is refused, or its program is found in the store as it was admitted.
fn admitted_can_be_played() {
    let place = Place::new();
    let bot = "import sys\nfor line in sys.stdin: print('30 3', flush=True)\n";
    place.write("nested/README.md", "a bot\n");
    place.write("nested/src/bot.py", bot);
    let why = place.submit("nested", &place.path("nested")).expect_err("refused").to_string();
    assert!(why.contains("src/bot.py is in a folder: move the file"), "{why}");
    for (name, depth, is_taken) in [("deep", 15, true), ("deeper", 16, false)] {
        place.write(&format!("{name}/bot.py"), bot);
        place.write(&format!("{name}/{}weights", "d/".repeat(depth)), name);
        // As an archive and as a folder.
        let archive = place.path(&format!("{name}.tar"));
        let mut packed = tar::Builder::new(fs::File::create(&archive).expect("made"));
        packed.append_dir_all(".", place.path(name)).and_then(|()| packed.finish()).expect("packed");
        for file in [&archive, &place.path(name)] {
            match place.submit(name, file) {
                Ok(_) => assert!(is_taken),
                Err(error) if error.to_string().contains("plays already") => assert!(is_taken),
                Err(error) => assert!(!is_taken && error.to_string().contains("deep"), "{name}: {error}"),
            }
        }
    }
    let entrants = place.hill.entrants().expect("read");
    for event in entrants.field() {
        entrants.program(event).unwrap_or_else(|error| panic!("{}: {error}", event.name));
    }
    assert_eq!(entrants.field().len(), 1);
}

fn kept(place: &Place) -> Vec<String> {
    let kept = fs::read_dir(place.path("h/builds")).into_iter().flatten().flatten();
    kept.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| name != "lock").collect()
}

fn refused_is_not_kept() {
    let place = Place::new();
    let silent = "int main(void) { return 0; }\n";
    place.submit("silent", &place.write("silent.c", silent)).expect_err("refused");
    place.submit("bad", &place.write("bad.c", "int main({\n")).expect_err("refused");
    assert!(!place.path("h/builds").exists());
    place.submit("bot", &place.write("bot.c", C)).expect("admitted");
    let mode = fs::metadata(place.path("h/builds")).expect("a folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "for the host alone");
    assert_eq!(kept(&place).len(), 2, "{:?}", kept(&place));
}

fn changing_bot() {
    let mut place = Place::new();
    place.setup.sandbox = Tier::Off;
    place.write("py/helper.py", "x = 1\n");
    place.write(
        "py/bot.py",
        "import os, sys, helper\nopen(os.path.join(os.path.dirname(__file__), 'left'), 'w')\n\
         for line in sys.stdin: print('30 3', flush=True)\n",
    );
    let why = place.submit("py", &place.path("py")).expect_err("refused").to_string();
    assert!(why.contains("its files were changed during its check game"), "{why}");
    assert!(place.hill.entrants().expect("read").field().is_empty() && kept(&place).is_empty());
}

fn repaired_folder() {
    let place = Place::new();
    let event = place.submit("py", &place.python()).expect("admitted").bot;
    let stored = place.stored(event.digest.as_str());
    for folder in [&stored, &stored.join("data")] {
        assert_eq!(fs::metadata(folder).expect("a folder").permissions().mode() & 0o777, 0o755);
    }
    fs::write(stored.join("more"), "damage").expect("written");
    fs::remove_file(stored.join("helper.py")).expect("removed");
    let program = || place.hill.entrants().expect("read").program(&event).map(drop);
    assert!(program().is_err());
    place.submit("py", &place.python()).expect("repaired");
    program().expect("as it was submitted");
    assert!(!stored.join("more").exists());
}

fn program_size() {
    let place = Place::new();
    let folder = place.python();
    let half = |name: &str| drop(place.write(name, &"x".repeat(600 << 10)));
    half("py/data/one");
    place.submit("one", &folder).expect("admitted");
    half("py/data/two");
    place.submit("two", &folder).expect("admitted");
    let settings = place.path("h/hill.toml");
    let text = fs::read_to_string(&settings).expect("read");
    assert!(text.contains("program_mib = 256"), "{text}");
    fs::write(&settings, text.replace("program_mib = 256", "program_mib = 1")).expect("written");
    let place = Place { hill: Hill::open(&place.path("h")).expect("a hill"), ..place };
    // Though it was built before.
    let why = place.submit("three", &folder).expect_err("refused").to_string();
    assert!(why.contains("more than 1 MiB"), "{why}");
    fs::remove_file(folder.join("data/two")).expect("removed");
    place.submit("four", &folder).expect("admitted");
}

/// Between the check of a source and its reading, another file is put at its path.
fn swapped() {
    let place = Place::new();
    let path = place.write("bot.c", C);
    let held = HandedIn::open(&path).expect("opened");
    fs::remove_file(&path).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", &path).expect("linked");
    let builder = Builder::new();
    let source = Source::take(builder.place(), &held, &path, &builder.languages.limits).expect("taken");
    assert_eq!(source.files[0].bytes, C.as_bytes());
    let folder = place.python();
    let held = HandedIn::open(&folder).expect("opened");
    fs::rename(&folder, place.path("away")).expect("moved");
    std::os::unix::fs::symlink("/etc", &folder).expect("linked");
    let source = Source::take(builder.place(), &held, &folder, &builder.languages.limits).expect("taken");
    assert_eq!(
        source.files.iter().map(|file| &*file.path).collect::<Vec<_>>(),
        ["bot.py", "data/answer.txt", "helper.py"]
    );
    // A pipe is not waited for.
    let pipe = place.path("pipe.c");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("started").success());
    let why = place.submit("pipe", &pipe).expect_err("refused").to_string();
    assert!(why.contains("not a regular file") || why.contains("no regular file"), "{why}");
}

fn audit_goes_on() {
    let place = Place::new();
    place.submit("c", &place.write("bot.c", C)).expect("admitted");
    place.submit("py", &place.python()).expect("admitted");
    let audited = |table: &str| {
        place.write("h/languages.toml", table);
        audit_builds(&place.hill, &place.setup).expect("audited")
    };
    let one = AuditedBuilds { same: 1, other_toolchain: 1, ..AuditedBuilds::default() };
    let both = AuditedBuilds { same: 2, ..AuditedBuilds::default() };
    assert_eq!(audited("[limits]\nsource_files = 1\nsource_mib = 1\nartefact_mib = 1\n"), both);
    assert_eq!(audited("[c]\noffered = false\n"), one);
    assert_eq!(audited("[c]\nversion = ['no-such-compiler']\n"), one);
    // No memory for the compiler: one program is not built, and the audit goes on.
    let audited = audited("[limits]\ndata_mib = 8\n");
    assert_eq!(audited.not_built.len() as u64 + audited.same, 2, "{audited:?}");
}

fn stopped_wait() {
    let place = Place::new();
    place.submit("c", &place.write("bot.c", C)).expect("admitted");
    let lock = fs::File::open(place.path("h/build-1.lock")).expect("a lock");
    lock.lock().expect("locked");
    place.setup.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = place.submit("d", &place.write("d.c", C)).expect_err("stopped");
    assert_eq!(error.kind(), ErrorKind::Stopped, "{error}");
}

/// A bot in Python with this many MiB beside it.
fn heavy(place: &Place, name: &str, mib: usize) -> PathBuf {
    place.write(&format!("{name}/bot.py"), "import sys\nfor line in sys.stdin: print('30 3', flush=True)\n");
    place.write(&format!("{name}/data/{name}"), &name.repeat((mib << 20) / name.len()));
    place.path(name)
}

fn room() {
    let place = Place::new();
    place.write("h/languages.toml", "[limits]\nbuilds_mib = 5\n");
    let submit = |bot: &str, source: &str| place.submit(bot, &heavy(&place, source, 2)).map(|told| told.bot);
    let there = |bot: &Bot| {
        let digest = bot.source_digest.as_ref().expect("a source").as_str().to_owned();
        place.path("h/builds").join(digest + ".source").exists()
    };
    let first = submit("one", "aa").expect("admitted");
    let second = submit("two", "bb").expect("admitted");
    // Nobody throws out the source of another bot that plays.
    let why = submit("three", "cc").expect_err("no room").to_string();
    assert!(why.contains("builds_mib") && why.contains("of at most 5 MiB"), "{why}");
    assert!(there(&first) && there(&second));
    // A new version takes the room of the one before, and a new bot that of one which left.
    let third = submit("two", "cc").expect("admitted");
    assert!(there(&first) && !there(&second) && there(&third));
    place.hill.retire("one", By::Host).expect("retired");
    let fourth = submit("four", "dd").expect("admitted");
    assert!(!there(&first) && there(&third) && there(&fourth));
    let audited = audit_builds(&place.hill, &place.setup).expect("audited");
    assert_eq!((audited.same, audited.removed, audited.missing.len()), (2, 2, 0), "{audited:?}");
    let why = place.submit("large", &heavy(&place, "ee", 6)).expect_err("no room").to_string();
    assert!(why.contains("builds_mib"), "{why}");
}

fn share() {
    let place = Place::new();
    place.write("h/languages.toml", "[limits]\nbuilds_mib = 9\nauthor_mib = 5\n");
    let submit = |author: &str, bot: &str, source: &str| {
        place.submit_by(Some(author), bot, &heavy(&place, source, 2)).map(|told| told.bot)
    };
    let there = |bot: &Bot| {
        let digest = bot.source_digest.as_ref().expect("a source").as_str().to_owned();
        place.path("h/builds").join(digest + ".source").exists()
    };
    let old = submit("bea", "old", "aa").expect("admitted");
    place.hill.retire("old", By::Host).expect("retired");
    let first = submit("ann", "one", "bb").expect("admitted");
    let second = submit("ann", "two", "cc").expect("admitted");
    // All that ann's bots take is hers alone to make smaller.
    let why = submit("ann", "three", "dd").expect_err("no room").to_string();
    for due in
        ["the bots of ann that play take 5 MiB", "of at most 5 MiB for an author", "author_mib", "replaces"]
    {
        assert!(why.contains(due), "{due}: {why}");
    }
    assert!(
        there(&old) && there(&first) && there(&second),
        "nothing is removed for a source that is refused"
    );
    // Another author has room, and ann's new versions take the place of her own.
    let other = submit("bea", "four", "ee").expect("admitted");
    let third = submit("ann", "two", "ff").expect("admitted");
    assert!(!there(&second) && there(&old) && there(&first) && there(&third) && there(&other));
    // In the whole room, the author's own earlier sources go before older ones of others.
    place.write("h/languages.toml", "[limits]\nbuilds_mib = 9\nauthor_mib = 9\n");
    let fourth = submit("ann", "two", "gg").expect("admitted");
    assert!(!there(&third) && there(&old) && there(&fourth));
    let fifth = submit("cid", "five", "hh").expect("admitted");
    assert!(!there(&old) && there(&fifth));
    let why = submit("cid", "six", "ii").expect_err("no room").to_string();
    assert!(why.contains("the host can retire a bot, or raise builds_mib"), "{why}");
    // A source that was removed for another reason is missing, though its bot plays no more.
    let audited = |place: &Place| audit_builds(&place.hill, &place.setup).expect("audited");
    assert_eq!((audited(&place).removed, audited(&place).missing.len()), (3, 0));
    let listed = place.path("h/builds/removed.csv");
    let text = fs::read_to_string(&listed).expect("a list");
    assert_eq!((text.lines().count(), text.lines().next()), (4, Some("date,source")), "{text}");
    let without =
        text.lines().filter(|line| !line.ends_with(old.source_digest.as_ref().expect("a source").as_str()));
    fs::write(&listed, without.map(|line| format!("{line}\n")).collect::<String>()).expect("written");
    let now = audited(&place);
    assert_eq!((now.removed, &*now.missing), (2, &["old version 1".to_owned()][..]), "{now:?}");
}

fn ended_wait() {
    let place = Place::new();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let take = |most: Duration| turns::take(place.folder.path(), 1, most, &stop);
    let holds = take(Duration::ZERO).expect("the first");
    let error = take(Duration::ZERO).expect_err("waited");
    assert_eq!(error.kind(), ErrorKind::System);
    for due in ["other builds of this hill", "Ctrl-Z", "builds_at_once in languages.toml"] {
        assert!(error.to_string().contains(due), "{due}: {error}");
    }
    let waiting = || Work::now().builds_waiting;
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| take(Duration::from_secs(LONG)));
        // Its line of progress says so.
        while waiting() == 0 {
            std::thread::yield_now();
        }
        drop(holds);
        waits.join().expect("no panic").expect("its turn");
    });
    assert_eq!(waiting(), 0);
}

fn audit_counts() {
    let place = Place::new();
    let first = place.submit("a", &heavy(&place, "aa", 1)).expect("admitted").bot;
    place.submit("b", &place.write("bot.c", C)).expect("admitted");
    let digest = first.source_digest.expect("a source");
    fs::remove_file(place.path("h/builds").join(format!("{digest}.source"))).expect("removed");
    let audited = audit_builds(&place.hill, &place.setup).expect("audited");
    assert_eq!((audited.same, &*audited.missing), (1, &["a version 1".to_owned()][..]), "{audited:?}");
}

fn one_at_a_time() {
    let [place, other] = [Place::new(), Place::new()];
    place.write("h/languages.toml", "[script]\noffered = true\n");
    let script = "date +%s%N; sleep 0.3; date +%s%N\n\
                  printf '#!/bin/sh\\nwhile read -r l; do echo 30 3; done # NAME\\n' > $1/bot; chmod +x $1/bot\n";
    let times: Vec<(u128, u128)> = std::thread::scope(|scope| {
        let build = |name: &'static str| {
            let place = &place;
            place.write(&format!("{name}/build.sh"), &script.replace("NAME", name));
            scope.spawn(move || {
                let made =
                    place.submit(name, &place.path(name)).expect("admitted").made.expect("it was built");
                let times: Vec<u128> = made.log.iter().filter_map(|line| line.parse().ok()).collect();
                (times[0], times[1])
            })
        };
        ["one", "two", "three"].map(build).map(|build| build.join().expect("built")).to_vec()
    });
    for (begun, ended) in &times {
        let overlaps = times.iter().filter(|(other, until)| other < ended && until > begun).count();
        assert_eq!(overlaps, 1, "with itself alone: {times:?}");
    }
    let held = fs::File::open(place.path("h/build-1.lock")).expect("a lock");
    held.lock().expect("locked");
    other.submit("c", &other.write("bot.c", C)).expect("another hill builds meanwhile");
}

fn own_folder() {
    let place = Place::new();
    let event = place.submit("py", &place.python()).expect("admitted").bot;
    for path in [place.path("h"), place.folder.path().to_owned()] {
        let why = place.submit("all", &path).expect_err("refused").to_string();
        assert!(why.contains("the hill itself"), "{why}");
    }
    for path in [place.stored(event.digest.as_str()), place.path("h/builds")] {
        let why = place.submit("all", &path).expect_err("refused").to_string();
        assert!(why.contains("stored there already"), "{why}");
    }
}

fn older_history() {
    let place = Place::new();
    let first = place.submit("bot", &place.write("bot.c", C)).expect("admitted").bot;
    let history = place.path("h/entrants.csv");
    let text = fs::read_to_string(&history).expect("read");
    let names: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let older: Vec<String> = text
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let is_newer = |at: &usize| ["source_digest", "toolchain", "by"].contains(&names[*at]);
            let older = (0..cells.len()).filter(|at| !is_newer(at)).map(|at| cells[at]);
            older.collect::<Vec<&str>>().join(",")
        })
        .collect();
    assert!(!older[0].contains("toolchain") && older[0].ends_with("author,format"), "{}", older[0]);
    fs::write(&history, older.join("\n") + "\n").expect("written");
    let hill = Hill::open(&place.path("h")).expect("a hill");
    let read = hill.entrants().expect("read").last_submission("bot").cloned().expect("a bot");
    assert_eq!((read.bot.digest, read.bot.source_digest, read.bot.toolchain), (first.digest, None, None));
    let place = Place { hill, ..place };
    place.submit("py", &place.python()).expect("admitted");
}

fn packed_folder() {
    let place = Place::new();
    let folder = place.python();
    // Litter, and a first line of Windows.
    place.write("py/.git/config", "secret");
    place.write("py/tool.sh", "#!/bin/sh\r\ntrue\n");
    place.write(&format!("py/{}/deep.txt", "long".repeat(28)), "deep");
    let bytes = sources::packed(&folder).expect("packed");
    assert_eq!(bytes, sources::packed(&folder).expect("packed"), "the same files make the same bytes");
    let archive = place.path("py.tar.gz");
    fs::write(&archive, &bytes).expect("written");
    let [one, other] = [("folder", &folder), ("archive", &archive)]
        .map(|(name, path)| place.submit(name, path).expect("admitted"));
    assert_eq!(one.bot.source_digest, other.bot.source_digest, "an archive is the folder that was packed");
    // A folder of one folder stays one.
    place.write("one/data/answer.txt", "30 3\n");
    let bytes = sources::packed(&place.path("one")).expect("packed");
    let paths = |bytes: &[u8]| {
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
        let entries = archive.entries().expect("entries");
        entries
            .map(|entry| entry.expect("one").path().expect("a path").display().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(&bytes), ["bot/data/answer.txt"]);
    std::os::unix::fs::symlink("/etc/passwd", place.path("one/link")).expect("a link");
    let why = sources::packed(&place.path("one")).expect_err("refused").to_string();
    assert!(why.contains("link: a symbolic link"), "{why}");
}
