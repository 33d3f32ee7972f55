//! Follows the results of a hill or a tournament as they grow.
//!
//! A thread looks at the files. It reads each game once for the index, and once for the account of a hill's season. The
//! standings of a tournament depend on rulings and later rounds, and are computed from all its results at each change
//! (`pages::show::tournament` of `referee-report`). After a look it rests nine times as long as the look took. `store`
//! keeps what is known of a hill for the next start.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use referee_contest::hill::{Goal, Hill, HillAccount};
use referee_contest::opened::Opened;
use referee_contest::{folder, plan};
use referee_files::beneath::Spot;
use referee_files::{lock, results, walk};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Games;
use referee_report::pages::show::{ContestSummary, VerdictSummary, season, tournament};
use referee_statistics::stop_rule::StopRule;
use referee_table::clock;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::index::Index;
use crate::site::{Served, Site};
use crate::snapshot::Snapshot;
use crate::store::{Stamp, Stored, stamp};

/// Minimum time between two looks at the files.
const LOOK: Duration = Duration::from_millis(500);

/// The rest after a look, as a multiple of the time that it took.
const REST: u32 = 9;

/// The files from which the standings are computed.
const FILES: [&str; 9] = [
    "results.csv",
    "entrants.csv",
    "seasons.csv",
    "verdicts.csv",
    "voids.csv",
    "hill.toml",
    "plan.toml",
    "rulings.csv",
    "people.csv",
];

/// The follower of a contest.
#[derive(Debug)]
pub(crate) struct Follower<'c> {
    contest: &'c Opened,
    served: Arc<Served>,
    reading: Option<Reading<'c>>,
    stamps: Vec<Stamp>,
    /// The number of snapshots so far.
    number: u64,
    /// Is added to it in what is served: it begins at the time, and so is above all numbers of earlier servers.
    first: u64,
    /// The bot in the first place of the standings.
    leader: Option<String>,
    /// The season whose verdicts were reported, and their number.
    verdicts: (u32, usize),
    /// The number of games and the state of the files when the index was stored.
    stored: (usize, Vec<Stamp>),
}

/// The results as far as they have been read.
#[derive(Debug)]
struct Reading<'c> {
    stamp: Stamp,
    games: Games,
    /// The number of games.
    read: usize,
    /// Of a hill.
    account: Option<HillAccount<'c>>,
}

impl<'c> Follower<'c> {
    /// Follows a contest until the server stops. The receiver is told of the end.
    pub(crate) fn begin(site: Arc<Site>, served: Arc<Served>) -> oneshot::Receiver<()> {
        let (runtime, (ends, end)) = (Handle::current(), oneshot::channel());
        thread::spawn(move || {
            let mut stop = site.stop.subscribe();
            let mut rest =
                |time| runtime.block_on(async { timeout(time, stop.wait_for(|stop| *stop)).await }).is_err();
            let contest = loop {
                match Opened::open(&served.root) {
                    Ok(contest) => break contest,
                    Err(_) if rest(LOOK) => {}
                    Err(_) => return,
                }
            };
            let mut follower = Follower::new(&contest, &served);
            follower.recall();
            let mut last_trouble = None;
            let rounds_report_it = site.options.run.is_some() && served.inbox.is_mine();
            loop {
                let start = site.clock.now();
                follower.look();
                // A server that starts rounds reports trouble with them.
                let trouble = served.followed.snapshot().trouble.clone().filter(|_| !rounds_report_it);
                if let Some(trouble) = trouble.as_ref().filter(|_| trouble != last_trouble) {
                    (site.say)(&format!("The records of {} cannot be read: {trouble}", served.name));
                }
                last_trouble = trouble;
                if !rest(((site.clock.now() - start) * REST).max(LOOK)) {
                    break;
                }
            }
            follower.keep();
            let _ = ends.send(());
        });
        end
    }

