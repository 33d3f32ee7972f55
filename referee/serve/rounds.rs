//! The rounds that this server starts: `referee hill run` in a process of its own, which is restarted when needed.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Seek, SeekFrom};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use referee_contest::folder;
use referee_contest::hill::{Hill, RunReport};
use referee_record::text::{self, harmless};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use crate::live;
use crate::site::{Rounds, SERVER, Served, Site};
use crate::snapshot::Snapshot;

/// The wait after the first failure. It doubles with each further one in a row.
const TRY_AGAIN: Duration = Duration::from_secs(2);

/// The longest wait after a failure. Somebody may mend what is wrong, and nothing tells this server of it.
const TRY_AGAIN_MAX: Duration = Duration::from_secs(600);

/// The time between two tests whether another runner has ended.
const LOOK: Duration = Duration::from_secs(5);

/// Time limit for a runner that is told to end.
const FAREWELL: Duration = Duration::from_secs(20);

/// Maximum length of a runner's report, in bytes.
const REPORT_MAX: u64 = 64 << 10;

/// The failures of a run in a row.
#[derive(Default)]
struct Troubles(u32);

impl Troubles {
    /// Returns the wait until the run is restarted after a failure. A run that has played a game since the last
    /// failure fails for the first time.
    fn after(&mut self, has_played: bool) -> Duration {
        if has_played {
            self.0 = 0;
        }
        let rest = 1_u32.checked_shl(self.0).and_then(|times| TRY_AGAIN.checked_mul(times));
        self.0 = self.0.saturating_add(1);
        rest.map_or(TRY_AGAIN_MAX, |rest| rest.min(TRY_AGAIN_MAX))
    }
}

/// How a wait or a run ended.
enum WaitEnd {
    /// The server stops.
    Stop,
    /// A bot was admitted, or has left; the records can be read again, or no longer; or a host has paused the rounds,
    /// or lets them go on.
    News,
    /// The time is over, or the run is complete.
    Over,
}

/// Starts rounds on all hills, if `--run` is given. Returns a future that waits for the end of all runners.
pub(crate) fn play_all(site: &Arc<Site>) -> impl Future<Output = ()> + use<> {
    let mut tasks = Vec::new();
    if let Some(to_round) = site.options.run {
        for served in site.contests.values().filter(|served| served.inbox.is_mine()) {
            tasks.push(tokio::spawn(Play::new(site, served, to_round).go_on()));
        }
    }
    async {
        for task in tasks {
            let _ = task.await;
        }
    }
}

/// The rounds of a hill.
struct Play {
    site: Arc<Site>,
    served: Arc<Served>,
    to_round: u32,
    stop: watch::Receiver<bool>,
    field_state: FieldState,
    /// The trouble that was reported last.
    reported_trouble: Option<String>,
    is_paused: bool,
}

/// The state of a hill's records, as far as rounds depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FieldState {
    /// Whether the follower has looked at the records.
    is_read: bool,
    /// The bots of the field, each with its version; `None` if they are not known.
    field: Option<Vec<(String, u32)>>,
    /// Why the records cannot be read.
    trouble: Option<String>,
}

impl FieldState {
    fn new(snapshot: &Snapshot) -> FieldState {
        let bots = snapshot.contest.field.iter().map(|event| (event.bot.name.clone(), event.bot.version));
        let field = snapshot.knows_field.then(|| bots.collect());
        FieldState { is_read: snapshot.number > 0, field, trouble: snapshot.trouble.clone() }
    }
}

/// The changes that end a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// A change of the field. Trouble does not end this wait: a run goes on while records are damaged and mended.
    Field,
    /// A change of the field, or another trouble.
    Trouble,
    /// A change of the field, another trouble, or the end of one.
    All,
}

impl Play {
    fn new(site: &Arc<Site>, served: &Arc<Served>, to_round: u32) -> Play {
        let (site, served) = (Arc::clone(site), Arc::clone(served));
        let (stop, field_state) = (site.stop.subscribe(), FieldState::default());
        Play { stop, site, served, to_round, field_state, reported_trouble: None, is_paused: false }
    }

