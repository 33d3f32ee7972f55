//! The list of a tournament: `results.csv` and `voids.csv`, the games of all rounds that have ended, in the order of
//! the schedule. On a disk of this machine, its runners list each game as it ends: they keep the list. Where other
//! machines write, too, there may be no locks: then the list is made anew of the records, in one step, when somebody
//! asks for it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use crate::batch::recorded::Recorded;
use crate::fixture::{game_id, place_of};
use crate::folder::{results_of, voids_of};
use crate::listing::{List, Listing};
use crate::lock::Lock;
use crate::plan::{self, Plan};
use crate::publish;
use crate::recorder::Recorder;
use crate::records::{Ended, Records};
use crate::repair::{self, Repaired};
use crate::runner::GameEnd;
use referee_files::beneath::{self, Spot};
use referee_files::log::{self, part_of};
use referee_files::results::{chain_behind, last_name};
use referee_files::{digest, lock, small, voids};
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::results::{Header, Scheduled, chained};
use referee_record::voids::{VoidReason, VoidRow};

/// Tells whether runners keep the list of a tournament: no other machine writes to its disk.
pub(crate) fn is_kept(plan: &Plan) -> bool {
    beneath::is_local(&plan.root)
}

/// Begins a runner of a round. Where runners keep the list, lists what has ended, and returns the list, too.
pub(crate) fn begin(plan: &Plan) -> Result<(Recorder, Option<List>), Error> {
    if !is_kept(plan) {
        return Ok((Recorder::new(Records::begin_round(plan)?), None));
    }
    let has_others = Recorded::new(plan).has_live_runners()?;
    let lock = Lock::wait(&plan.root)?;
    let mut listing = open(plan)?;
    listing.expect_all(games_of(plan));
    // Logs of runners that are gone are not sealed here: the runner that claims their batch does that.
    let mut recorder = Recorder::new(Records::begin_round(plan)?);
    recorder.is_shared = has_others;
    let list = List::new(lock, listing);
    list.list_all(&mut recorder)?;
    list.lock.release();
    Ok((recorder, Some(list)))
}

/// Brings the list up to date: lists the games of a round that have ended by the records. A user who may only read sees
/// the list as it is.
pub fn bring_up(plan: &Plan) -> Result<(), Error> {
    if is_listed(plan) {
        return Ok(());
    }
    let recorded = Recorded::now(plan)?;
    if !lacks_some(plan, &recorded)? {
        return Ok(());
    }
    match list_now(plan, recorded) {
        Err(error) if is_refused(&error) => Ok(()),
        listed => listed,
    }
}

/// As [`bring_up`]. Where runners keep the list, also sets aside half a game that a runner has left at its end.
pub fn mend(plan: &Plan) -> Result<(), Error> {
    if is_kept(plan) && results_of(&plan.root).exists() {
        list_now(plan, Recorded::now(plan)?)
    } else {
        bring_up(plan)
    }
}

/// Lists the games that have ended by these records.
fn list_now(plan: &Plan, mut recorded: Recorded) -> Result<(), Error> {
    if !is_kept(plan) {
        // Without the lock, too, since not every network file system has locks.
        let _lock = Lock::take(&plan.root);
        return Made::list(plan, Recorded::now(plan)?)?.publish_if_more(plan);
    }
    let _lock = Lock::wait(&plan.root)?;
    let mut listing = open(plan)?;
    listing.expect_all(games_of(plan));
    listing.go_on(|game| recorded.end_of(game))?;
    listing.sync()
}

/// Tells whether the system does not let this user write.
fn is_refused(error: &Error) -> bool {
    let kind = error.cause::<io::Error>().map(io::Error::kind);
    matches!(kind, Some(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem))
}

/// Tells whether the game that is listed next has ended by the records of the round, or an earlier round is not listed
/// to its end.
fn lacks_some(plan: &Plan, recorded: &Recorded) -> Result<bool, Error> {
    let results = results_of(&plan.root);
    let last = if results.exists() { last_name(&results)? } else { None };
    let last = last.as_deref().and_then(place_of);
    let (games, given_up) = (games_of(plan), given_up(&plan.root)?);
    let last_index = games.iter().position(|place| Some(*place) == last);
    if last_index.is_none()
        && plan.contents.round > 1
        && !is_listed(&plan::open_round(&plan.root, plan.contents.round - 1)?)
    {
        return Ok(true);
    }
    let unlisted = &games[last_index.map_or(0, |index| index + 1)..];
    let mut names = unlisted.iter().map(|place| game_id(*place));
    let next = names.find(|name| !given_up.contains_key(name));
    Ok(next.is_some_and(|name| recorded.state.ending(&name).is_some()))
}

