//! Follows the results of a hill as they grow.
//!
//! A thread looks at the files of the hill. It reads only the games that are new to the index. Standings are computed
//! from all games again, so after each look the thread rests nine times as long as the look took.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use referee::error::Error;
use referee::record::beneath::Spot;
use referee::record::results::{self, Games, ResultRow};
use referee::statistics::season::SeasonAccount;
use referee::statistics::stop_rule::StopRule;
use referee::tournament::admission::entrants::Event;
use referee::tournament::hill::Hill;
use referee::tournament::{folder, verdicts};
use referee::view::sheet::{self, Sheet};
use referee::view::tables;
use serde_json::json;

use crate::index::{Index, SeasonSeen, Snapshot};
use crate::site::{Served, Site};

/// The least time between two looks at the files.
const LOOK: Duration = Duration::from_millis(500);

/// The rest after a look, as a multiple of the time that it took.
const REST: u32 = 9;

/// Identifies a state of a file: device, inode, length, time of the last change in seconds and nanoseconds.
pub(crate) type Stamp = Option<(u64, u64, u64, i64, i64)>;

/// The thread that follows a hill.
#[derive(Debug)]
pub(crate) struct Follower {
    hill: Hill,
    served: Arc<Served>,
    games: Option<(Stamp, Games)>,
    stamps: Vec<Stamp>,
    number: u64,
    /// The bot in the first place of the standings.
    leader: Option<String>,
    /// The season whose verdicts were told, and their number.
    verdicts: (u32, usize),
}

impl Follower {
    /// Begins to follow a hill, until the server stops.
    pub(crate) fn begin(site: Arc<Site>, served: Arc<Served>) {
        thread::spawn(move || {
            let mut follower: Option<Follower> = None;
            while !*site.stop.borrow() {
                let start = site.clock.now();
                follower = follower.or_else(|| Follower::of(&served).ok());
                follower.iter_mut().for_each(Follower::look);
                thread::sleep(((site.clock.now() - start) * REST).max(LOOK));
            }
        });
    }

    fn of(served: &Arc<Served>) -> Result<Follower, Error> {
        let hill = Hill::open(&served.root)?;
        let (served, stamps) = (Arc::clone(served), Vec::new());
        Ok(Follower { hill, served, games: None, stamps, number: 0, leader: None, verdicts: (0, 0) })
    }

    /// Reads a hill once.
    pub(crate) fn once(served: &Arc<Served>) -> Result<(), Error> {
        Follower::of(served).map(|mut follower| follower.look())
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
        self.tell(&seen);
        self.served.followed.now.send_replace(Arc::new(Snapshot { number: self.number, ..seen }));
    }

    /// Tells the webhook of a new leader or verdict. The state at the first look is no news.
    fn tell(&mut self, seen: &Snapshot) {
        let Some(season) = &seen.season else { return };
        let leader = season.standings.rows().first().map(|row| sheet::text(&row[1]));
        let verdicts = (season.number, season.verdicts.len());
        if self.number > 1 {
            let hook = &self.served.hook;
            if leader != self.leader {
                hook.tell(
                    "leader",
                    json!({ "bot": leader, "season": season.number, "round": season.rounds }),
                );
            }
            let known = if self.verdicts.0 == season.number { self.verdicts.1 } else { 0 };
            for told in season.verdicts.iter().skip(known) {
                hook.tell(
                    "verdict",
                    json!({ "told": told, "season": season.number, "round": season.rounds }),
                );
            }
        }
        (self.leader, self.verdicts) = (leader, verdicts);
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
        let games = self.served.followed.index().len();
        Ok(Snapshot { number: 0, games, field, season: season.transpose()?, trouble: None })
    }

    fn seen(&self, season: &SeasonAccount, standings: Sheet) -> Result<SeasonSeen, Error> {
        let verdicts =
            verdicts::read(self.hill.root())?.into_iter().filter(|row| row.season == season.number);
        let verdicts: Vec<String> = verdicts.map(|row| row.to_string().trim_end().to_owned()).collect();
        let told =
            if verdicts.is_empty() { season.outlook().into_iter().collect() } else { verdicts.clone() };
        Ok(SeasonSeen {
            number: season.number,
            rounds: season.race.rounds(),
            standings,
            pairs: tables::pairs_of(season),
            told,
            verdicts,
            bots: season.field.bots().to_vec(),
            trends: season.trends.clone(),
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
                // The lock waits for the end of a write.
                let file = spot.open().map_err(Error::system(spot.path(), "open the results"))?;
                file.lock_shared().map_err(Error::system(spot.path(), "lock the results"))?;
                games.go_on()?;
                games
            }
            _ => {
                let begun = if now.is_some() { Index::of(&spot)? } else { Index::default() };
                *index.write() = begun;
                if now.is_none() {
                    return Ok(());
                }
                results::games(&spot)?
            }
        };
        while let Some(game) = games.next() {
            let rows: Vec<ResultRow> = game?.into_iter().map(|(_, row)| row).collect();
            index.write().add(&rows, games.text())?;
        }
        self.games = Some((now, games));
        Ok(())
    }
}

pub(crate) fn stamp(spot: &Spot) -> Stamp {
    let found = spot.open().and_then(|file| file.metadata()).ok()?;
    Some((found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
}