    /// Plays each season to its round, until the server stops.
    async fn go_on(mut self) {
        let mut troubles = Troubles::default();
        loop {
            self.field_state = FieldState::new(&self.served.followed.snapshot());
            self.is_paused = self.served.host_control.decisions.borrow().is_paused;
            let lacks_bots =
                self.field_state.trouble.is_none() && self.bots() < 2 && self.has_all_bots().await;
            let end = if self.is_paused {
                self.say("a host has paused them");
                self.wait(None, Wake::All).await
            } else if !self.field_state.is_read {
                self.wait(None, Wake::All).await
            } else if lacks_bots {
                self.say(if self.bots() == 0 {
                    "no bot plays here yet"
                } else {
                    "only one bot plays here yet"
                });
                self.wait(None, Wake::All).await
            } else if live::running(&self.site, &self.served, SERVER).await.is_ok_and(|now| now.runners > 0) {
                self.say("another runner plays rounds here");
                self.wait(Some(LOOK), Wake::All).await
            } else {
                self.play_rounds(&mut troubles).await
            };
            match end {
                WaitEnd::Stop => return,
                WaitEnd::News => troubles = Troubles::default(),
                WaitEnd::Over => {}
            }
        }
    }

    /// Plays the season to its round, and waits for what comes after that.
    async fn play_rounds(&mut self, troubles: &mut Troubles) -> WaitEnd {
        self.report_trouble();
        let before = results_length(&self.served);
        match self.run().await {
            Ok(WaitEnd::Over) => {
                *troubles = Troubles::default();
                let to_round = self.to_round;
                self.say(&format!(
                    "round {to_round} of the season is complete; the next bot begins a new season"
                ));
                self.wait(None, Wake::Trouble).await
            }
            Ok(end) => end,
            Err(reason) => {
                let rest = troubles.after(results_length(&self.served) > before);
                let seconds = rest.as_secs();
                self.say_with_reason(
                    &format!("the run failed and is restarted after {seconds} seconds"),
                    &reason,
                );
                self.wait(Some(rest), Wake::All).await
            }
        }
    }

    fn bots(&self) -> usize {
        self.field_state.field.as_ref().map_or(0, Vec::len)
    }

    /// Tells whether each bot that has played is in the list of bots. If rows of the list are gone, a run is started
    /// all the same: it fails, and says so.
    async fn has_all_bots(&self) -> bool {
        let root = self.served.root.clone();
        self.site.reads.run(SERVER, move || Hill::open(&root)?.check_entered()).await.is_ok()
    }

    /// Says once why the records cannot be read. A run is started all the same: it mends results that are torn or
    /// missing, and says what else is to be done.
    fn report_trouble(&mut self) {
        let trouble = self.field_state.trouble.clone();
        if trouble != self.reported_trouble {
            if let Some(trouble) = &trouble {
                self.say_with_reason("the records cannot be read, and a run is to mend them", trouble);
            }
            self.reported_trouble = trouble;
        }
    }

    /// Runs the program once. An error says why it failed.
    async fn run(&mut self) -> Result<WaitEnd, String> {
        let refused = |error: std::io::Error| error.to_string();
        let mut report_file = tempfile::tempfile().map_err(refused)?;
        let jobs = self.site.options.jobs.map_or_else(cores_less_one, usize::from);
        let to_round = self.to_round.to_string();
        let mut command = Command::new(&self.site.referee);
        command.args(["hill", "run"]).arg(&self.served.root).args(["--to-round", &to_round]);
        command.args(["--jobs", &jobs.to_string(), "--format", "json"]).stdin(Stdio::null());
        command.stdout(report_file.try_clone().map_err(refused)?).stderr(Stdio::null());
        let mut child = command.spawn().map_err(refused)?;
        self.say(&format!("referee hill run plays each season to round {to_round}, started by this server"));
        let status = tokio::select! {
            status = child.wait() => status.map_err(refused)?,
            end = self.wait(None, Wake::Field) => {
                end_runner(&mut child).await;
                return Ok(end);
            }
        };
        if status.success() {
            return Ok(WaitEnd::Over);
        }
        let reason = failure_reason(status, &read_report(&mut report_file).unwrap_or_default());
        Err(self.served.without_path(&reason))
    }

