//! The index of the games in the results of a contest.
//!
//! For each game the index has the length of its rows in the file, its place in the order of the schedule, and its
//! number in the lists of its bots, faults and end. The rows are read from the file when they are shown. A server
//! stores the index for its next start (`store`).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use referee_contest::fixture;
use referee_files::beneath::Spot;
use referee_files::source::Source;
use referee_record::error::Error;
use referee_record::results::{Header, ResultRow, Scheduled};
use referee_record::schema::NoRow;
use referee_report::pages::show::games::GameSummary;
use referee_rules::FaultKind;
use roaring::{MultiOps, RoaringBitmap};
use serde::{Deserialize, Serialize};

/// Maximum length of the first line of a results file, in bytes.
const HEADER_MAX: u64 = 16 << 10;

/// Length of the end of the rows, by which results are recognized, in bytes. The last row contains a digest of all
/// rows.
const END: usize = 128;

/// The name of the results file in errors.
const RESULTS: &str = "results.csv";

/// The index keeps the place in the file of each game whose number is a multiple of this.
const STEP: usize = 64;

/// Number of the latest games that are sorted in a tree. A game that ends more games after its turn in the schedule is
/// still put in its place, but slowly.
const LATEST: usize = 1024;

/// The key of a list of games: a bot by its number, a kind of fault, or a kind of fault of a bot.
type Key = (Option<u32>, Option<FaultKind>);

/// The games of a hill, in the order of the results.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The results, and their first line.
    file: Option<(File, Header)>,
    /// Whether the file is an unpacked copy, since the results are compressed.
    is_copy: bool,
    /// The length of each game's rows, in bytes.
    lengths: Vec<u32>,
    /// Where the rows of each [`STEP`]th game begin in the file.
    starts: Vec<u64>,
    /// Where the rows of the last game end in the file.
    rows_end: u64,
    /// The last bytes of the rows.
    tail: Vec<u8>,
    /// The games in the order of the schedule, to find them by name: the latest [`LATEST`] by their places, and the
    /// numbers of all before. Games end in nearly this order.
    latest: BTreeMap<Scheduled, u32>,
    earlier: Vec<u32>,
    /// The place of the last of `earlier`.
    last_of_earlier: Option<Scheduled>,
    /// The number of each bot, by its name.
    bots: BTreeMap<String, u32>,
    lists: BTreeMap<Key, RoaringBitmap>,
    /// By the number of a bot, and its version.
    by_version: BTreeMap<(u32, u32), RoaringBitmap>,
    /// By the reason for their end.
    by_end: BTreeMap<String, RoaringBitmap>,
    by_season: BTreeMap<u32, RoaringBitmap>,
    /// When each game began.
    started: Vec<CompactTime>,
}

/// A date and a time as a number, in the order of time. It counts seconds in months of 31 days each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct CompactTime(u32);

impl CompactTime {
    /// Returns the number of a date and time, as in `2026-11-27T01:02:03Z`. A year before 2000 counts as 2000, and one
    /// after 2127 as 2127.
    pub(crate) fn parse(text: &str) -> CompactTime {
        let number =
            |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse().ok()).unwrap_or(0_u64);
        // 128 years of these months are the most that fit in 32 bits.
        let years = number(0, 4).clamp(2000, 2000 + 127) - 2000;
        let days = (years * 12 + number(5, 7).saturating_sub(1)) * 31 + number(8, 10).saturating_sub(1);
        let seconds = ((days * 24 + number(11, 13)) * 60 + number(14, 16)) * 60 + number(17, 19);
        CompactTime(u32::try_from(seconds).unwrap_or(u32::MAX))
    }
}

