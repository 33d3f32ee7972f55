//! Cells with commas and quotation marks: they are quoted, and read back as they were, by every reader. Records of
//! before, with `;` in their place, agree.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use referee_contest::admission::by::By;
use referee_contest::admission::entrants::{Entrants, Event, EventKind};
use referee_contest::bot::Bot;
use referee_contest::hill::Hill;
use referee_files::beneath::Spot;
use referee_files::results::{self, ResultsFile};
use referee_files::{log, small, voids};
use referee_record::log::GameLog;
use referee_record::results::{Header, ResultRow};
use referee_record::schema::Columns;
use referee_record::voids::{VoidReason, VoidRow};
use referee_record::{BotName, Digest, Heading, identity};
use referee_rules::{Seat, Seed};
use referee_store::{ContestState, RealDisk, Runner};

use crate::called::Calls;
use crate::support::{Place, results_in};

/// What an author hands in as arguments, and how records show it.
const WORDS: &str = r#"'a,b' '"c"' "it's""#;
const SHOWN: &str = r#"a,b "c" it's"#;
const QUOTED: &str = r#""a,b ""c"" it's""#;
const BEFORE: &str = "a;b ;c; it's";

const DATE: &str = "2026-01-01T00:00:00Z";

fn digest() -> Digest {
    Digest::of(b"a program")
}

fn bot() -> BotName {
    BotName { name: "fox".to_owned(), version: 1, digest: digest() }
}

