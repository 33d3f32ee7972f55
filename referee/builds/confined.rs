//! A copy of this program that works in the strict tier of the sandbox: how it is started, fed, heard, and ended.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::Pid;

use crate::bundle::{self, Caps, SourceFile};
use crate::inside::{FILE_IS_FULL, Reply, Request, TIME_IS_UP, WORD};
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::clock::Clock;
use referee_sandbox::fork_server::ForkServer;
use referee_sandbox::launcher::{self, Launcher, Patience, Reply as Report, Streams};
use referee_sandbox::{Ended, Exceeded, LauncherReport, Limits, Purpose, Specification, Tier};
use referee_table::process::Memory;

/// The workplace of builds on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Workplace<'a> {
    /// The source of launchers.
    pub fork_server: &'a ForkServer,
    /// Set from outside: the work is given up then.
    pub stop: &'a AtomicBool,
    /// Maximum version of Landlock that is used.
    pub landlock_version_max: i32,
}

/// What some work may use and see.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) purpose: Purpose,
    pub(crate) limits: Limits,
    pub(crate) time: Duration,
    pub(crate) shown: Vec<PathBuf>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) log_bytes: usize,
    /// How much the files of its reply may be.
    pub(crate) result: Caps,
}

/// What came of some work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) said: Said,
    /// What was written to standard error, with a note in the place of what was too much.
    pub(crate) log: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Files {
        files: Vec<SourceFile>,
        notes: Vec<String>,
    },
    Refused(String),
    Failed {
        command: usize,
        how: String,
    },
    /// A limit has ended it, or it was killed.
    Over(String),
}

/// Time between two looks at a build's memory and the stop flag.
const LOOK: Duration = Duration::from_millis(20);

/// Does some work in the sandbox.
///
/// # Errors
///
/// If the sandbox does not work here, or the work is stopped from outside. What a source does wrong is no error.
pub(crate) fn run(
    place: Workplace<'_>,
    request: &Request,
    bytes: &[u8],
    terms: &Terms,
) -> Result<Outcome, Error> {
    let (mut launcher, [stdin, stdout, stderr]) = start(&place, terms)?;
    let worker = wait_for_start(&mut launcher, &place)?;
    let mut input = serde_json::to_vec(request).expect("plain values");
    input.push(b'\n');
    input.extend_from_slice(bytes);
    let memory = worker.and_then(|worker| Memory::of(worker, launcher.process(), &terms.limits));
    let mut talk = Talk {
        input,
        sent: 0,
        stdin: Some(stdin),
        stdout: Some(stdout),
        stderr: Some(stderr),
        output: Vec::new(),
        output_max: usize::try_from(terms.result.bytes).unwrap_or(usize::MAX).saturating_add(1 << 20),
        log: Log { bytes: Vec::new(), most: terms.log_bytes, left_out: 0 },
    };
    let over = talk.until_its_end(&launcher, memory.as_ref(), terms, place.stop);
    let ended = match launcher.says() {
        Report::This(LauncherReport::Ended(ended)) => Some(ended),
        _ => None,
    };
    launcher.remove(&Patience::until(place.stop));
    talk.read_rest();
    if place.stop.load(Ordering::Relaxed) {
        return Err(Error::new(ErrorKind::Stopped, "stopped".to_owned()));
    }
    let said = match over {
        Some(over) => Said::Over(over),
        None => said(&talk.output, ended, terms),
    };
    Ok(Outcome { said, log: talk.log.finish() })
}

fn start(place: &Workplace<'_>, terms: &Terms) -> Result<(Launcher, Streams), Error> {
    let program = fs::canonicalize(place.fork_server.program()).map_err(trouble)?;
    let opened = File::open(&program).map_err(trouble)?;
    let builds = terms.purpose == Purpose::Build;
    let specification = Specification {
        tier: Tier::Strict,
        program,
        interpreter: None,
        shown: terms.shown.clone(),
        refused: None,
        arguments: [launcher::COMMAND, WORD].map(OsString::from).to_vec(),
        variables: terms.variables.clone(),
        folder: None,
        limits: terms.limits.clone(),
        purpose: terms.purpose,
        with_folder: false,
        may_fork: builds,
        // Java and Go reserve address space that they do not use.
        reserves: builds,
        landlock_version_max: place.landlock_version_max,
        processes_before: 0,
        clock: None,
    };
    Launcher::start(place.fork_server, &specification, [Some(opened.as_fd()), None]).map_err(trouble)
}