/// The conditions on games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) bot: Option<String>,
    pub(crate) opponent: Option<String>,
    pub(crate) fault: Option<FaultKind>,
    /// The version of the bot.
    pub(crate) version: Option<u32>,
    /// The reason for the end of the game.
    pub(crate) end: Option<String>,
    pub(crate) season: Option<u32>,
    /// The round of that season.
    pub(crate) round: Option<u32>,
    /// The game began at this time or later.
    pub(crate) since: Option<CompactTime>,
    /// The game began before this time.
    pub(crate) until: Option<CompactTime>,
    /// Games before this one in the results, by number from 0.
    pub(crate) before: Option<usize>,
}

impl Index {
    /// Creates an index of results. Compressed results are unpacked into a temporary file.
    pub(crate) fn build(results: &Spot) -> Result<Index, Error> {
        let open = || -> io::Result<Index> {
            let source = Source::open(results)?;
            let is_copy = source.is_compressed();
            let header = first_line(source)?;
            let mut file = if is_copy { tempfile::tempfile()? } else { results.open()? };
            if is_copy {
                file.write_all(header.line().as_bytes())?;
            }
            let rows_end = header.line().len() as u64;
            Ok(Index { file: Some((file, header)), is_copy, rows_end, ..Index::default() })
        };
        open().map_err(Error::system(results.path(), "read the results"))
    }

    /// Returns the index in the form that is stored; `None` if the results are compressed, or missing.
    pub(crate) fn packed(&self) -> Option<Packed> {
        let header = self.header_of_original()?;
        let list = |((bot, fault), list): (&Key, &RoaringBitmap)| {
            (*bot, fault.map(FaultKind::name).map(str::to_owned), list.clone())
        };
        Some(Packed {
            head: header.line().to_owned(),
            end: String::from_utf8_lossy(&self.tail).into_owned(),
            lengths: self.lengths.clone(),
            scheduled: self.earlier.iter().chain(self.latest.values()).copied().collect(),
            bots: self.bots.clone(),
            lists: self.lists.iter().map(list).collect(),
            by_version: self.by_version.iter().map(|(key, list)| (*key, list.clone())).collect(),
            by_end: self.by_end.clone(),
            by_season: self.by_season.clone(),
            started: self.started.clone(),
        })
    }

    /// Returns a stored index; `None` unless these results begin with its games.
    pub(crate) fn unpacked(packed: Packed, results: &Spot) -> Option<Index> {
        let list = |(bot, fault, list): (Option<u32>, Option<String>, RoaringBitmap)| {
            let fault = fault.map(|name| FaultKind::from_name(&name).ok_or(())).transpose().ok()?;
            Some(((bot, fault), list))
        };
        let mut index = Index {
            rows_end: packed.head.len() as u64,
            tail: packed.end.into_bytes(),
            earlier: packed.scheduled,
            bots: packed.bots,
            lists: packed.lists.into_iter().map(list).collect::<Option<_>>()?,
            by_version: packed.by_version.into_iter().collect(),
            by_end: packed.by_end,
            by_season: packed.by_season,
            started: packed.started,
            ..Index::default()
        };
        for length in packed.lengths {
            index.push(length);
        }
        if !index.is_consistent() || !index.goes_on_in(results, &packed.head) {
            return None;
        }
        if let Some(last) = index.earlier.last() {
            index.last_of_earlier = Some(index.place_of(*last).ok()?);
        }
        Some(index)
    }

    /// Tells whether all lists name games of this index. A stored index can be damaged.
    fn is_consistent(&self) -> bool {
        let fits = |last: Option<u32>| last.is_none_or(|last| (last as usize) < self.len());
        let lists = self.lists.values().chain(self.by_version.values());
        let mut lists = lists.chain(self.by_end.values()).chain(self.by_season.values());
        lists.all(|list| fits(list.max()))
            && fits(self.earlier.iter().copied().max())
            && self.started.len() == self.len()
    }

    /// Returns the first line of the results; `None` if the file is a copy, or there is none.
    fn header_of_original(&self) -> Option<&Header> {
        match &self.file {
            Some((_, header)) if !self.is_copy => Some(header),
            _ => None,
        }
    }

