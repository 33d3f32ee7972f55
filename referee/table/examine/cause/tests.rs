use referee_rules::Malformed;

use super::*;

const HERE: Reader<'_> = Reader::Here("go");

/// What is said of a program that ends with status 1 after these lines: the sentence and the remedy.
fn said(lines: &str) -> (String, String) {
    let cause = Cause::of(&Fault::Exited(1), lines.as_bytes());
    (cause.what.clone(), cause.cure(HERE))
}

#[test]
fn what_a_runtime_says_has_a_sentence_and_a_remedy() {
    let beside = |name: &str| format!("put {name} beside the file to begin with, and submit the folder");
    let java = "submit the .java files, which are compiled here";
    for (line, what, cure) in [
        (
            "ModuleNotFoundError: No module named 'numpy'",
            "the Python that plays has no module numpy",
            "put numpy beside the bot and submit the folder; or, if another Python here has it, name that: --interpreter \
             FOLDER, where FOLDER/bin/python3 is that Python",
        ),
        (
            "ImportError: libgomp.so.1: cannot open shared object file: No such file or directory",
            "a shared library is missing: libgomp.so.1",
            "do without the module that needs it, or have the host install it",
        ),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: 'data/w.txt'",
            "it opens data/w.txt, which is not there",
            &*beside("data/w.txt"),
        ),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: 'C:\\\\fox\\\\w.txt'",
            "it opens C:\\\\fox\\\\w.txt, which is not there",
            FILE_ELSEWHERE[0],
        ),
        (
            "Error: ENOENT: no such file or directory, open '/data/w.txt'",
            "it opens /data/w.txt, which is not there",
            FILE_ELSEWHERE[0],
        ),
        ("java.nio.file.NoSuchFileException: w.txt", "it opens w.txt, which is not there", &*beside("w.txt")),
        ("Error: Cannot find module './lib.js'", "Node.js finds no module ./lib.js", &*beside("lib.js")),
        (
            "Error: Cannot find module 'lodash'",
            "Node.js finds no module lodash",
            "put node_modules, with lodash in it, beside the bot, and submit the folder",
        ),
        (
            "<internal:/usr/x>:1:in 'require': cannot load such file -- json2 (LoadError)",
            "Ruby finds no file json2",
            &*beside("json2"),
        ),
        (
            "Can't locate Foo/Bar.pm in @INC (you may need to",
            "Perl finds no module Foo/Bar.pm",
            &*beside("Foo/Bar.pm"),
        ),
        (
            "Exception in thread \"main\" java.lang.UnsupportedClassVersionError: Fox has been compiled by a more",
            "Fox was compiled for a later Java",
            java,
        ),
        ("no main manifest attribute, in /bot/x.jar", "the jar x.jar names no class to begin with", java),
        ("RuntimeError: can't start new thread", "it starts more threads than it may", NO_TASKS[0]),
        ("socket.gaierror: [Errno -2] Name or service not known", "it looks for a server", NO_NETWORK[0]),
        (
            "OSError: [Errno 30] Read-only file system: 'log.txt'",
            "it writes log.txt, where it must not",
            NO_WRITING[0],
        ),
        (
            "    sl = self._semlock = _multiprocessing.SemLock(\n        ^^^^\nPermissionError: [Errno 13] Permission denied",
            "multiprocessing needs semaphores, which a bot has in the tier strict alone, and with --allow-fork",
            SEMAPHORES[0],
        ),
        ("/bot/run.sh: 3: julia: not found", "a script calls julia, a program that is not here", NO_PROGRAM),
    ] {
        // Node.js and Java write more behind it.
        let lines =
            format!("Traceback (most recent call last):\n{line}\n{}Node.js v18\n", "    at f\n".repeat(20));
        assert_eq!(said(&lines), (what.to_owned(), cure.to_owned()), "{line}");
        assert_eq!(Cause::of(&Fault::Late, lines.as_bytes()), Mistake::Late.into());
    }
}

#[test]
fn the_last_line_that_says_something_counts_and_what_was_survived_does_not() {
    let last = "ModuleNotFoundError: No module named 'a'\nFileNotFoundError: [Errno 2] No such file or directory: 'b'\n";
    assert_eq!(said(last).0, "it opens b, which is not there");
    let survived = "ModuleNotFoundError: No module named 'numba'\nTraceback:\nIndexError: 7\n";
    assert_eq!(said(survived).0, "it ends with an exception: IndexError: 7");
    let node = format!("TypeError: x is no function\n{}\nNode.js v18\n", "    at f\n".repeat(9));
    assert_eq!(said(&node).0, "it ends with an exception: TypeError: x is no function");
    assert_eq!(said("tron.bot_1.Full_Error: 7\n").0, "it ends with an exception: tron.bot_1.Full_Error: 7");
    assert_eq!(said("book.bin: not found\n").0, "it ends with status 1, and its standard error says why");
    let long = format!("Error: Cannot find module '{}\x1b[2J'", "x".repeat(500));
    let (what, cure) = said(&long);
    assert!(what.len() < 150 && !what.contains('\x1b') && !cure.contains('\x1b'), "{what}");
}

