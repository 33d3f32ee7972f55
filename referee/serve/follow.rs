//! The follower: a thread that reads the results of a hill or a tournament as they grow.
//!
//! It looks at the files again and again. It reads each game once for the index, and once for the account of a hill's
//! season, its statistics so far. The standings of a tournament depend on rulings and later rounds, so they are
//! computed from all its results at each change (`pages::show::tournament` of `referee-report`). After a look the
//! thread rests nine times as long as the look took. `store` keeps what is known of a contest for the next start.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use referee_contest::hill::{Goal, HillAccount};
use referee_contest::opened::Opened;
use referee_contest::{folder, plan};
use referee_files::beneath::Spot;
use referee_files::{lock, results, walk};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Games;
use referee_report::pages::show::{ContestSummary, SeasonSummary, VerdictSummary, season, tournament};
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

/// The rest after a look, as a multiple of the time that it took: a follower takes at most a tenth of a processor.
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
    /// The state of each of [`FILES`] at the last look.
    stamps: Vec<Stamp>,
    /// The number of snapshots so far.
    snapshots: u64,
    /// The number of the first snapshot, less one. It follows from the time, so the numbers of this server are above
    /// all numbers of earlier ones.
    number_offset: u64,
    /// The bot in the first place of the standings.
    leader: Option<String>,
    reported_verdicts: ReportedVerdicts,
    /// The number of games when the index was stored, and the state of the files then.
    stored_games: usize,
    stored_stamps: Vec<Stamp>,
}

/// The number of verdicts that the webhook has been told of, by the number of their season or sub-tournament.
#[derive(Debug, Default)]
struct ReportedVerdicts(BTreeMap<u32, usize>);

impl ReportedVerdicts {
    /// Counts all verdicts of these seasons.
    fn of(seasons: &[&SeasonSummary]) -> ReportedVerdicts {
        let mut counts = BTreeMap::new();
        for season in seasons {
            *counts.entry(season.number).or_default() += season.verdicts.len();
        }
        ReportedVerdicts(counts)
    }

    /// Lists the other verdicts of these seasons.
    fn others<'s>(
        &self,
        seasons: &[&'s SeasonSummary],
    ) -> impl Iterator<Item = (&'s SeasonSummary, &'s VerdictSummary)> {
        seasons.iter().flat_map(move |season| {
            let known = self.0.get(&season.number).copied().unwrap_or(0);
            season.verdicts.iter().skip(known).map(move |verdict| (*season, verdict))
        })
    }
}

/// The results as far as they have been read.
#[derive(Debug)]
struct Reading<'c> {
    stamp: Stamp,
    games: Games,
    /// The number of games that were read.
    count: usize,
    /// The account of the last season; `None` for a tournament.
    account: Option<HillAccount<'c>>,
}

impl<'c> Follower<'c> {
    /// Starts a thread that follows a contest until the server stops. At its end, the receiver gets a message, or the
    /// error that there will be none.
    pub(crate) fn begin(site: Arc<Site>, served: Arc<Served>) -> oneshot::Receiver<()> {
        let (runtime, (sender, receiver)) = (Handle::current(), oneshot::channel());
        thread::spawn(move || {
            let mut stop = site.stop.subscribe();
            // Returns whether the server still runs afterwards.
            let mut rest =
                |time| runtime.block_on(async { timeout(time, stop.wait_for(|stop| *stop)).await }).is_err();
            // The server has opened the contest before, so its files have changed since. The host may change them back.
            let contest = loop {
                if let Ok(contest) = Opened::open(&served.root) {
                    break contest;
                }
                if !rest(LOOK) {
                    return;
                }
            };
            let mut follower = Follower::new(&contest, &served);
            follower.recall();
            let mut last_trouble = None;
            // If this server starts rounds of the hill, `rounds` reports the trouble.
            let reports_trouble = site.options.run.is_none() || !served.inbox.is_mine();
            loop {
                let start = site.clock.now();
                follower.look();
                let trouble = served.followed.snapshot().trouble.clone();
                if let Some(trouble) = &trouble
                    && reports_trouble
                    && last_trouble.as_ref() != Some(trouble)
                {
                    (site.say)(&format!("The records of {} cannot be read: {trouble}", served.name));
                }
                last_trouble = trouble;
                if !rest(((site.clock.now() - start) * REST).max(LOOK)) {
                    break;
                }
            }
            follower.store();
            let _ = sender.send(());
        });
        receiver
    }