fn row(seat: usize, arguments: &str, end: &str) -> ResultRow {
    ResultRow {
        game: "g1".to_owned(),
        started: DATE.to_owned(),
        sandbox: "strict".to_owned(),
        clock: "charged".to_owned(),
        seats: 2,
        seat: Seat::new(seat),
        bot: bot(),
        arguments: arguments.to_owned(),
        end: end.to_owned(),
        log_digest: digest(),
        ..ResultRow::blank()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn rows_of_results_are_read_back(cells in proptest::array::uniform4("[a,;\"' é-]{0,9}")) {
        let folder = tempfile::tempdir().expect("a folder");
        let [one, other, end, name] = &cells;
        let rows = vec![row(0, one, end), row(1, other, name)];
        let header = Header::current();
        for row in &rows {
            let text = header.text(row);
            prop_assert_eq!(&header.parse(&text).expect("a row"), row);
            prop_assert_eq!(header.game_of(&text), Some("g1"));
            prop_assert!(header.check_format(&text).is_ok());
        }
        // With the chain, game by game; by the end alone; and after a game that was torn.
        let file = folder.path().join("results.csv");
        for _ in 0..2 {
            ResultsFile::open(&file).expect("results").0.append(&rows).expect("appended");
        }
        let read: Vec<ResultRow> = results::read(&file).expect("results").into_iter().map(|(_, row)| row).collect();
        prop_assert_eq!(&read, &[&rows[..], &rows].concat());
        let last = results::last_name(&file).expect("results");
        prop_assert_eq!(last.as_deref(), Some("g1"));
        let whole = fs::read_to_string(&file).expect("text");
        prop_assert_eq!(whole.lines().count(), 5, "a row is a line");
        let torn = whole.rfind("g1,").expect("a row") + 30;
        fs::write(&file, &whole[..torn]).expect("torn");
        let (_, aside) = ResultsFile::open(&file).expect("results");
        prop_assert!(aside.is_some());
        prop_assert_eq!(results::read(&file).expect("results").len(), 2);
        // As a runner records them.
        let disk = RealDisk::new(folder.path());
        let mut runner = Runner::start(disk.clone(), "one").expect("a runner");
        runner.claim("g1", &["g1"]).expect("a claim");
        let begun = runner.begin("g1", "g1", &[]).expect("begun");
        runner.over(begun, &rows.iter().map(ResultRow::text).collect::<Vec<_>>()).expect("over");
        runner.end().expect("its end");
        let state = ContestState::read(&disk).expect("the records");
        let cells = state.result(&disk, "g1").expect("the records").expect("a result");
        let read: Vec<ResultRow> = cells.iter().map(|cell| header.parse(cell).expect("a row")).collect();
        prop_assert_eq!(read, rows);
    }

    #[test]
    fn the_heading_of_a_log_is_read_back(
        words in proptest::collection::vec("[a,;\"'é\n\t-]{0,9}", 1..4),
        value in "[a-z,\"]{1,9}",
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let shown = identity::shown(&words);
        let heading = Heading {
            game: "g1".to_owned(),
            rules: "push".to_owned(),
            version: 1,
            parameters: vec![("word".to_owned(), value)],
            seed: Seed(7),
            bots: vec![bot(), bot()].into(),
            arguments: vec![shown.clone(), String::new()].into(),
            start: Vec::new(),
        };
        let mut log = GameLog::begin(&heading, Vec::new());
        log.flush().expect("in memory");
        let (text, ..) = log.finish();
        prop_assert!(!shown.contains(['\n', '\t']));
        let file = folder.path().join("g1.csv");
        fs::write(&file, &text).expect("a log");
        prop_assert_eq!(log::reader(&*file).expect("a log").1, heading);
        let row = row(0, &shown, "over");
        prop_assert_eq!(Header::current().parse(&row.text()).expect("a row").arguments, shown);
    }

    #[test]
    fn rows_of_lists_are_read_back_in_one_line_each(cells in proptest::array::uniform4("[a,;\"'é\n\r\t-]{0,9}")) {
        let folder = tempfile::tempdir().expect("a folder");
        let plain = |cell: &String| referee_record::text::one_line(cell).into_owned();
        let [detail, log, source, contact] = &cells;
        let void = VoidRow {
            game: "g1".to_owned(),
            reason: VoidReason::HostOverload,
            bots: "fox:1".to_owned(),
            detail: detail.clone(),
            log: log.clone(),
            log_digest: digest().to_string(),
            ..VoidRow::default()
        };
        let list = Spot::below(folder.path(), "voids.csv");
        voids::append(&list, &void).expect("appended");
        voids::append(&list, &void).expect("appended");
        let due = VoidRow { detail: plain(detail), log: plain(log), ..void };
        prop_assert_eq!(voids::read(&list).expect("voids"), vec![due.clone(), due.clone()]);
        prop_assert_eq!(small::read::<VoidRow>(&list).expect("voids").len(), 2);
        let text = list.read_text(10_000).expect("text");
        prop_assert_eq!(text.lines().count(), 3);
        prop_assert!(!text.contains('\r'));
        let bot = Bot {
            name: "fox".to_owned(),
            digest: digest(),
            identity: digest(),
            arguments: vec![plain(source)],
            source: source.clone(),
            contact: contact.clone(),
            ..Bot::blank()
        };
        let event = Event {
            date: DATE.to_owned(), event: EventKind::Submitted, bot: bot.clone(), by: By::Host };
        Entrants::read(folder.path()).expect("nobody").add(event).expect("added");
        let entrants = Entrants::read(folder.path()).expect("entrants");
        let due = Bot { source: plain(source), contact: plain(contact), ..bot };
        prop_assert_eq!(entrants.field(), vec![&due]);
    }
}

fn hill(place: &Place) -> Hill {
    let settings = ["--seed", "5", "--max-turns", "5"];
    let root =
        place.hill_of_guests("hill", &settings, &[("still", "house still"), ("other", "house random")]);
    let fox = place.guest("fox", "house random");
    place.call(&["hill", "submit", "hill", &format!("{fox} {WORDS}"), "--name", "fox"]).with_status(0);
    place.call(&["hill", "submit", "hill", &format!("{fox} --level 1"), "--name", "owl"]).with_status(0);
    place.call(&["hill", "run", "hill", "--rounds", "2"]).with_status(0);
    Hill::open(&root).expect("a hill")
}

#[test]
fn arguments_with_commas_and_quotation_marks_are_recorded_as_they_are() {
    let place = Place::new();
    let hill = hill(&place);
    let rows = results_in(hill.root());
    let shown: Vec<&str> =
        rows.iter().filter(|row| row.bot.name == "fox").map(|row| &*row.arguments).collect();
    assert_eq!(shown, [SHOWN; 8]);
    let text = fs::read_to_string(hill.root().join("results.csv")).expect("results");
    assert_eq!(text.matches(&format!(",{QUOTED},")).count(), 8);
    let path = hill.root().join(&rows[0].log);
    let log_text = fs::read_to_string(&path).expect("a log");
    assert!(log_text.contains(&format!(",,,,,,{QUOTED}\n")), "{log_text}");
    let (_, heading) = log::reader(&*path).expect("a log");
    assert!(heading.arguments.iter().any(|(_, words)| words == SHOWN));
    place.call(&["audit", "hill"]).with_status(0).saying(&["agrees: 8 games, 32 rows"]);
    place.call(&["audit", &path.display().to_string()]).with_status(0);
    place.call(&["hill", "bots", "hill"]).with_status(0);
    let story = place.call(&["replay", &path.display().to_string()]).with_status(0);
    assert!(story.err.is_empty(), "{}", story.err);
    let place = place.path("hill");
    fs::remove_file(place.join("results.csv")).expect("removed");
    hill.repair().expect("made again");
    assert_eq!(fs::read_to_string(place.join("results.csv")).expect("results"), text);
}

/// Closes the rows of results with a chain.
fn chained(text: &str) -> String {
    let header = text.split_inclusive('\n').next().expect("the names of the columns");
    let mut chain = Digest::of(header.as_bytes());
    let rows = text.lines().skip(1).map(|line| {
        let row = line.rsplit_once(',').expect("a chain").0.to_owned() + ",";
        chain = Digest::of(format!("{chain}{row}").as_bytes());
        format!("{row}{chain}\n")
    });
    header.to_owned() + &rows.collect::<String>()
}

/// Writes another text for the arguments into all records, as another referee would have written them.
fn rewrite(root: &Path, other: &str) {
    let path = root.join("results.csv");
    let mut results = fs::read_to_string(&path).expect("results").replace(QUOTED, other);
    for row in results_in(root).iter().filter(|row| row.seat == Seat::new(0)) {
        let log = root.join(&row.log);
        let text = fs::read_to_string(&log).expect("a log");
        let body = text[..text.rfind("digest,").expect("a digest")].replace(QUOTED, other);
        let changed = format!("{body}digest,,,sha256,,,,,{}\n", Digest::of(body.as_bytes()));
        results = results.replace(row.log_digest.as_str(), Digest::of(changed.as_bytes()).as_str());
        fs::write(&log, changed).expect("a log");
    }
    fs::write(&path, chained(&results)).expect("results");
    for folder in ["records", "proof"] {
        fs::remove_dir_all(root.join(folder)).expect("no records and no signatures, as before");
    }
    let settings = fs::read_to_string(root.join("hill.toml")).expect("settings");
    fs::write(root.join("hill.toml"), settings.replace("signed = true", "signed = false")).expect("settings");
}

#[test]
fn records_with_semicolons_in_their_place_agree() {
    let place = Place::new();
    let hill = hill(&place);
    rewrite(hill.root(), BEFORE);
    assert!(results_in(hill.root()).iter().any(|row| row.arguments == BEFORE));
    let audited = hill.audit().expect("it agrees");
    assert_eq!((audited.counts.games, audited.counts.rows), (8, 32));
    place.call(&["hill", "run", "hill", "--rounds", "1"]).with_status(0);
    hill.audit().expect("it agrees, with games of today");
}

#[test]
fn other_arguments_do_not() {
    let place = Place::new();
    let hill = hill(&place);
    rewrite(hill.root(), "a;b ;d; it's");
    let said = hill.audit().expect_err("other arguments").to_string();
    assert!(said.contains("column arguments is a;b ;d; it's; the schedule says a,b \"c\" it's"), "{said}");
}
