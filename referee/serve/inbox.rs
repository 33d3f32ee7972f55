//! The inbox of a hill: the programs that were sent, in order of arrival. `referee hill submit` checks each in a
//! process of its own.
//!
//! A submission is a folder `inbox/000017` with the program and `asked.json`. It gets this name when it is complete and
//! on the disk. After the check, `verdict.json` contains the result, and the program is removed: the hill's store
//! contains it if it was admitted. An interrupted check is repeated. If the server was killed just after the bot was
//! admitted, the repeated check finds that out.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::http::StatusCode;
use parking_lot::{Mutex, MutexGuard};
use referee_contest::admission::sources;
use referee_contest::publish;
use referee_files::beneath::Spot;
use referee_files::walk;
use referee_record::error::Error;
use referee_record::text;
use referee_table::clock;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::sync::Notify;

use crate::host_control::HostControl;
use crate::options::Options;
use crate::queue::Queue;
pub(crate) use crate::queue::{Lane, Submission, SubmissionRequest, SubmissionState};
use crate::refusal::Refusal;
use crate::session::random;

/// Maximum length of a file about a submission, in bytes: a verdict can contain the log of a build.
const FILE_MAX: u64 = 32 << 20;

/// Maximum length of the name of a source's file, in bytes.
const SOURCE_NAME_MAX: usize = 80;

/// Returns the name under which the file of a submission is stored. It is empty for a program and an archive, which are
/// recognized by their bytes. A source keeps its name: some languages compare it with the content, and messages contain
/// it. If only the ending of the name is that of a source, the name is that of the bot with this ending.
pub(crate) fn source_name(file: &str, bot: &str) -> String {
    let file = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, ending) = file.split_at(file.rfind('.').unwrap_or(file.len()));
    let is_ending =
        (2..=9).contains(&ending.len()) && ending[1..].bytes().all(|byte| byte.is_ascii_lowercase());
    // The files about a submission are beside it.
    if !is_ending || ending == ".json" {
        return String::new();
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let has_plain_start = stem.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    if has_plain_start && file.len() <= SOURCE_NAME_MAX && stem.bytes().all(is_plain) {
        file.to_owned()
    } else {
        format!("{bot}{ending}")
    }
}

/// The verdict on a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) state: SubmissionState,
    #[serde(rename = "told")]
    pub(crate) message: String,
    pub(crate) date: String,
}

/// The submissions of a hill.
#[derive(Debug)]
pub(crate) struct Inbox {
    host_control: Arc<HostControl>,
    /// The folder of the inbox.
    folder: PathBuf,
    queue: Mutex<Queue>,
    /// Locked while a submission gets its number, and is written. Readers of the queue do not wait for it.
    taking: Mutex<()>,
    arriving: Counts,
    /// Wakes the tasks that check, by lane.
    news: [Notify; 2],
    /// The lock of the server that takes the submissions; `None` if this server takes none.
    lock: Option<File>,
}

/// Number of attempts to take the lock, and the time between two. A child of a server that was killed holds the lock
/// until it begins its own program.
const LOCK_ATTEMPTS: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Takes the lock, and tells whether that succeeded: another server may hold it.
fn take_lock(lock: &File) -> bool {
    for attempt in 0..LOCK_ATTEMPTS {
        if attempt > 0 {
            thread::sleep(LOCK_PAUSE);
        }
        if lock.try_lock().is_ok() {
            return true;
        }
    }
    false
}

/// For each account, the number of programs that are being received.
type Counts = Arc<Mutex<BTreeMap<String, usize>>>;

/// A submission that arrives. It counts in the limits of its account until it is taken or given up.
#[derive(Debug)]
pub(crate) struct Arriving {
    all: Counts,
    account: String,
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if let Some(count) = all.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.account);
            }
        }
    }
}

/// The submissions of an account: those of the last 60 minutes, those of the last 24 hours, and those without a
/// verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recent {
    pub(crate) hour: usize,
    pub(crate) day: usize,
    pub(crate) waiting: usize,
}