/// Opens both files; to be called under the lock. If one is gone, it is made again. Games of earlier rounds that are
/// missing at the end of the list are listed.
fn open(plan: &Plan) -> Result<Listing, Error> {
    let rounds = plan.rounds()?;
    if !results_of(&plan.root).exists() {
        Made::list(plan, Recorded::now(plan)?)?.publish_if_more(plan)?;
    }
    let (mut listing, set_aside) = Listing::open(&plan.root, None, |_| Ok(()))?;
    if let Some(set_aside) = set_aside {
        lock::tell(&set_aside.to_string());
    }
    let games: Vec<Vec<Scheduled>> = rounds.iter().map(games_of).collect();
    let all = || games.iter().flatten();
    if !voids_of(&plan.root).exists() {
        make_voids_again(&mut listing, &rounds, &games)?;
    }
    // A game that is missing before a listed one cannot be added in its order any more.
    let up_to_last = all().rev().skip_while(|place| !listing.has_result(**place)).count();
    if let Some(place) = all().take(up_to_last).find(|place| !listing.has(**place)) {
        let what = expected(&game_id(*place));
        return Err(Error::record(results_of(&plan.root).path(), what));
    }
    for (plan, games) in rounds.iter().zip(games).take(rounds.len() - 1) {
        if games.last().is_some_and(|last| !listing.has(*last)) {
            let mut recorded = Recorded::with_gone(plan)?;
            listing.expect_all(games);
            listing.go_on(|game| recorded.end_of(game))?;
            listing.sync()?;
        }
    }
    if let Some(before) = rounds.iter().rev().nth(1)
        && named_after(before)?.map(|chain| chain.to_string()) != plan.contents.earlier
    {
        let what = format!(
            "the results of earlier rounds are not those after which round {} was planned: `referee tournament repair` \
             makes the file again",
            plan.contents.round
        );
        return Err(Error::record(results_of(&plan.root).path(), what));
    }
    Ok(listing)
}

/// Makes the list of void games again, of the records of all rounds, as far as their games are listed.
fn make_voids_again(listing: &mut Listing, rounds: &[Plan], games: &[Vec<Scheduled>]) -> Result<(), Error> {
    let all = || games.iter().flatten();
    // The number of games of the rounds still to be read, up to the last listed one.
    let mut left = all().rev().skip_while(|place| !listing.has(**place)).count();
    let mut rows = BTreeMap::new();
    for (plan, games) in rounds.iter().zip(games) {
        let is_last = plan.contents.round as usize == rounds.len();
        let recorded = if is_last { Recorded::now(plan)? } else { Recorded::with_gone(plan)? };
        for place in games.iter().take(left) {
            let of_game = recorded.reader.voids_of(&recorded.state, &game_id(*place))?;
            if !of_game.is_empty() {
                rows.insert(*place, of_game);
            }
        }
        left = left.saturating_sub(games.len());
    }
    let voided: Vec<Scheduled> = all().copied().filter(|place| rows.contains_key(place)).collect();
    listing.make_voids_again(voided, |game| {
        Ok(place_of(game).and_then(|place| rows.get(&place).cloned()).unwrap_or_default())
    })
}

/// Lists the places of the games of a round, in the order of its schedule.
fn games_of(plan: &Plan) -> Vec<Scheduled> {
    plan.schedule.games().map(|game| game.scheduled).collect()
}

