//! `schedule.txt`, a line a game, all of one length; `schedule.idx`, a line a batch with the digest of its games. Whoever
//! plays a batch reads the index and the lines of that batch, however long the schedule is.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::PlanError;
use crate::record::results::Scheduled;
use crate::record::{Digest, RecordError};
use crate::rules::{BySeat, Seat, Seed};
use crate::tournament::schedule::Pairing;

/// A game of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Its number, from 0.
    pub number: u32,
    /// Where in the schedule.
    pub scheduled: Scheduled,
    /// What its chance follows from.
    pub seed: Seed,
    /// Which of the plan's parameters it is played with.
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
    width: usize,
    /// `schedule.idx` without its first line.
    body: String,
}

/// Where in the schedule each batch stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The batches, in order.
    pub batches: Vec<Batch>,
    width: usize,
}

/// A batch: games that are committed at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The number of its first game.
    pub first: u32,
    /// How many games it has.
    pub games: u32,
    digest: Digest,
}

impl Text {
    /// Writes a schedule. `played` has a number for each game: that of its parameters. A batch has at least so many games,
    /// in whole blocks.
    pub fn new(pairings: &[Pairing], played: &[usize], batch: u32) -> Text {
        let lines: Vec<String> = pairings.iter().zip(played).zip(0..).map(line).collect();
        let width = lines.iter().map(String::len).max().unwrap_or(0);
        let games: String = lines.iter().map(|line| format!("{line:<width$}\n")).collect();
        let mut body = String::new();
        let (mut first, mut number) = (0, 0);
        while first < pairings.len() {
            let block = |game: usize| Scheduled { rotation: 0, ..pairings[game].scheduled };
            let mut end = (first + batch as usize).min(pairings.len());
            while end < pairings.len() && block(end) == block(end - 1) {
                end += 1;
            }
            let digest = Digest::of(&games.as_bytes()[first * (width + 1)..end * (width + 1)]);
            let count = end - first;
            let _ = writeln!(body, "{number:07} {first:08} {count:06} {digest}");
            (first, number) = (end, number + 1);
        }
        Text { games, width, body }
    }

    /// Returns the SHA-256 by which the plan names the schedule.
    pub fn digest(&self) -> Digest {
        Digest::of(self.body.as_bytes())
    }

    /// Returns how many batches there are.
    pub fn batches(&self) -> usize {
        self.body.lines().count()
    }

    /// Returns `schedule.idx` for a plan of this name.
    pub fn index(&self, plan: &Digest) -> String {
        format!("plan {plan} width {}\n{}", self.width, self.body)
    }
}

fn line(((pairing, played), number): ((&Pairing, &usize), u32)) -> String {
    let Scheduled { season, round, table, rotation } = pairing.scheduled;
    let seed = pairing.seed;
    let mut line = format!("{number:08} {season:03} {round:05} {table:04} {rotation:03} {seed} {played:03}");
    for (seat, bot) in pairing.entrants.iter() {
        let mark = if pairing.fillers.contains(&seat) { '*' } else { ' ' };
        let _ = write!(line, " {bot:04}{mark}");
    }
    line
}

fn parse(line: &str) -> Option<Game> {
    let mut words = line.split_whitespace();
    let mut number = || words.next()?.parse::<u32>().ok();
    let (number, season, round, table, rotation) = (number()?, number()?, number()?, number()?, number()?);
    let seed = words.next()?.parse().ok()?;
    let played = words.next()?.parse().ok()?;
    let (mut entrants, mut fillers) = (Vec::new(), Vec::new());
    for (word, seat) in words.zip(0..) {
        if word.ends_with('*') {
            fillers.push(Seat::new(seat));
        }
        entrants.push(word.trim_end_matches('*').parse().ok()?);
    }
    let scheduled = Scheduled { season, round, table, rotation };
    Some(Game { number, scheduled, seed, played, entrants: entrants.into(), fillers })
}

impl Index {
    /// Reads the index of a plan.
    ///
    /// # Errors
    ///
    /// If it is not that plan's.
    pub fn read(folder: &Path, plan: &Digest, due: &Digest) -> Result<Index, PlanError> {
        let path = folder.join("schedule.idx");
        let text = fs::read_to_string(&path).map_err(RecordError::system(&path, "read the schedule"))?;
        let (first, body) = text.split_once('\n').unwrap_or_default();
        let width = first.strip_prefix(&format!("plan {plan} width ")).and_then(|width| width.parse().ok());
        let Some(width) = width else {
            return Err(PlanError::Mismatch(format!("{}: of another plan than plan.toml", path.display())));
        };
        if Digest::of(body.as_bytes()) != *due {
            return Err(PlanError::Mismatch(format!("{}: was changed after it was planned", path.display())));
        }
        let batches = body.lines().map(|line| {
            let mut words = line.split(' ').skip(1);
            let mut number = || words.next()?.parse().ok();
            let (first, games) = (number()?, number()?);
            Some(Batch { first, games, digest: Digest::parse(words.next()?)? })
        });
        let batches: Option<Vec<Batch>> = batches.collect();
        let batches = batches.ok_or_else(|| RecordError::file(&path, "a line that is none of an index"))?;
        Ok(Index { batches, width })
    }

    /// Returns the number of all games.
    pub fn games(&self) -> u32 {
        self.batches.iter().map(|batch| batch.games).sum()
    }

    /// Reads the games of a batch.
    ///
    /// # Errors
    ///
    /// If they are not those that were planned.
    pub fn batch(&self, folder: &Path, number: usize) -> Result<Vec<Game>, PlanError> {
        let path = folder.join("schedule.txt");
        let Batch { first, games, digest } = &self.batches[number];
        let length = self.width as u64 + 1;
        let mut text = String::new();
        let read = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(u64::from(*first) * length))?;
            file.take(u64::from(*games) * length).read_to_string(&mut text)
        });
        read.map_err(RecordError::system(&path, "read the schedule"))?;
        if Digest::of(text.as_bytes()) != *digest {
            let what = format!("{}: batch {number} was changed after it was planned", path.display());
            return Err(PlanError::Mismatch(what));
        }
        let games: Option<Vec<Game>> = text.lines().map(parse).collect();
        Ok(games.ok_or_else(|| RecordError::file(&path, "a line that is no game"))?)
    }
}
