//! Tamperings with rows and cells of tables, and with lines of logs.

use std::path::Path;

use super::super::forge::Folder;
use super::contests::{
    CUP, GAME, HILL, ROUNDS, SIGNED, SIGNED_CUP, SIGNED_ROUND, UNSIGNED, edit, edit_log, edit_once,
    edit_rows, read, set, sign, write,
};
use super::{Due, Tampering};

const fn row(
    name: &'static str,
    contests: &'static [&'static str],
    change: fn(&Path),
    due: Due,
) -> Tampering {
    Tampering { name, contests, change, due }
}

const HILLS: &[&str] = &[SIGNED, UNSIGNED, HILL];
const ALL: &[&str] = &[SIGNED, UNSIGNED, HILL, SIGNED_CUP, ROUNDS, CUP];
const OF_GUESTS: &[&str] = &[SIGNED, UNSIGNED];
const LATER: &str = "2029-01-01T00:00:00Z";

pub(super) const TABLE: &[Tampering] = &[
    // Results, and what the records repeat of them.
    row("another date of all games", &[SIGNED, SIGNED_CUP, CUP], |root| set(root, "started", LATER), {
        Due::Noticed("", "")
    }),
    row(
        "another date of all games that nothing repeats",
        &[UNSIGNED, HILL, ROUNDS],
        |root| set(root, "started", LATER),
        Due::Unnoticed("| hill, play, tournament | `results` | `started` | another date |"),
    ),
    row(
        "another date in the results alone",
        ALL,
        |root| {
            let results = read(root, "results.csv");
            let date =
                results.lines().nth(1).and_then(|line| line.split(',').nth(1)).expect("a date").to_owned();
            write(
                root,
                "results.csv",
                &super::super::tampering::with_a_fitting_chain(&results.replace(&date, LATER)),
            );
        },
        Due::Noticed("", ""),
    ),
    row(
        "another chain",
        ALL,
        |root| {
            let text = read(root, "results.csv");
            let line = text.lines().nth(1).expect("a row");
            let chain = line.rsplit(',').next().expect("a chain");
            write(root, "results.csv", &text.replacen(chain, &"0".repeat(64), 1));
        },
        Due::Noticed("line 2", "line 2: found the chain"),
    ),
    row("another score", ALL, |root| set(root, "score", "77"), {
        Due::Noticed("results.csv, line 2: column score", "results.csv, line 2: column score")
    }),
    row(
        "another share",
        ALL,
        |root| set(root, "share", "0.500000"),
        Due::Noticed("column share", "column share"),
    ),
    row("a number with a zero in front", OF_GUESTS, |root| set(root, "turns", "06"), {
        Due::Noticed("column turns", "column turns")
    }),
    row("another thinking time", ALL, |root| set(root, "thinking_p99_us", "1"), {
        Due::Noticed("column thinking_p99_us", "column thinking_p99_us")
    }),
    row("another bot", ALL, |root| set(root, "bot", "fox"), Due::Noticed("column bot", "column bot")),
    row("every seat counts", &[SIGNED, UNSIGNED], |root| set(root, "counts", "1"), {
        Due::Noticed("column counts", "the seats that count are not those of the schedule")
    }),
    row("no seat counts", &[HILL, ROUNDS, CUP], |root| set(root, "counts", "0"), {
        Due::Noticed("column counts", "the seats that count are not those of the schedule")
    }),
    row("rules of another program", ALL, |root| set(root, "rules_digest", &"0".repeat(64)), {
        Due::Noticed("column rules_digest", "")
    }),
    row("another digest of logs", ALL, |root| set(root, "log_digest", &"0".repeat(64)), {
        Due::Noticed("column log_digest", "column log_digest")
    }),
    row(
        "another sandbox",
        &[HILL, ROUNDS, CUP],
        |root| set(root, "sandbox", "off"),
        Due::Noticed("sandbox", ""),
    ),
    row("another clock", &[HILL, ROUNDS, CUP], |root| set(root, "clock", "wall"), Due::Noticed("clock", "")),
    row("an older table of costs", &[SIGNED_CUP], |root| set(root, "clock", "units-1"), Due::Noticed("", "")),
    row(
        "an older table of costs and signed anew",
        &[SIGNED, SIGNED_ROUND],
        |root| {
            set(root, "clock", "units-1");
            sign(root);
        },
        Due::Noticed("column clock is units-1; the signed beginning says units-2", "is older than units-2"),
    ),
    row("an older table of costs that nothing repeats", &[UNSIGNED], |root| set(root, "clock", "units-1"), {
        Due::Unnoticed("`audit --bots` cannot repeat it, and ends with status 2")
    }),
    row(
        "a game taken out",
        OF_GUESTS,
        |root| {
            let lines = read(root, "results.csv");
            let lines = lines.split_inclusive('\n').filter(|line| !line.starts_with("s001-r00002-t001-g1,"));
            write(
                root,
                "results.csv",
                &super::super::tampering::with_a_fitting_chain(&lines.collect::<String>()),
            );
        },
        Due::Noticed("results.csv", "results.csv"),
    ),
    row(
        "the last game of a tournament taken out",
        &[SIGNED_CUP, CUP],
        |root| {
            let text = read(root, "results.csv");
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            write(root, "results.csv", &lines[..lines.len() - 2].concat());
        },
        Due::Noticed("", ""),
    ),
    row(
        "programs that are said to be modules",
        &[HILL, ROUNDS, CUP],
        |root| played_as(root, "wasm", "units-2"),
        Due::Noticed("", ""),
    ),
    row("modules that are said to be programs", OF_GUESTS, |root| played_as(root, "off", "charged"), {
        Due::Noticed("a WebAssembly module", "a module of WebAssembly, and was not played as one")
    }),
    row("other arguments in a log and all that repeats it", OF_GUESTS, arguments, {
        Due::Noticed("column arguments is '--harmless", "are not those that were handed in: '--level 3")
    }),
    // Seasons.
    row(
        "another name of a column of seasons",
        HILLS,
        |root| edit_once(&root.join("seasons.csv"), "terms", "term"),
        Due::Noticed("seasons.csv, line 1", ""),
    ),
    row(
        "another name of a column of entrants",
        HILLS,
        |root| edit_once(&root.join("entrants.csv"), "event", "x"),
        Due::Noticed("entrants.csv, line 1", ""),
    ),
    row(
        "a seed that follows from the hill's alone",
        OF_GUESTS,
        |root| edit(root, "seasons.csv", " seed=entrants", ""),
        Due::Noticed("seed", "the seed is"),
    ),
    row(
        "a bot of another name in a season",
        OF_GUESTS,
        |root| edit(root, "seasons.csv", "homeward", "fox"),
        Due::Noticed("entrants.csv", "entrants.csv"),
    ),
    row("an author in the seasons", HILLS, |root| all(root, "seasons.csv", "author", "eve"), {
        Due::Noticed("author of", "as seasons.csv lists it, was never submitted")
    }),
    row(
        "an author wherever it is",
        &[SIGNED],
        authors,
        Due::Noticed("not the signed ones", "not the one that was signed"),
    ),
    row("an author wherever it is in a hill without a key", &[UNSIGNED, HILL], authors, {
        Due::Unnoticed("another author, in all rows of a bot in both files")
    }),
    row(
        "other limits of a season",
        &[SIGNED],
        limits,
        Due::Noticed("not the signed ones", "not the one that was signed"),
    ),
    row("other limits of a season in a hill without a key", &[UNSIGNED, HILL], limits, {
        Due::Unnoticed("other limits in all rows of the season")
    }),
    row("another sandbox with the terms", &[HILL], sandbox, {
        Due::Unnoticed("another sandbox or clock of programs, with the terms of the season")
    }),
    row(
        "another clock of a season and signed anew",
        &[SIGNED],
        |root| {
            for file in ["seasons.csv", "proof/seasons/001", "proof/seasons/002"] {
                edit(root, file, "clock=charged", "clock=wall");
            }
            sign(root);
        },
        Due::Noticed(
            "its clock is wall; the signed beginning says charged",
            "not of the editions that were signed",
        ),
    ),
    row("another date of a season", &[SIGNED], |root| all(root, "seasons.csv", "date", LATER), {
        Due::Noticed("not the signed ones", "not the one that was signed")
    }),
    row(
        "a season that begins after its games",
        &[UNSIGNED, HILL],
        |root| all(root, "seasons.csv", "date", LATER),
        Due::Unnoticed("another date, also one after its games, in all rows of the season"),
    ),
    row("an invented last season", OF_GUESTS, last_season, {
        Due::Unnoticed("a last season without games, of the bots of that day")
    }),
    // Entrants.
    row("another identity", HILLS, |root| all(root, "entrants.csv", "identity", &"0".repeat(64)), {
        Due::Noticed("entrants.csv, line 2: column identity", "entrants.csv, line 2: the identity")
    }),
    row("another version", OF_GUESTS, |root| edit(root, "entrants.csv", ",homeward,1,", ",homeward,3,"), {
        Due::Noticed("entrants.csv", "entrants.csv, line 2: the version is 3")
    }),
    row(
        "a bot that is not submitted",
        OF_GUESTS,
        |root| edit(root, "entrants.csv", ",homeward,", ",fox,"),
        Due::Noticed("homeward", "homeward version 1, as seasons.csv lists it, was never submitted"),
    ),
    row("submissions after the games", HILLS, |root| all(root, "entrants.csv", "date", LATER), {
        Due::Unnoticed("another date, also one after the games")
    }),
    row(
        "no source",
        &[SIGNED],
        make_ready,
        Due::Noticed("not the signed ones", "not the one that was signed"),
    ),
    row("no source in a hill without a key", &[UNSIGNED], make_ready, {
        Due::Unnoticed("none: the program was handed in ready to run")
    }),
    row("an invented bot", HILLS, invented, Due::Unnoticed("a bot that never played, added or taken out")),
    row("a bot that never played is taken out", OF_GUESTS, taken_out, {
        Due::Unnoticed("a bot that never played, added or taken out")
    }),
    // Tables that the second program does not check.
    row(
        "another verdict",
        &[HILL],
        |root| edit_once(&root.join("verdicts.csv"), "not_separated", "clear_king"),
        Due::Unchecked("verdicts.csv", "verdicts"),
    ),
    row("another void game", &[HILL, ROUNDS], |root| all(root, "voids.csv", "turn", "3"), {
        Due::Unchecked("voids.csv", "void games, except for the SHA-256 of their logs")
    }),
    // Logs. Nothing but the digest of the log itself is made anew.
    row("an answer that is not allowed", OF_GUESTS, |root| answer(root, "0 0"), {
        Due::Noticed("", "found the verdict `ok`, expected `illegal 1 of 1`")
    }),
    row(
        "an answer that is too short",
        OF_GUESTS,
        |root| answer(root, "5"),
        Due::Noticed("", "expected `malformed 2`"),
    ),
    row(
        "a late answer",
        OF_GUESTS,
        |root| edit_log(root, ANSWER, |row| row.replacen(",ok,", ",late,", 1)),
        Due::Noticed("", "found the verdict `late`, expected `ok`"),
    ),
    row(
        "an answer with a fault",
        OF_GUESTS,
        |root| edit_log(root, ANSWER, |row| row.replacen(",ok,", ",illegal,", 1) + "1 of 1: no"),
        Due::Noticed("", "found the verdict `illegal 1 of 1`"),
    ),
    row(
        "a slow answer",
        OF_GUESTS,
        |root| edit_log(root, ANSWER, |row| row.replacen(",250,", ",99999999,", 1)),
        Due::Noticed("", "beyond the limit of 1000000 us"),
    ),
    row(
        "another score in a log",
        OF_GUESTS,
        |root| edit_log(root, "score,,2,", |row| row.replacen("place,,,,", "place,,,,9", 1)),
        Due::Noticed("", "found `score,,2,place,,,,9"),
    ),
    row("another end", OF_GUESTS, |root| edit_log(root, "end,", |row| row.replacen("turns", "over", 1)), {
        Due::Noticed("", "found `end,6,,over")
    }),
    row(
        "other turns in a log",
        OF_GUESTS,
        |root| edit_log(root, "set,,,turns,", |row| row.replace(",6,", ",5,")),
        Due::Noticed("", "expected `score,,0,place"),
    ),
    row(
        "a faster answer",
        OF_GUESTS,
        |root| edit_log(root, ANSWER, |row| row.replacen(",250,", ",249,", 1)),
        Due::Noticed("results.csv, line 2: column", "results.csv, line 2: column"),
    ),
    row(
        "another seed in a log",
        OF_GUESTS,
        |root| edit_log(root, "seed,", |row| row.replace("0x", "0x1")),
        Due::Noticed("", "expected a seed"),
    ),
    row(
        "another format of a log",
        OF_GUESTS,
        |root| edit_log(root, "format,", |row| row.replace(",whole_us", ",")),
        Due::Noticed("", "found `format,"),
    ),
];

