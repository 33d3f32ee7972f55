//! `schedule.txt` has a line of fixed length for each game, `schedule.idx` a line for each batch with the digest of
//! its games. A runner reads only the index and the lines of its batch, so that a schedule can be long.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use referee_files::beneath::Spot;
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::results::Scheduled;
use referee_record::text::size;
use referee_rules::{BySeat, Seat, Seed};
use referee_statistics::schedule::deal::Pairing;

/// Maximum length of `schedule.idx`, in bytes: enough for three hundred thousand batches.
const INDEX_MAX: u64 = 32 << 20;

/// Maximum length of a line of `schedule.txt`, in bytes: 164 seats need a thousand.
const WIDTH_MAX: usize = 4096;

/// Maximum number of seats of a game.
const SEATS_MAX: usize = 256;

/// Maximum length of the lines of one batch, in bytes.
const BATCH_MAX: u64 = 32 << 20;

/// A game of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its number, from 0.
    pub number: u32,
    /// Its place in the schedule.
    pub scheduled: Scheduled,
    /// Its random seed.
    pub seed: Seed,
    /// The number of its parameters in the plan.
    pub played: usize,
    /// Entrants by seat.
    pub entrants: BySeat<usize>,
    /// Seats whose score does not count.
    pub fillers: Vec<Seat>,
}

/// A schedule as text.
#[derive(Clone, Debug)]
pub struct Text {
    /// `schedule.txt`.
    pub games: String,
    /// The number of games.
    pub count: u32,
    width: usize,
    /// `schedule.idx` without its first line.
    body: String,
}

/// The place of each batch in the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The batches, in order.
    pub batches: Vec<Batch>,
    width: usize,
}

/// A batch: games that a runner claims at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The number of its first game.
    pub first: u32,
    /// The number of its games.
    pub games: u32,
    digest: Digest,
}

impl Text {
    /// Writes a schedule of games, each with the number of its parameters. A batch has at least this number of games,
    /// in whole blocks.
    pub fn new(pairings: impl Iterator<Item = (Pairing, usize)>, batch: u32) -> Text {
        let mut games = String::new();
        let (mut starts, mut lengths): (Vec<u32>, BTreeSet<usize>) = (Vec::new(), BTreeSet::new());
        let mut count = 0;
        let mut last = None;
        for (pairing, played) in pairings {
            let block = Scheduled { rotation: 0, ..pairing.scheduled };
            let is_full = starts.last().is_none_or(|first| count - first >= batch);
            if is_full && last != Some(block) {
                starts.push(count);
            }
            let before = games.len();
            write_line(&mut games, &pairing, played, count);
            lengths.insert(games.len() - before);
            games.push('\n');
            (last, count) = (Some(block), count + 1);
        }
        let width = lengths.last().copied().unwrap_or(0);
        if lengths.len() > 1 {
            games = games.lines().map(|line| format!("{line:<width$}\n")).collect();
        }
        let mut body = String::new();
        let ends = starts.iter().skip(1).chain([&count]);
        for (number, (first, end)) in starts.iter().zip(ends).enumerate() {
            let place = |game: u32| game as usize * (width + 1);
            let digest = Digest::of(&games.as_bytes()[place(*first)..place(*end)]);
            let _ = writeln!(body, "{number:07} {first:08} {:06} {digest}", end - first);
        }
        Text { games, count, width, body }
    }

    /// Returns the SHA-256 by which the plan names the schedule.
    pub fn digest(&self) -> Digest {
        Digest::of(self.body.as_bytes())
    }

    /// Makes sure that the files of a plan have this schedule.
    ///
    /// # Errors
    ///
    /// Names the first line that differs.
    pub fn check(&self, folder: &Path, plan: &Digest) -> Result<(), Error> {
        for (name, due) in [("schedule.txt", &self.games), ("schedule.idx", &self.index(plan))] {
            let spot = Spot::below(folder, name);
            let path = spot.path();
            // A file that is too long is not read to its end.
            let mut found = Vec::new();
            let read = spot.open().and_then(|file| file.take(due.len() as u64 + 1).read_to_end(&mut found));
            read.map_err(unreadable(path))?;
            let found = String::from_utf8_lossy(&found);
            if found != **due {
                let line = found.lines().zip(due.lines()).take_while(|(found, due)| found == due).count();
                let should = due.lines().nth(line).unwrap_or("the end of the file").trim_end();
                let what = format!("does not follow from the plan's seed and format; should be: {should}");
                return Err(Error::line(path, line as u64 + 1, what));
            }
        }
        Ok(())
    }

    /// Returns the number of batches.
    pub fn batches(&self) -> usize {
        self.body.lines().count()
    }

    /// Returns `schedule.idx` for a plan of this name.
    pub fn index(&self, plan: &Digest) -> String {
        format!("plan {plan} width {}\n{}", self.width, self.body)
    }
}

fn write_line(text: &mut String, pairing: &Pairing, played: usize, number: u32) {
    let Scheduled { season, round, table, rotation } = pairing.scheduled;
    let seed = pairing.seed;
    let _ = write!(text, "{number:08} {season:03} {round:05} {table:04} {rotation:03} {seed} {played:03}");
    for (seat, bot) in pairing.entrants.iter() {
        let mark = if pairing.fillers.contains(&seat) { '*' } else { ' ' };
        let _ = write!(text, " {bot:04}{mark}");
    }
}

