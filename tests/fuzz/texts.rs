//! Bytes on the wire, and small texts: answers, rows, programs, tournament files, excerpts of standard error.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use referee_contest::file;
use referee_games::catalog::GAMES;
use referee_record::Answer;
use referee_record::play::collect::{Account, Collector};
use referee_record::results::Header;
use referee_rules::wire;
use referee_rules::{Parameters, Seat, Seed};
use referee_sandbox::program;
use referee_table::clock::Moment;
use referee_table::excerpt::{Excerpt, KEPT};

use super::mutate::mutated;
use super::{names, run};
use crate::random::Random;
use crate::support::{FAULTY, Place};

const ANSWERS: [&[u8]; 8] = [
    b"4 4\n",
    b"@1 4 4\n@2 -1 007\n",
    b"1 2 3 4 5 6 7 8 9 10\n\n4\n",
    b"@3 9223372036854775807\r\n",
    b"@99999999999999999999 1\n@1 2\n",
    b"@0 1\n@1\n@ 2\n",
    b"1\t2\t3\n4 5",
    b"-9223372036854775808 +1 -0\n",
];

/// The right verdict on a line: the protocol, implemented in the simplest way.
fn plain_integers(line: &[u8]) -> Option<Vec<i64>> {
    let text: Vec<&[u8]> =
        line.split(|byte| b" \t\r".contains(byte)).filter(|word| !word.is_empty()).collect();
    let number = |word: &&[u8]| {
        let text = std::str::from_utf8(word).ok()?;
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
    };
    text.iter().map(number).collect()
}

#[test]
fn wire_bytes() {
    run("wire_bytes", 3000, |random, input| {
        let (one, other) = (random.pick(&ANSWERS), random.pick(&ANSWERS));
        let bytes = mutated(one, other, random);
        input.set(&bytes);
        for line in bytes.split(|byte| *byte == b'\n') {
            let (_, rest) = wire::split_tag(line);
            let mut integers = Vec::new();
            let read = wire::read_integers(rest, &mut integers).ok().map(|()| integers);
            if read != plain_integers(rest) {
                return Err(format!("read as {read:?}, not as {:?}", plain_integers(rest)));
            }
        }
        // The pieces of a line do not affect its meaning, if all of it comes in time.
        let whole = collected(&bytes, |_| bytes.len().max(1), random);
        let pieces = collected(&bytes, |random| 1 + random.below(300), random);
        if whole != pieces {
            return Err(format!("whole: {whole:?}, in pieces: {pieces:?}"));
        }
        hasty(&bytes, random);
        Ok(())
    });
}

/// Puts three questions, with the same bytes after each of them, and returns the results.
fn collected(bytes: &[u8], length: impl Fn(&mut Random) -> usize, random: &mut Random) -> Vec<String> {
    let (mut collector, seat) = (Collector::new(1), Seat::new(0));
    let mut told = Vec::new();
    for question in 0..3 {
        let now = Moment(Duration::from_secs(question));
        collector.ask(seat, Duration::from_millis(100), now, 0);
        collector.written(seat, now);
        let mut rest = bytes;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(length(random).min(rest.len()));
            collector.bytes(seat, piece, now);
            rest = after;
        }
        collector.expire(Moment(now.0 + Duration::from_millis(500)));
        let mut answer = Answer::empty(seat);
        collector.take(seat, &mut answer);
        told.push(format!("{answer:?}"));
    }
    told
}

/// Bytes at any time, among questions that were put in part or not at all: the result is always one answer
/// for each question.
fn hasty(bytes: &[u8], random: &mut Random) {
    let (mut collector, seat) = (Collector::new(2), Seat::new(1));
    let (mut now, mut rest) = (Duration::ZERO, bytes);
    for _ in 0..20 {
        now += Duration::from_micros(random.below(200_000) as u64);
        if collector.is_gone(seat) || random.percent(10) {
            collector.cannot_ask(seat);
        } else {
            let limit = Duration::from_millis(random.below(200) as u64);
            collector.ask(seat, limit, Moment(now), random.below(10));
            if random.percent(90) {
                collector.written(seat, Moment(now));
            }
            let starved = Duration::from_millis(random.below(50) as u64);
            let cpu = random.percent(50).then(|| Duration::from_micros(random.below(200_000) as u64));
            collector.account(seat, Account { starved, cpu });
            let (piece, after) = rest.split_at(random.below(rest.len() + 1));
            now += Duration::from_micros(random.below(300_000) as u64);
            collector.bytes(seat, piece, Moment(now));
            rest = after;
            if random.percent(5) {
                collector.gone(seat, referee_rules::Fault::Exited(0), Moment(now));
            }
            collector.expire(Moment(now + Duration::from_secs(1)));
        }
        collector.take(seat, &mut Answer::empty(seat));
    }
}