/// Waits until the program runs that does the work. Returns its process.
fn wait_for_start(launcher: &mut Launcher, place: &Workplace<'_>) -> Result<Option<Pid>, Error> {
    match launcher.wait_for_start(&Patience::until(place.stop)) {
        Report::This(LauncherReport::Started { bot, .. }) => Ok(Pid::from_raw(bot)),
        Report::This(LauncherReport::NoSandbox(why) | LauncherReport::NotStarted(why)) => {
            Err(no_sandbox(&why))
        }
        Report::This(LauncherReport::NoProcess(error)) => Err(trouble(io::Error::from_raw_os_error(error))),
        _ => {
            let why = place.fork_server.end().unwrap_or_else(|| "the launcher has ended".to_owned());
            Err(no_sandbox(&why))
        }
    }
}

fn trouble(error: io::Error) -> Error {
    no_sandbox(&error.to_string())
}

fn no_sandbox(why: &str) -> Error {
    let what = format!(
        "sources are unpacked and built in the strict tier of the sandbox alone, and it does not work here: {why}; \
         `referee doctor` says what helps"
    );
    Error::new(ErrorKind::System, what)
}

/// Reads a reply, of any bytes.
fn said(output: &[u8], ended: Option<Ended>, terms: &Terms) -> Said {
    let how = match ended {
        Some(Ended::Exited(0)) => None,
        Some(Ended::Limit(Exceeded::Cpu)) => Some(TIME_IS_UP.to_owned()),
        Some(Ended::Limit(Exceeded::File)) => Some(FILE_IS_FULL.to_owned()),
        Some(Ended::Limit(Exceeded::Memory)) => Some("used up its memory".to_owned()),
        Some(Ended::Exited(status)) => {
            Some(format!("ended with status {status}: it may be too much for its limits"))
        }
        Some(Ended::Signal(signal)) => Some(format!("was ended by signal {signal}")),
        None => Some("was ended".to_owned()),
    };
    if let Some(how) = how {
        return Said::Over(how);
    }
    let broken = || Said::Over("replied with something else than it should".to_owned());
    let Some(end) = output.iter().take(REPLY_MAX).position(|byte| *byte == b'\n') else { return broken() };
    match serde_json::from_slice(&output[..end]) {
        // After a check, there is nothing.
        Ok(Reply::Files(notes)) if &output[end + 1..] == b"end\n" => Said::Files { files: Vec::new(), notes },
        Ok(Reply::Files(notes)) => match bundle::read(&output[end + 1..], terms.result) {
            Ok(files) => Said::Files { files, notes },
            Err(why) => Said::Refused(why),
        },
        Ok(Reply::Refused(why)) => Said::Refused(why),
        Ok(Reply::Failed(command, how)) => Said::Failed { command, how },
        Err(_) => broken(),
    }
}

/// Maximum length of a reply's first line, in bytes.
const REPLY_MAX: usize = 1 << 20;

/// The three streams of the work.
struct Talk {
    input: Vec<u8>,
    sent: usize,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    output: Vec<u8>,
    output_max: usize,
    log: Log,
}

impl Talk {
    /// Feeds and hears it until it has ended. Returns the reason if it must not go on.
    fn until_its_end(
        &mut self,
        launcher: &Launcher,
        memory: Option<&Memory>,
        terms: &Terms,
        stop: &AtomicBool,
    ) -> Option<String> {
        let clock = Clock::start();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Some("was stopped".to_owned());
            }
            if clock.now().0 > terms.time {
                return Some(format!("took more than {} s", terms.time.as_secs()));
            }
            if memory.is_some_and(Memory::is_too_much) {
                return Some(format!("used more than {} MiB of memory", terms.limits.resident_mib()));
            }
            if self.output.len() > self.output_max {
                return Some(format!("left more than {} MiB", terms.result.bytes >> 20));
            }
            let ended = launcher.ended();
            let all =
                [(&self.stdin, PollFlags::OUT), (&self.stdout, PollFlags::IN), (&self.stderr, PollFlags::IN)];
            let streams =
                all.into_iter().filter_map(|(pipe, flags)| Some(PollFd::new(pipe.as_ref()?, flags)));
            let mut all: Vec<PollFd<'_>> =
                [PollFd::from_borrowed_fd(ended, PollFlags::IN)].into_iter().chain(streams).collect();
            let pause = referee_sandbox::timespec(LOOK);
            if matches!(poll(&mut all, Some(&pause)), Err(error) if error != Errno::INTR) {
                return Some("could not be watched".to_owned());
            }
            let has_ended = !all[0].revents().is_empty();
            drop(all);
            self.move_bytes();
            if has_ended {
                return None;
            }
        }
    }

    fn move_bytes(&mut self) {
        if let Some(pipe) = &self.stdin {
            match rustix::io::write(pipe, &self.input[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => self.sent = self.input.len(),
            }
            if self.sent == self.input.len() {
                self.stdin = None;
                self.input = Vec::new();
                self.sent = 0;
            }
        }
        let mut buffer = vec![0; 64 * 1024];
        let output = &mut self.output;
        hear(&mut self.stdout, &mut buffer, |bytes| output.extend_from_slice(bytes));
        let log = &mut self.log;
        hear(&mut self.stderr, &mut buffer, |bytes| log.push(bytes));
    }

    /// Reads what is left in the pipes when no process writes any more.
    fn read_rest(&mut self) {
        self.stdin = None;
        // Each round empties as much as a pipe can have.
        for _ in 0..64 {
            if self.stdout.is_none() && self.stderr.is_none() || self.output.len() > self.output_max {
                return;
            }
            self.move_bytes();
        }
    }
}

