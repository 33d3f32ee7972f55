//! Compressed logs, compressed while written or later, are read by everything that reads a log, as far as
//! they go.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use allocation_counter::measure;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use referee_files::audit::{audit_log, audit_results};
use referee_files::log::{self, LogFile, part_of};
use referee_files::results;
use referee_games::catalog::GAMES;
use referee_record::error::Error;
use referee_record::log::Sink;
use referee_show::view::story::Story;

use crate::called::Calls;
use crate::support::{Place, files_below, playthrough, printed_random, results_in};

pub(super) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn unpacked(file: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut decoder = MultiGzDecoder::new(fs::File::open(file).expect("a file"));
    decoder.read_to_end(&mut bytes).expect("a whole gzip file");
    bytes
}

/// Returns the content of a gzip file, if it is complete and nothing follows it.
fn unpacks_to(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(packed).read_to_end(&mut bytes).ok().map(|_| bytes)
}

/// Writes a log as the referee does while it plays, with a pause after each part.
fn written(path: &Path, parts: &[&[u8]]) -> LogFile {
    let mut log = LogFile::create(path).expect("a log");
    parts.iter().for_each(|part| log.take(part).expect("written"));
    log
}

/// All readable rows of a log, and whether reading failed after them.
fn rows_of(path: &Path) -> (Vec<String>, Option<String>) {
    let mut rows = Vec::new();
    let mut reader = match log::reader(path) {
        Ok((reader, _)) => reader,
        Err(error) => return (rows, Some(without_name(&error))),
    };
    loop {
        match reader.peek() {
            Ok(Some(row)) => rows.push(format!(
                "{} {:?} {:?} {:?} {} {}",
                row.line(),
                row.kind(),
                row.turn(),
                row.name(),
                row.values(),
                row.detail()
            )),
            Ok(None) => return (rows, None),
            Err(error) => return (rows, Some(without_name(&error))),
        }
        reader.take();
    }
}

/// The error, and its line, without the file.
fn without_name(error: &Error) -> String {
    match error.place() {
        Some((_, Some(line))) => format!("line {line}: {}", error.what()),
        _ => error.what().to_owned(),
    }
}

/// Bots that are no programs.
const BOTS: [(&str, &str); 4] = [
    ("greedy", "house greedy"),
    ("random", "house random"),
    ("still", "house still"),
    ("sweeper", "house sweeper"),
];

#[test]
fn a_compressed_log_is_read_as_the_same_plain_one_by_every_command() {
    let place = Place::new();
    let game = ["play", "football", "-p", "3", "--max-turns", "30", "--turn-ms", "30000", "--seed", "3"];
    let bots = ["greedy", "random", "still"].map(|name| place.guest(name, &format!("house {name}")));
    let [greedy, random, still] = bots.each_ref().map(String::as_str);
    let bots = ["--sandbox", "off", "--compress", greedy, greedy, random, still];
    let words = [&game[..], &bots].concat();
    let ran = place.call(&words).with_status(0);
    let row = &results_in(&place.path("games"))[0];
    assert!(row.log.ends_with(".csv.gz") && ran.out.contains(&row.log), "{}\n{}", row.log, ran.out);
    assert_eq!(files_below(&place.path("games/logs"), "gz").len(), 1);
    assert_eq!(files_below(&place.path("games/logs"), "csv"), [] as [&Path; 0]);

    // The same log under meaningless names, in the two forms.
    let packed = place.path("games").join(&row.log);
    fs::copy(&packed, place.path("packed")).expect("a copy");
    fs::write(place.path("plain"), unpacked(&packed)).expect("a file");
    for words in [
        &["audit", "LOG"][..],
        &["replay", "--plain", "LOG"],
        &["replay", "--plain", "--turn", "17", "LOG"],
        &["replay", "LOG", "--html", "LOG.html"],
        &["export", "LOG", "--dir", "LOG.d"],
        &["rerun", "LOG", "--seat", "0", greedy, "--sandbox", "off"],
    ] {
        let [packed, plain] = ["packed", "plain"].map(|name| {
            let words: Vec<String> = words.iter().map(|word| word.replace("LOG", name)).collect();
            let ran = place.call(&words.iter().map(|word| &**word).collect::<Vec<&str>>()).with_status(0);
            let lines = ran.out.lines().filter(|line| !line.contains(" ms")); // what a bot took just now
            lines.collect::<Vec<&str>>().join("\n").replace(name, "LOG")
        });
        assert_eq!(packed, plain, "{words:?}");
    }
    let read = |name: &str| fs::read(place.path(name)).expect("a file");
    assert_eq!(read("packed.html"), read("plain.html"));
    for file in ["moves", "positions"] {
        assert_eq!(read(&format!("packed.d/packed-{file}.csv")), read(&format!("plain.d/plain-{file}.csv")));
    }

    let raw = place.call(&["hill", "log", "games", &row.game, "--raw"]).with_status(0);
    assert_eq!(raw.out.as_bytes(), read("plain"));
    place.call(&["replay", "games", &row.game, "--plain"]).with_status(0);
    place.call(&["audit", "games"]).with_status(0);
    let again = place.call(&words).with_status(0);
    assert!(again.out.contains("-2.csv.gz"), "a name of its own: {}", again.out);
}

