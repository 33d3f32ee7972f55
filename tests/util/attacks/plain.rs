//! Bots started without any protection: as children, with pipes. This shows which attacks are real.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use wait_timeout::ChildExt;

use super::range::SECRET;

/// The thinking time of others between two questions to a bot that is asked in turn.
const OTHERS: Duration = Duration::from_millis(300);

/// Time limit for a bot to end.
const FAREWELL: Duration = Duration::from_secs(1);

/// Starts a bot for each line of words, asks all of them twice, and ends them. Returns each bot's standard
/// error, and what was wrong with its end.
pub(super) fn play(game: &str, words: &[String], secret: &str, tmp: &Path) -> Vec<(String, Option<String>)> {
    let mut bots: Vec<Bot> =
        words.iter().zip(0..).map(|(words, seat)| Bot::start(game, words, seat, tmp, secret)).collect();
    for turn in 0..2 {
        bots.iter_mut().zip(0..).for_each(|(bot, seat)| bot.ask(turn, seat));
        bots.iter_mut().for_each(Bot::hear);
        thread::sleep(OTHERS);
    }
    bots.into_iter().map(Bot::dismiss).collect()
}

pub(super) struct Bot {
    child: Child,
    folder: std::path::PathBuf,
    errors: std::path::PathBuf,
}

impl Bot {
    pub(super) fn start(game: &str, words: &str, seat: usize, tmp: &Path, secret: &str) -> Bot {
        let folder = tmp.join(format!("referee-bot-{seat}"));
        let errors = tmp.with_extension(format!("seat{seat}"));
        fs::create_dir(&folder).expect("a folder");
        let (program, arguments) = words.split_once(' ').expect("a program and its arguments");
        let mut command = Command::new(program);
        command.args(arguments.split(' ')).current_dir(&folder);
        command.env("REFEREE_GAME", game).env("HOME", &folder).env("TMPDIR", &folder).env(SECRET, secret);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(&errors).expect("a file"));
        #[expect(unsafe_code, reason = "the standard library makes no sessions")]
        // SAFETY: one system call, which is allowed between fork and exec.
        unsafe {
            // Some attacks are on the terminal, and they must not reach the terminal of the user who runs
            // this.
            command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
        }
        Bot { child: command.spawn().expect("a process"), folder, errors }
    }

    fn ask(&mut self, turn: u32, seat: u32) {
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        let _ = writeln!(stdin, "3 {turn} {seat} 1"); // it may have ended
    }

    fn hear(&mut self) {
        let stdout = self.child.stdout.as_mut().expect("a pipe");
        let _ = BufReader::new(stdout).read_line(&mut String::new());
    }

    pub(super) fn dismiss(mut self) -> (String, Option<String>) {
        drop(self.child.stdin.take());
        let left = self.child.wait_timeout(FAREWELL).expect("a child");
        if left.is_none() {
            self.child.kill().expect("a child");
            self.child.wait().expect("a child");
        }
        let _ = fs::remove_dir_all(&self.folder);
        let errors = fs::read(&self.errors).unwrap_or_default();
        let _ = fs::remove_file(&self.errors);
        (String::from_utf8_lossy(&errors).into_owned(), left.and_then(fault_of))
    }
}

/// Returns how a bot ended, unless it ended properly.
fn fault_of(status: ExitStatus) -> Option<String> {
    match (status.signal(), status.code()) {
        (Some(signal), _) => Some(format!("crashed signal {signal}")),
        (None, Some(code)) if code != 0 => Some(format!("exited status {code}")),
        _ => None,
    }
}