    /// Tells whether results begin with the games of this index. If so, rows are read from them afterwards.
    pub(crate) fn begins(&mut self, results: &Spot) -> bool {
        let Some(header) = self.header_of_original() else { return false };
        let head = header.line().to_owned();
        self.goes_on_in(results, &head)
    }

    /// Tells whether results have this first line and begin with the games of this index. If so, uses their file.
    fn goes_on_in(&mut self, results: &Spot, head: &str) -> bool {
        let open = || Some((results.open().ok()?, first_line(results.open().ok()?).ok()?));
        let Some((file, header)) = open() else { return false };
        let goes_on = header.line() == head && self.len() > 0 && is_before(&file, self.rows_end, &self.tail);
        if goes_on {
            self.file = Some((file, header));
        }
        goes_on
    }

    /// Adds a game: its rows, and their text in the file.
    pub(crate) fn add(&mut self, rows: &[ResultRow], text: &[u8]) -> Result<(), Error> {
        if let Some((file, _)) = &mut self.file
            && self.is_copy
        {
            file.write_all(text).map_err(Error::system(Path::new(RESULTS), "unpack the results"))?;
        }
        let number = self.len() as u32;
        self.push(text.len() as u32);
        self.tail.clear();
        self.tail.extend_from_slice(&text[text.len().saturating_sub(END)..]);
        for row in rows {
            let next = self.bots.len() as u32;
            let bot = match self.bots.get(&row.bot.name) {
                Some(bot) => *bot,
                None => *self.bots.entry(row.bot.name.clone()).or_insert(next),
            };
            let kinds = FaultKind::ALL.into_iter().filter(|kind| row.faults[*kind as usize] > 0);
            let keys = kinds.flat_map(|kind| [(None, Some(kind)), (Some(bot), Some(kind))]);
            for key in keys.chain([(Some(bot), None)]) {
                self.lists.entry(key).or_default().insert(number);
            }
            self.by_version.entry((bot, row.bot.version)).or_default().insert(number);
        }
        self.started.push(CompactTime::parse(&rows[0].started));
        if let Some(place) = rows[0].place_in_schedule {
            self.by_season.entry(place.season).or_default().insert(number);
        }
        match self.by_end.get_mut(&rows[0].end) {
            Some(list) => drop(list.insert(number)),
            None => drop(self.by_end.insert(rows[0].end.clone(), RoaringBitmap::from([number]))),
        }
        if let Some(place) = rows[0].place_in_schedule {
            self.latest.insert(place, number);
        }
        if self.latest.len() > LATEST
            && let Some((place, number)) = self.latest.pop_first()
        {
            let is_last = self.last_of_earlier < Some(place);
            let index = if is_last { self.earlier.len() } else { self.search(place)?.0 };
            self.earlier.insert(index, number);
            self.last_of_earlier = self.last_of_earlier.max(Some(place));
        }
        Ok(())
    }

    /// Adds the length of a game's rows.
    fn push(&mut self, length: u32) {
        if self.len().is_multiple_of(STEP) {
            self.starts.push(self.rows_end);
        }
        self.lengths.push(length);
        self.rows_end += u64::from(length);
    }

    /// Returns the number of games.
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the number of games of a season.
    pub(crate) fn of_season(&self, season: u32) -> u64 {
        self.by_season.get(&season).map_or(0, RoaringBitmap::len)
    }

    /// Returns an estimate of the number of games in the whole file, from the length of those that were read;
    /// `None` before the first, and if the results are compressed.
    pub(crate) fn expected(&self) -> Option<u64> {
        let (file, header) = self.file.as_ref()?;
        if self.is_copy || self.len() == 0 {
            return None;
        }
        let head = header.line().len() as u64;
        let lengths_read = (self.rows_end - head) as f64;
        let lengths_of_all = (file.metadata().ok()?.len() - head) as f64;
        Some((self.len() as f64 * (lengths_of_all / lengths_read)).round() as u64)
    }