#[test]
fn logs_of_hills_and_tournaments_are_compressed_on_request() {
    let place = Place::new();
    let bots = BOTS;
    let hill = place.hill_of_guests(
        "hill",
        &["--compress", "-p", "2", "--max-turns", "20", "--turn-ms", "30000", "--seed", "5"],
        &bots,
    );
    place.call(&["hill", "run", "hill", "--rounds", "2", "--jobs", "2"]).with_status(0);
    assert_eq!(files_below(&hill.join("logs"), "gz").len(), 8);
    assert_eq!(files_below(&hill.join("logs"), "csv"), [] as [&Path; 0]);
    place.call(&["audit", "hill"]).with_status(0);
    place.call(&["hill", "fairness", "hill"]).with_status(0);
    place.call(&["report", "hill", "--html", "pages"]).with_status(0);
    let links = fs::read_to_string(place.path("pages/games.csv")).expect("games");
    assert_eq!(links.matches(".csv.gz").count(), 4 * 8, "{links}");

    let file = "name = \"t\"\ngame = \"football\"\nseed = \"7\"\ncompress = true\nbatch = 4\nsandbox = \"off\"\n\
                [parameters]\np = 2\nmax_turns = 10\nturn_ms = 30000\n[format]\nkind = \"rounds\"\nrounds = 2\n";
    let entrant =
        |(name, _): &(&str, &str)| format!("[[entrant]]\nname = \"{name}\"\nprogram = \"{name}.guest\"\n");
    let entrants: Vec<String> = bots.iter().map(entrant).collect();
    fs::write(place.path("t.toml"), file.to_owned() + &entrants.concat()).expect("a file");
    place.call(&["tournament", "plan", "t.toml", "--dir", "T"]).with_status(0);
    place.call(&["tournament", "run", "--dir", "T", "--jobs", "2"]).with_status(0);
    assert_eq!(files_below(&place.path("T/logs"), "gz").len(), 8);
    assert_eq!(files_below(&place.path("T/logs"), "csv"), [] as [&Path; 0]);
    place.call(&["audit", "T"]).with_status(0);

    // Results are read compressed, too.
    let list = fs::read(place.path("T/results.csv")).expect("results");
    fs::write(place.path("T/copy"), compressed(&list)).expect("a file");
    let [plain, packed] = ["T/results.csv", "T/copy"].map(|name| results::read(&place.path(name)));
    assert_eq!(packed.expect("results"), plain.expect("results"));
}

#[test]
fn a_log_may_be_compressed_or_unpacked_at_any_time_after_its_game() {
    let place = Place::new();
    let bots = BOTS;
    let settings = ["-p", "2", "--max-turns", "20", "--turn-ms", "30000", "--seed", "5"];
    let hill = place.hill_of_guests("hill", &settings, &bots);
    place.call(&["hill", "run", "hill"]).with_status(0);
    for log in files_below(&hill.join("logs"), "csv").iter().take(2) {
        let packed = PathBuf::from(format!("{}.gz", log.display()));
        fs::write(packed, compressed(&fs::read(log).expect("a log"))).expect("a file");
        fs::remove_file(log).expect("removed");
    }
    place.call(&["audit", "hill"]).with_status(0);
    place.call(&["hill", "fairness", "hill"]).with_status(0);
    let game = &results_in(&hill)[0].game;
    place.call(&["hill", "log", "hill", game]).with_status(0);
    place.call(&["report", "hill", "--html", "pages"]).with_status(0);
    place.call(&["hill", "run", "hill"]).with_status(0);
    place.call(&["audit", "hill"]).with_status(0);

    // A log that no row names is found in this form, too.
    fs::copy(&files_below(&hill.join("logs"), "gz")[0], hill.join("logs/other.csv.gz")).expect("a copy");
    place.call(&["audit", "hill"]).with_status(3).complaining(&["other.csv.gz"]);
}

#[test]
fn what_was_put_away_of_a_compressed_log_can_be_read_after_a_kill() {
    let place = Place::new();
    let bytes = fs::read(playthrough("foosball")).expect("a log");
    let (path, part) = (place.path("log.csv.gz"), part_of(&place.path("log.csv.gz")));
    let mut log = LogFile::create(&path).expect("a log");
    let mut put_away = Vec::new();
    for bytes in bytes.chunks(bytes.len() / 7) {
        log.take(bytes).expect("written");
        put_away.extend_from_slice(bytes);
        // As after a kill: nothing more is written.
        fs::copy(&part, place.path("killed")).expect("a copy");
        fs::write(place.path("plain"), &put_away).expect("a file");
        let [killed, plain] = ["killed", "plain"].map(|name| rows_of(&place.path(name)));
        assert!(killed == plain, "{:?} and {:?}", (killed.0.len(), killed.1), (plain.0.len(), plain.1));
    }
    assert_eq!(rows_of(&place.path("killed")), rows_of(&playthrough("foosball")));
    let error = audit_log(&place.path("killed")).expect_err("its end is missing").to_string();
    assert!(error.contains("the compressed file is cut off"), "{error}");
    log.sync().expect("on the disk");
    log.publish().expect("published");
    assert_eq!(unpacked(&path), bytes);
    audit_log(&path).expect("as it was played");
}

