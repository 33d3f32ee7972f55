//! The system call filter: a list of the calls that a bot may make, and with which arguments. All others
//! fail.
//!
//! Several filters are stacked, and the strictest answer counts. The first lets the calls through that
//! language runtimes need. Some other calls are refused, and all the rest are "not implemented", so runtimes
//! assume an old kernel. The second filter refuses some of the allowed calls because of their arguments, and
//! kills programs of a foreign architecture at their first call. A third reports success for calls that set
//! how threads are scheduled, and does nothing: runtimes give up if these fail. Without a namespace of
//! processes, a fourth hides the system's knowledge of other processes. Before all these, a filter is
//! installed that leaves some calls to the launcher (see `listener`).

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::calls;
use super::message::Purpose;

/// The conditions that a filter depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// What the bot is started for.
    pub(super) purpose: Purpose,
    /// Whether the bot may start processes.
    pub(super) may_fork: bool,
    /// Whether its signals reach only its own processes, so that it may signal any process.
    pub(super) has_own_signals: bool,
    /// Whether it has a namespace of processes of its own: then no number that it names is a stranger's.
    pub(super) has_own_namespace: bool,
}

/// The filters, ready to be installed in the process for which they were made: it may signal itself.
pub(super) struct Filters(Vec<BpfProgram>);

impl Filters {
    /// Makes the filters for this very process. If two give different errors, the later one counts.
    pub(super) fn new(terms: Terms) -> io::Result<Filters> {
        let refuse = SeccompAction::Errno(libc::EPERM as u32);
        let mut lists = vec![
            (ALLOWED, SeccompAction::Allow),
            (ALLOWED_HERE, SeccompAction::Allow),
            (REFUSED, refuse.clone()),
        ];
        if !terms.may_fork {
            lists.push((FORKS_HERE, refuse.clone()));
        }
        if terms.purpose == Purpose::Build {
            lists.push((FOR_BUILDS, SeccompAction::Allow));
            lists.push((FOR_BUILDS_HERE, SeccompAction::Allow));
        }
        // If a call is in two lists, the later one counts.
        let mut answers = BTreeMap::new();
        for (calls, answer) in lists {
            answers.extend(calls.iter().map(|call| (*call, answer.clone())));
        }
        let not_implemented = SeccompAction::Errno(libc::ENOSYS as u32);
        let pretended = compile(pretended(terms)?, SeccompAction::Allow, SeccompAction::Errno(0))?;
        let mut filters = vec![pretended];
        if !terms.has_own_namespace {
            filters.push(compile(strangers()?, SeccompAction::Allow, not_implemented.clone())?);
        }
        filters.push(compile(refused(terms)?, SeccompAction::Allow, refuse)?);
        // Last, since no other filter can be installed after it: the call for that is not in the lists.
        filters.push(calls::by_number(&answers, not_implemented)?);
        Ok(Filters(filters))
    }

    /// Installs them, for ever.
    pub(super) fn apply(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(io::Error::other))
    }
}

/// Calls that are "not implemented" for these arguments in a process that shares its namespace with
/// strangers: they ask on which cores other processes may run. The GNU library, which asks by each thread's
/// own number, copes with no other error.
fn strangers() -> io::Result<Rules> {
    let own = u64::from(std::process::id());
    let other = rule(vec![Test::is_not(0, 0), Test::is_not(0, own)])?;
    Ok(BTreeMap::from([(libc::SYS_sched_getaffinity, vec![other])]))
}

