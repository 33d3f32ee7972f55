//! How a process gives up what it may do.

use std::io;

use rustix::process::{Gid, Pid, Uid};
use rustix::thread::{CapabilitySet, CapabilitySets};

/// Becomes somebody whom no file and no other process belongs to, after the number of a launcher, which no other has.
/// Else bots would share what a user may have: one that starts many threads would keep others from theirs.
pub(super) fn become_nobody(launcher: Pid) -> io::Result<()> {
    let number = NOBODIES + launcher.as_raw_nonzero().get() as u32;
    rustix::thread::set_thread_groups(&[])?;
    for number in [number, NOBODY] {
        let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
        // A container may not know so high a number.
        if rustix::thread::set_thread_res_gid(group, group, group).is_ok() {
            return Ok(rustix::thread::set_thread_res_uid(user, user, user)?);
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// The first of a range of users that no convention gives to anybody.
const NOBODIES: u32 = 0x7000_0000;

/// The user that has this number everywhere.
const NOBODY: u32 = 65_534;

/// Gives up all that a process can do beyond its user's rights, and the means to get it back; but for what it may `keep` in
/// reserve.
pub(super) fn drop_powers(keep: CapabilitySet) -> io::Result<()> {
    for power in CapabilitySet::all().iter() {
        // Whoever may not even do this has nothing to give up; what it has left is given up below.
        let _ = rustix::thread::remove_capability_from_bounding_set(power);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(
        None,
        CapabilitySets { effective: none, permitted: keep, inheritable: none },
    )?)
}
