//! Rounds: this server starts `referee hill run` in a process of its own, and restarts it when needed.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Seek, SeekFrom};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use referee_contest::folder;
use referee_record::text::{self, harmless};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use crate::live;
use crate::site::{SERVER, Served, Site};

/// Maximum number of restarts of a failing run in a row, if it plays no game between them, until a bot is admitted or
/// leaves.
const TROUBLES_MAX: u32 = 5;

/// The wait after the first failure. It doubles with each further one.
const TRY_AGAIN: Duration = Duration::from_secs(2);

/// The time between two tests whether another runner has ended.
const LOOK: Duration = Duration::from_secs(5);

/// Time limit for a runner that is told to end.
const FAREWELL: Duration = Duration::from_secs(20);

/// Length of the end of a runner's messages that is read, in bytes.
const TAIL: i64 = 4096;

/// The failures of a run in a row.
#[derive(Default)]
struct Troubles(u32);

impl Troubles {
    /// Returns the wait until the run is restarted after a failure; `None` if it is not. A run that has played a game
    /// since the last failure fails for the first time.
    fn after(&mut self, has_played: bool) -> Option<Duration> {
        if has_played {
            self.0 = 0;
        }
        let rest = (self.0 < TROUBLES_MAX).then(|| TRY_AGAIN * (1 << self.0));
        self.0 += 1;
        rest
    }
}

/// How a wait ended.
enum Then {
    /// The server stops.
    Stop,
    /// A bot was admitted, or has left; or a host has paused the rounds, or lets them go on.
    Field,
    /// The time is over, or the run is complete.
    Over,
}

/// Starts rounds on all hills, if `--run` is given. Returns a future that waits for the end of all runners.
pub(crate) fn play_all(site: &Arc<Site>) -> impl Future<Output = ()> + use<> {
    let mine = site.hills.values().filter(|served| served.inbox.is_mine());
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
    field: Vec<(String, u32)>,
    is_paused: bool,
}

impl Play {
    fn new(site: &Arc<Site>, served: &Arc<Served>, to_round: u32) -> Play {
        let (site, served) = (Arc::clone(site), Arc::clone(served));
        Play { stop: site.stop.subscribe(), site, served, to_round, field: Vec::new(), is_paused: false }
    }

    /// Plays each season to its round, until the server stops.
    async fn go_on(mut self) {
        let mut troubles = Troubles::default();
        loop {
            self.field = field(&self.served);
            self.is_paused = self.served.steer.now.borrow().is_paused;
            let then = if self.is_paused {
                self.say("a host has paused them");
                self.wait(None).await
            } else if self.field.is_empty() {
                if self.served.followed.snapshot().number > 0 {
                    self.say("no bot plays here yet");
                }
                self.wait(None).await
            } else if live::running(&self.site, &self.served, SERVER).await.is_ok_and(|now| now.runners > 0) {
                self.say("another runner plays rounds here");
                self.wait(Some(LOOK)).await
            } else {
                let before = results_length(&self.served);
                match self.run().await {
                    Ok(Then::Over) => {
                        troubles = Troubles::default();
                        let to_round = self.to_round;
                        self.say(&format!(
                            "round {to_round} of the season is complete; the next bot begins a new season"
                        ));
                        self.wait(None).await
                    }
                    Ok(then) => then,
                    Err(why) => match troubles.after(results_length(&self.served) > before) {
                        Some(rest) => {
                            self.say(&format!("the run failed and is restarted: {why}"));
                            self.wait(Some(rest)).await
                        }
                        None => {
                            self.say(&format!(
                                "the run failed after {TROUBLES_MAX} restarts without a game; a change of the bots \
                                 restarts it: {why}"
                            ));
                            self.wait(None).await
                        }
                    },
                }
            };
            match then {
                Then::Stop => return,
                Then::Field => troubles = Troubles::default(),
                Then::Over => {}
            }
        }
    }