/// How a row of an answer of a guest begins.
const ANSWER: &str = "answer,3,1,ok,";

/// Sets a column of a small table.
fn all(root: &Path, file: &str, column: &str, value: &str) {
    edit_rows(root, file, |row| drop(row.insert(column.to_owned(), value.to_owned())));
}

/// Says in a log, and wherever it is repeated, that a bot had other arguments.
fn arguments(root: &Path) {
    let mut folder = Folder::read(root);
    let is_changed = folder.change_log(GAME, |rows| {
        rows.iter_mut().flatten().for_each(|cell| *cell = cell.replace("--level 3", "--harmless"));
    });
    assert!(is_changed && folder.results().contains("--harmless"));
    folder.put();
}

/// Says how all bots were confined and charged.
fn played_as(root: &Path, sandbox: &str, clock: &str) {
    set(root, "sandbox", sandbox);
    set(root, "clock", clock);
}

fn answer(root: &Path, to: &str) {
    edit_log(root, ANSWER, |row| format!("{},{to},", row.rsplitn(3, ',').last().expect("the front")));
}

fn authors(root: &Path) {
    all(root, "seasons.csv", "author", "eve");
    all(root, "entrants.csv", "author", "eve");
}

fn limits(root: &Path) {
    edit(root, "seasons.csv", "data_mib=512", "data_mib=256");
}

