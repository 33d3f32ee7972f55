//! A copy of this program that works in the strict tier of the sandbox: how it is started, how its three streams are
//! served, and how it is ended.

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
    /// Set by the caller to give up the work.
    pub stop: &'a AtomicBool,
    /// Maximum version of Landlock that is used.
    pub landlock_version_max: i32,
}

/// The limits of some work, and the part of the machine that it sees.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) purpose: Purpose,
    pub(crate) limits: Limits,
    pub(crate) time: Duration,
    /// Folders that the work sees in addition to the system's.
    pub(crate) visible_folders: Vec<PathBuf>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) log_bytes_max: usize,
    /// Limits of the files in the reply.
    pub(crate) result_caps: Caps,
}

/// The result of some work, and its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) result: WorkResult,
    /// The bytes of standard error, with a note for those that were left out.
    pub(crate) log: Vec<u8>,
}

/// How some work has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorkResult {
    /// It has made these files.
    Files { files: Vec<SourceFile>, notes: Vec<String> },
    /// It was refused, for this reason.
    Refused(String),
    /// A command has failed.
    Failed { command: usize, how: String },
    /// A limit has ended it, or it was killed.
    Over(String),
}

/// Time between two checks of a build's memory and the stop flag.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Does some work in the sandbox.
///
/// # Errors
///
/// If the sandbox does not work here, or the work is stopped by the caller. A mistake in a source is no error.
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
    let mut streams = ServedStreams {
        input,
        sent: 0,
        stdin: Some(stdin),
        stdout: Some(stdout),
        stderr: Some(stderr),
        output: Vec::new(),
        output_max: usize::try_from(terms.result_caps.bytes).unwrap_or(usize::MAX).saturating_add(1 << 20),
        log: Log { bytes: Vec::new(), max: terms.log_bytes_max, left_out: 0 },
    };
    let stopped_because = streams.serve_until_end(&launcher, memory.as_ref(), terms, place.stop);
    let ended = match launcher.says() {
        Report::This(LauncherReport::Ended(ended)) => Some(ended),
        _ => None,
    };
    launcher.remove(&Patience::until(place.stop));
    streams.read_rest();
    if place.stop.load(Ordering::Relaxed) {
        return Err(Error::new(ErrorKind::Stopped, "stopped".to_owned()));
    }
    let result = match stopped_because {
        Some(why) => WorkResult::Over(why),
        None => read_reply(&streams.output, ended, terms),
    };
    Ok(Outcome { result, log: streams.log.finish() })
}

fn start(place: &Workplace<'_>, terms: &Terms) -> Result<(Launcher, Streams), Error> {
    let program = fs::canonicalize(place.fork_server.program()).map_err(sandbox_failed)?;
    let opened = File::open(&program).map_err(sandbox_failed)?;
    let is_build = terms.purpose == Purpose::Build;
    let specification = Specification {
        tier: Tier::Strict,
        program,
        interpreter: None,
        shown: terms.visible_folders.clone(),
        refused: None,
        arguments: [launcher::COMMAND, WORD].map(OsString::from).to_vec(),
        variables: terms.variables.clone(),
        folder: None,
        limits: terms.limits.clone(),
        purpose: terms.purpose,
        with_folder: false,
        may_fork: is_build,
        // Java and Go reserve address space that they do not use.
        reserves: is_build,
        landlock_version_max: place.landlock_version_max,
        processes_before: 0,
        clock: None,
    };
    Launcher::start(place.fork_server, &specification, [Some(opened.as_fd()), None]).map_err(sandbox_failed)
}

/// Waits until the program that does the work has started. Returns its process.
fn wait_for_start(launcher: &mut Launcher, place: &Workplace<'_>) -> Result<Option<Pid>, Error> {
    match launcher.wait_for_start(&Patience::until(place.stop)) {
        Report::This(LauncherReport::Started { bot, .. }) => Ok(Pid::from_raw(bot)),
        Report::This(LauncherReport::NoSandbox(why) | LauncherReport::NotStarted(why)) => {
            Err(no_sandbox(&why))
        }
        Report::This(LauncherReport::NoProcess(error)) => {
            Err(sandbox_failed(io::Error::from_raw_os_error(error)))
        }
        _ => {
            let why = place.fork_server.end().unwrap_or_else(|| "the launcher has ended".to_owned());
            Err(no_sandbox(&why))
        }
    }
}

fn sandbox_failed(error: io::Error) -> Error {
    no_sandbox(&error.to_string())
}

fn no_sandbox(why: &str) -> Error {
    let what = format!(
        "sources are unpacked and built in the strict tier of the sandbox alone, and it does not work here: {why}; \
         `referee doctor` says what helps"
    );
    Error::new(ErrorKind::System, what)
}

/// Reads the reply of a process that has ended. The bytes are not trusted.
fn read_reply(output: &[u8], ended: Option<Ended>, terms: &Terms) -> WorkResult {
    if let Some(how) = abnormal_end(ended) {
        return WorkResult::Over(how);
    }
    let broken = || WorkResult::Over("replied with something else than it should".to_owned());
    let Some(end) = output.iter().take(REPLY_MAX).position(|byte| *byte == b'\n') else { return broken() };
    let after_line = &output[end + 1..];
    match serde_json::from_slice(&output[..end]) {
        // A command that asks for a version makes no file.
        Ok(Reply::Files(notes)) if after_line == b"end\n" => WorkResult::Files { files: Vec::new(), notes },
        Ok(Reply::Files(notes)) => match bundle::read(after_line, terms.result_caps) {
            Ok(files) => WorkResult::Files { files, notes },
            Err(why) => WorkResult::Refused(why),
        },
        Ok(Reply::Refused(why)) => WorkResult::Refused(why),
        Ok(Reply::Failed(command, how)) => WorkResult::Failed { command, how },
        Err(_) => broken(),
    }
}