    /// Runs the program once. An error says why it failed.
    async fn run(&mut self) -> Result<Then, String> {
        let refused = |error: std::io::Error| error.to_string();
        let mut told = tempfile::tempfile().map_err(refused)?;
        let jobs = self.site.options.jobs.map_or_else(cores_less_one, usize::from);
        let to_round = self.to_round.to_string();
        let mut command = Command::new(&self.site.referee);
        command.args(["hill", "run"]).arg(&self.served.root).args(["--to-round", &to_round]);
        command.args(["--jobs", &jobs.to_string()]).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(told.try_clone().map_err(refused)?);
        let mut child = command.spawn().map_err(refused)?;
        self.say(&format!("referee hill run plays each season to round {to_round}, started by this server"));
        let ended = tokio::select! {
            ended = child.wait() => Some(ended.map_err(refused)?),
            then = self.wait(None) => {
                end(&mut child).await;
                return Ok(then);
            }
        };
        match ended {
            Some(status) if status.success() => Ok(Then::Over),
            status => {
                let why = why(status, &tail(&mut told).unwrap_or_default());
                Err(self.served.without_path(&why))
            }
        }
    }

    /// Waits until the server stops, the field changes, or the time is over.
    async fn wait(&mut self, time: Option<Duration>) -> Then {
        let mut now = self.served.followed.now.subscribe();
        let others = now.wait_for(|_| field(&self.served) != self.field);
        let mut steered = self.served.steer.now.subscribe();
        let paused = steered.wait_for(|now| now.is_paused != self.is_paused);
        let over = async {
            match time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => Then::Stop,
            _ = others => Then::Field,
            _ = paused => Then::Field,
            () = over => Then::Over,
        }
    }

    fn say(&self, what: &str) {
        let told = format!("Rounds on {}: {what}.", self.served.name);
        self.served.rounds.send_if_modified(|before| {
            let is_new = *before != told;
            if is_new {
                (self.site.say)(&told);
                *before = told;
            }
            is_new
        });
    }
}

/// The bots of the field, each with its version.
fn field(served: &Served) -> Vec<(String, u32)> {
    let snapshot = served.followed.snapshot();
    snapshot.field.iter().map(|event| (event.name.clone(), event.version)).collect()
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

/// Says why a runner has failed, by how it ended and the last line of its messages. Before a signal, that is any line.
fn why(status: Option<ExitStatus>, last: &str) -> String {
    match status {
        Some(status) if !last.starts_with("error") => status.to_string(),
        _ => last.to_owned(),
    }
}

/// Returns the last line of a runner's messages.
fn tail(told: &mut File) -> std::io::Result<String> {
    let length = told.seek(SeekFrom::End(0))?;
    told.seek(SeekFrom::End(-TAIL.min(length as i64)))?;
    let mut text = Vec::new();
    told.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    Ok(harmless(text.trim().lines().last().unwrap_or_default(), text::SENTENCE))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_run_that_plays_is_restarted_for_ever_and_one_that_plays_nothing_five_times_in_a_row() {
        let mut troubles = Troubles::default();
        assert!((0..100).all(|_| troubles.after(true) == Some(TRY_AGAIN)));
        let rests: Vec<Option<u64>> =
            (0..6).map(|_| troubles.after(false).map(|rest| rest.as_secs())).collect();
        assert_eq!(rests, [Some(4), Some(8), Some(16), Some(32), None, None]);
        assert_eq!(troubles.after(true), Some(TRY_AGAIN));
        let mut troubles = Troubles::default();
        assert_eq!((0..9).filter_map(|_| troubles.after(false)).count(), 5);
    }

    #[test]
    fn a_runner_that_was_killed_is_told_by_its_signal_and_not_by_its_last_game() {
        let [killed, failed] = [9, 1 << 8].map(|raw| Some(ExitStatus::from_raw(raw)));
        assert_eq!(why(killed, "s001-r00001-t001-g1: a 3, b 1"), "signal: 9 (SIGKILL)");
        assert_eq!(why(failed, "error: h: no room on the disk"), "error: h: no room on the disk");
    }
}