#[test]
fn a_program_that_means_to_end_is_told_to_go_on_and_no_other_one() {
    let cure = |status: i32, errors: &[u8]| Cause::of(&Fault::Exited(status), errors).cure(HERE);
    let until = "answer until the input ends, as the example in `referee docs protocol` does";
    let survived = b"FileNotFoundError: [Errno 2] No such file or directory: 'book.txt'\n";
    assert_eq!([cure(0, b""), cure(0, b"thinking\n"), cure(0, survived)], [until; 3]);
    for errors in
        [&b"ModuleNotFoundError: No module named 'a'\n"[..], b"KeyError: 3\n", b"no such book\n", b""]
    {
        assert!(!cure(1, errors).contains("until the input ends"), "{}", errors.escape_ascii());
    }
}

#[test]
fn a_fault_without_words_has_a_sentence_and_a_remedy() {
    let malformed = |what: &str| Fault::Malformed(Malformed::new(what));
    let failed = |why: &str| Fault::StartFailed(why.to_owned());
    for (fault, what, cure) in [
        (Fault::Crashed(4), "instruction that this processor does not have", "without -march=native"),
        (Fault::Crashed(6), "it aborts", "standard error"),
        (Fault::Crashed(8), "by zero", "a division"),
        (Fault::Crashed(11), "memory that is not its own", "-fsanitize=address"),
        (Fault::Crashed(9), "it crashes", "the page of the game has one"),
        (malformed("word 1 is not an integer: np.int64(30)"), "not made of integers", "int(x)"),
        (malformed("word 1 is not an integer: 100000000000000000000"), "more than 64 bits", "arithmetic"),
        (malformed("11 integers instead of 2"), "too many or too few", "the page of the game says how many"),
        (malformed("11 integers instead of 2"), "too many or too few", "another game"),
        (
            failed("a shared library is missing: libzz.so: cannot open shared object file"),
            "a shared library is missing: libzz.so",
            "-static",
        ),
        (
            failed("needs a program loader or library that is not here: /lib/ld"),
            "not here: /lib/ld",
            "-static",
        ),
        (
            failed(
                "its first line names an interpreter that is not here: julia; name one that is, such as x",
            ),
            "an interpreter that is not here: julia",
            "name one that is, such as x",
        ),
        (failed("not a regular file"), "not a regular file", "an executable file"),
    ] {
        let cause = Cause::of(&fault, b"");
        assert!(cause.what.contains(what) && cause.cure(HERE).contains(cure), "{fault}: {cause:?}");
    }
}

#[test]
fn a_reader_of_the_web_is_told_of_no_command_and_no_option_of_this_program() {
    let of_errors = |known: &Known| {
        let line = format!("{}x{}", known.before, known.behind);
        Cause::of(&Fault::Exited(1), line.as_bytes())
    };
    let mut causes: Vec<Cause> = Mistake::ALL.iter().map(|mistake| Cause::from(*mistake)).collect();
    causes.extend(KNOWN.iter().map(of_errors));
    causes.extend((1..32).map(|signal| Cause::of(&Fault::Crashed(signal), b"")));
    // It is the one that `referee check` finds by trying, for the host.
    causes.retain(|cause| cause.mistake != Mistake::NeedsOption);
    for cause in causes {
        let (here, web) = (cause.summary(HERE), cause.summary(Reader::Web));
        for foreign in ["`referee", "hill submit", "--interpreter", "--sandbox", "{"] {
            assert!(!web.contains(foreign), "{web}");
        }
        assert!(!here.contains('{') && !here.contains("the page Rules"), "{here}");
    }
}

#[test]
fn the_first_fault_that_is_more_than_a_warning_is_explained_and_no_late_answer() {
    let [exited, extra, late] = [Fault::Exited(1), Fault::Extra, Fault::Late];
    assert_eq!(first_grave([&late, &exited, &extra].into_iter()), Some(&exited));
    assert_eq!(first_grave([&late, &extra, &exited].into_iter()), Some(&extra));
    assert_eq!(first_grave([&late].into_iter()), None);
}

#[test]
fn the_page_of_a_game_is_named_where_there_is_one() {
    let cause = Cause::of(&Fault::Crashed(9), b"");
    for entry in GAMES {
        let sentence = format!("`referee docs {}` has one", entry.name);
        assert!(cause.cure(Reader::Here(entry.name)).contains(&sentence), "{sentence}");
    }
    assert!(cause.cure(Reader::Here("mygame")).contains("the page of the game has one"));
}

#[test]
fn a_name_is_that_of_the_authors_folder() {
    let (what, cure) = said("FileNotFoundError: [Errno 2] No such file or directory: '/bot/data/w.txt'");
    assert_eq!(what, "it opens data/w.txt, which is not there");
    assert!(cure.starts_with("put data/w.txt beside the file"), "{cure}");
}