impl Recent {
    /// Counts the submissions of an account at a time, which is in seconds since 1970.
    fn count<'a>(submissions: impl Iterator<Item = &'a Submission>, now: u64) -> Recent {
        let before = |minutes: u64| clock::date_at(now.saturating_sub(minutes * 60));
        let (hour_ago, day_ago) = (before(60), before(24 * 60));
        // A later date comes from a clock that was wrong, and does not count.
        let latest = clock::date_at(now + 60);
        let mut recent = Recent::default();
        for submission in submissions {
            let date = &submission.request.date;
            recent.hour += usize::from(*date > hour_ago && *date <= latest);
            recent.day += usize::from(*date > day_ago && *date <= latest);
            recent.waiting += usize::from(!submission.state.is_over());
        }
        recent
    }
}

/// A program that is being received.
#[derive(Debug)]
pub(crate) struct Upload {
    folder: TempDir,
    spot: Spot,
    pub(crate) file: File,
}

impl Inbox {
    /// Reads the inbox of a hill. A server that takes submissions removes unfinished uploads of an earlier one. A
    /// server that cannot write only shows the hill.
    pub(crate) fn open(root: &Path, takes: bool, host_control: Arc<HostControl>) -> Result<Inbox, Error> {
        let lock = if takes { open_lock(root)?.filter(take_lock) } else { None };
        let is_mine = lock.is_some();
        let mut queue = Queue::default();
        for place in walk::folders(&Spot::below(root, "inbox"))? {
            let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(PART) && is_mine {
                fs::remove_dir_all(&place).map_err(Error::system(&place, "remove an unfinished upload"))?;
            } else if let Ok(number) = name.parse() {
                queue.add(read(root, number)?);
            }
        }
        Ok(Inbox {
            host_control,
            folder: root.join("inbox"),
            queue: Mutex::new(queue),
            taking: Mutex::default(),
            arriving: Counts::default(),
            news: [Notify::new(), Notify::new()],
            lock,
        })
    }

    /// Tells whether this server takes the submissions, and so may change the hill.
    pub(crate) fn is_mine(&self) -> bool {
        self.lock.is_some()
    }

    /// Waits until a lane may have a submission to check.
    pub(crate) async fn wait_for_submission(&self, lane: Lane) {
        self.news[lane as usize].notified().await;
    }