/// Makes both files again of the records of all rounds. If they are as recorded, nothing changes; else each old file is
/// kept beside the new one.
///
/// # Errors
///
/// If no runner has recorded a game, others play here, or the records are damaged. Then all is as before.
pub fn repair(plan: &Plan) -> Result<Repaired, Error> {
    let _lock = if is_kept(plan) { Some(Lock::wait(&plan.root)?) } else { None };
    if Recorded::new(plan).has_live_runners()? {
        let what = "a runner plays here: wait for its end, or stop it";
        return Err(Error::new(ErrorKind::Busy, what).at(&plan.root));
    }
    // On a disk of several machines, runners of others may play: this machine does not see their locks.
    let recorded = if is_kept(plan) { Recorded::with_gone(plan)? } else { Recorded::now(plan)? };
    let made = Made::list(plan, recorded)?;
    if made.games + made.voids.len() == 0 {
        let what = "no runner has recorded a game here, so there is nothing to make results of";
        return Err(Error::new(ErrorKind::Input, what).at(&plan.root));
    }
    let files = [results_of(&plan.root), voids_of(&plan.root)];
    let unrecorded = repair::games_in(&files[0]).into_iter().filter(|game| !made.names.contains(game));
    let mut repaired =
        Repaired { unrecorded: unrecorded.collect(), games: made.games, ..Repaired::default() };
    let digests = files.clone().map(|file| digest::of_file(file).ok());
    let expected = [
        made.results.reopen().ok().and_then(|file| Digest::of_reader(file).ok()),
        if made.voids.is_empty() { None } else { Some(Digest::of(&small::text(&made.voids))) },
    ];
    if digests == expected {
        return Ok(repaired);
    }
    for ((file, digest), expected) in files.iter().zip(digests).zip(expected) {
        if digest == expected {
            continue;
        }
        let aside = if file.exists() { Some(repair::set_aside(&plan.root, file)?) } else { None };
        repaired.changed.push((file.path().to_owned(), aside.map(|aside| aside.path().to_owned())));
    }
    made.publish(plan)?;
    Ok(repaired)
}

/// Both files, made of the records.
struct Made {
    results: tempfile::NamedTempFile,
    voids: Vec<VoidRow>,
    /// Number of games in the results.
    games: usize,
    /// The games that have ended, given up ones too.
    names: BTreeSet<String>,
}

impl Made {
    /// Lists the games of all rounds that have ended, up to the first that has not. The records of the last round are
    /// given; those before it rest.
    fn list(plan: &Plan, last: Recorded) -> Result<Made, Error> {
        beneath::keep_folders();
        let refused = || Error::system(&plan.root, "write the results");
        let file = tempfile::Builder::new().prefix(".results-").tempfile_in(&plan.root).map_err(refused())?;
        let mut out = BufWriter::new(file);
        // The columns in which the first game was recorded, and the chain so far. A later version writes these columns,
        // too, since the plans of later rounds name the digest of the bytes.
        let mut begun: Option<(Digest, Header)> = None;
        let (mut voids, mut games, mut names) = (Vec::new(), 0, BTreeSet::new());
        let (rounds, mut last) = (plan.rounds()?, Some(last));
        'all: for plan in &rounds {
            let last = if plan.contents.round as usize == rounds.len() { last.take() } else { None };
            let mut recorded = last.map_or_else(|| Recorded::with_gone(plan), Ok)?;
            for game in plan.schedule.games() {
                let name = game_id(game.scheduled);
                let Some(Ended { voids: of_game, end }) = recorded.end_of(&name)? else { break 'all };
                voids.extend(of_game);
                if let GameEnd::Over(rows) = end {
                    games += 1;
                    if begun.is_none() {
                        let header = recorded.header_of(&name)?;
                        out.write_all(header.line().as_bytes()).map_err(refused())?;
                        begun = Some((header.chain(), header));
                    }
                    let (chain, header) = begun.as_mut().expect("a header");
                    let log = Spot::within(&plan.root, plan.root.join(rows.log()));
                    name_log(&log, &rows.shared().log_digest);
                    for row in &*rows {
                        let line = chained(&header.text(row), chain);
                        out.write_all(line.as_bytes()).map_err(refused())?;
                    }
                }
                names.insert(name);
            }
        }
        if begun.is_none() {
            out.write_all(Header::current().line().as_bytes()).map_err(refused())?;
        }
        let results = out.into_inner().map_err(|error| refused()(error.into_error()))?;
        Ok(Made { results, voids, games, names })
    }