    fn new(contest: &'c Opened, served: &Arc<Served>) -> Follower<'c> {
        Follower {
            contest,
            served: Arc::clone(served),
            reading: None,
            stamps: Vec::new(),
            snapshots: 0,
            number_offset: clock::seconds() << 16,
            leader: None,
            reported_verdicts: ReportedVerdicts::default(),
            stored_games: 0,
            stored_stamps: Vec::new(),
        }
    }

    /// Shows what the previous server stored. The records are read when their files are not those of that time.
    fn recall(&mut self) {
        let results = folder::results_of(&self.served.root);
        let Some(Stored { stamps, index, season, past, .. }) = Stored::read(&self.served) else { return };
        let (Some(index), Ok(entrants)) = (Index::unpacked(index, &results), self.entrants()) else {
            return;
        };
        let games = index.len();
        *self.served.followed.index.write() = index;
        self.stamps.clone_from(&stamps);
        (self.stored_games, self.stored_stamps) = (games, stamps);
        let contest = ContestSummary { season, past, ..entrants.contest };
        self.show(Snapshot { games, contest, ..entrants });
    }

    /// Stores the index and the snapshot, if they are new and this server may write.
    fn store(&mut self) {
        if self.served.inbox.is_mine() && self.stamps != self.stored_stamps {
            // In trouble, nothing is written. If this fails, the next start takes longer, and nothing else is wrong.
            let _ = Stored::write(&self.served, &self.stamps);
            self.stored_games = self.served.followed.index().len();
            self.stored_stamps.clone_from(&self.stamps);
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
        // Without stamps, what could not be read is read again at the next look.
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
        // The file is long: it is written when there are a tenth more games, and at the end.
        if games > self.stored_games + self.stored_games / 10 {
            self.store();
        }
    }

    /// Makes a snapshot the one that pages show.
    fn show(&mut self, snapshot: Snapshot) {
        self.snapshots += 1;
        self.report_news(&snapshot);
        let number = self.number_offset + self.snapshots;
        self.served.followed.latest.send_replace(Arc::new(Snapshot { number, ..snapshot }));
    }

    /// Tells the webhook of a new leader or verdict. The first snapshot is no news: it shows what was there before.
    fn report_news(&mut self, snapshot: &Snapshot) {
        let Some(season) = &snapshot.contest.season else { return };
        // Where matches decide, nobody leads.
        let leader = season.lead.as_ref().and_then(|lead| lead.first.first().cloned());
        // A tournament of several sub-tournaments has no verdicts of its own: those of its sub-tournaments are listed.
        let sets = snapshot.contest.sets.iter().map(|(_, set)| set);
        let seasons: Vec<&SeasonSummary> = [season].into_iter().chain(sets).collect();
        if self.snapshots > 1 {
            let hook = &self.served.hook;
            if leader != self.leader {
                let (number, round) = (season.number, season.rounds);
                hook.queue("leader", json!({ "bot": leader, "season": number, "round": round }));
            }
            for (season, VerdictSummary { sentence, verdict }) in self.reported_verdicts.others(&seasons) {
                let (number, round) = (season.number, season.rounds);
                let what = json!({ "told": sentence, "season": number, "round": round, "verdict": verdict });
                hook.queue("verdict", what);
            }
        }
        (self.leader, self.reported_verdicts) = (leader, ReportedVerdicts::of(&seasons));
    }

    /// Returns a snapshot of the entrants alone: the field, and author and mark of each bot that ever played.
    fn entrants(&self) -> Result<Snapshot, Error> {
        let contest = match self.contest {
            Opened::Hill(hill) => ContestSummary::entrants_of(hill, &hill.entrants()?)?,
            Opened::Tournament(plan) => ContestSummary::entrants_in(plan),
        };
        Ok(Snapshot { knows_field: true, contest, ..Snapshot::default() })
    }

    /// Reads the new games, and returns a snapshot with them.
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

    /// Makes sure that a contest without results has never had any: this server has read none, and no game has a log.
    fn check_unplayed(&self, results: &Spot) -> Result<(), Error> {
        let root = &self.served.root;
        let file = if self.served.is_hill { "hill.toml" } else { "plan.toml" };
        if !Spot::below(root, file).exists() {
            let what = format!("the folder of the {} is missing: restore it from a copy", self.served.kind());
            return Err(Error::file(root, what));
        }
        let mut has_games = self.served.followed.index().len() > 0;
        // A tournament can have logs of games that are not in its results yet.
        if !has_games && self.served.is_hill {
            walk::each_file(&Spot::below(root, "logs"), |entry| {
                // The log of a game that is being played ends with `.part`.
                has_games |= entry.path.extension().is_none_or(|ending| ending != "part");
                Ok(())
            })?;
        }
        let what = "missing, or not readable for this server, but games were played: restore it from a copy";
        if has_games { Err(Error::file(results.path(), what)) } else { Ok(()) }
    }

    /// Reads the new games. If the file was replaced, or is shorter, reads all of them again.
    fn read_games(&mut self) -> Result<(), Error> {
        let spot = folder::results_of(&self.served.root);
        let stamp = stamp(&spot);
        let index = &self.served.followed.index;
        let Some(now) = &stamp else {
            self.reading = None;
            self.check_unplayed(&spot)?;
            *index.write() = Index::default();
            return Ok(());
        };
        // The same file (device and number), and not shorter.
        let goes_on = |before: &Stamp| {
            before.is_some_and(|before| before.0 == now.0 && before.1 == now.1 && before.2 <= now.2)
        };
        let mut reading = match self.reading.take() {
            Some(mut reading) if goes_on(&reading.stamp) => {
                // The length is asked for while no runner writes, so that no half of a game is read.
                let file = spot.open().map_err(Error::system(spot.path(), "open the results"))?;
                reading.games.go_on_to(lock::settled_length(&file, spot.path())?)?;
                // After the length: the row of a season is written before its first game, so it is there for all of
                // these games.
                if let Some(account) = &mut reading.account {
                    account.renew()?;
                }
                Reading { stamp, ..reading }
            }
            _ => self.begin_reading(&spot, stamp)?,
        };
        while let Some(game) = reading.games.next() {
            let game = GameResult::of(game?);
            if reading.count >= index.read().len() {
                index.write().add(&game, reading.games.text())?;
            }
            reading.count += 1;
            if let Some(account) = &mut reading.account {
                account.add(game)?;
            }
        }
        self.reading = Some(reading);
        Ok(())
    }

    /// Begins to read results from their first game. The index is kept if they begin with its games.
    fn begin_reading(&self, results: &Spot, stamp: Stamp) -> Result<Reading<'c>, Error> {
        let index = &self.served.followed.index;
        // This also opens the file of the results, from which the index then gets rows.
        let is_known = index.write().begins(results);
        if !is_known {
            *index.write() = Index::build(results)?;
        }
        let games = results::games(results)?;
        let account = match self.contest {
            // Verdicts are read from their file: of the rule, only the alpha of intervals is used.
            Opened::Hill(hill) => Some(hill.begin_account(None, Goal::Rounds(StopRule::default()))?),
            Opened::Tournament(_) => None,
        };
        Ok(Reading { stamp, games, count: 0, account })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_new_once_in_whatever_order_sub_tournaments_have_them() {
        let verdict = |sentence: &str| VerdictSummary { sentence: sentence.to_owned(), verdict: json!({}) };
        let set = |number: u32, verdicts: &[&str]| {
            let verdicts = verdicts.iter().map(|sentence| verdict(sentence)).collect();
            SeasonSummary { number, verdicts, ..SeasonSummary::default() }
        };
        let whole = set(1, &[]);
        let (before, after) = ([set(1, &[]), set(2, &["b"])], [set(1, &["a"]), set(2, &["b"])]);
        let reported = ReportedVerdicts::of(&[&whole, &before[0], &before[1]]);
        let seasons = [&whole, &after[0], &after[1]];
        let others = reported.others(&seasons);
        let others = others.map(|(season, verdict)| (season.number, verdict.sentence.clone()));
        assert_eq!(others.collect::<Vec<_>>(), [(1, "a".to_owned())]);
    }
}