/// Calls, each with the rules of a filter for it. A call without a rule always matches.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Makes a filter that answers `matched` to a call for which a rule holds, and `otherwise` to all others.
fn compile(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> io::Result<BpfProgram> {
    let machine = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, otherwise, matched, machine).map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

/// Calls that are allowed for some arguments only, each with the arguments for which it is refused.
fn refused(terms: Terms) -> io::Result<Rules> {
    let own = u64::from(std::process::id());
    let mut refusals = Refusals { terms, own, rules: BTreeMap::new() };
    refusals.new_processes()?;
    refusals.signals()?;
    refusals.files_and_futexes()?;
    refusals.clocks()?;
    refusals.memory()?;
    refusals.commands()?;
    refusals.sockets()?;
    refusals.other_processes()?;
    refusals.scheduling_and_limits()?;
    Ok(refusals.rules)
}

/// The refusals so far. Each method adds those of one subject.
struct Refusals {
    terms: Terms,
    /// The number of this process.
    own: u64,
    rules: Rules,
}

impl Refusals {
    /// Refuses a call if all tests of one list hold.
    fn refuse(&mut self, call: c_long, tests: Vec<Vec<Test>>) -> io::Result<()> {
        let tests = tests.into_iter().map(rule).collect::<io::Result<Vec<_>>>()?;
        self.rules.entry(call).or_default().extend(tests);
        Ok(())
    }

    /// Refuses namespaces, processes that are no children of this one, and, unless the bot may fork, all processes.
    /// Threads stay allowed.
    fn new_processes(&mut self) -> io::Result<()> {
        let mut clones: Vec<Vec<Test>> =
            bits(NAMESPACES | CLONE_PARENT).map(|bit| vec![Test::has(0, bit)]).collect();
        if !self.terms.may_fork {
            clones.push(vec![Test::lacks(0, libc::CLONE_THREAD as u64)]);
        }
        // Nothing but the referee wakes a frozen bot, not even the end of a child.
        clones.push(vec![Test::masked_is(0, libc::CSIGNAL as u64, libc::SIGCONT as u64)]);
        self.refuse(libc::SYS_clone, clones)
    }

    /// Refuses signals to other processes; number 0 is the bot's own group. Also refuses the signal that wakes a frozen
    /// bot: a thread that sends it at the moment when the group is stopped would undo that.
    fn signals(&mut self) -> io::Result<()> {
        let Refusals { terms, own, .. } = *self;
        // `signal` is the position of the signal among the arguments.
        let kills = |signal: u8, receivers: &[u64]| {
            let mut tests = vec![vec![Test::is(signal, libc::SIGCONT as u64)]];
            if !(terms.may_fork && terms.has_own_signals) {
                tests.push(receivers.iter().map(|process| Test::is_not(0, *process)).collect());
            }
            tests
        };
        self.refuse(libc::SYS_kill, kills(1, &[own, 0]))?;
        for (call, signal) in [
            (libc::SYS_tgkill, 2),
            (libc::SYS_tkill, 1),
            (libc::SYS_rt_sigqueueinfo, 1),
            (libc::SYS_rt_tgsigqueueinfo, 2),
        ] {
            self.refuse(call, kills(signal, &[own]))?;
        }
        Ok(())
    }

    /// Refuses calls by which bots that read the same file could send each other messages through its pages.
    fn files_and_futexes(&mut self) -> io::Result<()> {
        // All processes that map a file, other bots included, share a futex on one of its pages: waking carries a
        // message. A wait on a futex without the private flag does not reach the kernel, since the launcher answers it
        // (see `listener`), and waking such a futex only seems to succeed. Libraries that use them check the value
        // themselves. No program needs other operations on shared futexes.
        let others = SHARED_WAITS.iter().chain(&SHARED_WAKES).map(|known| Test::is_not(1, *known as u64));
        let is_shared = Test::lacks(1, libc::FUTEX_PRIVATE_FLAG as u64);
        self.refuse(libc::SYS_futex, vec![[is_shared].into_iter().chain(others).collect()])?;
        // No flags: one of them reveals whether a page of a file is in memory, another drops it.
        for call in [libc::SYS_preadv2, libc::SYS_pwritev2] {
            self.refuse(call, vec![vec![Test::is_not(5, 0)]])?;
        }
        let unlisted = MADVISE.iter().map(|advice| Test::is_not(2, *advice as u64)).collect();
        self.refuse(libc::SYS_madvise, vec![unlisted])
    }

    /// Refuses the clocks of other processes, which reveal what these do. Of threads the kernel shows a process only
    /// its own.
    fn clocks(&mut self) -> io::Result<()> {
        for call in [libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep] {
            let mut tests = vec![Test::masked_is(0, OF_A_PROCESS | OF_A_THREAD, OF_A_PROCESS)];
            for process in [0, self.own] {
                tests.extend((0..3).map(|kind| Test::is_not(0, process_clock(process, kind))));
            }
            self.refuse(call, vec![tests])?;
        }
        Ok(())
    }

    /// Refuses memory that is shared with the starter of this process, or that grows automatically.
    fn memory(&mut self) -> io::Result<()> {
        let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
        let grows = Test::has(3, libc::MAP_GROWSDOWN as u64);
        self.refuse(libc::SYS_mmap, vec![vec![Test::has(3, shared)], vec![grows]])?;
        if self.terms.purpose != Purpose::Build {
            // The stack alone grows, and this changes its protection. The GNU library does so for a library that asks
            // for a stack with code in it, as one of GHC does.
            let grows = [libc::PROT_GROWSDOWN, libc::PROT_GROWSUP].map(|bit| vec![Test::has(2, bit as u64)]);
            self.refuse(libc::SYS_mprotect, grows.into())?;
        }
        Ok(())
    }

    /// Refuses commands to files, devices and the process itself, except those of the lists.
    fn commands(&mut self) -> io::Result<()> {
        let locks = if self.terms.purpose == Purpose::Build { LOCKS } else { &[] };
        let known = FCNTL.iter().chain(locks);
        self.refuse(libc::SYS_fcntl, vec![known.map(|command| Test::is_not(1, *command as u64)).collect()])?;
        self.refuse(
            libc::SYS_ioctl,
            vec![IOCTL.iter().map(|request| Test::is_not(1, u64::from(*request))).collect()],
        )?;
        self.refuse(
            libc::SYS_prctl,
            vec![PRCTL.iter().map(|option| Test::is_not(0, *option as u64)).collect()],
        )
    }

    /// Refuses sockets, except pairs, without which Java does not start: both ends are the bot's own, and there is no
    /// call to send one to another process.
    fn sockets(&mut self) -> io::Result<()> {
        self.refuse(libc::SYS_socketpair, vec![vec![Test::is_not(0, libc::AF_UNIX as u64)]])?;
        if self.terms.purpose == Purpose::Build {
            // To the other end alone: to no name.
            self.refuse(libc::SYS_sendto, vec![vec![Test::is_not_null(4)]])?;
        }
        Ok(())
    }

    /// Refuses questions that reveal whether there is a process with some number.
    fn other_processes(&mut self) -> io::Result<()> {
        for (call, argument) in [(libc::SYS_getsid, 0), (libc::SYS_getpgid, 0), (libc::SYS_getpriority, 1)] {
            self.refuse(call, vec![vec![Test::is_not(argument, 0), Test::is_not(argument, self.own)]])?;
        }
        Ok(())
    }

    /// Refuses settings that the system refuses an ordinary user. Others seem to succeed (see [`pretended`]).
    fn scheduling_and_limits(&mut self) -> io::Result<()> {
        let own = self.own;
        self.refuse(libc::SYS_setpriority, vec![vec![Test::has(2, NEGATIVE)]])?;
        self.refuse(
            libc::SYS_sched_setscheduler,
            vec![ORDINARY.iter().map(|policy| Test::is_not(1, *policy)).collect()],
        )?;
        // It writes the requested data, so success cannot be pretended.
        self.refuse(libc::SYS_sched_rr_get_interval, vec![vec![Test::is_not(0, 0), Test::is_not(0, own)]])?;
        // The bot may read its own limits, and neither set them nor read those of others.
        self.refuse(
            libc::SYS_prlimit64,
            vec![vec![Test::is_not_null(2)], vec![Test::is_not(0, 0), Test::is_not(0, own)]],
        )
    }
}

/// Calls that seem to succeed, always or for some arguments, and do nothing.
///
/// Most of them name a thread by its number, and a filter cannot know which threads are the bot's own. As
/// nothing is done, it need not.
fn pretended(terms: Terms) -> io::Result<Rules> {
    let own = u64::from(std::process::id());
    let other = || rule(vec![Test::is_not(0, 0), Test::is_not(0, own)]);
    let is_one_of = |argument: u8, values: &[i32]| -> io::Result<Vec<SeccompRule>> {
        values.iter().map(|value| rule(vec![Test::is(argument, *value as u64)])).collect()
    };
    let mut rules = BTreeMap::from([
        (libc::SYS_setpriority, Vec::new()),
        (libc::SYS_sched_setaffinity, Vec::new()),
        (libc::SYS_sched_setparam, Vec::new()),
        (libc::SYS_sched_setscheduler, Vec::new()),
        // "Scheduled like any other", whether there is such a thread or not, since that stays hidden. The
        // library's own record of a thread, where the parameters go, consists of zeros.
        (libc::SYS_sched_getscheduler, vec![other()?]),
        (libc::SYS_sched_getparam, vec![other()?]),
        // No thread was woken.
        (libc::SYS_futex, is_one_of(1, &SHARED_WAKES)?),
    ]);
    // A lock on a file that others see would be a channel, and could keep others from the file. A build needs no lock,
    // since it is alone with its files.
    if terms.purpose == Purpose::Build {
        rules.insert(libc::SYS_fcntl, is_one_of(1, LOCKS)?);
        rules.insert(libc::SYS_flock, Vec::new());
    }
    Ok(rules)
}

/// The sign of a number of 32 bits.
const NEGATIVE: u64 = 1 << 31;

/// Scheduling policies that any process may choose, each also with the flag that its children do not inherit
/// it.
const ORDINARY: [u64; 6] = [
    libc::SCHED_OTHER as u64,
    libc::SCHED_BATCH as u64,
    libc::SCHED_IDLE as u64,
    (libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK) as u64,
    (libc::SCHED_BATCH | libc::SCHED_RESET_ON_FORK) as u64,
    (libc::SCHED_IDLE | libc::SCHED_RESET_ON_FORK) as u64,
];

/// A condition on one argument of a call: on its lower 32 bits, or on all 64.
enum Test {
    Dword(u8, SeccompCmpOp, u64),
    Qword(u8, SeccompCmpOp, u64),
}

impl Test {
    fn is_not(argument: u8, value: u64) -> Test {
        Test::Dword(argument, SeccompCmpOp::Ne, value & 0xffff_ffff)
    }

    fn is(argument: u8, value: u64) -> Test {
        Test::Dword(argument, SeccompCmpOp::Eq, value)
    }

    fn has(argument: u8, bits: u64) -> Test {
        Test::masked_is(argument, bits, bits)
    }

    fn lacks(argument: u8, bit: u64) -> Test {
        Test::masked_is(argument, bit, 0)
    }

    fn masked_is(argument: u8, mask: u64, value: u64) -> Test {
        Test::Dword(argument, SeccompCmpOp::MaskedEq(mask), value)
    }

    fn is_not_null(argument: u8) -> Test {
        Test::Qword(argument, SeccompCmpOp::Ne, 0)
    }
}

/// Makes a rule that holds if all tests hold.
fn rule(tests: Vec<Test>) -> io::Result<SeccompRule> {
    let condition = |test| {
        let (argument, length, operator, value) = match test {
            Test::Dword(argument, operator, value) => (argument, SeccompCmpArgLen::Dword, operator, value),
            Test::Qword(argument, operator, value) => (argument, SeccompCmpArgLen::Qword, operator, value),
        };
        SeccompCondition::new(argument, length, operator, value).map_err(io::Error::other)
    };
    let conditions = tests.into_iter().map(condition).collect::<io::Result<_>>()?;
    SeccompRule::new(conditions).map_err(io::Error::other)
}

fn bits(mask: u64) -> impl Iterator<Item = u64> {
    (0..64).map(|bit| 1 << bit).filter(move |bit| mask & bit != 0)
}

const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;

const CLONE_PARENT: u64 = libc::CLONE_PARENT as u64;

/// Operations that wait on a futex that other processes may share, as all versions of the libraries use them.
const SHARED_WAITS: [i32; 4] = [
    libc::FUTEX_WAIT,
    libc::FUTEX_WAIT | libc::FUTEX_CLOCK_REALTIME,
    libc::FUTEX_WAIT_BITSET,
    libc::FUTEX_WAIT_BITSET | libc::FUTEX_CLOCK_REALTIME,
];

/// Operations that wake threads that wait on such a futex. They seem to succeed, and wake no thread.
const SHARED_WAKES: [i32; 2] = [libc::FUTEX_WAKE, libc::FUTEX_WAKE_BITSET];

/// Advice on memory that concerns no other process: not what drops pages of files, or looks for equal pages
/// of others.
const MADVISE: [i32; 18] = [
    libc::MADV_NORMAL,
    libc::MADV_RANDOM,
    libc::MADV_SEQUENTIAL,
    libc::MADV_WILLNEED,
    libc::MADV_DONTNEED,
    libc::MADV_FREE,
    libc::MADV_DONTFORK,
    libc::MADV_DOFORK,
    libc::MADV_HUGEPAGE,
    libc::MADV_NOHUGEPAGE,
    libc::MADV_DONTDUMP,
    libc::MADV_DODUMP,
    libc::MADV_WIPEONFORK,
    libc::MADV_KEEPONFORK,
    libc::MADV_POPULATE_READ,
    libc::MADV_POPULATE_WRITE,
    MADV_GUARD_INSTALL,
    MADV_GUARD_REMOVE,
];

const MADV_GUARD_INSTALL: i32 = 102;
const MADV_GUARD_REMOVE: i32 = 103;

/// The number of a process's CPU clock: the process's number with all bits inverted, and which of its three
/// clocks.
fn process_clock(process: u64, kind: u64) -> u64 {
    ((!process << 3) | kind) & 0xffff_ffff
}

/// Set in a clock's number if the clock is that of a process, a thread or an open file.
const OF_A_PROCESS: u64 = 0x8000_0000;

/// Set in the number of such a clock if it is that of a thread.
const OF_A_THREAD: u64 = 4;

/// Commands of `fcntl` that affect only the descriptor: no locks, leases, signals, sizes of pipes.
const FCNTL: [i32; 8] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETPIPE_SZ,
    libc::F_GET_SEALS,
];