fn parse(line: &str) -> Option<Game> {
    let mut words = line.split_whitespace();
    let mut number = || words.next()?.parse::<u32>().ok();
    let (number, season, round, table, rotation) = (number()?, number()?, number()?, number()?, number()?);
    let seed = words.next()?.parse().ok()?;
    let played = words.next()?.parse().ok()?;
    let (mut entrants, mut fillers) = (Vec::new(), Vec::new());
    for (word, seat) in words.take(SEATS_MAX + 1).zip(0..) {
        if seat == SEATS_MAX {
            return None;
        }
        if word.ends_with('*') {
            fillers.push(Seat::new(seat));
        }
        entrants.push(word.trim_end_matches('*').parse().ok()?);
    }
    let scheduled = Scheduled { season, round, table, rotation };
    Some(Game { number, scheduled, seed, played, entrants: entrants.into(), fillers })
}

/// What helps if a file of a schedule is damaged: nothing else has its games.
const RESTORE: &str = "put it back from a backup";

/// Returns the error for a file of a schedule that cannot be read. If it is missing, or no text, a retry does not help.
fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| match error.kind() {
        io::ErrorKind::NotFound => Error::record(path, format!("missing; {RESTORE}")),
        io::ErrorKind::InvalidData => {
            Error::record(path, format!("was changed after it was planned: {error}; {RESTORE}"))
        }
        _ => Error::system(path, "read the schedule")(error),
    }
}

impl Index {
    /// Reads the index of a plan.
    ///
    /// # Errors
    ///
    /// If it is damaged, or another plan's.
    pub fn read(folder: &Path, plan: &Digest, due: &Digest) -> Result<Index, Error> {
        let spot = Spot::below(folder, "schedule.idx");
        let path = spot.path();
        let text = spot.read_text(INDEX_MAX).map_err(unreadable(path))?;
        let (first, body) = text.split_once('\n').unwrap_or_default();
        let width = first.strip_prefix(&format!("plan {plan} width ")).and_then(|width| width.parse().ok());
        let Some(width) = width else {
            let what = "belongs to another plan than plan.toml; put both files back from a backup";
            return Err(Error::record(path, what));
        };
        if Digest::of(body.as_bytes()) != *due {
            let what = format!("was changed after it was planned; {RESTORE}");
            return Err(Error::record(path, what));
        }
        let batches = body.lines().map(|line| {
            let mut words = line.split(' ').skip(1);
            let mut number = || words.next()?.parse().ok();
            let (first, games) = (number()?, number()?);
            Some(Batch { first, games, digest: Digest::parse(words.next()?)? })
        });
        let batches: Option<Vec<Batch>> = batches.collect();
        let batches = batches.ok_or_else(|| Error::file(path, "a line is not one of an index"))?;
        let games = batches.iter().try_fold(0u32, |sum: u32, batch: &Batch| sum.checked_add(batch.games));
        let most = batches.iter().map(|batch| u64::from(batch.games)).max().unwrap_or(0);
        if games.is_none() || width > WIDTH_MAX || most * (width as u64 + 1) > BATCH_MAX {
            let what = format!("a batch of more than {}, or too many games", size(BATCH_MAX));
            return Err(Error::file(path, what));
        }
        Ok(Index { batches, width })
    }

    /// Returns the number of all games.
    pub fn games(&self) -> u32 {
        self.batches.iter().fold(0, |games, batch| games.saturating_add(batch.games))
    }

    /// Reads the games of a batch.
    ///
    /// # Errors
    ///
    /// If they are not the planned ones.
    pub fn batch(&self, folder: &Path, number: usize) -> Result<Vec<Game>, Error> {
        self.each_batch(folder, number)?.next().unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Reads the games of each batch from this one on, from a file that is opened once.
    ///
    /// # Errors
    ///
    /// As for [`batch`](Index::batch).
    pub fn each_batch(
        &self,
        folder: &Path,
        from: usize,
    ) -> Result<impl Iterator<Item = Result<Vec<Game>, Error>> + use<'_>, Error> {
        let spot = Spot::below(folder, "schedule.txt");
        let mut file = spot.open().map_err(unreadable(spot.path()))?;
        let read = move |number| self.read_batch(&mut file, spot.path(), number);
        Ok((from..self.batches.len()).map(read))
    }

    fn read_batch(&self, file: &mut File, path: &Path, number: usize) -> Result<Vec<Game>, Error> {
        let Batch { first, games, digest } = &self.batches[number];
        let length = self.width as u64 + 1;
        let mut text = String::new();
        let sought = file.seek(SeekFrom::Start(u64::from(*first) * length));
        let read = sought.and_then(|_| file.take(u64::from(*games) * length).read_to_string(&mut text));
        read.map_err(unreadable(path))?;
        if Digest::of(text.as_bytes()) != *digest {
            let what = format!("batch {number} was changed after it was planned; {RESTORE}");
            return Err(Error::record(path, what));
        }
        let games: Option<Vec<Game>> = text.lines().map(parse).collect();
        games.ok_or_else(|| Error::file(path, "a line is not a game"))
    }
}
