//! A terminal that disappears ends the program: nothing waits for keys that can no longer come.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{command, playthrough};
use crate::support::{PATIENCE, Place, comes_true, hearing_hangups, results_in};

/// A program at a terminal that can be removed.
struct Hung {
    child: Child,
    master: Option<File>,
    screen: vt100::Parser,
}

/// The program's connections to the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    /// Standard input, output and error.
    All,
    /// All, and it is its controlling terminal: the kernel sends SIGHUP, too.
    Control,
}

impl Hung {
    fn start(command: &mut Command) -> Hung {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pty");
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let path = PathBuf::from(ptsname(&master, Vec::new()).unwrap().into_string().unwrap());
        let open = || {
            use std::os::unix::fs::OpenOptionsExt;
            let flags = rustix::fs::OFlags::NOCTTY.bits() as i32;
            File::options().read(true).write(true).custom_flags(flags).open(&path).expect("its other end")
        };
        let first = open();
        tcsetwinsize(&first, Winsize { ws_col: 80, ws_row: 24, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        command.stdin(Stdio::from(open())).stdout(Stdio::from(open())).stderr(Stdio::from(first));
        let child = command.env("TERM", "xterm-256color").spawn().expect("the program starts");
        // The command keeps its ends of the terminal open.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Hung { child, master: Some(File::from(master)), screen: vt100::Parser::new(24, 80, 0) }
    }

    /// Reads on until the screen shows these words.
    fn sees(&mut self, words: &str) {
        let mut buffer = [0; 4096];
        while !self.screen.screen().contents().contains(words) {
            let master = self.master.as_ref().unwrap();
            let mut ends = [PollFd::new(master, PollFlags::IN)];
            let patience = PATIENCE.try_into().unwrap();
            assert_eq!(poll(&mut ends, Some(&patience)), Ok(1), "{}", self.screen.screen().contents());
            let count = self.master.as_mut().unwrap().read(&mut buffer).expect("the program writes on");
            self.screen.process(&buffer[..count]);
        }
    }

    fn press(&mut self, keys: &str) {
        self.master.as_mut().unwrap().write_all(keys.as_bytes()).expect("the keys are taken");
    }

    /// Removes the terminal, and returns the program's exit status.
    #[track_caller]
    fn ends(&mut self) -> Option<i32> {
        self.master = None;
        self.ended()
    }

    #[track_caller]
    fn ended(&mut self) -> Option<i32> {
        let mut status = None;
        assert!(
            comes_true(|| {
                status = self.child.try_wait().unwrap();
                status.is_some()
            }),
            "it is still there, without a terminal"
        );
        status.and_then(|status| status.code())
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SCRIPT: &str = "#!/bin/sh\nwhile read line; do echo 0 0; done\n";

/// A game that is watched.
fn push(place: &Place, words: &[&str]) -> Command {
    let bot = place.program("bot", SCRIPT);
    let bots = [bot.as_str(); 6];
    let calm = ["--turn-ms", "30000", "--first-ms", "30000", "--watch"];
    place.command(&[&["play", "push"], &bots[..], &calm, words].concat())
}

/// Makes it the leader of a session of its own, like a shell.
fn with(has: Has, command: Command) -> Command {
    if has == Has::All {
        return command;
    }
    let mut leader = Command::new("setsid");
    leader.arg("--ctty");
    let hears = hearing_hangups();
    for call in [&hears, &command] {
        leader.arg(call.get_program()).args(call.get_args());
    }
    leader.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = command.get_current_dir() {
        leader.current_dir(folder);
    }
    leader
}

#[test]
fn a_replay_ends_with_its_terminal() {
    // While waiting for a key; in the middle of one; while playing; in a list; while typing a number.
    for has in [Has::All, Has::Control] {
        for keys in ["", "\u{1b}[", "\u{1b}[1;", "- ", "w", "g1", "\u{c3}"] {
            let mut replay = Hung::start(&mut with(has, command(&playthrough("push"), &[])));
            replay.sees("after 0 of 20");
            replay.press(keys);
            assert_eq!(replay.ends(), Some(130), "{has:?}, {keys:?}");
        }
    }
}

#[test]
fn half_a_key_does_not_keep_a_replay_from_ending() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::HUP, Signal::TERM, Signal::INT] {
        let mut replay = Hung::start(&mut command(&playthrough("push"), &[]));
        replay.sees("after 0 of 20");
        replay.press("\u{1b}[");
        // So that the half key has been read.
        std::thread::sleep(std::time::Duration::from_millis(100));
        kill_process(Pid::from_child(&replay.child), signal).expect("it is there");
        replay.sees("stopped");
        assert_eq!(replay.ended(), Some(130), "{signal:?}");
    }
}

#[test]
fn a_replay_ends_with_the_terminal_that_it_writes_to() {
    // The keys come from one terminal, the pages go to another.
    let mut keys = Hung::start(Command::new("sleep").arg("60"));
    let path = std::fs::read_link(format!("/proc/{}/fd/0", keys.child.id())).unwrap();
    let mut replay = command(&playthrough("push"), &[]);
    let mut replay = {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" <\"$KEYS\""]).env("KEYS", path);
        shell.arg(replay.get_program()).args(replay.get_args());
        replay = shell;
        Hung::start(&mut replay)
    };
    replay.sees("after 0 of 20");
    assert_eq!(replay.ends(), Some(130));
    keys.child.kill().unwrap();
}

#[test]
fn a_watched_game_is_given_up_with_its_terminal() {
    for has in [Has::All, Has::Control] {
        for keys in ["", " ", "w", "\u{1b}["] {
            let place = Place::new();
            let mut command = with(has, push(&place, &["--turns", "100000", "--pace", "20ms"]));
            let mut game = Hung::start(&mut command);
            game.sees("20 ms between turns");
            game.press(keys);
            assert_eq!(game.ends(), Some(130), "{has:?}, {keys:?}");
            place.assert_nothing_stays();
            assert_eq!(results_in(&place.path("games")).len(), 0);
        }
    }
}

#[test]
fn a_game_that_is_over_is_kept_and_nobody_is_waited_for() {
    let place = Place::new();
    let mut game = Hung::start(&mut push(&place, &["--turns", "3", "--pace", "0"]));
    game.sees("The game is over.");
    assert_eq!(game.ends(), Some(130));
    assert_eq!(results_in(&place.path("games")).len(), 6);
}

#[test]
fn games_with_a_progress_bar_are_played_on_without_the_terminal_unless_it_says_stop() {
    for (has, status) in [(Has::All, 1), (Has::Control, 130)] {
        let place = Place::new();
        let bot = place.program("bot", SCRIPT);
        let hill = place.hill(
            "hill",
            &["-p", "2", "--max-turns", "20", "--turn-ms", "30000", "--first-ms", "30000"],
            &[("one", &bot)],
        );
        let other = place.program("other", format!("{SCRIPT}# another\n"));
        place.referee(&["hill", "submit", "hill", &other, "--name", "two"]).with_status(0);
        let words =
            ["hill", "run", "hill", "--rounds", if has == Has::All { "3" } else { "1000" }, "--jobs", "1"];
        let mut run = Hung::start(&mut with(has, place.command(&words)));
        run.sees("-g1: ");
        // A stopped program stops; otherwise the games are played, and only the table has nowhere to go.
        assert_eq!(run.ends(), Some(status), "{has:?}");
        if has == Has::All {
            assert_eq!(results_in(&hill).len(), 3 * 4 * 4);
        }
        place.assert_nothing_stays();
    }
}