/// Reads what there is, once, and forgets a pipe that has ended.
fn hear(pipe: &mut Option<OwnedFd>, buffer: &mut [u8], mut take: impl FnMut(&[u8])) {
    let Some(open) = pipe else { return };
    match rustix::io::read(open, &mut *buffer) {
        Ok(0) => *pipe = None,
        Ok(count) => take(&buffer[..count]),
        Err(Errno::AGAIN | Errno::INTR) => {}
        Err(_) => *pipe = None,
    }
}

/// What was written to standard error: its beginning, up to a limit. The first errors of a compiler are the ones that
/// matter.
struct Log {
    bytes: Vec<u8>,
    most: usize,
    left_out: u64,
}

impl Log {
    fn push(&mut self, bytes: &[u8]) {
        let (beginning, rest) = bytes.split_at(bytes.len().min(self.most - self.bytes.len()));
        self.bytes.extend_from_slice(beginning);
        self.left_out += rest.len() as u64;
    }

    fn finish(mut self) -> Vec<u8> {
        if self.left_out > 0 {
            self.bytes.extend_from_slice(format!("\n[{} bytes left out]\n", self.left_out).as_bytes());
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Terms {
        Terms {
            purpose: Purpose::Build,
            limits: Limits::default(),
            time: Duration::ZERO,
            shown: Vec::new(),
            variables: Vec::new(),
            log_bytes: 0,
            result: Caps { files: 4, bytes: 1 << 20 },
        }
    }

    /// What the process inside replies, and what a program could write before it if it had the pipe.
    #[test]
    fn a_forged_reply_makes_no_file() {
        let file = SourceFile { path: "bot".to_owned(), executable: true, bytes: b"#!/bin/sh\n".to_vec() };
        let mut own = serde_json::to_vec(&Reply::Files(Vec::new())).unwrap();
        own.push(b'\n');
        bundle::write(std::slice::from_ref(&file), &mut own).unwrap();
        let said = |output: &[u8]| said(output, Some(Ended::Exited(0)), &terms());
        assert_eq!(said(&own), Said::Files { files: vec![file], notes: Vec::new() });
        for forged in [
            &b"{\"Files\":[]}\nx 25 4\n../../../../tmp/evil.sh/evilend\n"[..],
            b"{\"Files\":[]}\nx 4 4\nevilevilend\n",
            b"{\"Files\":[]}\nx 3 99999999999999\nabc",
            b"{\"Files\":[]}\nx 99999 1\nabc",
            b"{\"Files\":[\"\x1b[2J\"]}\nend\n",
            b"{\"Files\":[]}\n",
            &[0; 4096],
            &[b'['; 60_000],
        ] {
            let both = said(&[forged, &own].concat());
            assert!(matches!(both, Said::Over(_) | Said::Refused(_)), "{both:?}");
        }
        assert_eq!(
            said(&own[..own.len() - 1]),
            Said::Refused("the list of files is cut off or broken".into())
        );
        assert!(matches!(super::said(&own, Some(Ended::Exited(1)), &terms()), Said::Over(_)));
        assert!(matches!(super::said(&own, None, &terms()), Said::Over(_)));
    }
}
