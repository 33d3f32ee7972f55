//! The rights of a process, and how it gives them up: it becomes another user, and drops its capabilities.

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::sync::OnceLock;

use rustix::process::{Gid, Pid, Uid, geteuid};
use rustix::thread::{CapabilitySet, CapabilitySets};

/// Numbers of users for bots: each launcher has one that no other launcher has.
///
/// A bot can read its own number, which should not reveal how many processes the machine has started. So it is the
/// launcher's number, permuted by a secret.
#[derive(Debug, Default)]
pub(super) struct Nobodies {
    order: RandomState,
}

impl Nobodies {
    /// Returns the number of the user that the bot of this launcher becomes.
    pub(super) fn user_for(&self, launcher: Pid) -> u32 {
        let number = launcher.as_raw_nonzero().get() as u32;
        let (mut high, mut low) = (number >> HALF, number % (1 << HALF));
        // Four steps of a Feistel network: the order looks random, and no number occurs twice.
        for step in 0..4 {
            (high, low) = (low, high ^ (self.order.hash_one((step, low)) as u32 % (1 << HALF)));
        }
        NOBODIES + (high << HALF | low)
    }
}

/// Half the number of bits of a process's number.
const HALF: u32 = 11;

/// Becomes the user with this number, who owns no file and no other process. Bots with the same user would
/// share that user's limits: a bot that starts many threads would keep others from theirs.
pub(super) fn become_nobody(number: u32) -> io::Result<()> {
    rustix::thread::set_thread_groups(&[])?;
    for number in [number, NOBODY] {
        let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
        // A container may not know such a high number.
        if rustix::thread::set_thread_res_gid(group, group, group).is_ok() {
            return Ok(rustix::thread::set_thread_res_uid(user, user, user)?);
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// Tells whether this process can start each bot as a user of its own: it is root, and its user namespace has other
/// users than root. A namespace of a rootless container can have a single one.
pub(super) fn has_other_users() -> bool {
    // Cached before the bot's own namespace is made, which has one user.
    static MAPS_OTHERS: OnceLock<bool> = OnceLock::new();
    let maps_others = || {
        ["/proc/self/uid_map", "/proc/self/gid_map"].into_iter().all(|file| match fs::read_to_string(file) {
            Ok(map) => [NOBODIES, NOBODY].into_iter().any(|number| maps(&map, number)),
            Err(_) => true,
        })
    };
    geteuid().is_root() && *MAPS_OTHERS.get_or_init(maps_others)
}

/// Tells whether a map of a user namespace, as the kernel writes it, has a user with this number inside.
pub(super) fn maps(map: &str, number: u32) -> bool {
    map.lines().any(|line| {
        let mut words = line.split_whitespace().map(|word| word.parse().unwrap_or(0));
        let (Some(inside), Some(_), Some(count)) = (words.next(), words.next(), words.next()) else {
            return false;
        };
        (inside..inside + count).contains(&u64::from(number))
    })
}

/// The first of a range of users that no convention assigns.
const NOBODIES: u32 = 0x7000_0000;

/// The user that has this number everywhere.
const NOBODY: u32 = 65_534;

/// Drops all capabilities, and the means to get them back. Those in `keep` stay permitted, but not in effect.
pub(super) fn drop_capabilities(keep: CapabilitySet) -> io::Result<()> {
    drop_means();
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: keep, inheritable: none };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Gives up the means to get capabilities from programs that have some. Call it while still root: only root
/// may do this.
pub(super) fn drop_means() {
    for capability in CapabilitySet::all().iter() {
        // A process that may not even do this has only its present rights to give up.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_map_has_the_users_of_its_ranges() {
        let container = "         0       1000          1\n         1     100000      65536\n";
        for (map, number, expected) in [
            ("0 0 4294967295\n", 65_534, true),
            ("0 0 4294967295\n", NOBODIES, true),
            ("0 65534 1\n", 0, true),
            ("0 65534 1\n", 65_534, false),
            ("1000 1000 1\n", 0, false),
            (container, 65_534, true),
            (container, 65_536, true),
            (container, 65_537, false),
            ("", 0, false),
            ("0 0\n", 0, false),
        ] {
            assert_eq!(maps(map, number), expected, "{map:?} {number}");
        }
    }

    #[test]
    fn no_two_launchers_have_the_same_user_and_neighbours_are_no_neighbours() {
        let nobodies = Nobodies::default();
        let pids = (1..20_000).filter_map(Pid::from_raw);
        let users: Vec<u32> = pids.map(|launcher| nobodies.user_for(launcher)).collect();
        assert_eq!(users.iter().collect::<BTreeSet<_>>().len(), users.len());
        assert!(users.iter().all(|user| (NOBODIES..NOBODIES + (1 << (2 * HALF))).contains(user)));
        let near = users.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 100).count();
        assert!(near < users.len() / 100, "{near} pairs");
        let others = Nobodies::default();
        let same = (1..20_000)
            .filter_map(Pid::from_raw)
            .zip(&users)
            .filter(|(pid, user)| others.user_for(*pid) == **user);
        assert!(same.count() < 10, "another run has another order");
    }
}
