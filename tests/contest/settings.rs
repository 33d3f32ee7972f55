//! Errors of files of settings, in the words of the file: the line, the key, what is there and what can be there.

use std::fs;
use std::path::Path;

use referee_contest::file;
use referee_contest::hill::Hill;
use referee_contest::plan::Contents;
use referee_contest::settings;
use referee_sandbox::Limits;

use self::Kind::{Hill as OfHill, Tournament};

/// A tournament, in which one line is replaced by another.
const CUP: &str = "name = \"cup\"\ngame = \"football\"\ncompress = false\nbatch = 50\n[parameters]\np = 3\n\
                   [format]\nkind = \"rounds\"\nrounds = 40\n[stop]\nalpha = 0.05\n\
                   [[entrant]]\nname = \"a\"\nprogram = \"house:still\"\narguments = [\"3\"]\n\
                   [[entrant]]\nname = \"b\"\nprogram = \"house:still\"\n";

/// A hill, likewise.
const HILL: &str =
    "game = \"football\"\nseed = \"7\"\nlive = false\n[parameters]\nk = 10\n[limits]\ntasks = 32\n";

/// The files.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Tournament,
    Hill,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Kind::Tournament => CUP,
            Kind::Hill => HILL,
        }
    }

    /// Reads a file. An error begins with its line.
    fn read(self, text: &[u8]) -> Result<(), String> {
        match self {
            Kind::Tournament => {
                let text = std::str::from_utf8(text).expect("a text");
                let read =
                    file::parse(Path::new("cup.toml"), text).map(drop).map_err(|error| error.to_string());
                read.map_err(|error| error.strip_prefix("cup.toml, ").unwrap_or(&error).to_owned())
            }
            Kind::Hill => {
                let folder = tempfile::tempdir().expect("a folder");
                fs::write(folder.path().join("hill.toml"), text).expect("a file");
                let read = Hill::open(folder.path()).map(drop).map_err(|error| error.to_string());
                read.map_err(|error| {
                    error.split_once("hill.toml, ").map_or(&*error, |(_, what)| what).to_owned()
                })
            }
        }
    }

    fn error(self, text: &str) -> String {
        self.read(text.as_bytes()).expect_err(text)
    }
}