fn sandbox(root: &Path) {
    set(root, "sandbox", "landlock");
    edit(root, "seasons.csv", "sandbox=strict", "sandbox=landlock");
    all(root, "voids.csv", "sandbox", "");
}

/// A season that has no game yet: the field with the bot that never played.
fn last_season(root: &Path) {
    let (seasons, entrants) = (read(root, "seasons.csv"), read(root, "entrants.csv"));
    let new = entrants.lines().last().expect("a bot").split(',').nth(5).expect("an identity");
    let field: Vec<String> =
        seasons.lines().filter(|line| line.starts_with("2,")).map(str::to_owned).collect();
    let mut more = field[0].clone();
    let digest = more.split(',').nth(5).expect("an identity").to_owned();
    more = more.replace("homeward", "planner").replace(&digest, new);
    let rows =
        field.iter().chain([&more]).map(|line| line.replacen("2,", "3,", 1).replacen(",3,", ",4,", 1) + "\n");
    write(root, "seasons.csv", &(seasons.clone() + &rows.collect::<String>()));
}

/// Of all bots that were built, the source is taken away.
pub(super) fn make_ready(root: &Path) {
    all(root, "entrants.csv", "source_digest", "");
    all(root, "entrants.csv", "toolchain", "");
}

fn invented(root: &Path) {
    let text = read(root, "entrants.csv");
    let first = text.lines().nth(1).expect("a submission");
    let name = first.split(',').nth(2).expect("a name");
    write(root, "entrants.csv", &(text.clone() + &first.replace(&format!(",{name},"), ",ghost,") + "\n"));
}

fn taken_out(root: &Path) {
    let text = read(root, "entrants.csv");
    write(root, "entrants.csv", text.trim_end().rsplit_once('\n').map(|(front, _)| front).expect("rows"));
    write(root, "entrants.csv", &(read(root, "entrants.csv") + "\n"));
}