    /// Puts the files in place, unless there is nothing in them, or another machine has listed as much meanwhile.
    fn publish_if_more(self, plan: &Plan) -> Result<(), Error> {
        // Over a network, a look at a file can show an old length. Opening it does not.
        let length = |file: Spot| file.open().and_then(|file| file.metadata()).map_or(0, |found| found.len());
        let found = (length(results_of(&plan.root)), length(voids_of(&plan.root)));
        let voids = if self.voids.is_empty() { 0 } else { small::text(&self.voids).len() as u64 };
        // Both lengths, since a game that was given up adds nothing to the results.
        let made = (self.results.as_file().metadata().map_or(0, |found| found.len()), voids);
        if self.names.is_empty() || made <= found { Ok(()) } else { self.publish(plan) }
    }

    /// Puts the files in place. The voids first: a reader of the results relies on all voids before them.
    fn publish(self, plan: &Plan) -> Result<(), Error> {
        if !self.voids.is_empty() {
            publish::replace(voids_of(&plan.root), &small::text(&self.voids))?;
        }
        publish::replace_with(results_of(&plan.root), self.results)
    }
}

/// Gives a log its final name, if its runner has not done so. If that fails, or the log is gone, an audit says so.
fn name_log(whole: &Spot, digest: &Digest) {
    if !log::resolve_form(whole.clone()).exists() {
        let part = whole.at(part_of(whole.path()));
        if digest::of_log(&part).is_ok_and(|found| found == *digest) {
            let _ = part.rename(whole);
        }
    }
}

/// Tells whether all games of a round, and of those before it, are listed.
pub fn is_listed(plan: &Plan) -> bool {
    matches!(named_after(plan), Ok(Some(_)))
}

/// Returns the digest by which the plan of the next round names all results before it: the chain of the last row.
/// `None` if not all games of this round are listed.
pub fn named_after(plan: &Plan) -> Result<Option<Digest>, Error> {
    if let Some(chain) = plan.listed.get() {
        return Ok(Some(chain.clone()));
    }
    let results = results_of(&plan.root);
    if !results.exists() {
        return Ok(None);
    }
    let last = last_due(plan, &given_up(&plan.root)?)?;
    let is_at_end = || Ok::<bool, Error>(last_name(&results)? == last);
    let has_next_round = plan::is_there(&plan.root, &plan::folder_of(&plan.root, plan.contents.round + 1));
    let chain = if has_next_round || is_at_end()? { chain_behind(&results, last.as_deref())? } else { None };
    if let Some(chain) = &chain {
        let _ = plan.listed.set(chain.clone());
    }
    Ok(chain)
}

/// Returns the last game in the results once a round is listed: the last one up to its end that was not given up.
fn last_due(plan: &Plan, given_up: &BTreeMap<String, String>) -> Result<Option<String>, Error> {
    let counts = |name: &String| !given_up.contains_key(name);
    let last = plan.schedule.last().map(|game| game_id(game.scheduled)).filter(counts);
    let all = || plan.schedule.games().map(|game| game_id(game.scheduled));
    if let Some(last) = last.or_else(|| all().filter(counts).last()) {
        return Ok(Some(last));
    }
    match plan.contents.round {
        1 => Ok(None),
        round => last_due(&plan::open_round(&plan.root, round - 1)?, given_up),
    }
}

/// Lists the games of a round that were given up, each with the reason.
pub fn void_games(plan: &Plan) -> Result<Vec<(String, String)>, Error> {
    let mut given_up = given_up(&plan.root)?;
    let games = if given_up.is_empty() { Vec::new() } else { games_of(plan) };
    Ok(games.into_iter().filter_map(|place| given_up.remove_entry(&game_id(place))).collect())
}

/// Returns the games that were given up, each with the reason.
pub(crate) fn given_up(root: &Path) -> Result<BTreeMap<String, String>, Error> {
    let mut games = BTreeMap::new();
    voids::each(voids_of(root), |row| {
        if row.reason == VoidReason::GivenUp {
            games.insert(row.game, row.detail);
        }
        Ok(())
    })?;
    Ok(games)
}

/// Returns the message that a game is missing in the list.
pub(crate) fn expected(game: &str) -> String {
    format!(
        "{game} is expected here, unless voids.csv says that it was given up; `referee tournament repair` makes both \
         files again"
    )
}
