//! `docs/records.md` agrees with the program: its tables are generated from the definitions of columns, its examples
//! recomputed. `audit/second.rs` holds the rest: a program that was written from the page alone.

use std::fs;
use std::path::{Path, PathBuf};

use referee_contest::admission::entrants::Event;
use referee_contest::hill::seasons::SeasonRow;
use referee_contest::rulings::RulingRow;
use referee_record::Digest;
use referee_record::results::{Header, ResultRow};
use referee_record::row_kind::{LogColumn, RowKind};
use referee_record::schema::reference;
use referee_record::voids::VoidRow;
use referee_statistics::verdict::VerdictRow;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/records.md")
}

#[test]
fn the_tables_of_columns_are_those_of_the_program() {
    let text = fs::read_to_string(page()).expect("the page");
    let tables = [
        ("results.csv", reference::<ResultRow>()),
        ("voids.csv", reference::<VoidRow>()),
        ("entrants.csv", reference::<Event>()),
        ("seasons.csv", reference::<SeasonRow>()),
        ("verdicts.csv", reference::<VerdictRow>()),
        ("rulings.csv", reference::<RulingRow>()),
        ("logs", RowKind::reference()),
    ];
    let mut due = text.clone();
    for (file, table) in tables {
        let mark = format!("<!-- {file} -->\n\n");
        let start = due.find(&mark).unwrap_or_else(|| panic!("{file} has a table")) + mark.len();
        let end = start
            + due[start..]
                .lines()
                .take_while(|line| line.starts_with('|'))
                .map(|line| line.len() + 1)
                .sum::<usize>();
        let behind = if due[end..].starts_with('\n') { "" } else { "\n" };
        due.replace_range(start..end, &format!("{table}{behind}"));
    }
    if std::env::var_os("REFEREE_WRITE_DOCS").is_some() {
        fs::write(page(), &due).expect("the page");
    }
    assert_eq!(text, due, "REFEREE_WRITE_DOCS=1 writes the tables anew");
    assert!(text.contains(&format!("`{}`", LogColumn::header())), "the header of logs");
}

#[test]
fn the_example_of_a_chain_and_the_digest_of_a_house_bot_are_right() {
    let text = fs::read_to_string(page()).expect("the page");
    let lines: Vec<&str> =
        text.lines().skip_while(|line| *line != "    game,seat,format,chain").take(3).collect();
    let [header, rows @ ..] = &lines[..] else { panic!("an example") };
    let mut chain = Digest::of(format!("{}\n", header.trim()).as_bytes());
    for row in rows {
        let (row, given) = row.trim().rsplit_once(',').expect("a chain");
        chain = Digest::of(format!("{chain}{row},").as_bytes());
        assert_eq!(chain.as_str(), given);
    }
    assert_eq!(rows.len(), 2);
    assert!(Header::of(&format!("{}\n", header.trim())).is_some());
    assert!(
        text.contains(r"printf '%s\0' house push random 1 | sha256sum"),
        "it is that of the identity's own test"
    );
}
