//! Records of formats before version 1.0: each is refused with the commit that reads it, whatever the file.

use std::fs;

use referee_files::beneath::Spot;
use referee_files::results::{self, ResultsFile};
use referee_files::{small, voids};
use referee_record::Digest;

use crate::called::Calls;
use crate::record::frozen::{HILL, copied};
use crate::record::grown::{Cells, changed, changed_results, set, without};

/// How the refusal of a row, a log or a plan ends.
fn refusal(what: &str, format: u32, oldest: u32) -> String {
    format!(
        "{what} of format {format}, which this version does not read ({oldest} and later): commit 5bab9c5d of the \
         referee reads it"
    )
}

/// Makes a log of an older format: without the column for CPU time.
fn older_log(text: &str, format: &str) -> String {
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.splitn(9, ',').collect();
        cells.remove(6);
        cells.join(",") + "\n"
    };
    text.lines().map(row).collect::<String>().replace("referee-log,,,5,", &format!("referee-log,,,{format},"))
}

/// Sets the format of all rows, which lack a column.
fn of_format(format: &str, lacks: Option<&str>) -> impl Fn(&mut Cells) {
    move |cells| {
        set("format", format)(cells);
        lacks.into_iter().for_each(|column| without(column)(cells));
    }
}

#[test]
fn a_record_of_an_older_format_is_refused_with_the_commit_that_reads_it() {
    type Change = Box<dyn Fn(&str) -> String>;
    let rows = |change: fn(&mut Cells)| -> Change { Box::new(move |text| changed(text, change)) };
    let results = |change: fn(&mut Cells)| -> Change { Box::new(move |text| changed_results(text, change)) };
    let log = |format: &'static str| -> Change { Box::new(move |text| older_log(text, format)) };
    let layout = |layout: &'static str| -> Change {
        Box::new(move |text| text.replace("layout = 5", &format!("layout = {layout}")))
    };
    let a_row = |format| refusal("a row of results", format, 3);
    let cases: [(&str, &str, Change, String); 19] = [
        (HILL, "results.csv", results(|cells| of_format("2", Some("rules_digest"))(cells)), a_row(2)),
        (HILL, "results.csv", results(|cells| without("format")(cells)), a_row(1)),
        (
            HILL,
            "entrants.csv",
            rows(|cells| of_format("2", Some("author"))(cells)),
            refusal("a row of the history of entrants", 2, 3),
        ),
        (
            HILL,
            "entrants.csv",
            rows(|cells| without("format")(cells)),
            refusal("a row of the history of entrants", 1, 3),
        ),
        (
            HILL,
            "seasons.csv",
            rows(|cells| of_format("2", Some("author"))(cells)),
            refusal("a row of a season", 2, 3),
        ),
        (HILL, "seasons.csv", rows(|cells| without("format")(cells)), refusal("a row of a season", 1, 3)),
        (HILL, "voids.csv", rows(|cells| without("format")(cells)), refusal("a void game", 1, 2)),
        (
            HILL,
            "verdicts.csv",
            rows(|cells| of_format("5", Some("companions"))(cells)),
            refusal("a verdict", 5, 6),
        ),
        (HILL, "verdicts.csv", rows(|cells| without("format")(cells)), refusal("a verdict", 1, 6)),
        (HILL, LOG, log("4"), refusal("a log", 4, 5)),
        (HILL, LOG, log("3"), refusal("a log", 3, 5)),
        (HILL, LOG, log("2"), refusal("a log", 2, 5)),
        (HILL, LOG, Box::new(|text| text.replace("log,,,,5,", "log,,,,4,")), refusal("a log", 4, 5)),
        ("rounds", "plan.toml", layout("4"), refusal("a plan", 4, 5).replace("5bab9c5d", "b3d69376")),
        ("rounds", "plan.toml", layout("3"), refusal("a plan", 3, 5).replace("5bab9c5d", "a240cd3a")),
        ("rounds", "plan.toml", layout("2"), refusal("a plan", 2, 5).replace("5bab9c5d", "56ba6d47")),
        ("rounds", "results.csv", results(|cells| of_format("2", None)(cells)), a_row(2)),
        ("rounds", "rulings.csv", rows(|cells| without("format")(cells)), refusal("a ruling", 1, 2)),
        ("rounds", "voids.csv", rows(|cells| without("format")(cells)), refusal("a void game", 1, 2)),
    ];
    for (name, file, change, refusal) in cases {
        let place = copied(name);
        let path = place.path(name).join(file);
        let text = fs::read_to_string(&path).expect("a file");
        let older = change(&text);
        assert_ne!(older, text, "{file}");
        fs::write(&path, &older).expect("a file");
        let audited = place.call(&["audit", name]);
        assert!(audited.err.contains(&format!("{file}: {refusal}\n")), "{file}: {audited:?}");
        assert_eq!(audited.status, Some(3), "{file}: {audited:?}");
    }
}

/// A log that is not compressed.
const LOG: &str = "logs/s001/0000/r00001/s001-r00001-t001-g2.csv";

#[test]
fn nothing_is_added_to_a_file_of_an_older_format() {
    let place = copied(HILL);
    let of_hill = |file: &str| place.path(HILL).join(file);
    let text = |file: &str| fs::read_to_string(of_hill(file)).expect("a file");
    let row = results::read(&*of_hill("results.csv")).expect("results").swap_remove(0).1;
    let void = voids::read(Spot::from(&*of_hill("voids.csv"))).expect("voids").swap_remove(0);

    let whole = changed_results(&text("results.csv"), of_format("2", Some("rules_digest")));
    let header = whole.split_inclusive('\n').next().expect("a header").to_owned();
    for older in [whole, header, changed_results(&text("results.csv"), without("format"))] {
        fs::write(of_hill("results.csv"), &older).expect("results");
        let appended = ResultsFile::open(&*of_hill("results.csv"))
            .and_then(|(mut file, _)| file.append(std::slice::from_ref(&row)));
        let error = appended.expect_err("an older format").to_string();
        assert!(error.contains("of format ") || error.contains("no column rules_digest"), "{error}");
        assert_eq!(text("results.csv"), older);
    }
    let older = changed(&text("voids.csv"), without("format"));
    fs::write(of_hill("voids.csv"), &older).expect("voids");
    voids::append(Spot::from(&*of_hill("voids.csv")), &void).expect_err("an older format");
    small::changed(Spot::from(&*of_hill("voids.csv")), |rows| rows.push(void.clone()))
        .expect_err("an older format");
    assert_eq!(text("voids.csv"), older);

    // A run stops before its first game.
    let ran = place.call(&["hill", "run", HILL, "--rounds", "1", "--sandbox", "off"]).with_status(2);
    ran.complaining(&["of format 1, which this version does not read"]);
    // A log alone is refused, too, even if its digest fits.
    let log = of_hill(LOG);
    let body = older_log(&text(LOG), "4");
    let body = &body[..body.rfind("digest,").expect("a digest")];
    fs::write(&log, format!("{body}digest,,,sha256,,,,{}\n", Digest::of(body.as_bytes()))).expect("a log");
    for (words, status) in [(&["replay", "--plain"][..], 2), (&["export"], 2), (&["audit"], 3)] {
        let words = [words, &[log.to_str().expect("text")]].concat();
        place.call(&words).with_status(status).complaining(&[&refusal("a log", 4, 5)]);
    }
}