/// Commands of `fcntl` that take and leave locks on files. In a build they seem to succeed, and do nothing.
const LOCKS: &[i32] = &[libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];

/// Requests of `ioctl` that only read, that concern the descriptor alone, or that wait for a terminal, which
/// does not exist.
///
/// The type of a request depends on the C library.
const IOCTL: [u32; 10] = [
    libc::TCGETS as u32,
    TCGETS2,
    libc::TIOCGWINSZ as u32,
    libc::TIOCGPGRP as u32,
    libc::TCSBRK as u32,
    libc::TCFLSH as u32,
    libc::FIONREAD as u32,
    libc::FIONBIO as u32,
    libc::FIOCLEX as u32,
    libc::FIONCLEX as u32,
];

const TCGETS2: u32 = 0x802c_542a;

/// Options of `prctl` that only read, or that set names.
const PRCTL: [i32; 9] = [
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    PR_SET_VMA,
    libc::PR_GET_DUMPABLE,
    libc::PR_GET_SECCOMP,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_CAPBSET_READ,
    libc::PR_GET_TIMERSLACK,
];

const PR_SET_VMA: i32 = 0x5356_4d41;

/// Calls that fail with "not permitted". Calls on no list fail with "not implemented".
const REFUSED: &[c_long] = &[
    libc::SYS_fadvise64,    // drops the system's cache of a file for all
    libc::SYS_mincore,      // reveals that cache
    libc::SYS_timer_create, // sends any signal, also the one that wakes a frozen bot; runtimes have `timerfd` or threads
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_ptrace,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_setrlimit,
    libc::SYS_flock,
    libc::SYS_truncate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];

