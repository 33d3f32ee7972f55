//! Tamperings with whole files, settings, and signatures.

use std::fs;
use std::path::Path;

use referee_record::Digest;

use super::super::forge::Folder;
use super::contests::{
    CUP, EARLIER, FRESH, HILL, PLANNED, ROUNDS, SIGNED, SIGNED_CUP, UNSIGNED, edit, log_of, read, remove,
    sign, unsign, write,
};
use super::{Due, Tampering};
use crate::support::files_below;

const fn row(
    name: &'static str,
    contests: &'static [&'static str],
    change: fn(&Path),
    due: Due,
) -> Tampering {
    Tampering { name, contests, change, due }
}

const HILLS: &[&str] = &[SIGNED, UNSIGNED, HILL];
const CUPS: &[&str] = &[SIGNED_CUP, ROUNDS, CUP];
const ALL: &[&str] = &[SIGNED, UNSIGNED, HILL, SIGNED_CUP, ROUNDS, CUP];
const BOTH_SIGNED: &[&str] = &[SIGNED, SIGNED_CUP];

pub(super) const TABLE: &[Tampering] = &[
    row("nothing", ALL, |_| (), Due::Told("agrees: ", "agrees: ")),
    row("nothing before the first game", &[FRESH], |_| (), Due::Told("agrees: ", "agrees: ")),
    row("no entrants before the first game", &[FRESH], |root| remove(root, "entrants.csv"), {
        Due::Unnoticed("a bot that never played, added or taken out")
    }),
    row("nothing played", &[PLANNED], |_| (), Due::Noticed("incomplete", "incomplete")),
    row(
        "nothing in a hill of before",
        &[EARLIER],
        |_| (),
        Due::Told(
            "the beginning does not name these editions, so the records choose: clock, rules, seeds, sources, units",
            "the signed beginning does not name, so that the records choose them: clock, rules, seeds, sources, units",
        ),
    ),
    row(
        "draws by the hill's seed",
        &[EARLIER, HILL],
        |_| (),
        Due::Told("drawn by the hill's seed alone", "draws follow from the hill's seed alone"),
    ),
    row(
        "draws by the hill's seed though the beginning names editions",
        &[EARLIER],
        |root| {
            write(root, "proof/beginning", &read(root, "editions"));
            sign(root);
        },
        Due::Noticed("its seed does not follow from its entrants", "not of the editions that were signed"),
    ),
    row(
        "an older edition in the beginning",
        &[SIGNED],
        |root| edit(root, "proof/beginning", "edition units 2", "edition units 1"),
        Due::Noticed("it was damaged or exchanged", "another beginning"),
    ),
    row(
        "an edition that nobody knows in the beginning",
        BOTH_SIGNED,
        |root| {
            let text = read(root, "proof/beginning");
            write(root, "proof/beginning", &format!("{text}edition shape 2\n"));
        },
        Due::Noticed("is no edition that this program knows", "an edition that this program does not know"),
    ),
    row(
        "no editions in the beginning and signed anew",
        &[SIGNED],
        |root| {
            let text = read(root, "proof/beginning");
            let lines = text.split_inclusive('\n').filter(|line| !line.starts_with("edition "));
            write(root, "proof/beginning", &lines.collect::<String>());
            let season = read(root, "proof/seasons/001");
            let lines = season.split_inclusive('\n').filter(|line| !line.starts_with("built "));
            write(root, "proof/seasons/001", &lines.collect::<String>());
            let season = read(root, "proof/seasons/002");
            let lines = season.split_inclusive('\n').filter(|line| !line.starts_with("built "));
            write(root, "proof/seasons/002", &lines.collect::<String>());
            sign(root);
        },
        Due::Told("the beginning does not name these editions", "the signed beginning does not name"),
    ),
    // What is gone.
    row("no checkpoints", BOTH_SIGNED, |root| remove(root, "proof/checkpoints"), {
        Due::Noticed("proof/checkpoints: no checkpoint", "proof/checkpoints: no checkpoint")
    }),
    row("no proof", BOTH_SIGNED, |root| remove(root, "proof"), Due::Noticed("is signed", "no proof/key")),
    row("no proof and not signed", &[SIGNED], unsign, Due::Noticed("nothing is signed here", "no proof/key")),
    row("no key", BOTH_SIGNED, |root| remove(root, "proof/key"), Due::Noticed("proof/key", "no proof/key")),
    row("no beginning", BOTH_SIGNED, |root| remove(root, "proof/beginning"), {
        Due::Noticed("proof/beginning: missing", "proof/beginning: missing")
    }),
    row("no entry of a season", &[SIGNED], |root| remove(root, "proof/seasons/002"), {
        Due::Noticed("proof/seasons/002: missing", "proof/seasons/002 is missing")
    }),
    row(
        "no last checkpoint",
        BOTH_SIGNED,
        |root| fs::remove_file(newest(root)).expect("removed"),
        Due::Told("more are not signed yet", "entries that are not signed yet"),
    ),
    row(
        "no settings",
        HILLS,
        |root| remove(root, "hill.toml"),
        Due::Noticed("hill.toml: missing", "hill.toml: missing"),
    ),
    row("no plan", CUPS, |root| remove(root, "plan.toml"), Due::Noticed("missing", "plan.toml: missing")),
    row("no later rounds", &[SIGNED_CUP, CUP], |root| remove(root, "rounds"), {
        Due::Noticed("is behind the last game of the schedule", "the schedule has no")
    }),
    row("no results", ALL, |root| remove(root, "results.csv"), Due::Noticed("results.csv", "")),
    row("no seasons", HILLS, |root| remove(root, "seasons.csv"), {
        Due::Noticed("seasons.csv: missing", "seasons.csv: missing")
    }),
    row("no entrants", HILLS, |root| remove(root, "entrants.csv"), {
        Due::Noticed("entrants.csv: missing", "entrants.csv: missing")
    }),
    row("no records of a tournament", CUPS, |root| remove(root, "records"), {
        Due::Noticed("records: missing", "no runner has recorded")
    }),
    row("no records of a hill", HILLS, |root| remove(root, "records"), {
        Due::Told("recorded by no runner", "games that no runner has recorded")
    }),
    row("no log", ALL, |root| fs::remove_file(any_log(root)).expect("removed"), {
        Due::Noticed("its log is missing", "its log is missing")
    }),
    row(
        "a log more",
        &[SIGNED, UNSIGNED],
        |root| {
            fs::copy(log_of(root), root.join("logs/more.csv")).expect("a copy");
        },
        Due::Noticed("more.csv", "more.csv"),
    ),
    row(
        "two logs exchanged",
        &[SIGNED, UNSIGNED],
        |root| {
            let (one, other) = (log_of(root), log_of(root).with_file_name("x"));
            let two = files_below(&root.join("logs"), "csv").into_iter().find(|log| *log != one);
            let two = two.expect("a log");
            for (from, to) in [(&one, &other), (&two, &one), (&other, &two)] {
                fs::rename(from, to).expect("moved");
            }
        },
        Due::Noticed("results.csv, line", "results.csv, line 2: column game"),
    ),
    row("a program gone", &[SIGNED, UNSIGNED, HILL], |root| remove(root, &program(root)), {
        Due::Noticed("missing: the program of", "missing: the program of")
    }),
    row(
        "a program changed",
        ALL,
        |root| write(root, &program(root), "another"),
        Due::Noticed("the program was changed", "the program was changed"),
    ),
    // Settings.
    row(
        "another number of turns",
        &[SIGNED, UNSIGNED],
        |root| edit(root, "hill.toml", "turns = 6", "turns = 7"),
        Due::Noticed("column parameters", "turns"),
    ),
    row(
        "the same without blanks",
        &[SIGNED, UNSIGNED],
        |root| edit(root, "hill.toml", "turns = 6", "turns=7"),
        Due::Noticed("column parameters", "turns"),
    ),
    row(
        "the usual number of turns",
        &[SIGNED, UNSIGNED],
        |root| edit(root, "hill.toml", "turns = 6", "#"),
        Due::Noticed("column parameters", "turns"),
    ),
    row(
        "another seed of the hill",
        &[SIGNED, UNSIGNED],
        |root| edit(root, "hill.toml", "0000007\"", "0000008\""),
        Due::Noticed("results.csv, line 2: column seed", "results.csv, line 2: the seed is"),
    ),
    row(
        "another block",
        &[SIGNED, UNSIGNED],
        |root| edit(root, "hill.toml", "\"one-game\"", "\"one-seating\""),
        Due::Noticed("block=one-game", "block"),
    ),
    row(
        "a line more in the plan",
        CUPS,
        |root| write(root, "plan.toml", &(read(root, "plan.toml") + "# x\n")),
        Due::Noticed("the records of another plan", "the records of another plan"),
    ),
    row("another seed of the plan", CUPS, |root| planned(root, "seed = \"0x0", "seed = \"0x1"), {
        Due::Noticed("", "by the schedule")
    }),
    row("other limits in the plan and its name in the records", &[ROUNDS], other_limits, {
        Due::Unnoticed("other `[limits]`, with the plan's SHA-256 made anew in the records")
    }),
    row("other limits in a signed plan", &[SIGNED_CUP], other_limits, Due::Noticed("plan.toml", "plan.toml")),
    // Signatures.
    row(
        "another setting in the beginning",
        &[SIGNED],
        |root| edit(root, "proof/beginning", "deal uniform", "deal x"),
        Due::Noticed("it was damaged or exchanged", "deal in hill.toml is not x"),
    ),
    row("another commitment", BOTH_SIGNED, |root| edit(root, "proof/beginning", "\nseed ", "\nseed 0"), {
        Due::Noticed("it was damaged or exchanged", "another beginning")
    }),
    row(
        "another date in the entry of a season",
        &[SIGNED],
        |root| edit(root, "proof/seasons/001", "began 2", "began 1"),
        Due::Noticed(
            "it was damaged: the checkpoints fit",
            "season 1 in seasons.csv or entrants.csv is not the one",
        ),
    ),
    row(
        "another root in a checkpoint",
        BOTH_SIGNED,
        |root| {
            let path = newest(root);
            let text = fs::read_to_string(&path).expect("a note");
            let line = text.lines().nth(2).expect("a root");
            let other: String = line.chars().rev().collect();
            fs::write(&path, text.replace(line, &other)).expect("a note");
        },
        Due::Noticed("the signature is not by this key", "the signature is not that of the key"),
    ),
    row(
        "another seed is published",
        &[SIGNED],
        |root| write(root, "proof/seed", &read(root, "proof/private/seed").replace("07\n", "06\n")),
        Due::Noticed("does not match the commitment", "the published seed is not the one"),
    ),
    row(
        "the seed is published",
        &[SIGNED],
        |root| write(root, "proof/seed", &read(root, "proof/private/seed")),
        Due::Told("the published seed matches the commitment", "agrees: "),
    ),
];

