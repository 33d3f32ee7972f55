//! Becomes a bot: the referee starts itself for each bot, and this is what that process does before it turns into
//! the bot's program. So the referee never copies its own memory, and what a bot must not inherit is shed here.

use std::ffi::{CString, OsStr, OsString, c_char};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use super::program;

/// The first argument that makes `referee` a launcher. The program and its arguments follow.
pub const COMMAND: &str = "launch";

/// The exit status that says, together with [`CANNOT_START`] on standard error, that there never was a bot.
pub const STATUS: i32 = 127;

/// What standard error begins with if the bot could not be started. The reason follows, in one line.
pub const CANNOT_START: &str = "referee launch: cannot start the bot: ";

/// Turns this process into a program: in a session of its own, with nothing but its standard streams.
///
/// Returns only if that fails, with the exit status.
pub fn launch(program: &OsStr, arguments: &[OsString]) -> i32 {
    // Already a session's leader: then there is nothing to leave.
    let _ = rustix::process::setsid();
    yield_to_the_referee();
    // It may be frozen when the referee is killed: then nobody else would let it go on, to find its input closed.
    let _ = set_parent_process_death_signal(Some(Signal::CONT));
    // A crash shall leave a verdict, not a file the size of the bot's memory.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let error = execute(program, arguments);
    let path = Path::new(program);
    let why = match (program::inspect(path), error.raw_os_error()) {
        (Err(not_a_program), _) => not_a_program.to_string(),
        (Ok(_), Some(libc::ENOEXEC)) => "damaged: the system does not know how to run it".to_owned(),
        (Ok(_), Some(libc::ENOENT)) => "needs a program loader or library that is not here".to_owned(),
        (Ok(_), _) => error.to_string(),
    };
    let _ = writeln!(io::stderr(), "{CANNOT_START}{}: {why}", path.display());
    STATUS
}

/// How much less than the referee's a bot's share of a busy machine is: the referee has little to do, but it should see at
/// once that an answer has come. Among themselves, bots are equal.
const NICE: i32 = 5;

fn yield_to_the_referee() {
    // Where each session has a share of its own, it is the session's that counts.
    let _ = fs::write("/proc/self/autogroup", NICE.to_string());
    let _ = rustix::process::nice(NICE);
}

/// How often, and how long apart, a program is tried again that somebody is still writing: a file that was just
/// stored can be open for a moment in a process that is being started next to this one.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(5);

fn execute(program: &OsStr, arguments: &[OsString]) -> io::Error {
    let text = |text: &OsStr| CString::new(text.as_bytes());
    let all = std::iter::once(program).chain(arguments.iter().map(OsString::as_os_str));
    let arguments: Result<Vec<CString>, _> = all.map(text).collect();
    let variables: Result<Vec<CString>, _> = std::env::vars_os()
        .map(|(name, value)| CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()))
        .collect();
    let (Ok(arguments), Ok(variables)) = (arguments, variables) else {
        return io::Error::new(io::ErrorKind::InvalidInput, "a NUL in a name");
    };
    let argument_pointers = pointers(&arguments);
    let variable_pointers = pointers(&variables);
    let mut error = io::Error::other("not tried");
    for _ in 0..TRIES {
        #[expect(
            unsafe_code,
            reason = "execve itself: the library's exec runs with /bin/sh what it does not know"
        )]
        // SAFETY: all three point to NUL-terminated data that outlives the call; both lists end with a null.
        unsafe {
            libc::execve(arguments[0].as_ptr(), argument_pointers.as_ptr(), variable_pointers.as_ptr());
        }
        error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::ETXTBSY) {
            break;
        }
        thread::sleep(PAUSE);
    }
    error
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
