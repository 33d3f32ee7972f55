//! The games of a hill in memory, and what is known of its last season.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use referee::error::Error;
use referee::record::BotName;
use referee::record::results::{ResultRow, Scheduled};
use referee::rules::FaultKind;
use referee::statistics::trends::Trends;
use referee::tournament::admission::entrants::Event;
use referee::tournament::fixture;
use referee::tournament::hill::Hill;
use referee::view::sheet::Sheet;
use tokio::sync::watch;

/// A game of the index.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) id: Box<str>,
    pub(crate) place: Scheduled,
    pub(crate) started: Box<str>,
    pub(crate) log: Box<str>,
    /// The number of the word in [`Index::ends`].
    end: u32,
    pub(crate) turns: u32,
    pub(crate) seats: Box<[Seated]>,
}

/// A seat of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seated {
    /// The number of the name in [`Index::bots`].
    bot: u32,
    pub(crate) version: u32,
    pub(crate) place: u32,
    pub(crate) score: i64,
    pub(crate) share: f64,
    pub(crate) faults: u32,
    /// A bit for each kind of fault.
    kinds: u32,
    pub(crate) max_us: u64,
}

/// Words, each with a number.
#[derive(Debug, Default)]
struct Words {
    all: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Words {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(word.to_owned());
        self.numbers.insert(word.to_owned(), number);
        number
    }
}

/// The games of a hill, in the order of the results.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) games: Vec<Line>,
    by_place: BTreeMap<Scheduled, u32>,
    bots: Words,
    ends: Words,
}

/// Which games are asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) bot: Option<String>,
    pub(crate) opponent: Option<String>,
    pub(crate) fault: Option<FaultKind>,
    /// Games before this one in the results, by number from 0.
    pub(crate) before: Option<usize>,
}

impl Index {
    pub(crate) fn add(&mut self, rows: &[ResultRow]) {
        let first = &rows[0];
        let Some(place) = first.place_in_schedule else { return };
        let seats = rows.iter().map(|row| Seated {
            bot: self.bots.number(&row.bot.name),
            version: row.bot.version,
            place: row.place as u32,
            score: row.score,
            share: row.share,
            faults: row.faults.iter().sum::<u64>().try_into().unwrap_or(u32::MAX),
            kinds: (0..).zip(&row.faults).map(|(bit, count)| u32::from(*count > 0) << bit).sum(),
            max_us: row.thinking.max_us,
        });
        let seats = seats.collect();
        self.by_place.insert(place, self.games.len() as u32);
        self.games.push(Line {
            id: first.game.as_str().into(),
            place,
            started: first.started.as_str().into(),
            log: first.log.as_str().into(),
            end: self.ends.number(&first.end),
            turns: first.turns,
            seats,
        });
    }

    /// Returns a game by its name.
    pub(crate) fn game(&self, id: &str) -> Option<&Line> {
        let game = &self.games[*self.by_place.get(&fixture::place_of(id)?)? as usize];
        (&*game.id == id).then_some(game)
    }

    pub(crate) fn bot(&self, seat: &Seated) -> &str {
        &self.bots.all[seat.bot as usize]
    }

    pub(crate) fn end(&self, game: &Line) -> &str {
        &self.ends.all[game.end as usize]
    }

    /// Lists the last games that are asked for, newest first, each with its number; at most `most`.
    pub(crate) fn find(&self, filter: &Filter, most: usize) -> Vec<(usize, &Line)> {
        let number = |name: &Option<String>| match name {
            None => Some(None),
            Some(name) => self.bots.numbers.get(name).map(|number| Some(*number)),
        };
        let (Some(bot), Some(opponent)) = (number(&filter.bot), number(&filter.opponent)) else {
            return Vec::new();
        };
        let fault = filter.fault.map_or(0, |kind| 1 << kind as u32);
        let is_asked = |game: &Line| {
            let has =
                |name: Option<u32>| name.is_none_or(|name| game.seats.iter().any(|seat| seat.bot == name));
            let is_of_bot = |seat: &&Seated| bot.is_none_or(|bot| seat.bot == bot);
            let has_fault = || game.seats.iter().filter(is_of_bot).any(|seat| seat.kinds & fault != 0);
            has(bot) && has(opponent) && (fault == 0 || has_fault())
        };
        let end = filter.before.unwrap_or(usize::MAX).min(self.games.len());
        let games = (0..end).rev().map(|number| (number, &self.games[number]));
        games.filter(|(_, game)| is_asked(game)).take(most).collect()
    }
}

/// What is known of a hill at a time.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// How often something had changed.
    pub(crate) number: u64,
    pub(crate) games: usize,
    pub(crate) field: Vec<Event>,
    pub(crate) season: Option<SeasonSeen>,
    /// Why the records cannot be read, for everybody.
    pub(crate) trouble: Option<String>,
}

/// The last season.
#[derive(Debug)]
pub(crate) struct SeasonSeen {
    pub(crate) number: u32,
    pub(crate) rounds: u32,
    pub(crate) standings: Sheet,
    pub(crate) pairs: Sheet,
    pub(crate) told: Vec<String>,
    pub(crate) verdicts: Vec<String>,
    pub(crate) bots: Vec<BotName>,
    /// How the mean share of each of these bots went on.
    pub(crate) trends: Trends,
}

/// A hill that is followed: what is known now, and how one hears of more.
#[derive(Debug)]
pub(crate) struct Followed {
    pub(crate) index: RwLock<Index>,
    pub(crate) now: watch::Sender<Arc<Snapshot>>,
}

impl Followed {
    /// Opens a hill, and reads nothing yet.
    pub(crate) fn open(root: &Path) -> Result<(Hill, Followed), Error> {
        let hill = Hill::open(root)?;
        Ok((hill, Followed { index: RwLock::default(), now: watch::Sender::new(Arc::default()) }))
    }

    /// Returns what is known now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.now.borrow())
    }

    /// Returns the index. It must not be held while anything is waited for.
    pub(crate) fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }
}