/// Returns the longest checkpoint.
fn newest(root: &Path) -> std::path::PathBuf {
    files_below(&root.join("proof/checkpoints"), "note").into_iter().max().expect("a checkpoint")
}

/// Returns a log of a listed game.
fn any_log(root: &Path) -> std::path::PathBuf {
    let results = read(root, "results.csv");
    let mut lines = results.lines();
    let column = lines.next().expect("a header").split(',').position(|name| name == "log").expect("a column");
    root.join(lines.next().expect("a row").split(',').nth(column).expect("a log"))
}

/// Returns the program of a bot that plays, from its folder.
fn program(root: &Path) -> String {
    let (table, of_hill) = match root.join("entrants.csv").exists() {
        true => (read(root, "entrants.csv"), true),
        false => (read(root, "plan.toml"), false),
    };
    let digest = match of_hill {
        true => table.lines().nth(1).and_then(|line| line.split(',').nth(4)),
        false => table.split("digest = \"").nth(1).and_then(|rest| rest.split('"').next()),
    };
    let digest = digest.expect("a digest");
    format!("store/{}/{digest}", &digest[..2])
}

/// Changes the plans of all rounds.
fn planned(root: &Path, from: &str, to: &str) {
    edit(root, "plan.toml", from, to);
    if root.join("rounds/0002/plan.toml").exists() {
        edit(root, "rounds/0002/plan.toml", from, to);
    }
}

/// Changes limits in the plan, and its name in the records of the runners.
fn other_limits(root: &Path) {
    let name = |root: &Path| Digest::of(read(root, "plan.toml").as_bytes()).to_string();
    let before = name(root);
    edit(root, "plan.toml", "data_mib = 512", "data_mib = 256");
    let mut folder = Folder::read(root);
    folder.rename_plan(&before, &name(root));
    folder.put();
}