#[test]
fn what_is_wrong_is_told_in_the_words_of_the_file() {
    let mut wrong = Vec::new();
    for (kind, from, to, due) in [
        (Tournament, "compress = false", "compress = 1", "line 3: compress must be true or false, not 1"),
        (
            Tournament,
            "compress = false",
            "compress = \"true\"",
            "line 3: compress must be true or false, not the text \"true\"",
        ),
        (
            Tournament,
            "compress = false",
            "compress = \"no\"",
            "line 3: compress must be true or false, not \"no\"",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = \"fifty\"",
            "line 4: batch must be a whole number, at least 1, not \"fifty\"",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = \"50\"",
            "line 4: batch must be a whole number, at least 1, not the text \"50\"",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = 2.5 # few",
            "line 4: batch must be a whole number, at least 1, not 2.5",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = 1e3",
            "line 4: batch must be a whole number, at least 1, not 1e3",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = [50]",
            "line 4: batch must be a whole number, at least 1, not a list",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = { a = 1 }",
            "line 4: batch must be a whole number, at least 1, not a table",
        ),
        (
            Tournament,
            "batch = 50",
            "batch = 2026-01-01",
            "line 4: batch must be a whole number, at least 1, not 2026-01-01",
        ),
        (Tournament, "name = \"cup\"", "name = 7", "line 1: name must be a text in quotation marks, not 7"),
        (
            Tournament,
            "[\"3\"]",
            "\"3\"",
            "line 15: arguments must be a list of texts, such as [\"a\", \"b\"], not the text \"3\"",
        ),
        (
            Tournament,
            "[parameters]\np = 3\n",
            "parameters = 3\n",
            "line 5: parameters must be a table of settings, not 3",
        ),
        (
            Tournament,
            "[stop]\nalpha = 0.05\n",
            "[[stop]]\nalpha = 0.05\n",
            "line 10: write [stop], in single brackets, once",
        ),
        (
            Tournament,
            "alpha = 0.05",
            "alpha = true",
            "line 11: alpha must be a number, above 0 and below 1, not true",
        ),
        (
            Tournament,
            "kind = \"rounds\"",
            "kind = 3",
            "line 8: kind must be \"rounds\", \"round-robin\", \"gauntlet\", ",
        ),
        (
            Tournament,
            "kind = \"rounds\"\n",
            "",
            "line 7: the setting kind is missing in format: it must be \"rounds\", ",
        ),
        (Tournament, "batch = 50", "batch = 0", "line 4: batch must be a whole number, at least 1, not 0"),
        (Tournament, "batch = 50", "batch = -1", "line 4: batch must be a whole number, at least 1, not -1"),
        (
            Tournament,
            "batch = 50",
            "batch = 5_000_000_000",
            "line 4: batch must be at most 4294967295, not 5_000_000_000",
        ),
        (
            Tournament,
            "batch = 50",
            "program_mib = 4097",
            "line 4: program_mib must be a whole number from 1 to 4096, not 4097",
        ),
        (
            Tournament,
            "batch = 50",
            "program_mib = 0x2000",
            "line 4: program_mib must be a whole number from 1 to 4096, not 0x2000",
        ),
        (
            Tournament,
            "batch = 50",
            "seed = -1",
            "line 4: seed must be a whole number, at least 0 or a text in quotation marks, not -1",
        ),
        (
            Tournament,
            "alpha = 0.05",
            "alpha = 1",
            "line 11: alpha must be a number, above 0 and below 1, not 1",
        ),
        (
            Tournament,
            "alpha = 0.05",
            "alpha = nan",
            "line 11: alpha must be a number, above 0 and below 1, not nan",
        ),
        (
            Tournament,
            "alpha = 0.05",
            "alpha = inf",
            "line 11: alpha must be a number, above 0 and below 1, not inf",
        ),
        (
            Tournament,
            "rounds = 40",
            "rounds = 0",
            "line 9: rounds must be a whole number from 1 to 1000000, not 0",
        ),
        (
            Tournament,
            "rounds = 40",
            "deal = \"fair\"",
            "line 9: deal must be \"uniform\" or \"balanced\", not \"fair\"",
        ),
        (
            Tournament,
            "batch = 50",
            "clock = \"sun\"",
            "line 4: clock must be \"charged\", \"serial\" or \"wall\", not \"sun\"",
        ),
        (
            Tournament,
            "batch = 50",
            "sandbox = \"none\"",
            "line 4: sandbox must be \"auto\", \"strict\", \"landlock\" or \"off\", not \"none\"",
        ),
        (Tournament, "p = 3", "p = 300", "line 6: p must be at most 255, not 300"),
        (
            Tournament,
            "batch = 50",
            "batsch = 50",
            "line 4: no such setting: batsch; did you mean batch? (there are: author_bots, batch, ",
        ),
        (
            Tournament,
            "batch = 50",
            "colour = 50",
            "line 4: no such setting: colour (there are: author_bots, batch, ",
        ),
        (
            Tournament,
            "rounds = 40",
            "round = 4",
            "line 9: no such setting in format: round; did you mean rounds? (there are: ",
        ),
        (
            Tournament,
            "rounds = 40",
            "clock = \"wall\"",
            "line 9: no such setting in format: clock; clock belongs above the first table: ",
        ),
        (
            Tournament,
            "[stop]\n",
            "[stopp]\n",
            "line 10: no such setting: stopp; did you mean stop? (there are: ",
        ),
        (
            Tournament,
            "arguments",
            "args",
            "line 15: no such setting in entrant: args (there are: allow_fork, arguments, ",
        ),
        (
            Tournament,
            "name = \"cup\"\n",
            "",
            "line 1: the setting name is missing: it must be a text in quotation marks",
        ),
        (Tournament, "name = \"cup\"\ngame = \"football\"\n", "", "line 1: settings are missing: name, game"),
        (
            Tournament,
            "program = \"house:still\"\narguments",
            "arguments",
            "line 12: the setting program is missing: ",
        ),
        (
            Tournament,
            "p = 3",
            "p = 99999999999999999999",
            "line 6: p must be at most 255, not 99999999999999999999",
        ),
        (
            Tournament,
            "p = 3",
            "p = -99999999999999999999",
            "line 6: p must be at least 1, not -99999999999999999999",
        ),
        (
            Tournament,
            "p = 3",
            "p = [3, 99999999999999999999]",
            "line 6: p must be at most 255, not 99999999999999999999",
        ),
        (
            Tournament,
            "p = 3",
            "q = 99999999999999999999",
            "line 6: q must be at most 9223372036854775807, not 9999",
        ),
        (
            Tournament,
            "[\"3\"]",
            "[3]",
            "line 15: each item of arguments must be a text in quotation marks, not 3",
        ),
        (
            Tournament,
            "batch = 50",
            "interpreters = \"a\"",
            "line 4: interpreters must be a list of texts, such as [",
        ),
        (
            Tournament,
            "batch = 50",
            "interpreters = [1]",
            "line 4: each item of interpreters must be a text in quotation marks, not 1",
        ),
        (
            Tournament,
            "batch = 50",
            "seed = 99999999999999999999",
            "line 4: seed must be at most 18446744073709551615, in quotation marks if it is above ",
        ),
        (Tournament, "name = \"cup\"", "name = \"x y\"", "line 1: not a name for a tournament"),
        (Tournament, "\"football\"", "\"footbal\"", "line 2: no such game: footbal"),
        (Tournament, "p = 3", "q = 3", "line 6: no such parameter: q"),
        (Tournament, "p = 3", "p = [3, 4]\nk = [1]", ": a list of"),
        (Tournament, "p = 3", "p = [3, 3]", "line 6: sub-tournament 2 is the same as an earlier one"),
        (Tournament, "\"rounds\"\nrounds = 40", "\"swiss\"", "line 7: swiss is for games of two seats"),
        (Tournament, "name = \"b\"", "name = \"a\"", "line 17: a is entered already, on line 13"),
        (
            Tournament,
            "alpha = 0.05",
            "epsilon = -1",
            "line 11: epsilon must be a number, at least 0 and below 1, not -1",
        ),
        (
            Tournament,
            "alpha = 0.05",
            "look_every = 0",
            "line 11: look_every must be a whole number, at least 1, not 0",
        ),
        (Tournament, "alpha = 0.05", "max_rounds = 9", "line 11: no such setting in stop: max_rounds"),
        (
            Tournament,
            "alpha = 0.05",
            "min_rounds = 41",
            "line 10: max_rounds must be at least 41, not 40 (min_rounds = 41)",
        ),
        (
            Tournament,
            "alpha = 0.05",
            "method = \"asymptotic\"",
            "line 11: method must be \"betting\", not \"asymptotic\"",
        ),
        (
            Tournament,
            "\"rounds\"\nrounds = 40",
            "\"round-robin\"",
            "line 9: a stop rule is for kind = \"rounds\"",
        ),
        (Tournament, "rounds = 40", "deal = \"balanced\"", "line 10: a stop rule is for kind = \"rounds\""),
        (
            Tournament,
            "[stop]",
            "[machines]\nfaster = 1\n[stop]",
            "line 10: no such setting: machines (there are: ",
        ),
        (
            Tournament,
            "batch = 50",
            "lost_behind_max = 3",
            "line 4: the setting lost_behind_max is gone: remove this line",
        ),
        (
            OfHill,
            "game = \"football\"\n",
            "gaem = \"football\"\n",
            "line 1: no such setting: gaem; did you mean game? (there are: author_bots",
        ),
        (OfHill, "\"football\"", "\"footbal\"", "line 1: no such game: footbal (there are: football"),
        (OfHill, "seed = \"7\"", "seed = \"x5\"", "line 2: not a seed"),
        (
            OfHill,
            "seed = \"7\"",
            "seed = 0.5",
            "line 2: seed must be a whole number, at least 0 or a text in quotation marks, not 0.5",
        ),
        (
            OfHill,
            "live = false",
            "lost_max = 99999999999",
            "line 3: lost_max must be at most 4294967295, not 99999999999",
        ),
        (
            OfHill,
            "live = false",
            "block = 7",
            "line 3: block must be \"one-seating\", \"12\" or \"one-game\", not 7",
        ),
        (
            OfHill,
            "live = false",
            "capacity = 1",
            "line 3: capacity must be a whole number, at least 2, not 1",
        ),
        (
            OfHill,
            "live = false",
            "until = \"winner\"",
            "line 3: until must be \"clear\" or \"ranked\", not \"winner\"",
        ),
        (OfHill, "live = false", "racing = true", "line 3: racing is for until = \"ranked\": leave it out"),
        (
            OfHill,
            "live = false",
            "rank_by = \"goals\"",
            "line 3: rank_by must be \"score\", \"place\" or \"win\", not \"goals\"",
        ),
        (OfHill, "live = false", "interpreters = [\"bin/x\"]", "line 3: \"bin/x\" is not an absolute path"),
        (
            OfHill,
            "live = false",
            "deal = \"balanced\"",
            "line 3: balanced deals of hills are gone: begin a new hill",
        ),
        (OfHill, "live = false", "deal = 3", "line 3: balanced deals of hills are gone"),
        (
            OfHill,
            "live = false",
            "method = \"asymptotic\"",
            "line 3: the method asymptotic is gone: remove this line",
        ),
        (
            OfHill,
            "live = false",
            "lost_behind_max = 0",
            "line 3: the setting lost_behind_max is gone: remove this line",
        ),
        (OfHill, "k = 10", "k = 99", "line 5: k must be at most 46, not 99 (kick range, in cells)"),
        (OfHill, "k = 10", "k = 10.5", "line 5: k must be a whole number or a word, not 10.5"),
        (
            OfHill,
            "k = 10",
            "k = [10]",
            "line 5: k must be a single value here: lists of values are for tournaments",
        ),
        (OfHill, "k = 10", "kick = 10", "line 5: no such parameter: kick (there are p, k, max_turns,"),
        (
            OfHill,
            "game = \"football\"\n",
            "",
            "line 1: the setting game is missing: it must be \"football\", \"foosball\", \"push\" or \"target\" or a text in quotation marks",
        ),
    ] {
        assert!(kind.text().contains(from), "{from}");
        let found = kind.error(&kind.text().replacen(from, to, 1));
        if !found.starts_with(due) && (due.starts_with("line") || !found.contains(due)) {
            wrong.push(format!("{to}\n   {found}\nis not\n   {due}"));
        }
    }
    // What is no TOML is told in the words of its reader, with what the setting takes.
    for (kind, from, to, line, due) in [
        (Tournament, "compress = false", "compress = yes", 3, "(compress must be true or false)"),
        (Tournament, "batch = 50", "batch = fifty", 4, "(batch must be a whole number, at least 1)"),
        (Tournament, "batch = 50", "batch = 050", 4, "(batch must be a whole number, at least 1)"),
        (Tournament, "alpha = 0.05", "alpha = five", 11, "(alpha must be a number, above 0 and below 1)"),
        (Tournament, "\"cup\"", "cup", 1, "(name must be a text in quotation marks)"),
        (Tournament, "\"cup\"", "\"cup", 1, "(name must be a text in quotation marks)"),
        (Tournament, "batch = 50", "batch = 50\nbatch = 60", 5, "duplicate key (batch must be"),
        (Tournament, "batch = 50", "colour = red", 4, ""),
        (Tournament, "name = \"cup\"", "name: \"cup\"", 1, ""),
        (Tournament, "[stop]", "[stop", 10, ""),
        (OfHill, "k = 10", "k = 10\nk = 11", 6, "duplicate key (k must be"),
        (OfHill, "[parameters]", "[parameters", 4, ""),
        (OfHill, "live = false", "live = yes", 3, "(live must be true or false)"),
    ] {
        assert!(kind.text().contains(from), "{from}");
        let found = kind.error(&kind.text().replacen(from, to, 1));
        if !found.starts_with(&format!("line {line}: ")) || !found.contains(due) {
            wrong.push(format!("{to}\n   {found}\nis not line {line}\n   {due}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let single = CUP
        .replace("[[entrant]]\nname = \"b\"\nprogram = \"house:still\"\n", "")
        .replace("[[", "[")
        .replace("]]", "]");
    assert_eq!(Tournament.error(&single), "line 12: write [[entrant]], in double brackets, for each");
    let none = CUP.split("[[entrant]]").next().expect("a part");
    assert_eq!(Tournament.error(none), "line 1: there is no [[entrant]]: write one for each");
    assert_eq!(
        Tournament.error("# nothing\n\n"),
        "line 1: settings are missing: name, game, format, entrant"
    );
    assert_eq!(OfHill.error(""), "line 1: settings are missing: game, seed");
    let no_text = OfHill.read(&[HILL.as_bytes(), b"# \xff\n"].concat()).expect_err("no text");
    assert!(no_text.contains("hill.toml") && no_text.contains("UTF-8"), "{no_text}");
}

#[test]
fn what_means_the_same_and_files_of_other_editors_are_read() {
    let (cup, hill) = (CUP.to_owned(), HILL.to_owned());
    for (kind, text) in [
        (Tournament, format!("\u{feff}{CUP}")),
        (Tournament, CUP.replace('\n', "\r\n")),
        (Tournament, CUP.trim_end().to_owned()),
        (Tournament, cup),
        (OfHill, hill),
        (OfHill, HILL.replace("\"7\"", "7")),
        // What a file of an earlier version says of a setting that is gone, if nothing else came of it.
        (OfHill, format!("deal = \"uniform\"\nmethod = \"betting\"\n{HILL}")),
    ] {
        assert_eq!(kind.read(text.as_bytes()), Ok(()), "{text}");
    }
    let broken = CUP.replace("batch = 50", "batch = \"x\"").replace('\n', "\r\n");
    let found = Tournament.error(&broken);
    assert!(found.starts_with("line 4: batch must be a whole number"), "{found}");
}

#[test]
fn each_limit_takes_its_range_and_nothing_else() {
    for key in Limits::KEYS {
        let read = |value: &str| {
            let text = format!("{CUP}[limits]\n{} = {value}\n", key.name);
            file::parse(Path::new("cup.toml"), &text).map_err(|error| error.to_string())
        };
        for good in [key.least, key.most] {
            let found =
                toml::Table::try_from(read(&good.to_string()).expect("a limit").settings.contest.host.limits)
                    .unwrap();
            assert_eq!(found[key.name].as_integer(), Some(good as i64), "{}", key.name);
        }
        let outside = [key.least as i64 - 1, key.most as i64 + 1, i64::MAX].map(|number| number.to_string());
        for bad in outside.iter().map(String::as_str).chain(["1.5", "18446744073709551616", "nan", "\"8\""]) {
            let error = read(bad).expect_err(bad);
            let due = format!(
                "line 20: {} must be a whole number from {} to {}, not ",
                key.name, key.least, key.most
            );
            assert!(error.contains(&due), "{error}");
        }
    }
}

#[test]
fn a_plan_is_written_as_it_was_read() {
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/record/frozen");
    for plan in ["cup/plan.toml", "cup/rounds/0002/plan.toml", "rounds/plan.toml"] {
        let text = fs::read_to_string(frozen.join(plan)).expect("a plan");
        let (_, keys) = text.split_once("\n\n").expect("keys below the heading");
        let part = |from: &str, to: &str| {
            let start = keys.find(from).expect("its start");
            &keys[start..start + keys[start..].find(to).expect("its end")]
        };
        let of_host = part("clock = ", "batch = ");
        let usual = "clock = \"charged\"\nsandbox = \"auto\"\n";
        let others = "clock = \"wall\"\nsandbox = \"off\"\ninterpreters = [\"/opt/python\"]\ncompress = true\n\
                      signed = true\nlost_max = 0\n";
        for keys in [keys, &keys.replace(of_host, usual), &keys.replace(of_host, others)] {
            let contents: Contents = settings::read(Path::new(plan), keys).expect("a plan");
            assert_eq!(toml::to_string(&contents).expect("plain values"), keys, "{plan}");
        }
        let of_each = [
            ("clock", part("clock = ", "sandbox = ")),
            ("sandbox", "sandbox = \"auto\"\n"),
            ("limits", part("[limits]", "[format]")),
        ];
        for (key, part) in of_each {
            let error = settings::read::<Contents>(Path::new(plan), &keys.replace(part, "")).expect_err(key);
            assert!(error.to_string().contains(&format!("the setting {key} is missing")), "{error}");
        }
    }
}
