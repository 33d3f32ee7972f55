//! Users of this machine, by their names.

use std::path::Path;

use referee_files::beneath::Spot;

/// Maximum length of the list of users, in bytes.
const USERS_MAX: u64 = 16 << 20;

/// Finds a user of this machine: its number, its group and its home.
///
/// # Errors
///
/// If there is none, or commands cannot become another user.
pub(crate) fn found(name: &str) -> Result<(u32, u32, String), String> {
    if !rustix::process::geteuid().is_root() {
        return Err(format!("user = {name:?}: only root can run commands as another user"));
    }
    let all = Spot::from(Path::new("/etc/passwd")).read_text(USERS_MAX).unwrap_or_default();
    let found = all.lines().find_map(|line| {
        let cells: Vec<&str> = line.split(':').collect();
        let [user, _, number, group, _, home, ..] = cells[..] else { return None };
        (user == name).then(|| Some((number.parse().ok()?, group.parse().ok()?, home.to_owned())))?
    });
    found.ok_or_else(|| format!("user = {name:?}: this machine has no such user"))
}