    /// Reads the rows of a game.
    fn text(&self, number: u32) -> Result<(String, &Header), Error> {
        let wrong = |what: &str| Error::file(Path::new(RESULTS), what);
        let (file, header) = self.file.as_ref().ok_or_else(|| wrong("no game"))?;
        let (number, block) = (number as usize, number as usize / STEP);
        let before: u64 = self.lengths[block * STEP..number].iter().copied().map(u64::from).sum();
        let mut text = vec![0; self.lengths[number] as usize];
        let read = file.read_exact_at(&mut text, self.starts[block] + before);
        read.map_err(Error::system(Path::new(RESULTS), "read a game"))?;
        Ok((String::from_utf8(text).map_err(|_| wrong("not text"))?, header))
    }

    /// Reads the place of a game in the schedule.
    fn place_of(&self, number: u32) -> Result<Scheduled, Error> {
        let (text, header) = self.text(number)?;
        let place = header.game_of(text.lines().next().unwrap_or_default()).and_then(fixture::place_of);
        place.ok_or_else(|| Error::file(Path::new(RESULTS), "a game that is not in the schedule"))
    }

    /// Searches `earlier` for a place in the schedule. Returns where it is or would be there, and the number of the
    /// game if there is one.
    fn search(&self, place: Scheduled) -> Result<(usize, Option<u32>), Error> {
        let (mut low, mut high) = (0, self.earlier.len());
        while low < high {
            let middle = low.midpoint(high);
            let number = self.earlier[middle];
            match self.place_of(number)?.cmp(&place) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok((middle, Some(number))),
                Ordering::Greater => high = middle,
            }
        }
        Ok((low, None))
    }

    /// Returns a game by its name.
    pub(crate) fn game(&self, id: &str) -> Result<Option<GameSummary>, Error> {
        self.number_of(id)?.map(|number| self.read_game(number)).transpose()
    }

    /// Returns the name of the game after this one, in the order of the results.
    pub(crate) fn next(&self, id: &str) -> Result<Option<String>, Error> {
        match self.number_of(id)? {
            Some(number) if (number as usize) + 1 < self.len() => Ok(Some(self.read_game(number + 1)?.id)),
            _ => Ok(None),
        }
    }

    fn number_of(&self, id: &str) -> Result<Option<u32>, Error> {
        let Some(place) = fixture::place_of(id) else { return Ok(None) };
        match self.latest.get(&place) {
            Some(number) => Ok(Some(*number)),
            None => Ok(self.search(place)?.1),
        }
    }

    /// Lists the last games that fit the filter, newest first, each with its number; at most `limit`.
    pub(crate) fn find(&self, filter: &Filter, limit: usize) -> Result<Vec<(usize, GameSummary)>, Error> {
        let number = |name: &Option<String>| match name {
            None => Some(None),
            Some(name) => self.bots.get(name).map(|number| Some(*number)),
        };
        let (Some(bot), Some(opponent)) = (number(&filter.bot), number(&filter.opponent)) else {
            return Ok(Vec::new());
        };
        let of_bot = (bot.is_some() || filter.fault.is_some()).then(|| self.lists.get(&(bot, filter.fault)));
        let of_opponent = opponent.map(|opponent| self.lists.get(&(Some(opponent), None)));
        let of_version = bot.zip(filter.version).map(|key| self.by_version.get(&key));
        let of_end = filter.end.as_ref().map(|end| self.by_end.get(end));
        let of_season = filter.season.map(|season| self.by_season.get(&season));
        let of_round = filter.season.zip(filter.round).map(|(season, round)| self.round(season, round));
        let of_round = of_round.transpose()?;
        // A condition without a list has no games, and so has the whole filter.
        let lists: Option<Vec<&RoaringBitmap>> =
            [of_bot, of_version, of_opponent, of_end, of_season, of_round.as_ref().map(Some)]
                .into_iter()
                .flatten()
                .collect();
        let Some(lists) = lists else { return Ok(Vec::new()) };
        let end = filter.before.unwrap_or(usize::MAX).min(self.len()) as u32;
        let intersection;
        let numbers: Box<dyn Iterator<Item = u32>> = if lists.is_empty() {
            Box::new((0..end).rev())
        } else {
            intersection = lists.intersection();
            Box::new(intersection.range(..end).rev())
        };
        let is_in_time = |number: &u32| {
            let start = self.started[*number as usize];
            filter.since.is_none_or(|since| start >= since) && filter.until.is_none_or(|until| start < until)
        };
        let numbers = numbers.filter(is_in_time).take(limit);
        numbers.map(|number| Ok((number as usize, self.read_game(number)?))).collect()
    }

    /// Returns the games of a round.
    fn round(&self, season: u32, round: u32) -> Result<RoaringBitmap, Error> {
        let place = |round| Scheduled { season, round, table: 0, rotation: 0 };
        let (first, end) = (place(round), place(round.saturating_add(1)));
        let earlier = &self.earlier[self.search(first)?.0..self.search(end)?.0];
        let latest = self.latest.range(first..end).map(|(_, number)| number);
        Ok(earlier.iter().chain(latest).copied().collect())
    }

    /// Lists the faults that have occurred, of a bot or of all, each with its number of games.
    pub(crate) fn faults(&self, bot: Option<&str>) -> Vec<(FaultKind, u64)> {
        let bot = match bot.map(|bot| self.bots.get(bot)) {
            None => None,
            Some(Some(number)) => Some(*number),
            Some(None) => return Vec::new(),
        };
        let games_with = |kind| Some((kind, self.lists.get(&(bot, Some(kind)))?.len()));
        FaultKind::ALL.into_iter().filter_map(games_with).collect()
    }

    /// Lists the reasons for which games have ended.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.by_end.keys().cloned().collect()
    }

    /// Reads a game.
    fn read_game(&self, number: u32) -> Result<GameSummary, Error> {
        let wrong = |what: String| Error::file(Path::new(RESULTS), what);
        let (text, header) = self.text(number)?;
        let rows = text.lines().map(|line| header.parse(line.rsplit_once(',').unwrap_or_default().0));
        let rows = rows
            .collect::<Result<Vec<ResultRow>, NoRow>>()
            .map_err(|why| why.at(Path::new(RESULTS), wrong))?;
        GameSummary::from_rows(&rows).ok_or_else(|| wrong("a game without rows".to_owned()))
    }
}

