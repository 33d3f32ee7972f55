//! Users of this machine by their names, and the environment of commands.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use referee_files::beneath::Spot;

/// Maximum length of the list of users, in bytes.
const USERS_MAX: u64 = 16 << 20;

/// Where programs of another user are looked for.
const USERS_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Variables of the arena that each command gets, and `LC_*` with them: language, time zone, terminal.
const COMMON: [&str; 3] = ["LANG", "TZ", "TERM"];

/// Variables that name a user. A command has those of the user as whom it runs.
const OF_A_USER: [&str; 5] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL"];

/// A user of this machine.
#[derive(Clone, Debug)]
pub(crate) struct User {
    pub(crate) number: u32,
    pub(crate) group: u32,
    name: String,
    home: String,
    shell: String,
}

/// Finds a user of this machine.
///
/// # Errors
///
/// If there is none, or commands cannot become another user.
pub(crate) fn found(name: &str) -> Result<User, String> {
    if !rustix::process::geteuid().is_root() {
        return Err(format!("user = {name:?}: only root can run commands as another user"));
    }
    let all = Spot::from(Path::new("/etc/passwd")).read_text(USERS_MAX).unwrap_or_default();
    let found = all.lines().find_map(|line| {
        let cells: Vec<&str> = line.split(':').collect();
        let [user, _, number, group, _, home, shell] = cells[..] else { return None };
        let is_it = user == name;
        let (number, group) = (number.parse().ok()?, group.parse().ok()?);
        let [name, home, shell] = [user, home, shell].map(str::to_owned);
        is_it.then_some(User { number, group, name, home, shell })
    });
    found.ok_or_else(|| format!("user = {name:?}: this machine has no such user"))
}

/// Returns the environment of a command. The arena may have secrets in its own, so a command gets the variables of its
/// user, those of language, time and terminal, and the ones that the host names in `pass`.
pub(crate) fn environment(user: Option<&User>, pass: &[String]) -> Vec<(OsString, OsString)> {
    let is_common = |name: &str| COMMON.contains(&name) || name.starts_with("LC_");
    let is_passed = |name: &str| {
        is_common(name)
            || pass.iter().any(|passed| passed == name)
            || user.is_none() && OF_A_USER.contains(&name)
    };
    let of_user = user.into_iter().flat_map(|user| {
        let values = [USERS_PATH, &user.home, &user.name, &user.name, &user.shell];
        OF_A_USER.into_iter().zip(values).map(|(name, value)| (name.into(), value.into()))
    });
    of_user.chain(env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_passed))).collect()
}

/// Checks a variable that is named in `pass`.
///
/// # Errors
///
/// If the arena does not have it.
pub(crate) fn check_passed(name: &str) -> Result<(), String> {
    let is_name = !name.is_empty() && !name.contains(['=', '\0']);
    if is_name && env::var_os(name).is_some() {
        return Ok(());
    }
    Err(format!(
        "the arena has no variable {name:?}: export it before the arena starts, or take it from pass"
    ))
}