#[test]
fn an_unfinished_log_of_a_void_game_is_a_whole_file() {
    let place = Place::new();
    let log = written(&place.path("log.csv.gz"), &[b"one\n", b"two\n"]);
    let kept = log.keep_as_void(2).expect("kept");
    assert!(kept.ends_with("log.void2.gz"), "{}", kept.display());
    assert_eq!(unpacked(&kept), b"one\ntwo\n");
}

#[test]
fn a_compressed_log_that_is_cut_off_or_changed_anywhere_is_found_and_read_as_far_as_it_goes() {
    let place = Place::new();
    let bytes = fs::read(playthrough("push")).expect("a log");
    let packed = compressed(&bytes);
    let (all, _) = rows_of(&playthrough("push"));
    let path = place.path("log");
    let mut random = printed_random();
    for _ in 0..100 {
        let cut = random.below(packed.len());
        fs::write(&path, &packed[..cut]).expect("a file");
        let (rows, _) = rows_of(&path);
        // A number may be cut in the middle: the last row is as in a plain file.
        let whole = rows.len().saturating_sub(1);
        assert_eq!(rows[..whole], all[..whole], "cut at {cut}");
        audit_log(&path).expect_err("cut off");

        let mut changed = packed.clone();
        changed[random.below(packed.len())] ^= 1 << random.below(8);
        fs::write(&path, &changed).expect("a file");
        // Some bits have no meaning (a date, padding), and some changed codes stand for the same bytes.
        let is_the_same = unpacks_to(&changed).is_some_and(|unpacked| unpacked == bytes);
        assert_eq!(audit_log(&path).is_ok(), is_the_same, "changed");
    }
    fs::write(&path, [&packed[..], b"more"].concat()).expect("a file");
    audit_log(&path).expect_err("there is something after it");
    fs::write(&path, [compressed(&bytes[..1000]), compressed(&bytes[1000..])].concat()).expect("a file");
    audit_log(&path).expect("two parts are one file, as gzip has it");
}

#[test]
fn a_file_that_unpacks_to_endless_rows_is_read_in_little_memory() {
    const UNPACKED: usize = 256 << 20;
    let place = Place::new();
    let head = fs::read(playthrough("push")).expect("a log");
    let head = &head[..head.windows(8).position(|bytes| bytes == b"\nanswer,").expect("an answer") + 1];
    let results_head = referee_record::results::header();
    let bomb = |name: &str, head: &[u8], filling: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(head).expect("memory");
        for _ in 0..UNPACKED / filling.len() {
            encoder.write_all(filling).expect("memory");
        }
        fs::write(place.path(name), encoder.finish().expect("memory")).expect("a file");
        place.path(name)
    };
    let digits = bomb("digits", &[head, b"answer,1,0,ok,5,,"].concat(), &[b'1'; 1 << 16]);
    let lines = bomb("lines", &[head, b"answer,1,0,ok,5,,\""].concat(), &[b'\n'; 1 << 16]);
    let results_bomb = bomb("results", results_head.as_bytes(), &[b'x'; 1 << 16]);
    let mut errors: Vec<Error> = Vec::new();
    let memory = measure(|| {
        errors.extend(audit_log(&digits).err());
        errors.extend(audit_log(&lines).err());
        errors.extend(audit_results(&results_bomb, 1, |_| Ok(())).err());
    });
    assert_eq!(errors.len(), 3);
    for (error, why) in errors.iter().zip([": a row of more than 1024 KiB", "not a row of 9 columns"]) {
        assert!(without_name(error).ends_with(why), "{error}");
    }
    println!("at most {} KiB at a time", memory.bytes_max >> 10);
    assert!(memory.bytes_max < 16 << 20, "{} bytes", memory.bytes_max);
}

#[test]
fn a_game_is_looked_at_forth_and_back_in_a_compressed_log() {
    let place = Place::new();
    let mut random = printed_random();
    for game in GAMES.iter().map(|entry| entry.name) {
        let packed = place.path(&format!("{game}.csv.gz"));
        fs::write(&packed, compressed(&fs::read(playthrough(game)).expect("a log"))).expect("a file");
        let [mut packed, mut plain] = [packed, playthrough(game)]
            .map(|log| log::open(&log).and_then(Story::open).unwrap_or_else(|error| panic!("{error}")));
        assert_eq!(packed.turns(), plain.turns());
        for _ in 0..30 {
            let turn = random.below(plain.turns() as usize + 1) as u32;
            let [one, other] =
                [&mut packed, &mut plain].map(|story| format!("{:?}", story.after(turn).expect("a turn")));
            assert_eq!(one, other, "{game}, turn {turn}");
        }
    }
}