#[test]
fn rows_and_settings() {
    let results =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("referee/games/push/playthrough.csv"));
    let other = results.expect("a playthrough").into_bytes();
    let rows = [include_bytes!("../../CHANGELOG.md").as_slice(), &other];
    let header = Header::current();
    run("rows_and_settings", 1000, |random, input| {
        let entry = random.pick(GAMES);
        let mut parameters = Parameters::defaults(entry.parameters);
        let name = random.pick(entry.parameters).name;
        let value = String::from_utf8_lossy(&mutated(b"12", b"true", random)).into_owned();
        input.set(value.as_bytes());
        if parameters.set_text(name, &value).is_ok() {
            // Accepted input is written as it was read.
            let (_, set) = parameters.iter().find(|(known, _)| *known == name).expect("a parameter");
            let mut again = Parameters::defaults(entry.parameters);
            again.set_text(name, &set.to_string()).map_err(|error| format!("{name} = {set}: {error}"))?;
            if again.to_string() != parameters.to_string() {
                return Err(format!("{name}: {value} becomes {set}"));
            }
        }
        if let Ok(seed) = value.parse::<Seed>()
            && seed.to_string().parse() != Ok(seed)
        {
            return Err(format!("{value} becomes {seed}"));
        }
        let text = String::from_utf8_lossy(&mutated(rows[0].get(..200).unwrap_or_default(), rows[1], random))
            .into_owned();
        input.set(text.as_bytes());
        if let Ok(row) = header.parse(&text)
            && header.parse(&header.text(&row)) != Ok(row)
        {
            return Err("a row that is accepted is not the same when it is written and read".to_owned());
        }
        Ok(())
    });
}

#[test]
fn tournament_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tournaments");
    let files = fs::read_dir(folder).expect("tournaments").flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    files.sort();
    let texts: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("a file")).collect();
    run("tournament_files", 400, |random, input| {
        let (one, other) = (random.below(texts.len()), random.below(texts.len()));
        let bytes = mutated(&texts[one], &texts[other], random);
        input.set(&bytes);
        let path = Path::new("here/cup.toml");
        let text = String::from_utf8_lossy(&bytes);
        file::parse(path, &text).err().map_or(Ok(()), |error| names(&error, path))
    });
}

#[test]
fn programs_and_excerpts() {
    let place = Place::new();
    let elf = fs::read(&FAULTY).expect("a program").get(..4096).expect("a long one").to_vec();
    let script = b"#!/usr/bin/env -S python3 -u\nprint(1)\n";
    run("programs_and_excerpts", 1000, |random, input| {
        let bytes =
            if random.percent(50) { mutated(&elf, script, random) } else { mutated(script, &elf, random) };
        input.set(&bytes);
        let path = place.path("bot");
        fs::write(&path, &bytes).expect("a program");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("executable");
        if let Err(why) = program::inspect(&path) {
            let text = why.to_string();
            if text.len() > 1000 || text.chars().any(char::is_control) {
                return Err(format!("not fit for a terminal: {text:?}"));
            }
        }
        let mut excerpt = Excerpt::default();
        let mut count = 0;
        for _ in 0..random.below(30) {
            let piece = &bytes[random.below(bytes.len() + 1)..];
            excerpt.push(piece);
            count += piece.len();
        }
        let kept = excerpt.to_bytes();
        if kept.len() > 2 * KEPT + 64 || (count <= 2 * KEPT && kept.len() != count) {
            return Err(format!("{} of {count} bytes kept", kept.len()));
        }
        Ok(())
    });
}
