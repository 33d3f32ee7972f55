//! Rounds: this server starts `referee hill run` in a process of its own, and restarts it when needed.

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

/// The longest wait after a failure: what is wrong may be mended by somebody, and nothing tells this server.
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

/// How a wait ended.
enum Then {
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
    let mine = site.contests.values().filter(|served| served.inbox.is_mine());
    let begin = |to_round| {
        let played = mine.map(|served| tokio::spawn(Play::new(site, served, to_round).go_on()));
        played.collect::<Vec<_>>()
    };
    let played = site.options.run.map(begin).unwrap_or_default();
    async {
        for played in played {
            let _ = played.await;
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
    /// The trouble that was told last.
    trouble_reported: Option<String>,
    is_paused: bool,
}

/// What is known of a hill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FieldState {
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
    /// A change of the field: a run goes on while others find the records damaged, and while they are mended.
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
        Play { stop, site, served, to_round, field_state, trouble_reported: None, is_paused: false }
    }

    /// Plays each season to its round, until the server stops.
    async fn go_on(mut self) {
        let mut troubles = Troubles::default();
        loop {
            self.field_state = FieldState::new(&self.served.followed.snapshot());
            self.is_paused = self.served.host_control.decisions.borrow().is_paused;
            let is_short = self.field_state.trouble.is_none() && self.bots() < 2 && self.has_all_bots().await;
            let then = if self.is_paused {
                self.say("a host has paused them");
                self.wait(None, Wake::All).await
            } else if !self.field_state.is_read {
                self.wait(None, Wake::All).await
            } else if is_short {
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
            match then {
                Then::Stop => return,
                Then::News => troubles = Troubles::default(),
                Then::Over => {}
            }
        }
    }

    /// Plays the season to its round, and waits for what comes after that.
    async fn play_rounds(&mut self, troubles: &mut Troubles) -> Then {
        self.tell_trouble();
        let before = results_length(&self.served);
        match self.run().await {
            Ok(Then::Over) => {
                *troubles = Troubles::default();
                let to_round = self.to_round;
                self.say(&format!(
                    "round {to_round} of the season is complete; the next bot begins a new season"
                ));
                self.wait(None, Wake::Trouble).await
            }
            Ok(then) => then,
            Err(why) => {
                let rest = troubles.after(results_length(&self.served) > before);
                let seconds = rest.as_secs();
                self.say_why(&format!("the run failed and is restarted after {seconds} seconds"), &why);
                self.wait(Some(rest), Wake::All).await
            }
        }
    }

    fn bots(&self) -> usize {
        self.field_state.field.as_ref().map_or(0, Vec::len)
    }

    /// Tells whether each bot that has played is in the list of bots: if rows of it are gone, a run says so.
    async fn has_all_bots(&self) -> bool {
        let root = self.served.root.clone();
        let checked = self.site.reads.run(SERVER, move || Hill::open(&root)?.check_entered());
        checked.await.is_ok()
    }

    /// Tells once why the records cannot be read. A run is started all the same: it makes results that are torn or
    /// missing whole again, and says what else is to be done.
    fn tell_trouble(&mut self) {
        let trouble = self.field_state.trouble.clone();
        if trouble != self.trouble_reported {
            if let Some(trouble) = &trouble {
                self.say_why("the records cannot be read, and a run is to mend them", trouble);
            }
            self.trouble_reported = trouble;
        }
    }

    /// Runs the program once. An error says why it failed.
    async fn run(&mut self) -> Result<Then, String> {
        let refused = |error: std::io::Error| error.to_string();
        let mut said = tempfile::tempfile().map_err(refused)?;
        let jobs = self.site.options.jobs.map_or_else(cores_less_one, usize::from);
        let to_round = self.to_round.to_string();
        let mut command = Command::new(&self.site.referee);
        command.args(["hill", "run"]).arg(&self.served.root).args(["--to-round", &to_round]);
        command.args(["--jobs", &jobs.to_string(), "--format", "json"]).stdin(Stdio::null());
        command.stdout(said.try_clone().map_err(refused)?).stderr(Stdio::null());
        let mut child = command.spawn().map_err(refused)?;
        self.say(&format!("referee hill run plays each season to round {to_round}, started by this server"));
        let ended = tokio::select! {
            ended = child.wait() => Some(ended.map_err(refused)?),
            then = self.wait(None, Wake::Field) => {
                end(&mut child).await;
                return Ok(then);
            }
        };
        match ended {
            Some(status) if status.success() => Ok(Then::Over),
            status => {
                let why = why(status, &report(&mut said).unwrap_or_default());
                Err(self.served.without_path(&why))
            }
        }
    }

    /// Waits until the server stops, something changes, or the time is over.
    async fn wait(&mut self, time: Option<Duration>, wake: Wake) -> Then {
        let mut now = self.served.followed.now.subscribe();
        let mut before = self.field_state.clone();
        let others = now.wait_for(|snapshot| {
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
            if before.field.is_none() {
                before.field = now.field;
            }
            is_news
        });
        let mut decisions = self.served.host_control.decisions.subscribe();
        let paused = decisions.wait_for(|decisions| decisions.is_paused != self.is_paused);
        let over = async {
            match time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => Then::Stop,
            _ = others => Then::News,
            _ = paused => Then::News,
            () = over => Then::Over,
        }
    }

    /// Says how the rounds go, on the pages and to the host.
    fn say(&self, what: &str) {
        self.say_why(what, "");
    }

    /// Likewise, with a reason that only the host reads.
    fn say_why(&self, what: &str, why: &str) {
        let rounds = Rounds { said: format!("Rounds on {}: {what}.", self.served.name), why: why.to_owned() };
        self.served.rounds.send_if_modified(|before| {
            let is_new = *before != rounds;
            if is_new {
                (self.site.say)([&*rounds.said, why].join(" ").trim_end());
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
async fn end(child: &mut Child) {
    if let Some(number) = child.id().and_then(|number| rustix::process::Pid::from_raw(number as i32)) {
        let _ = rustix::process::kill_process(number, rustix::process::Signal::TERM);
    }
    if tokio::time::timeout(FAREWELL, child.wait()).await.is_err() {
        let _ = child.kill().await;
    }
}

/// Returns the length of the results of a hill, in bytes: it grows with each game.
fn results_length(served: &Served) -> u64 {
    let look = folder::results_of(&served.root).look().ok().flatten();
    look.map_or(0, |look| look.length())
}

/// Says why a runner has failed: by its report, or by how it ended, if it could not write one.
fn why(status: Option<ExitStatus>, report: &[u8]) -> String {
    match (serde_json::from_slice(report), status) {
        (Ok(RunReport { reason, .. }), _) if !reason.is_empty() => harmless(reason.trim(), text::SENTENCE),
        (_, Some(status)) => status.to_string(),
        (_, None) => "it has no exit status".to_owned(),
    }
}

/// Returns what a runner has written to its standard output.
fn report(said: &mut File) -> std::io::Result<Vec<u8>> {
    let mut report = Vec::new();
    said.seek(SeekFrom::Start(0))?;
    said.take(REPORT_MAX).read_to_end(&mut report)?;
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
        let [killed, failed] = [9, 1 << 8].map(|raw| Some(ExitStatus::from_raw(raw)));
        assert_eq!(why(killed, b""), "signal: 9 (SIGKILL)");
        assert_eq!(why(failed, b""), "exit status: 1");
        let report =
            RunReport { ended: RunEnd::Failed, reason: "h: no room on the disk".to_owned(), season: None };
        let report = serde_json::to_vec(&report).expect("plain values");
        assert_eq!(why(failed, &report), "h: no room on the disk");
    }
}