    /// Returns the folder of a submission.
    pub(crate) fn place(&self, number: u32) -> PathBuf {
        self.folder.join(folder_name(number))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    /// Makes sure that submissions are taken now.
    ///
    /// # Errors
    ///
    /// If they have ended, or another server takes them.
    pub(crate) fn check_open(&self) -> Result<(), Refusal> {
        if let Some(until) = self.host_control.end_if_past() {
            let what = format!("submissions have ended at {until}");
            return Err(Refusal::new(StatusCode::FORBIDDEN, what));
        }
        self.check_mine()
    }

    /// Makes sure that this server changes the hill, and does not only show it.
    ///
    /// # Errors
    ///
    /// If another server takes the submissions, or this one may not write.
    pub(crate) fn check_mine(&self) -> Result<(), Refusal> {
        if self.is_mine() { Ok(()) } else { Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, ONLY_SHOWN)) }
    }

    /// Begins to count a submission of an account as one that arrives, if it may submit a bot of this name now.
    pub(crate) fn announce(&self, options: &Options, account: &str, name: &str) -> Result<Arriving, Refusal> {
        let mut arriving = self.arriving.lock();
        let count = arriving.get(account).copied().unwrap_or(0) + 1;
        self.check_with(count, options, account, name)?;
        arriving.insert(account.to_owned(), count);
        Ok(Arriving { all: Arc::clone(&self.arriving), account: account.to_owned() })
    }

    /// Makes sure that a submission that has arrived may be taken now, after all others that were taken meanwhile.
    ///
    /// # Errors
    ///
    /// The limit that the account has reached, or the author who was faster.
    pub(crate) fn check(&self, options: &Options, account: &str, name: &str) -> Result<(), Refusal> {
        let arriving = self.arriving.lock().get(account).copied().unwrap_or(1);
        self.check_with(arriving, options, account, name)
    }

    /// Makes sure that an account may submit a bot while this number of its submissions arrive, this one included.
    fn check_with(
        &self,
        arriving: usize,
        options: &Options,
        account: &str,
        name: &str,
    ) -> Result<(), Refusal> {
        self.check_open()?;
        if let Some(end) = self.host_control.deadline_if_past(account)? {
            // It is refused whether or not the host can be told.
            let _ = self.host_control.note_too_late(account, name, &end);
            let what = format!("submissions of {account} have ended at {end}");
            return Err(Refusal::new(StatusCode::FORBIDDEN, what));
        }
        let Recent { hour, day, waiting } = self.recent(account);
        for (count, max, what) in [
            (waiting, options.waiting, "wait for their check or arrive now"),
            (hour, options.hourly, "came within an hour or arrive now"),
            (day, options.daily, "came within a day or arrive now"),
        ] {
            if count + arriving > max {
                let submissions = text::count((count + arriving - 1) as u64, "other submission");
                let what = format!("{submissions} of {account} {what}, and the limit is {max}: wait");
                return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, what));
            }
        }
        let minutes = self.time_used(account).as_secs() / 60;
        if minutes >= options.check_minutes {
            let minutes = text::count(minutes, "minute");
            let what = format!(
                "checks and builds of {account} took {minutes} within an hour, and the limit is {}: wait",
                options.check_minutes
            );
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, what));
        }
        let is_of_another =
            |other: &Submission| other.request.name == name && other.request.account != account;
        if self.queue().unchecked().any(is_of_another) {
            let what = format!("another author has just submitted {name}: choose another name");
            return Err(Refusal::new(StatusCode::CONFLICT, what));
        }
        Ok(())
    }

    /// Counts the submissions of an account to which limits apply.
    pub(crate) fn recent(&self, account: &str) -> Recent {
        Recent::count(self.queue().by_account(account), clock::seconds())
    }

    /// Begins to receive a program, into a file of this name.
    pub(crate) fn begin(&self, file: &str) -> Result<Upload, Error> {
        let refused = || Error::system(&self.folder, "receive a program");
        let folder = tempfile::Builder::new().prefix(PART).tempdir_in(&self.folder).map_err(refused())?;
        let spot = Spot::below(folder.path(), file);
        let file = spot.append_new().map_err(refused())?;
        Ok(Upload { folder, spot, file })
    }

    /// Takes a program that has arrived completely: the bot's name, and the name of the file if it is a source. Returns
    /// the submission.
    pub(crate) fn take(
        &self,
        upload: Upload,
        account: &str,
        name: &str,
        source_name: &str,
    ) -> Result<Submission, Error> {
        let refused = || Error::system(&self.folder, "take a program");
        let letters = random::<12>()?;
        upload.file.set_permissions(Permissions::from_mode(0o755)).map_err(refused())?;
        // Written before the lock is taken: nobody else waits for a slow disk.
        upload.file.sync_all().map_err(refused())?;
        let root = self.folder.parent().expect("the folder of the hill");
        let lane = lane_of(root, upload.spot.path());
        let folder = upload.folder.path().to_owned();
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).map_err(refused())?;
        let _taking = self.taking.lock();
        let mut number = self.queue().last().map_or(1, |last| last + 1);
        while self.place(number).exists() {
            number += 1;
        }
        let request = SubmissionRequest {
            account: account.to_owned(),
            name: name.to_owned(),
            source_name: source_name.to_owned(),
            ending: String::new(),
            date: clock::date(),
            receipt: format!("{number}-{letters}"),
        };
        let text = serde_json::to_vec_pretty(&request).expect("plain values");
        publish::replace(Spot::below(&folder, "asked.json"), &text)?;
        upload.spot.sync_folder().map_err(refused())?;
        let place = self.place(number);
        fs::rename(&folder, &place).map_err(refused())?;
        let _ = upload.folder.keep();
        Spot::within(&self.folder, place).sync_folder().map_err(refused())?;
        let submission =
            Submission { number, request, lane, state: SubmissionState::Waiting, message: String::new() };
        self.queue().add(submission.clone());
        self.news[lane as usize].notify_one();
        Ok(submission)
    }

    /// Returns the submission of a receipt, and its place in the queue, from 1.
    pub(crate) fn find(&self, receipt: &str) -> Option<(Submission, usize)> {
        let number: u32 = receipt.split_once('-')?.0.parse().ok()?;
        let queue = self.queue();
        let found = queue.get(number).filter(|found| found.request.receipt == receipt)?;
        Some((found.clone(), queue.place(number)))
    }

    /// Lists the submissions of an account, newest first.
    pub(crate) fn by_account(&self, account: &str) -> Vec<Submission> {
        self.queue().by_account(account).cloned().collect()
    }

    /// Tells whether an account has ever submitted something.
    pub(crate) fn has(&self, account: &str) -> bool {
        self.queue().by_account(account).next().is_some()
    }

    /// Returns the number of submissions without a verdict.
    pub(crate) fn waiting(&self) -> usize {
        self.queue().unchecked().count()
    }

    /// Returns the next submission of a lane to check, and marks it as being checked.
    pub(crate) fn next(&self, lane: Lane) -> Option<Submission> {
        self.queue().next(lane)
    }

    /// Returns the time that the checks of an account took within an hour.
    pub(crate) fn time_used(&self, account: &str) -> Duration {
        self.queue().time_used(account, clock::seconds())
    }

    /// Adds to the time that the checks of an account have taken.
    pub(crate) fn charge(&self, account: &str, time: Duration) {
        self.queue().charge(account, clock::seconds(), time);
    }

    /// Returns the message about a submission: that of its verdict, if there is one.
    pub(crate) fn message(&self, submission: &Submission) -> String {
        if !submission.state.is_over() {
            return submission.message.clone();
        }
        let verdict = Spot::within(&self.folder, self.place(submission.number).join(VERDICT));
        read_json::<Verdict>(&verdict).map_or(String::new(), |verdict| verdict.message)
    }

    /// Sets the state of a submission, and the message about it.
    pub(crate) fn set(&self, number: u32, state: SubmissionState, message: &str) {
        self.queue().set(number, state, message);
    }

    /// Writes the verdict on a submission, and the record of its check game, if there is one. Then removes the program,
    /// and the record of the same bot's earlier check game, if there is a new one.
    pub(crate) fn close(
        &self,
        submission: &Submission,
        verdict: &Verdict,
        record: &str,
    ) -> Result<(), Error> {
        let Submission { number, request, .. } = submission;
        let within = |number: u32, file: &str| Spot::within(&self.folder, self.place(number).join(file));
        if !record.is_empty() {
            publish::replace(within(*number, CHECK), record.as_bytes())?;
        }
        let text = serde_json::to_vec_pretty(verdict).expect("plain values");
        publish::replace(within(*number, VERDICT), &text)?;
        let _ = within(*number, &request.file()).remove();
        if !record.is_empty() {
            let earlier: Vec<u32> = {
                let queue = self.queue();
                let of_bot =
                    queue.by_account(&request.account).filter(|other| other.request.name == request.name);
                of_bot.map(|other| other.number).filter(|other| other < number).collect()
            };
            // At most one has a record: a submission without a game has none, and each new record removes the last.
            for other in earlier {
                if within(other, CHECK).remove().is_ok() {
                    break;
                }
            }
        }
        self.set(*number, verdict.state, "");
        // A later submission of the same bot may have waited for this one, perhaps in the other lane.
        for lane in &self.news {
            lane.notify_one();
        }
        Ok(())
    }

    /// Returns the record of the check game of a submission, if it is kept.
    pub(crate) fn record(&self, submission: &Submission) -> Option<Spot> {
        let spot = Spot::within(&self.folder, self.place(submission.number).join(CHECK));
        if submission.state.is_over() && spot.exists() { Some(spot) } else { None }
    }
}