/// Calls for builds: those that change modes and times of its own files, where all others are read-only; and those that
/// send through a pair of sockets, which programs in Rust need to start others.
const FOR_BUILDS: &[c_long] = &[
    libc::SYS_flock,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_utimensat,
    libc::SYS_truncate,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
];
#[cfg(target_arch = "x86_64")]
const FOR_BUILDS_HERE: &[c_long] = &[libc::SYS_chmod];
#[cfg(not(target_arch = "x86_64"))]
const FOR_BUILDS_HERE: &[c_long] = &[];

/// Calls that start processes, besides `clone`.
#[cfg(target_arch = "x86_64")]
const FORKS_HERE: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const FORKS_HERE: &[c_long] = &[];

/// Calls that the runtimes of compiled languages, Python, Node and Java need. None reaches beyond the
/// process, its files and its own time.
const ALLOWED: &[c_long] = &[
    // Refused by another filter for some arguments, or pretended to succeed.
    libc::SYS_socketpair,
    libc::SYS_getsid,
    libc::SYS_getpgid,
    libc::SYS_getpriority,
    libc::SYS_clone,
    libc::SYS_kill,
    libc::SYS_tgkill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_fcntl,
    libc::SYS_ioctl,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_setpriority,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_rr_get_interval,
    // Reading and writing.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    libc::SYS_splice,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fallocate,
    libc::SYS_ftruncate,
    // Files and folders.
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_newfstatat,
    libc::SYS_fstat,
    libc::SYS_statx,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_umask,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_msync,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_membarrier,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_get_mempolicy,
    // Threads, signals, waiting.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getcpu,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_signalfd4,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Time.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    libc::SYS_setitimer,
    libc::SYS_getitimer,
    // Identity and surroundings.
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrandom,
];

/// Older names of these calls, which only some machines have.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_arch_prctl,
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_symlink,
    libc::SYS_link,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_signalfd,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_time,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_fork,
    libc::SYS_vfork,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[];

#[cfg(test)]
pub(super) mod tests;
