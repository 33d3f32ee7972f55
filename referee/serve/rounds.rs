//! Rounds: this server starts `referee hill run` in a process of its own, and restarts it when needed.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Seek, SeekFrom};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use referee_record::text::{self, harmless};
use tokio::process::{Child, Command};
use tokio::sync::watch;

use crate::live;
use crate::site::{SERVER, Served, Site};

/// Maximum number of restarts of a failing run, until a bot is admitted or leaves.
const TROUBLES_MAX: u32 = 5;

/// The wait after the first failure. It doubles with each further one.
const TRY_AGAIN: Duration = Duration::from_secs(2);

/// The time between two tests whether another runner has ended.
const LOOK: Duration = Duration::from_secs(5);

/// Time limit for a runner that is told to end.
const FAREWELL: Duration = Duration::from_secs(20);

/// Length of the end of a runner's messages that is read, in bytes.
const TAIL: i64 = 4096;

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
        let mut troubles = 0;
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
                match self.run().await {
                    Ok(Then::Over) => {
                        troubles = 0;
                        let to_round = self.to_round;
                        self.say(&format!(
                            "round {to_round} of the season is complete; the next bot begins a new season"
                        ));
                        self.wait(None).await
                    }
                    Ok(then) => then,
                    Err(why) if troubles < TROUBLES_MAX => {
                        let rest = TRY_AGAIN * (1 << troubles);
                        troubles += 1;
                        self.say(&format!("the run failed and is restarted: {why}"));
                        self.wait(Some(rest)).await
                    }
                    Err(why) => {
                        self.say(&format!(
                            "the run failed after {TROUBLES_MAX} restarts; a change of the bots restarts it: {why}"
                        ));
                        self.wait(None).await
                    }
                }
            };
            match then {
                Then::Stop => return,
                Then::Field => troubles = 0,
                Then::Over => {}
            }
        }
    }

    /// Runs the program once. An error is the last line of its messages.
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
        match ended.is_some_and(|status| status.success()) {
            true => Ok(Then::Over),
            false => Err(self.served.without_path(&tail(&mut told).unwrap_or_default())),
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

/// Returns the last line of a runner's messages.
fn tail(told: &mut File) -> std::io::Result<String> {
    let length = told.seek(SeekFrom::End(0))?;
    told.seek(SeekFrom::End(-TAIL.min(length as i64)))?;
    let mut text = Vec::new();
    told.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    Ok(harmless(text.trim().lines().last().unwrap_or_default(), text::SENTENCE))
}