/// The answer of a server that only shows the hill to visitors who want to change something.
pub(crate) const ONLY_SHOWN: &str =
    "this server only shows the hill: another one takes its submissions, use its page";

/// Opens the file of the lock; `None` if this server cannot write to the hill.
fn open_lock(root: &Path) -> Result<Option<File>, Error> {
    let spot = Spot::below(root, "inbox/lock");
    match spot.make_folders().and_then(|()| spot.lock_file()) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_readonly(&error) => Ok(None),
        Err(error) => Err(Error::system(spot.path(), "lock the inbox")(error)),
    }
}

fn is_readonly(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
}

/// The file with the verdict on a submission, in its folder.
const VERDICT: &str = "verdict.json";

/// The log of its check game. No program in the same folder can have a name with two dots.
const CHECK: &str = "check.game.csv";

/// The start of a folder's name while its program is received.
const PART: &str = ".part-";

fn folder_name(number: u32) -> String {
    format!("{number:06}")
}

impl Upload {
    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(Error::system(self.spot.path(), "write the program"))
    }
}

fn read(root: &Path, number: u32) -> Result<Submission, Error> {
    let spot = |name: &str| Spot::below(root, format!("inbox/{}/{name}", folder_name(number)));
    let (request, verdict): (SubmissionRequest, Spot) = (read_json(&spot("asked.json"))?, spot(VERDICT));
    let state =
        if verdict.exists() { read_json::<Verdict>(&verdict)?.state } else { SubmissionState::Waiting };
    let lane = if state.is_over() { Lane::Ready } else { lane_of(root, spot(&request.file()).path()) };
    Ok(Submission { number, request, lane, state, message: String::new() })
}