/// Describes the end of a process that has not exited with status 0.
fn abnormal_end(ended: Option<Ended>) -> Option<String> {
    match ended {
        Some(Ended::Exited(0)) => None,
        Some(Ended::Limit(Exceeded::Cpu)) => Some(TIME_IS_UP.to_owned()),
        Some(Ended::Limit(Exceeded::File)) => Some(FILE_IS_FULL.to_owned()),
        Some(Ended::Limit(Exceeded::Memory)) => Some("used up its memory".to_owned()),
        Some(Ended::Exited(status)) => {
            Some(format!("ended with status {status}: it may be too much for its limits"))
        }
        Some(Ended::Signal(signal)) => Some(format!("was ended by signal {signal}")),
        None => Some("was ended".to_owned()),
    }
}

/// Maximum length of a reply's first line, in bytes.
const REPLY_MAX: usize = 1 << 20;

/// The three streams of the process that does the work.
struct ServedStreams {
    input: Vec<u8>,
    sent: usize,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    output: Vec<u8>,
    output_max: usize,
    log: Log,
}

impl ServedStreams {
    /// Writes the input and reads the output until the process has ended. Returns the reason if it must not go on.
    fn serve_until_end(
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
                return Some(format!("left more than {} MiB", terms.result_caps.bytes >> 20));
            }
            let Ok(has_ended) = self.wait(launcher) else {
                return Some("could not be watched".to_owned());
            };
            self.move_bytes();
            if has_ended {
                return None;
            }
        }
    }

    /// Waits until a stream is ready or the process has ended, for a limited time. Tells whether it has ended.
    fn wait(&self, launcher: &Launcher) -> Result<bool, Errno> {
        let pipes =
            [(&self.stdin, PollFlags::OUT), (&self.stdout, PollFlags::IN), (&self.stderr, PollFlags::IN)];
        let open_pipes =
            pipes.into_iter().filter_map(|(pipe, flags)| Some(PollFd::new(pipe.as_ref()?, flags)));
        let mut watched: Vec<PollFd<'_>> = [PollFd::from_borrowed_fd(launcher.ended(), PollFlags::IN)]
            .into_iter()
            .chain(open_pipes)
            .collect();
        match poll(&mut watched, Some(&referee_sandbox::timespec(CHECK_INTERVAL))) {
            Err(error) if error != Errno::INTR => Err(error),
            _ => Ok(!watched[0].revents().is_empty()),
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
        read_available(&mut self.stdout, &mut buffer, |bytes| output.extend_from_slice(bytes));
        let log = &mut self.log;
        read_available(&mut self.stderr, &mut buffer, |bytes| log.push(bytes));
    }

    /// Reads the bytes that are left in the pipes when no process writes any more.
    fn read_rest(&mut self) {
        self.stdin = None;
        // Each round reads as much as a pipe can hold.
        for _ in 0..64 {
            if self.stdout.is_none() && self.stderr.is_none() || self.output.len() > self.output_max {
                return;
            }
            self.move_bytes();
        }
    }
}

/// Reads the bytes that are available, once, and closes a pipe that has ended.
fn read_available(pipe: &mut Option<OwnedFd>, buffer: &mut [u8], mut take: impl FnMut(&[u8])) {
    let Some(open) = pipe else { return };
    match rustix::io::read(open, &mut *buffer) {
        Ok(0) => *pipe = None,
        Ok(count) => take(&buffer[..count]),
        Err(Errno::AGAIN | Errno::INTR) => {}
        Err(_) => *pipe = None,
    }
}

/// The beginning of standard error, up to a limit. The first errors of a compiler are the ones that matter.
struct Log {
    bytes: Vec<u8>,
    max: usize,
    left_out: u64,
}

impl Log {
    fn push(&mut self, bytes: &[u8]) {
        let (beginning, rest) = bytes.split_at(bytes.len().min(self.max - self.bytes.len()));
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
            visible_folders: Vec::new(),
            variables: Vec::new(),
            log_bytes_max: 0,
            result_caps: Caps { files: 4, bytes: 1 << 20 },
        }
    }

    /// The reply of the process inside follows bytes that a program could write before it if it had the pipe.
    #[test]
    fn a_forged_reply_makes_no_file() {
        let file = SourceFile { path: "bot".to_owned(), executable: true, bytes: b"#!/bin/sh\n".to_vec() };
        let mut genuine = serde_json::to_vec(&Reply::Files(Vec::new())).unwrap();
        genuine.push(b'\n');
        bundle::write(std::slice::from_ref(&file), &mut genuine).unwrap();
        let read = |output: &[u8]| read_reply(output, Some(Ended::Exited(0)), &terms());
        assert_eq!(read(&genuine), WorkResult::Files { files: vec![file], notes: Vec::new() });
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
            let both = read(&[forged, &genuine].concat());
            assert!(matches!(both, WorkResult::Over(_) | WorkResult::Refused(_)), "{both:?}");
        }
        assert_eq!(
            read(&genuine[..genuine.len() - 1]),
            WorkResult::Refused("the list of files is cut off or broken".into())
        );
        assert!(matches!(read_reply(&genuine, Some(Ended::Exited(1)), &terms()), WorkResult::Over(_)));
        assert!(matches!(read_reply(&genuine, None, &terms()), WorkResult::Over(_)));
    }
}