/// An index as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Packed {
    head: String,
    end: String,
    lengths: Vec<u32>,
    scheduled: Vec<u32>,
    bots: BTreeMap<String, u32>,
    lists: Vec<(Option<u32>, Option<String>, RoaringBitmap)>,
    by_version: Vec<((u32, u32), RoaringBitmap)>,
    by_end: BTreeMap<String, RoaringBitmap>,
    by_season: BTreeMap<u32, RoaringBitmap>,
    started: Vec<CompactTime>,
}

fn first_line(file: impl Read) -> io::Result<Header> {
    let mut line = String::new();
    io::BufReader::new(file.take(HEADER_MAX)).read_line(&mut line)?;
    Header::of(&line).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Tells whether a file has these bytes before a position.
fn is_before(file: &File, end: u64, bytes: &[u8]) -> bool {
    let Some(start) = end.checked_sub(bytes.len() as u64) else { return false };
    let mut found = vec![0; bytes.len()];
    file.read_exact_at(&mut found, start).is_ok() && found == bytes
}

#[cfg(test)]
mod tests {
    use referee_contest::fixture::game_id;
    use referee_files::results::games;
    use referee_record::results::{chained, header};
    use referee_record::schema::Columns;

    use referee_record::Digest;

    use super::*;

    fn row(round: u32) -> ResultRow {
        let mut row = ResultRow::blank();
        let place = Scheduled { season: 1, round, table: 1, rotation: 1 };
        (row.game, row.place_in_schedule, row.seats) = (game_id(place), Some(place), 1);
        "a".clone_into(&mut row.bot.name);
        let (hours, minutes, seconds) = (round / 3600, round / 60 % 60, round % 60);
        row.started = format!("2026-01-01T{hours:02}:{minutes:02}:{seconds:02}Z");
        row.bot.version = 1 + u32::from(round > 100);
        for (cell, text) in [(&mut row.sandbox, "strict"), (&mut row.clock, "charged")] {
            text.clone_into(cell);
        }
        (row.bot.digest, row.log_digest) = (Digest::of(b"bot"), Digest::of(b"log"));
        row.faults[FaultKind::Late as usize] = u64::from(round == 7);
        row
    }

    #[test]
    fn games_are_found_by_name_in_whatever_order_they_ended() {
        let rounds = LATEST as u32 + 200;
        // Every second game ends before the one that began before it, and one is played long after its round.
        let late_round = 5;
        let order =
            (1..=rounds).map(|round| if round % 2 == 0 { round - 1 } else { (round + 1).min(rounds) });
        let order: Vec<u32> = order.filter(|round| *round != late_round).chain([late_round]).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let spot = Spot::below(folder.path(), RESULTS);
        let (mut text, mut chain) = (header(), Header::current().chain());
        for round in &order {
            text += &chained(&row(*round).text(), &mut chain);
        }
        std::fs::write(spot.path(), text).expect("the results");
        let mut index = Index::build(&spot).expect("an index");
        let mut all = games(&spot).expect("games");
        while let Some(game) = all.next() {
            let rows: Vec<ResultRow> = game.expect("a game").into_iter().map(|(_, row)| row).collect();
            index.add(&rows, all.text()).expect("added");
        }
        let unpacked = Index::unpacked(index.packed().expect("kept"), &spot).expect("the same results");
        for index in [index, unpacked] {
            for round in &order {
                let name = row(*round).game;
                let found = index.game(&name).expect("read").unwrap_or_else(|| panic!("no {name}"));
                assert_eq!(found.id, name);
            }
            assert!(index.game(&row(rounds + 1).game).expect("read").is_none());
            for bot in [None, Some("a")] {
                assert_eq!(index.faults(bot), [(FaultKind::Late, 1)]);
            }
            assert!(index.faults(Some("nobody")).is_empty());
            let newest = index.find(&Filter::default(), 3).expect("read");
            let newest: Vec<u32> = newest.iter().map(|(_, game)| game.place.round).collect();
            assert_eq!(newest, order.iter().rev().take(3).copied().collect::<Vec<u32>>());
            let found = |filter: Filter| {
                let found = index.find(&filter, usize::MAX).expect("read");
                let mut rounds: Vec<u32> = found.iter().map(|(_, game)| game.place.round).collect();
                rounds.sort_unstable();
                rounds
            };
            let in_round = |round| Filter { season: Some(1), round: Some(round), ..Filter::default() };
            for round in [1, late_round, LATEST as u32 - 1, rounds] {
                assert_eq!(found(in_round(round)), [round]);
            }
            assert!(found(in_round(rounds + 1)).is_empty() && found(in_round(u32::MAX)).is_empty());
            assert_eq!(found(Filter { season: Some(1), ..Filter::default() }).len(), rounds as usize);
            assert!(found(Filter { season: Some(2), ..Filter::default() }).is_empty());
            let began = |text| Some(CompactTime::parse(text));
            let then = Filter {
                since: began("2026-01-01T00:00:59Z"),
                until: began("2026-01-01T00:01:02Z"),
                ..Filter::default()
            };
            assert_eq!(found(then), [59, 60, 61]);
            let version =
                |version| Filter { bot: Some("a".into()), version: Some(version), ..Filter::default() };
            assert_eq!(found(version(1)), (1..=100).collect::<Vec<u32>>());
            assert!(found(version(3)).is_empty());
        }
    }
}