/// Returns the lane of a file that was sent to a hill.
fn lane_of(root: &Path, file: &Path) -> Lane {
    if sources::is_compiled(root, file) { Lane::Compiled } else { Lane::Ready }
}

fn read_json<T: for<'de> Deserialize<'de>>(spot: &Spot) -> Result<T, Error> {
    let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the submission"))?;
    serde_json::from_str(&text)
        .map_err(|error| Error::line(spot.path(), error.line() as u64, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_keeps_the_name_of_its_file_and_no_name_leads_out_of_its_folder() {
        for (file, expected) in [
            ("MyBot.java", "MyBot.java"),
            ("my-bot_2.v3.py", "my-bot_2.v3.py"),
            ("C:\\Users\\me\\MyBot.java", "MyBot.java"),
            ("/etc/../MyBot.java", "MyBot.java"),
            ("../../.py", "fox.py"),
            ("-x.py", "fox.py"),
            (".hidden.py", "fox.py"),
            ("my bot.py", "fox.py"),
            ("b\u{f6}t.rs", "fox.rs"),
            (&*format!("{}.py", "x".repeat(90)), "fox.py"),
            ("asked.json", ""),
            ("bot.EXE", ""),
            ("bot", ""),
            ("", ""),
        ] {
            assert_eq!(source_name(file, "fox"), expected, "{file}");
        }
    }

    #[test]
    fn submissions_of_the_last_hour_and_day_count_whatever_the_clock_shows() {
        let submitted = |ago: u64, state: SubmissionState| {
            let text = |text: &str| text.to_owned();
            let (date, account, name) = (clock::date_at(NOW - ago), text("alice"), text("fox"));
            let [source_name, ending, receipt] = [const { String::new() }; 3];
            let request = SubmissionRequest { account, name, source_name, ending, date, receipt };
            Submission { number: 1, request, lane: Lane::Ready, state, message: String::new() }
        };
        // One minute after midnight: before it, there was another hour and another day.
        const NOW: u64 = 20_000 * 86_400 + 60;
        for (ago, hour, day) in
            [(30, 1, 1), (90, 1, 1), (3599, 1, 1), (3600, 0, 1), (86_399, 0, 1), (86_400, 0, 0)]
        {
            let recent = Recent::count([&submitted(ago, SubmissionState::Waiting)].into_iter(), NOW);
            assert_eq!(recent, Recent { hour, day, waiting: 1 }, "{ago} s ago");
        }
        let later = submitted(0, SubmissionState::Admitted);
        let before = NOW - 2 * 86_400;
        let none = Recent { hour: 0, day: 0, waiting: 0 };
        assert_eq!(Recent::count([&later].into_iter(), before), none, "by a clock that was wrong");
        let over = [submitted(5, SubmissionState::Refused), submitted(7, SubmissionState::Admitted)];
        assert_eq!(Recent::count(over.iter(), NOW), Recent { hour: 2, day: 2, waiting: 0 });
    }
}