    /// Waits until the server stops, something changes, or the time is over.
    async fn wait(&mut self, time: Option<Duration>, wake: Wake) -> WaitEnd {
        let mut latest = self.served.followed.latest.subscribe();
        let mut before = self.field_state.clone();
        let news = latest.wait_for(|snapshot| {
            let now = FieldState::new(snapshot);
            let has_other_field = match (&before.field, &now.field) {
                (Some(known), Some(field)) => known != field,
                _ => false,
            };
            let is_news = match wake {
                Wake::Field => has_other_field,
                Wake::Trouble => has_other_field || (now.trouble.is_some() && now.trouble != before.trouble),
                Wake::All => now != before,
            };
            // A field that becomes known is compared with later ones.
            if before.field.is_none() {
                before.field = now.field;
            }
            is_news
        });
        let mut decisions = self.served.host_control.decisions.subscribe();
        let pause_or_continue = decisions.wait_for(|decisions| decisions.is_paused != self.is_paused);
        let timeout = async {
            match time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => WaitEnd::Stop,
            _ = news => WaitEnd::News,
            _ = pause_or_continue => WaitEnd::News,
            () = timeout => WaitEnd::Over,
        }
    }

    /// Says how the rounds go, on the pages and to the host.
    fn say(&self, what: &str) {
        self.say_with_reason(what, "");
    }

    /// Says how the rounds go, with a reason that only the host reads.
    fn say_with_reason(&self, what: &str, reason: &str) {
        let sentence = format!("Rounds on {}: {what}.", self.served.name);
        let rounds = Rounds { sentence, reason: reason.to_owned() };
        self.served.rounds.send_if_modified(|before| {
            let is_new = *before != rounds;
            if is_new {
                (self.site.say)([&*rounds.sentence, reason].join(" ").trim_end());
                *before = rounds;
            }
            is_new
        });
    }
}

fn cores_less_one() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).saturating_sub(1).max(1)
}

/// Ends a runner as Ctrl-C does: games in flight are given up, and nothing is lost.
async fn end_runner(child: &mut Child) {
    if let Some(number) = child.id().and_then(|number| rustix::process::Pid::from_raw(number as i32)) {
        let _ = rustix::process::kill_process(number, rustix::process::Signal::TERM);
    }
    if tokio::time::timeout(FAREWELL, child.wait()).await.is_err() {
        let _ = child.kill().await;
    }
}

/// Returns the length of the results of a hill, in bytes: it grows with each game.
fn results_length(served: &Served) -> u64 {
    match folder::results_of(&served.root).look() {
        Ok(Some(look)) => look.length(),
        _ => 0,
    }
}

/// Returns the reason why a runner has failed: from its report, or its exit status if it could not write one.
fn failure_reason(status: ExitStatus, report: &[u8]) -> String {
    match serde_json::from_slice(report) {
        Ok(RunReport { reason, .. }) if !reason.is_empty() => harmless(reason.trim(), text::SENTENCE),
        _ => status.to_string(),
    }
}

/// Returns the report that a runner has written to its standard output.
fn read_report(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut report = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(REPORT_MAX).read_to_end(&mut report)?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use referee_contest::hill::RunEnd;

    use super::*;

    #[test]
    fn a_run_that_fails_is_restarted_for_ever_and_waits_longer_each_time_that_it_plays_nothing() {
        let mut troubles = Troubles::default();
        assert!((0..100).all(|_| troubles.after(true) == TRY_AGAIN));
        let rests: Vec<u64> = (0..10).map(|_| troubles.after(false).as_secs()).collect();
        assert_eq!(rests, [4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
        assert!((0..100).all(|_| troubles.after(false) == TRY_AGAIN_MAX));
        assert_eq!(troubles.after(true), TRY_AGAIN);
    }

    #[test]
    fn a_runner_that_failed_is_told_by_its_report_and_one_that_was_killed_by_its_signal() {
        let [killed, failed] = [9, 1 << 8].map(ExitStatus::from_raw);
        assert_eq!(failure_reason(killed, b""), "signal: 9 (SIGKILL)");
        assert_eq!(failure_reason(failed, b""), "exit status: 1");
        let report =
            RunReport { ended: RunEnd::Failed, reason: "h: no room on the disk".to_owned(), season: None };
        let report = serde_json::to_vec(&report).expect("plain values");
        assert_eq!(failure_reason(failed, &report), "h: no room on the disk");
    }
}
