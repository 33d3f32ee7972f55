//! Calls: the output of a command line that runs within this process.
//!
//! A call is a matter of one thread. Another thread that the command starts has the streams of the process.

use std::cell::RefCell;
use std::path::PathBuf;

/// The amount of notes on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Talk {
    /// Only errors.
    Quiet,
    /// Also notes for users.
    Usual,
    /// Also details of how the program came to its results.
    More,
}

thread_local! {
    /// The call in this thread. Commands print from everywhere, as they do to the streams of the process.
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// What a call uses in the place of the process's program and terminal.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The program `referee`, which starts bots and is the house bots.
    pub program: PathBuf,
    /// The width of help.
    pub columns: usize,
}

/// A call under way.
#[derive(Debug)]
struct Call {
    talk: Talk,
    out: Vec<u8>,
    err: Vec<u8>,
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Called {
    /// The exit status of the command.
    pub status: i32,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its standard error.
    pub err: Vec<u8>,
}

/// A stream for output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Out,
    Err,
}

/// Runs a command line in this thread and keeps its output.
pub(super) fn keep(run: impl FnOnce() -> i32) -> Called {
    CALL.set(Some(Call { talk: Talk::Usual, out: Vec::new(), err: Vec::new() }));
    let status = run();
    let Call { out, err, .. } = CALL.take().expect("this call");
    Called { status, out, err }
}

/// Tells whether a call keeps the output of this thread. Then no stream is a terminal.
pub fn is_kept() -> bool {
    with(|_| ()).is_some()
}

/// Keeps output for the call in this thread. Returns `false` if there is none.
pub(super) fn capture(stream: Stream, bytes: &[u8]) -> bool {
    let stored = with(|call| match stream {
        Stream::Out => call.out.extend_from_slice(bytes),
        Stream::Err => call.err.extend_from_slice(bytes),
    });
    stored.is_some()
}

/// Sets the amount of notes of the call in this thread. Returns `false` if there is none.
pub(super) fn set_talk(talk: Talk) -> bool {
    with(|call| call.talk = talk).is_some()
}

/// Returns the amount of notes of the call in this thread.
pub(super) fn talk() -> Option<Talk> {
    with(|call| call.talk)
}

/// Uses the call in this thread; `None` if there is none.
fn with<T>(act: impl FnOnce(&mut Call) -> T) -> Option<T> {
    CALL.with_borrow_mut(|call| call.as_mut().map(act))
}
