//! Errors of files of settings, in the words of the file: the line, the key, what is there and what can be there.

use std::path::Path;

use referee_contest::file;
use referee_sandbox::Limits;

/// A tournament, in which one line is replaced by another.
const CUP: &str = "name = \"cup\"\ngame = \"football\"\ncompress = false\nbatch = 50\n[parameters]\np = 3\n\
                   [format]\nkind = \"rounds\"\nrounds = 40\n[stop]\nalpha = 0.05\n\
                   [[entrant]]\nname = \"a\"\nprogram = \"house:still\"\narguments = [\"3\"]\n\
                   [[entrant]]\nname = \"b\"\nprogram = \"house:still\"\n";

fn error(text: &str) -> String {
    let error = file::parse(Path::new("cup.toml"), text).expect_err(text).to_string();
    error.strip_prefix("cup.toml, ").unwrap_or(&error).to_owned()
}

#[test]
fn what_is_wrong_is_told_in_the_words_of_the_file() {
    let mut wrong = Vec::new();
    for (from, to, due) in [
        // Of another type.
        ("compress = false", "compress = 1", "line 3: compress must be true or false, not 1"),
        (
            "compress = false",
            "compress = \"true\"",
            "line 3: compress must be true or false, not the text \"true\"",
        ),
        ("compress = false", "compress = \"no\"", "line 3: compress must be true or false, not \"no\""),
        (
            "batch = 50",
            "batch = \"fifty\"",
            "line 4: batch must be a whole number, at least 1, not \"fifty\"",
        ),
        (
            "batch = 50",
            "batch = \"50\"",
            "line 4: batch must be a whole number, at least 1, not the text \"50\"",
        ),
        ("batch = 50", "batch = 2.5 # few", "line 4: batch must be a whole number, at least 1, not 2.5"),
        ("batch = 50", "batch = 1e3", "line 4: batch must be a whole number, at least 1, not 1e3"),
        ("batch = 50", "batch = [50]", "line 4: batch must be a whole number, at least 1, not a list"),
        ("batch = 50", "batch = { a = 1 }", "line 4: batch must be a whole number, at least 1, not a table"),
        (
            "batch = 50",
            "batch = 2026-01-01",
            "line 4: batch must be a whole number, at least 1, not 2026-01-01",
        ),
        ("name = \"cup\"", "name = 7", "line 1: name must be a text in quotation marks, not 7"),
        (
            "[\"3\"]",
            "\"3\"",
            "line 15: arguments must be a list of texts, such as [\"a\", \"b\"], not the text \"3\"",
        ),
        (
            "[parameters]\np = 3\n",
            "parameters = 3\n",
            "line 5: parameters must be a table of settings, not 3",
        ),
        (
            "[stop]\nalpha = 0.05\n",
            "[[stop]]\nalpha = 0.05\n",
            "line 10: write [stop], in single brackets, once",
        ),
        ("alpha = 0.05", "alpha = true", "line 11: alpha must be a number, above 0 and below 1, not true"),
        ("kind = \"rounds\"", "kind = 3", "line 8: kind must be \"rounds\", \"round-robin\", \"gauntlet\", "),
        ("kind = \"rounds\"\n", "", "line 7: the setting kind is missing in format: it must be \"rounds\", "),
        // Out of range.
        ("batch = 50", "batch = 0", "line 4: batch must be a whole number, at least 1, not 0"),
        ("batch = 50", "batch = -1", "line 4: batch must be a whole number, at least 1, not -1"),
        (
            "batch = 50",
            "batch = 5_000_000_000",
            "line 4: batch must be at most 4294967295, not 5_000_000_000",
        ),
        (
            "batch = 50",
            "program_mib = 4097",
            "line 4: program_mib must be a whole number from 1 to 4096, not 4097",
        ),
        (
            "batch = 50",
            "program_mib = 0x2000",
            "line 4: program_mib must be a whole number from 1 to 4096, not 0x2000",
        ),
        (
            "batch = 50",
            "seed = -1",
            "line 4: seed must be a whole number, at least 0 or a text in quotation marks, not -1",
        ),
        ("alpha = 0.05", "alpha = 1", "line 11: alpha must be a number, above 0 and below 1, not 1"),
        ("alpha = 0.05", "alpha = nan", "line 11: alpha must be a number, above 0 and below 1, not nan"),
        ("alpha = 0.05", "alpha = inf", "line 11: alpha must be a number, above 0 and below 1, not inf"),
        ("rounds = 40", "rounds = 0", "line 9: rounds must be a whole number from 1 to 1000000, not 0"),
        ("rounds = 40", "deal = \"fair\"", "line 9: deal must be \"uniform\" or \"balanced\", not \"fair\""),
        (
            "batch = 50",
            "clock = \"sun\"",
            "line 4: clock must be \"charged\", \"serial\" or \"wall\", not \"sun\"",
        ),
        (
            "batch = 50",
            "sandbox = \"none\"",
            "line 4: sandbox must be \"auto\", \"strict\", \"landlock\" or \"off\", not \"none\"",
        ),
        ("p = 3", "p = 300", "line 6: p must be at most 255, not 300"),
        // Unknown, misplaced, missing or twice.
        (
            "batch = 50",
            "batsch = 50",
            "line 4: no such setting: batsch; did you mean batch? (there are: author_bots, batch, ",
        ),
        ("batch = 50", "colour = 50", "line 4: no such setting: colour (there are: author_bots, batch, "),
        (
            "rounds = 40",
            "round = 4",
            "line 9: no such setting in format: round; did you mean rounds? (there are: ",
        ),
        (
            "rounds = 40",
            "clock = \"wall\"",
            "line 9: no such setting in format: clock; clock belongs above the first table: ",
        ),
        ("[stop]\n", "[stopp]\n", "line 10: no such setting: stopp; did you mean stop? (there are: "),
        (
            "arguments",
            "args",
            "line 15: no such setting in entrant: args (there are: allow_fork, arguments, ",
        ),
        ("name = \"cup\"\n", "", "line 1: the setting name is missing: it must be a text in quotation marks"),
        ("name = \"cup\"\ngame = \"football\"\n", "", "line 1: settings are missing: name, game"),
        ("program = \"house:still\"\narguments", "arguments", "line 12: the setting program is missing: "),
        ("batch = 50", "batch = 50\nbatch = 60", "line 5: batch is there twice: remove one"),
        ("rounds = 40\n", "rounds = 40\n[format]\n", "line 10: [format] is there twice: remove one"),
        (
            "[[entrant]]\nname = \"b\"",
            "[entrant]\nname = \"b\"",
            "line 16: write [[entrant]], in double brackets, for each",
        ),
        // No TOML.
        ("compress = false", "compress = yes", "line 3: write compress = true or compress = false, not yes"),
        (
            "compress = false",
            "compress = True",
            "line 3: write compress = true or compress = false, not True",
        ),
        ("\"cup\"", "cup", "line 1: write name = \"cup\", in quotation marks"),
        // A word that begins as true or false does.
        ("\"cup\"", "first", "line 1: write name = \"first\", in quotation marks"),
        ("\"football\"", "target", "line 2: write game = \"target\", in quotation marks"),
        ("\"rounds\"", "true-ish", "line 8: write kind = \"true-ish\", in quotation marks"),
        ("\"cup\"", "nobody", "line 1: write name = \"nobody\", in quotation marks"),
        ("\"cup\"", "info", "line 1: write name = \"info\", in quotation marks"),
        ("\"cup\"", "3rd", "line 1: write name = \"3rd\", in quotation marks"),
        ("batch = 50", "batch = none", "line 4: batch must be a whole number, at least 1, not none"),
        ("\"cup\"", "no", "line 1: write name = \"no\", in quotation marks"),
        (
            "compress = false",
            "compress = fasle",
            "line 3: write compress = true or compress = false, not fasle",
        ),
        ("batch = 50", "batch = fifty", "line 4: batch must be a whole number, at least 1, not fifty"),
        ("batch = 50", "seed = few", "line 4: write seed = \"few\", in quotation marks"),
        ("alpha = 0.05", "alpha = five", "line 11: alpha must be a number, above 0 and below 1, not five"),
        ("batch = 50", "interpreters = [bin]", "line 4: a word in a list needs quotation marks"),
        // Whole numbers that no setting can be.
        ("p = 3", "p = 99999999999999999999", "line 6: p must be at most 255, not 99999999999999999999"),
        ("p = 3", "p = -99999999999999999999", "line 6: p must be at least 1, not -99999999999999999999"),
        ("p = 3", "p = [3, 99999999999999999999]", "line 6: p must be at most 255, not 99999999999999999999"),
        ("p = 3", "q = 99999999999999999999", "line 6: q must be at most 9223372036854775807, not 9999"),
        (
            "batch = 50",
            "seed = 18446744073709551616",
            "line 4: seed must be at most 18446744073709551615, in quotation marks if it is above \
             9223372036854775807, not 18446744073709551616",
        ),
        (
            "batch = 50",
            "seed = 9223372036854775808",
            "line 4: seed must be at most 18446744073709551615, in quotation marks if it is above \
             9223372036854775807, not 9223372036854775808",
        ),
        // Of a list, its items are named.
        ("[\"3\"]", "[3]", "line 15: each item of arguments must be a text in quotation marks, not 3"),
        ("batch = 50", "interpreters = \"a\"", "line 4: interpreters must be a list of texts, such as ["),
        (
            "batch = 50",
            "interpreters = [1]",
            "line 4: each item of interpreters must be a text in quotation marks, not 1",
        ),
        ("batch = 50", "interpreters = [\nbatch = 50", "line 4: a list is not closed by ], or lacks a comma"),
        (
            "batch = 50",
            "interpreters = [\n# a = b\n\"x\",\nbatch = 50",
            "line 4: a list is not closed by ], or lacks a comma",
        ),
        ("batch = 50", "interpreters = [\"a\" \"b\"]", "line 4: a list is not closed by ], or lacks a comma"),
        // Rare mistakes.
        ("batch = 50", "= 4", "line 4: the name of the setting is missing: write NAME = VALUE"),
        (
            "\"cup\"",
            "\"\\q\"",
            "line 1: a text in \"...\" has \\\\ for each \\; one in '...' has \\ as it is",
        ),
        (
            "\"cup\"",
            "\"\\u12\"",
            "line 1: a text in \"...\" has \\\\ for each \\; one in '...' has \\ as it is",
        ),
        ("batch = 50", "ba!tch = 50", "line 4: the name of a setting has only letters, digits, _ and -"),
        ("[\"3\"]", "[,\"3\"]", "line 15: one comma is too many"),
        ("p = 3\n", "p = { a = 1\n", "line 7: "),
        // The end of the file is named: any line may lack the mark.
        ("batch = 50", "a = \"\"\"b", "line 19: a quotation mark is not closed"),
        ("[stop]", "[[stop]", "line 10: a closing ]] is missing"),
        ("batch = 50", "batch = 2026-13-77", "line 4: "),
        ("batch = 50", "batch = 5__0", "line 4: "),
        ("batch = 50", "batch = 0X10", "line 4: "),
        ("batch = 50", "batch = +-5", "line 4: "),
        ("batch = 50", "name.x = 1", "line 4: "),
        ("\"cup\"", "\"cup", "line 1: a quotation mark is not closed"),
        ("\"cup\"", "", "line 1: name has no value"),
        ("name = \"cup\"", "name", "line 1: no value: write NAME = VALUE"),
        ("name = \"cup\"", "name == \"cup\"", "line 1: one = too many: write NAME = VALUE"),
        ("name = \"cup\"", "name: \"cup\"", "line 1: write NAME = VALUE, with = and not :"),
        (
            "name = \"cup\"",
            "name = \"cup\" game = 3",
            "line 1: something is left over at the end of this line",
        ),
        (
            "name = \"cup\"",
            "name = \"cup\" // mine",
            "line 1: something is left over at the end of this line",
        ),
        ("name = \"cup\"", "// mine\nname = \"cup\"", "line 1: a comment begins with #"),
        ("[stop]", "[stop", "line 10: a closing ] is missing"),
        ("[\"3\"]", "[3", "line 15: a list is not closed by ], or lacks a comma"),
        ("batch = 50", "batch = 0x", "line 4: batch must be a whole number, at least 1, not 0x"),
        (
            "batch = 50",
            "seed = 99999999999999999999",
            "line 4: seed must be at most 18446744073709551615, in quotation marks if it is above ",
        ),
        ("batch = 50", "batch = 050", "line 4: 050 must not begin with 0"),
    ] {
        assert!(CUP.contains(from), "{from}");
        let found = error(&CUP.replacen(from, to, 1));
        let words = ["i128", "u64", "f64", "expected", "TOML", "unquoted", "escaped", "max recursion"];
        if !found.starts_with(due) || words.iter().any(|word| found.contains(word)) {
            wrong.push(format!("{to}\n   {found}\nis not\n   {due}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let single = CUP
        .replace("[[entrant]]\nname = \"b\"\nprogram = \"house:still\"\n", "")
        .replace("[[", "[")
        .replace("]]", "]");
    assert_eq!(error(&single), "line 12: write [[entrant]], in double brackets, for each");
    let none = CUP.split("[[entrant]]").next().expect("a part");
    assert_eq!(error(none), "line 1: there is no [[entrant]]: write one for each");
    assert_eq!(error(""), "line 1: settings are missing: name, game, format, entrant");
    assert_eq!(error("# nothing\n\n"), "line 1: settings are missing: name, game, format, entrant");
}

#[test]
fn other_editors_may_have_written_the_file() {
    let read = |text: &str| file::parse(Path::new("cup.toml"), text).expect(text).entrants.len();
    assert_eq!(read(&format!("\u{feff}{CUP}")), 2, "a mark of the byte order");
    assert_eq!(read(&CUP.replace('\n', "\r\n")), 2, "ends of lines as on Windows");
    assert_eq!(read(CUP.trim_end()), 2, "no end of the last line");
    let broken = CUP.replace("batch = 50", "batch = x").replace('\n', "\r\n");
    assert!(error(&broken).starts_with("line 4: batch must be a whole number"), "{}", error(&broken));
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
                toml::Table::try_from(read(&good.to_string()).expect("a limit").settings.limits).unwrap();
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