    fn new(contest: &'c Opened, served: &Arc<Served>) -> Follower<'c> {
        let (served, stamps) = (Arc::clone(served), Vec::new());
        let (leader, verdicts) = (None, (0, 0));
        let first = clock::seconds() << 16;
        Follower {
            contest,
            served,
            reading: None,
            stamps,
            number: 0,
            first,
            leader,
            verdicts,
            stored: (0, Vec::new()),
        }
    }

    /// Shows what the previous server stored, until the records have been read.
    fn recall(&mut self) {
        let results = folder::results_of(&self.served.root);
        let Some(Stored { stamps, index, season, past, .. }) = Stored::read(&self.served) else { return };
        let (Some(index), Ok(entrants)) = (Index::unpacked(index, &results), self.entrants()) else {
            return;
        };
        let games = index.len();
        *self.served.followed.index.write() = index;
        (self.stamps, self.stored) = (stamps.clone(), (games, stamps));
        let contest = ContestSummary { season, past, ..entrants.contest };
        self.show(Snapshot { games, contest, ..entrants });
    }

    /// Stores the index and the snapshot, if they are new and this server may write.
    fn keep(&mut self) {
        if self.served.inbox.is_mine() && self.stamps != self.stored.1 {
            // Without it, the next start takes longer.
            let _ = Stored::write(&self.served, &self.stamps);
            self.stored = (self.served.followed.index().len(), self.stamps.clone());
        }
    }

    /// Looks at the files, and shows what has changed.
    fn look(&mut self) {
        let stamps: Vec<Stamp> =
            FILES.iter().map(|name| stamp(&Spot::below(&self.served.root, name))).collect();
        if stamps == self.stamps {
            return;
        }
        let snapshot = self.read().unwrap_or_else(|error| {
            self.reading = None;
            let trouble = Some(self.served.without_path(&error.to_string()));
            Snapshot { trouble, ..self.entrants().unwrap_or_default() }
        });
        // What could not be read is read again at the next look.
        self.stamps = if snapshot.trouble.is_none() { stamps } else { Vec::new() };
        let before = self.served.followed.snapshot();
        let is_same_trouble = before.trouble == snapshot.trouble
            && before.knows_field == snapshot.knows_field
            && before.contest.field == snapshot.contest.field;
        if snapshot.trouble.is_some() && is_same_trouble {
            return;
        }
        let games = snapshot.games;
        self.show(snapshot);
        if games > self.stored.0 + self.stored.0 / 10 {
            self.keep();
        }
    }

    fn show(&mut self, snapshot: Snapshot) {
        self.number += 1;
        self.tell(&snapshot);
        let number = self.first + self.number;
        self.served.followed.now.send_replace(Arc::new(Snapshot { number, ..snapshot }));
    }

    /// Tells the webhook of a new leader or verdict. The first look reports nothing: it finds the state.
    fn tell(&mut self, snapshot: &Snapshot) {
        let Some(season) = &snapshot.contest.season else { return };
        // Where matches decide, nobody leads.
        let leader = season.lead.as_ref().and_then(|lead| lead.first.first().cloned());
        // A tournament of several sub-tournaments has no verdicts of its own: those of its parts are listed.
        let all = [season].into_iter().chain(snapshot.contest.sets.iter().map(|(_, set)| set));
        let all: Vec<_> =
            all.flat_map(|season| season.verdicts.iter().map(move |verdict| (season, verdict))).collect();
        let verdicts = (season.number, all.len());
        if self.number > 1 {
            let hook = &self.served.hook;
            if leader != self.leader {
                let (number, round) = (season.number, season.rounds);
                hook.tell("leader", json!({ "bot": leader, "season": number, "round": round }));
            }
            let known = if self.verdicts.0 == season.number { self.verdicts.1 } else { 0 };
            for (season, VerdictSummary { sentence, verdict }) in all.into_iter().skip(known) {
                let (number, round) = (season.number, season.rounds);
                let what = json!({ "told": sentence, "season": number, "round": round, "verdict": verdict });
                hook.tell("verdict", what);
            }
        }
        (self.leader, self.verdicts) = (leader, verdicts);
    }

    /// Returns a snapshot of the entrants alone: the field, and author and mark of each bot that ever played.
    fn entrants(&self) -> Result<Snapshot, Error> {
        let contest = match self.contest {
            Opened::Hill(hill) => ContestSummary::entrants_of(hill, &hill.entrants()?)?,
            Opened::Tournament(plan) => ContestSummary::entrants_in(plan),
        };
        Ok(Snapshot { knows_field: true, contest, ..Snapshot::default() })
    }

    fn read(&mut self) -> Result<Snapshot, Error> {
        self.read_games()?;
        let Snapshot { contest: entrants, .. } = self.entrants()?;
        let games = self.served.followed.index().len();
        let contest = match self.contest {
            Opened::Hill(hill) => {
                let account = self.reading.as_ref().and_then(|reading| reading.account.as_ref());
                match account.and_then(|account| Some((account.so_far()?, account.past().to_vec()))) {
                    Some(((season, ratings), past)) => {
                        season::of_hill(hill.root(), entrants, (&season, &ratings), past)?
                    }
                    None => entrants,
                }
            }
            // The plan is read again: rounds are planned while this server runs.
            Opened::Tournament(_) => {
                let plan = plan::open(&self.served.root)?;
                tournament::read(&plan, &*self.served, entrants, games)?
            }
        };
        Ok(Snapshot { games, knows_field: true, contest, ..Snapshot::default() })
    }

    /// Makes sure that a contest without results has never had some: this server has read none, and no game has a log.
    fn check_unplayed(&self, results: &Spot) -> Result<(), Error> {
        let root = &self.served.root;
        let file = if self.served.is_hill { "hill.toml" } else { "plan.toml" };
        if !Spot::below(root, file).exists() {
            let what = format!("the folder of the {} is missing: restore it from a copy", self.served.kind());
            return Err(Error::file(root, what));
        }
        let mut is_played = self.served.followed.index().len() > 0;
        // The runners of a tournament need not list what they play.
        if !is_played && self.served.is_hill {
            walk::each_file(&Spot::below(root, "logs"), |entry| {
                // A game that is being played has a part of a log.
                is_played |= entry.path.extension().is_none_or(|ending| ending != "part");
                Ok(())
            })?;
        }
        let what = "missing, or not readable for this server, but games were played: restore it from a copy";
        if is_played { Err(Error::file(results.path(), what)) } else { Ok(()) }
    }

    /// Reads the new games. If the file was replaced, or is shorter, reads all of them again.
    fn read_games(&mut self) -> Result<(), Error> {
        let spot = folder::results_of(&self.served.root);
        let now = stamp(&spot);
        let index = &self.served.followed.index;
        // The same file (device and number), and not shorter.
        let goes_on = |before: &Stamp| match (before, &now) {
            (Some(before), Some(now)) => before.0 == now.0 && before.1 == now.1 && before.2 <= now.2,
            _ => false,
        };
        let mut reading = match self.reading.take() {
            Some(mut reading) if goes_on(&reading.stamp) => {
                // The length is asked for while no runner writes, so that no half of a game is read.
                let file = spot.open().map_err(Error::system(spot.path(), "open the results"))?;
                reading.games.go_on_to(lock::length(&file, spot.path())?)?;
                // After that: the row of a season is written before its first game.
                if let Some(account) = &mut reading.account {
                    account.renew()?;
                }
                Reading { stamp: now, ..reading }
            }
            _ if now.is_none() => {
                self.check_unplayed(&spot)?;
                *index.write() = Index::default();
                return Ok(());
            }
            _ => {
                let is_known = index.write().begins(&spot);
                if !is_known {
                    *index.write() = Index::build(&spot)?;
                }
                let games = results::games(&spot)?;
                let begin = |hill: &'c Hill| hill.begin_account(None, Goal::Rounds(StopRule::default()));
                let account = match self.contest {
                    Opened::Hill(hill) => Some(begin(hill)?),
                    Opened::Tournament(_) => None,
                };
                Reading { stamp: now, games, read: 0, account }
            }
        };
        while let Some(game) = reading.games.next() {
            let game = GameResult::of(game?);
            if reading.read >= index.read().len() {
                index.write().add(&game, reading.games.text())?;
            }
            reading.read += 1;
            if let Some(account) = &mut reading.account {
                account.add(game)?;
            }
        }
        self.reading = Some(reading);
        Ok(())
    }
}
