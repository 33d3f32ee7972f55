//! Forged logs that go on for a long time: each is refused at the first impossible row, by whatever reads it. What
//! follows is not unpacked.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use referee_files::log;
use referee_record::contents::{Contents, Input};
use referee_record::play::replay::audit::audit_log;
use referee_record::play::replay::{Replay, advance};
use referee_record::read::LogReader;
use referee_rules::Events;

use crate::support::playthrough;

/// A log, and then the same rows again and again: 1 GiB of them, which nobody holds in memory.
#[derive(Debug)]
struct Endless {
    start: Vec<u8>,
    row: Vec<u8>,
    position: u64,
    read: Arc<AtomicU64>,
}

const LENGTH: u64 = 1 << 30;

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let start = self.start.len() as u64;
        let count = buffer.len().min((LENGTH - self.position.min(LENGTH)) as usize);
        for byte in &mut buffer[..count] {
            *byte = match self.position.checked_sub(start) {
                None => self.start[self.position as usize],
                Some(after) => self.row[(after % self.row.len() as u64) as usize],
            };
            self.position += 1;
        }
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Endless {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(to) = to else { return Err(io::ErrorKind::Unsupported.into()) };
        self.position = to;
        Ok(to)
    }
}

/// Likewise, through a buffer.
#[derive(Debug)]
struct Buffered(BufReader<Endless>);

impl Read for Buffered {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl BufRead for Buffered {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.0.consume(count);
    }
}

impl Seek for Buffered {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Input for Buffered {
    fn length(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

fn read_rows(log: Contents) -> Result<(), String> {
    let (mut reader, _) = LogReader::open(log).map_err(|error| error.to_string())?;
    while reader.peek().map_err(|error| error.to_string())?.is_some() {
        reader.take();
    }
    Ok(())
}

fn replay(log: Contents) -> Result<(), String> {
    let (mut replay, _) = Replay::open(log).map_err(|error| error.to_string())?;
    let mut events = Events::default();
    while let Some((game, answers)) = replay.next_turn().map_err(|error| error.to_string())? {
        advance(game, answers, &mut events, None, |_, _, _| {});
    }
    Ok(())
}

/// The rows of a log that come before the turn with this number.
fn before_turn(text: &str, turn: u32) -> String {
    let next = format!("answer,{turn},");
    text.split_inclusive('\n').take_while(|row| !row.starts_with(&next)).collect()
}

/// Reads a log to its end, or to an error.
type Reader<'a> = &'a dyn Fn(&dyn Fn() -> Contents) -> Result<(), String>;

#[test]
fn what_follows_the_first_impossible_row_is_not_read() {
    let text = std::fs::read_to_string(playthrough("football")).expect("text");
    let whole = before_turn(&text, 5);
    let heading = before_turn(&text, 0);
    let seat = heading.lines().filter(|row| row.starts_with("seat,")).count() - 1;
    let last = whole.lines().rev().find(|row| row.starts_with("answer,")).expect("an answer");
    assert!(last.starts_with(&format!("answer,4,{seat},")), "{last}");
    let cases = [
        ("zeros", &whole, "\0".to_owned()),
        ("a line without an end", &whole, "1 ".to_owned()),
        ("empty lines", &whole, "\n".to_owned()),
        ("draws of this turn", &whole, "draw,4,,ball,,,1 2,at 3 drawn 2\n".to_owned()),
        ("effects of this turn", &whole, "effect,4,0,goal,,,7,\n".to_owned()),
        ("effects of the next turn", &whole, "effect,5,0,goal,,,7,\n".to_owned()),
        ("long effects", &whole, format!("effect,4,0,goal,,,{},\n", "7 ".repeat(400_000))),
        ("dropped lines", &whole, format!("dropped,4,{seat},early,,,1,\n")),
        ("dropped lines of none", &whole, format!("dropped,4,{seat},early,,,0,\n")),
        ("the last answer again", &whole, format!("{last}\n")),
        ("scores", &whole, "score,,0,place,,,1,1\n".to_owned()),
        ("digests", &whole, "digest,,,sha256,,,,0\n".to_owned()),
        ("parameters", &heading, "set,,,turns,,,1,\n".to_owned()),
        ("seats", &heading, "seat,,,bot,,,1,0\n".to_owned()),
    ];
    for (name, start, row) in cases {
        let readers: [(&str, Reader<'_>); 3] = [
            ("audit", &|open| audit_log([open(), open()]).map(drop).map_err(|error| error.to_string())),
            ("replay", &|open| replay(open())),
            ("rows", &|open| read_rows(open())),
        ];
        for (reader, run) in readers {
            let read = Arc::new(AtomicU64::new(0));
            let open = || {
                let (start, row) = (start.clone().into_bytes(), row.clone().into_bytes());
                let endless = Endless { start, row, position: 0, read: Arc::clone(&read) };
                Contents::new("log.csv", Buffered(BufReader::with_capacity(64 * 1024, endless)))
            };
            let why = run(&open).expect_err(name);
            assert!(why.contains("log.csv, line "), "{name}, {reader}: {why}");
            // Rows alone, without the rules, cannot tell how many draws a turn has.
            let most = if reader == "rows" { 40 << 20 } else { 6 << 20 };
            let read = read.load(Ordering::Relaxed);
            assert!(read < most, "{name}, {reader}: {read} bytes were read: {why}");
        }
    }
}

#[test]
fn a_compressed_file_of_a_gigabyte_is_refused_while_its_start_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(playthrough("football")).expect("text");
    let head = super::compressed::compressed(before_turn(&text, 5).as_bytes());
    let filler = super::compressed::compressed("effect,4,0,goal,,,7,\n".repeat(1 << 20).as_bytes());
    let mut zeros = super::compressed::compressed(&vec![0; 1 << 25]);
    let many = |member: &[u8]| member.repeat(48);
    // The last members are damaged, and cut off: nobody comes so far.
    zeros.truncate(zeros.len() - 3);
    for (name, bytes) in [
        ("events", [head.clone(), many(&filler), filler[..filler.len() / 2].to_vec()].concat()),
        ("zeros", [head.clone(), many(&zeros)].concat()),
        (
            "garbage",
            [head.clone(), b"\x1f\x8b\x08\x00garbage after the header of a member".to_vec()].concat(),
        ),
        ("nothing", [head.clone(), super::compressed::compressed(b"").repeat(100_000)].concat()),
    ] {
        let path = folder.path().join(format!("{name}.csv.gz"));
        std::fs::write(&path, bytes).expect("a file");
        let open = || log::open(&*path).expect("it opens");
        let audited = audit_log([open(), open()]).expect_err(name).to_string();
        let replayed = replay(open()).map_or_else(|why| why, |()| String::new());
        assert!(!replayed.is_empty() || name == "nothing", "{name}");
        // A reader of the whole file meets a damaged member.
        let is_damaged = |why: &str| why.contains("is damaged");
        let reads_on = [&audited, &replayed].map(|why| is_damaged(why));
        assert_eq!(reads_on, [name == "garbage"; 2], "{name}: {audited}; {replayed}");
    }
}
