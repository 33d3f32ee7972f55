//! The results of a hill as they grow: an index of its games, in memory, and the standings of its last season.
//!
//! A thread looks at the files of the hill. It reads only the games that are new to the index. Standings are made anew
//! from all games, so after each time it rests nine times as long as that took.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::Duration;

use referee::error::Error;
use referee::record::beneath::Spot;
use referee::record::results::{self, Games, ResultRow, Scheduled};
use referee::rules::FaultKind;
use referee::statistics::season::SeasonAccount;
use referee::statistics::stop_rule::StopRule;
use referee::tournament::admission::entrants::Event;
use referee::tournament::hill::Hill;
use referee::tournament::{fixture, folder, verdicts};
use referee::view::sheet::Sheet;
use referee::view::tables;
use tokio::sync::watch;

use crate::site::{Served, Site};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// How much longer than a look took the rest after it is.
const REST: u32 = 9;

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
    fn add(&mut self, rows: &[ResultRow]) {
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
}

/// A hill that is followed: what is known now, and how one hears of more.
#[derive(Debug)]
pub(crate) struct Followed {
    index: RwLock<Index>,
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

/// What tells whether a file has changed: device, number, length, time of the last change.
type Stamp = Option<(u64, u64, u64, i64, i64)>;

/// The thread that follows a hill.
#[derive(Debug)]
pub(crate) struct Follower {
    hill: Hill,
    served: Arc<Served>,
    games: Option<(Stamp, Games)>,
    stamps: Vec<Stamp>,
    number: u64,
}

impl Follower {
    /// Begins to follow a hill, until the server stops.
    pub(crate) fn begin(site: Arc<Site>, served: Arc<Served>) {
        thread::spawn(move || {
            let mut follower: Option<Follower> = None;
            while !*site.stop.borrow() {
                let start = site.clock.now();
                if follower.is_none() {
                    let hill = Hill::open(&served.root).ok();
                    let stamps = Vec::new();
                    follower = hill.map(|hill| {
                        let served = Arc::clone(&served);
                        Follower { hill, served, games: None, stamps, number: 0 }
                    });
                }
                follower.iter_mut().for_each(Follower::look);
                thread::sleep(((site.clock.now() - start) * REST).max(LOOK));
            }
        });
    }

    /// Looks at the files, and shows what has changed.
    fn look(&mut self) {
        let files = ["results.csv", "entrants.csv", "seasons.csv", "verdicts.csv", "voids.csv"];
        let stamps: Vec<Stamp> =
            files.iter().map(|name| stamp(&Spot::below(&self.served.root, name))).collect();
        if stamps == self.stamps {
            return;
        }
        self.number += 1;
        let seen = self.read().unwrap_or_else(|error| {
            self.games = None;
            let trouble = Some(self.served.without_path(&error.to_string()));
            Snapshot { trouble, ..Snapshot::default() }
        });
        self.stamps = stamps;
        self.served.followed.now.send_replace(Arc::new(Snapshot { number: self.number, ..seen }));
    }

    fn read(&mut self) -> Result<Snapshot, Error> {
        self.read_games()?;
        let entrants = self.hill.entrants()?;
        let field: Vec<Event> = entrants.field().into_iter().cloned().collect();
        let season = self.hill.account(None, StopRule::default())?.map(|(season, ratings)| {
            let retired =
                |bot: &referee::record::BotName| !field.iter().any(|event| event.bot_name() == *bot);
            let standings = tables::standings_of(&season, &season.sums.standings(), &ratings, retired);
            self.seen(&season, standings)
        });
        let games = self.served.followed.index().games.len();
        Ok(Snapshot { number: 0, games, field, season: season.transpose()?, trouble: None })
    }

    fn seen(&self, season: &SeasonAccount, standings: Sheet) -> Result<SeasonSeen, Error> {
        let verdicts =
            verdicts::read(self.hill.root())?.into_iter().filter(|row| row.season == season.number);
        let told: Vec<String> = verdicts.map(|row| row.to_string().trim_end().to_owned()).collect();
        let told = if told.is_empty() { season.outlook().into_iter().collect() } else { told };
        Ok(SeasonSeen {
            number: season.number,
            rounds: season.race.rounds(),
            standings,
            pairs: tables::pairs_of(season),
            told,
        })
    }

    /// Adds the games that are new to the index. If the file is another one, or shorter, all are read again.
    fn read_games(&mut self) -> Result<(), Error> {
        let spot = folder::results_of(&self.served.root);
        let now = stamp(&spot);
        let index = &self.served.followed.index;
        let goes_on = |before: &Stamp| match (before, &now) {
            (Some(before), Some(now)) => before.0 == now.0 && before.1 == now.1 && before.2 <= now.2,
            _ => false,
        };
        let mut games = match self.games.take() {
            Some((before, mut games)) if goes_on(&before) => {
                // Not between the two halves of somebody's write.
                let file = spot.open().map_err(Error::system(spot.path(), "open the results"))?;
                file.lock_shared().map_err(Error::system(spot.path(), "lock the results"))?;
                games.go_on()?;
                games
            }
            _ => {
                *index.write().unwrap_or_else(PoisonError::into_inner) = Index::default();
                if now.is_none() {
                    return Ok(());
                }
                results::games(&spot)?
            }
        };
        for game in games.by_ref() {
            let rows: Vec<ResultRow> = game?.into_iter().map(|(_, row)| row).collect();
            index.write().unwrap_or_else(PoisonError::into_inner).add(&rows);
        }
        self.games = Some((now, games));
        Ok(())
    }
}

fn stamp(spot: &Spot) -> Stamp {
    let found = spot.open().and_then(|file| file.metadata()).ok()?;
    Some((found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
}
