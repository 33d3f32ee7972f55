//! The filter alone: its answer to each call, first computed as the kernel does, and then requested from the
//! kernel, in a thread without any other confinement.

use std::io;
use std::thread;

use libc::*;
use seccompiler::sock_filter;

use super::super::message::Purpose;
use super::{
    ALLOWED, ALLOWED_HERE, FCNTL, FOR_BUILDS, FOR_BUILDS_HERE, Filters, IOCTL, MADVISE, PRCTL, REFUSED,
    SHARED_WAITS, SHARED_WAKES, Terms,
};

const TERMS: [Terms; 4] = [
    Terms { purpose: Purpose::Play, may_fork: false, has_own_signals: true, has_own_namespace: true },
    Terms { purpose: Purpose::Play, may_fork: true, has_own_signals: true, has_own_namespace: true },
    Terms { purpose: Purpose::Play, may_fork: false, has_own_signals: false, has_own_namespace: false },
    Terms { purpose: Purpose::Play, may_fork: true, has_own_signals: false, has_own_namespace: false },
];

const ALLOW: u32 = SECCOMP_RET_ALLOW;
const NOT_PERMITTED: u32 = SECCOMP_RET_ERRNO | EPERM as u32;
/// The filter reports success, and nothing has happened.
const PRETENDED: u32 = SECCOMP_RET_ERRNO;
const NOT_THERE: u32 = SECCOMP_RET_ERRNO | ENOSYS as u32;

/// Returns the answer of all filters together to a call: the strictest counts, and among equals that of the
/// last filter.
fn answer(filters: &Filters, call: i64, arguments: [u64; 6]) -> u32 {
    let answers = filters.0.iter().rev().map(|filter| run(filter, call as u32, arguments));
    let action = |answer: u32| (answer & SECCOMP_RET_ACTION_FULL) as i32;
    answers.reduce(|one, other| if action(other) < action(one) { other } else { one }).unwrap()
}

/// Runs a filter as the kernel does.
pub(in super::super) fn run(program: &[sock_filter], call: u32, arguments: [u64; 6]) -> u32 {
    let mut words = vec![call, ARCHITECTURE, 0, 0];
    words.extend(arguments.iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]));
    let (mut at, mut register) = (0, 0_u32);
    loop {
        let sock_filter { code, jt, jf, k } = program[at];
        at += 1;
        let mut jump = |is: bool| at += usize::from(if is { jt } else { jf });
        match u32::from(code) {
            code if code == BPF_LD | BPF_W | BPF_ABS => register = words[k as usize / 4],
            code if code == BPF_ALU | BPF_AND | BPF_K => register &= k,
            code if code == BPF_JMP | BPF_JA => at += k as usize,
            code if code == BPF_JMP | BPF_JEQ | BPF_K => jump(register == k),
            code if code == BPF_JMP | BPF_JGE | BPF_K => jump(register >= k),
            code if code == BPF_JMP | BPF_JGT | BPF_K => jump(register > k),
            code if code == BPF_RET | BPF_K => return k,
            code => panic!("an instruction that no filter here has: {code:#x}"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

fn first(value: i64) -> [u64; 6] {
    [value as u64, 0, 0, 0, 0, 0]
}

fn second(value: i64) -> [u64; 6] {
    [0, value as u64, 0, 0, 0, 0]
}

fn third(value: i64) -> [u64; 6] {
    [0, 0, value as u64, 0, 0, 0]
}

fn fourth(value: i64) -> [u64; 6] {
    [0, 0, 0, value as u64, 0, 0]
}

fn sixth(value: i64) -> [u64; 6] {
    [0, 0, 0, 0, 0, value as u64]
}

/// A call, arguments with which it is let through, and arguments with which it is not.
type Call = (c_long, Vec<[u64; 6]>, Vec<[u64; 6]>);

/// Calls that are refused for some arguments: examples that are let through, and examples that are not.
fn by_argument() -> Vec<Call> {
    let own = i64::from(std::process::id());
    let clock = |process: i64, kind: i64| i64::from(((!process << 3) | kind) as i32);
    let clocks = || {
        [0, 1, 2, 3, 7, 11, clock(0, 2), clock(own, 2), clock(own, 0), clock(own + 1, 6)].map(first).to_vec()
    };
    let others_clocks = || {
        [clock(own + 1, 2), clock(own + 1, 1), clock(1, 0), clock(own, 3), clock(2, 3)].map(first).to_vec()
    };
    let threads = i64::from(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM);
    let namespaces = [
        CLONE_NEWNS,
        CLONE_NEWCGROUP,
        CLONE_NEWUTS,
        CLONE_NEWIPC,
        CLONE_NEWUSER,
        CLONE_NEWPID,
        CLONE_NEWNET,
        CLONE_PARENT,
    ];
    let shared = i64::from(MAP_SHARED | MAP_ANONYMOUS);
    let nobodys_options = [
        PR_SET_PDEATHSIG,
        PR_SET_DUMPABLE,
        PR_SET_KEEPCAPS,
        PR_CAPBSET_DROP,
        PR_SET_SECCOMP,
        PR_SET_CHILD_SUBREAPER,
        PR_SET_TIMERSLACK,
        PR_SET_MM,
        PR_SET_PTRACER,
        PR_SET_SECUREBITS,
        PR_CAP_AMBIENT,
        PR_SCHED_CORE,
        PR_SET_NAME + 1000,
    ];
    let nobodys_commands = [
        F_SETLK,
        F_SETLKW,
        F_GETLK,
        F_OFD_SETLK,
        F_OFD_GETLK,
        F_SETLEASE,
        F_GETLEASE,
        F_NOTIFY,
        F_SETOWN,
        F_SETPIPE_SZ,
        F_ADD_SEALS,
        10,   /* F_SETSIG */
        15,   /* F_SETOWN_EX */
        1036, /* F_SET_RW_HINT */
    ];
    let nobodys_requests =
        [TIOCSTI, TIOCSCTTY, TIOCLINUX, TIOCSPGRP, 0x8901 /* FIOSETOWN */, FIOASYNC, 0x4008_6602];
    let futexes = [
        FUTEX_REQUEUE,
        FUTEX_CMP_REQUEUE,
        FUTEX_WAKE_OP,
        FUTEX_LOCK_PI,
        FUTEX_UNLOCK_PI,
        FUTEX_TRYLOCK_PI,
        FUTEX_WAIT_REQUEUE_PI,
        FUTEX_CMP_REQUEUE_PI,
        FUTEX_FD,
        13, /* LOCK_PI2 */
        14,
        FUTEX_WAKE | FUTEX_CLOCK_REALTIME,
        FUTEX_WAKE_BITSET | FUTEX_CLOCK_REALTIME,
        FUTEX_WAIT | 0x200,
        FUTEX_WAKE | 0x200,
        FUTEX_WAKE | i32::MIN,
        FUTEX_WAIT_BITSET | 0x40,
    ];
    let numbers = |numbers: &[i32], place: fn(i64) -> [u64; 6]| {
        numbers.iter().map(|n| place((*n).into())).collect::<Vec<_>>()
    };
    let private = [&futexes[..], &SHARED_WAKES].concat();
    let private: Vec<i32> = private.into_iter().map(|command| command | FUTEX_PRIVATE_FLAG).collect();
    let read_limit = |process: i64| [process as u64, 7, 0, 1, 0, 0];
    vec![
        (
            SYS_futex,
            [numbers(&private, second), numbers(&SHARED_WAITS, second)].concat(),
            numbers(&futexes, second),
        ),
        (SYS_preadv2, vec![sixth(0)], [1, 2, 8, 16, 0x80].map(sixth).to_vec()),
        (SYS_pwritev2, vec![sixth(0)], [1, 2, 8, 16, 0x40].map(sixth).to_vec()),
        (SYS_madvise, numbers(&MADVISE, third), numbers(&[9, 12, 13, 20, 21, 25, 100, 101, 104, -1], third)),
        (SYS_clock_gettime, clocks(), others_clocks()),
        (SYS_clock_getres, clocks(), others_clocks()),
        (SYS_clock_nanosleep, clocks(), others_clocks()),
        (SYS_clone, vec![first(threads)], namespaces.map(|flag| first(threads | i64::from(flag))).to_vec()),
        (
            SYS_mmap,
            [MAP_PRIVATE, MAP_SHARED, MAP_PRIVATE | MAP_ANONYMOUS].map(|flags| fourth(flags.into())).to_vec(),
            vec![fourth(shared), fourth(MAP_GROWSDOWN.into()), fourth(shared | i64::from(MAP_NORESERVE))],
        ),
        (SYS_mprotect, vec![third(7)], numbers(&[PROT_GROWSDOWN, PROT_GROWSUP], third)),
        (SYS_fcntl, numbers(&FCNTL, second), numbers(&nobodys_commands, second)),
        (
            SYS_ioctl,
            IOCTL.map(|request| second(request as i64)).to_vec(),
            nobodys_requests.map(|request| second(request as i64)).to_vec(),
        ),
        (SYS_prctl, numbers(&PRCTL, first), numbers(&nobodys_options, first)),
        (
            SYS_socketpair,
            vec![first(AF_UNIX.into())],
            numbers(&[AF_INET, AF_NETLINK, AF_VSOCK, AF_TIPC, 0], first),
        ),
        (SYS_sched_rr_get_interval, vec![first(0), first(own)], vec![first(1), first(own + 1)]),
        (SYS_getsid, vec![first(0), first(own)], vec![first(1), first(own + 1)]),
        (SYS_getpgid, vec![first(0), first(own)], vec![first(1), first(own + 1)]),
        (SYS_getpriority, vec![second(0), second(own)], vec![second(1), second(own + 1)]),
        (
            SYS_prlimit64,
            vec![read_limit(0), read_limit(own)],
            vec![third(1), third(1 << 32), read_limit(1), read_limit(own + 1)],
        ),
    ]
}

/// Calls whose answer depends on the bot's permissions and namespace.
fn by_terms(terms: Terms) -> Vec<(c_long, [u64; 6], u32)> {
    let own = i64::from(std::process::id());
    let may = |may: bool| if may { ALLOW } else { NOT_PERMITTED };
    let mut expected = vec![
        (SYS_clone, first(SIGCHLD.into()), may(terms.may_fork)),
        (SYS_clone, first(i64::from(CLONE_VM | CLONE_VFORK | SIGCHLD)), may(terms.may_fork)),
        (SYS_kill, first(own), ALLOW),
        (SYS_kill, first(0), ALLOW),
        (SYS_sched_getaffinity, first(0), ALLOW),
        (SYS_sched_getaffinity, first(own), ALLOW),
        (SYS_sched_getaffinity, first(own + 1), if terms.has_own_namespace { ALLOW } else { NOT_THERE }),
    ];
    // How its own threads are scheduled: nothing happens, but a setting that would put a thread before others
    // is refused.
    for call in [SYS_setpriority, SYS_sched_setaffinity, SYS_sched_setparam, SYS_sched_setscheduler] {
        expected.push((call, first(0), PRETENDED));
        expected.push((call, first(own + 1), PRETENDED));
    }
    expected.push((SYS_setpriority, third(-5), NOT_PERMITTED));
    expected.extend(
        [SCHED_FIFO, SCHED_RR].map(|way| (SYS_sched_setscheduler, second(way.into()), NOT_PERMITTED)),
    );
    for call in [SYS_sched_getscheduler, SYS_sched_getparam] {
        expected.extend([
            (call, first(0), ALLOW),
            (call, first(own), ALLOW),
            (call, first(own + 1), PRETENDED),
        ]);
    }
    // No thread is woken on a futex that could be shared.
    expected.extend(SHARED_WAKES.map(|wake| (SYS_futex, second(wake.into()), PRETENDED)));
    // Signals that wake a frozen bot.
    let wakes = i64::from(SIGCONT);
    expected.push((SYS_clone, first(wakes), NOT_PERMITTED));
    expected.push((SYS_kill, [own as u64, wakes as u64, 0, 0, 0, 0], NOT_PERMITTED));
    expected.extend(
        [SYS_tkill, SYS_rt_sigqueueinfo]
            .map(|call| (call, [own as u64, wakes as u64, 0, 0, 0, 0], NOT_PERMITTED)),
    );
    expected.extend(
        [SYS_tgkill, SYS_rt_tgsigqueueinfo]
            .map(|call| (call, [own as u64, own as u64, wakes as u64, 0, 0, 0], NOT_PERMITTED)),
    );
    let free = may(terms.may_fork && terms.has_own_signals);
    for other in [1, own + 1, -1, -own] {
        expected.push((SYS_kill, first(other), free));
        for call in [SYS_tgkill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo] {
            expected.push((call, first(other), free));
            expected.push((call, first(own), ALLOW));
        }
    }
    #[cfg(target_arch = "x86_64")]
    expected.extend([SYS_fork, SYS_vfork].map(|call| (call, first(0), may(terms.may_fork))));
    expected
}

#[test]
fn each_call_and_argument_gets_the_answer_that_it_should() {
    for terms in TERMS {
        let filters = Filters::new(terms).unwrap();
        let by_argument = by_argument();
        for (call, good, bad) in &by_argument {
            for (arguments, expected) in
                good.iter().map(|a| (a, ALLOW)).chain(bad.iter().map(|a| (a, NOT_PERMITTED)))
            {
                assert_eq!(
                    answer(&filters, *call, *arguments),
                    expected,
                    "{terms:?}: call {call} {arguments:?}"
                );
            }
        }
        let by_terms = by_terms(terms);
        for (call, arguments, expected) in &by_terms {
            assert_eq!(
                answer(&filters, *call, *arguments),
                *expected,
                "{terms:?}: call {call} {arguments:?}"
            );
        }
        let special: Vec<i64> = by_argument
            .iter()
            .map(|(call, ..)| *call)
            .chain(by_terms.iter().map(|(call, ..)| *call))
            .collect();
        let allowed = [ALLOWED, ALLOWED_HERE].concat();
        for call in (0..1024).filter(|call| !special.contains(call)) {
            let expected = match call {
                call if allowed.contains(&call) => ALLOW,
                call if REFUSED.contains(&call) => NOT_PERMITTED,
                _ => NOT_THERE,
            };
            for arguments in [[0; 6], [u64::MAX; 6]] {
                assert_eq!(answer(&filters, call, arguments), expected, "{terms:?}: call {call}");
            }
        }
    }
}

/// A build differs from a bot in these calls alone, and in the commands of locks.
#[test]
fn a_build_may_change_its_own_files_and_its_locks_are_none() {
    for terms in TERMS {
        let [play, build] =
            [Purpose::Play, Purpose::Build].map(|purpose| Filters::new(Terms { purpose, ..terms }).unwrap());
        for call in 0..1024 {
            for arguments in [[0; 6], [1; 6], first(-1), second(-1)] {
                let [bot, builds] = [&play, &build].map(|filters| answer(filters, call, arguments));
                let expected = if call == SYS_flock {
                    PRETENDED
                } else if call == SYS_sendto && arguments[4] != 0 {
                    NOT_PERMITTED
                } else if FOR_BUILDS.contains(&call) || FOR_BUILDS_HERE.contains(&call) {
                    ALLOW
                } else {
                    bot
                };
                assert_eq!(builds, expected, "call {call} {arguments:?}");
                assert!(call != SYS_flock || bot == NOT_PERMITTED, "a bot");
            }
        }
        for command in [F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW] {
            let [bot, builds] =
                [&play, &build].map(|filters| answer(filters, SYS_fcntl, second(command.into())));
            assert_eq!([bot, builds], [NOT_PERMITTED, PRETENDED], "command {command}");
        }
        for command in [F_GETLK, F_SETLEASE, F_NOTIFY, F_SETOWN, F_SETPIPE_SZ] {
            assert_eq!(answer(&build, SYS_fcntl, second(command.into())), NOT_PERMITTED, "command {command}");
        }
    }
}

#[test]
fn what_reaches_beyond_a_bot_is_on_no_list() {
    // Calls that no other test here would miss if they were no longer refused.
    let others = [
        SYS_ptrace,
        SYS_keyctl,
        SYS_add_key,
        SYS_request_key,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_kcmp,
        SYS_bpf,
        SYS_perf_event_open,
        SYS_userfaultfd,
        SYS_io_uring_setup,
        SYS_io_uring_enter,
        SYS_io_uring_register,
        SYS_unshare,
        SYS_setns,
        SYS_clone3,
        SYS_mount,
        SYS_umount2,
        SYS_pivot_root,
        SYS_chroot,
        SYS_fsopen,
        SYS_open_tree,
        SYS_move_mount,
        SYS_pidfd_open,
        SYS_pidfd_getfd,
        SYS_pidfd_send_signal,
        SYS_process_madvise,
        SYS_seccomp,
        SYS_memfd_create,
        SYS_memfd_secret,
        SYS_shmget,
        SYS_shmat,
        SYS_msgget,
        SYS_semget,
        SYS_mq_open,
        SYS_socket,
        SYS_connect,
        SYS_bind,
        SYS_listen,
        SYS_accept4,
        SYS_sendmsg,
        SYS_recvmsg,
        SYS_sendto,
        SYS_recvfrom,
        SYS_setsid,
        SYS_setpgid,
        SYS_setuid,
        SYS_setgid,
        SYS_setgroups,
        SYS_setresuid,
        SYS_capset,
        SYS_capget,
        SYS_inotify_init1,
        SYS_fanotify_init,
        SYS_flock,
        SYS_truncate,
        SYS_fchmod,
        SYS_fchown,
        SYS_utimensat,
        SYS_mknodat,
        SYS_setxattr,
        SYS_fadvise64,
        SYS_mincore,
        SYS_timer_create,
        SYS_readahead,
        451,
        SYS_sync,
        SYS_syncfs,
        SYS_sync_file_range,
        SYS_statfs,
        SYS_fstatfs,
        SYS_syslog,
        SYS_personality,
        SYS_reboot,
        SYS_kexec_load,
        SYS_init_module,
        SYS_swapon,
        SYS_quotactl,
        SYS_acct,
        SYS_vhangup,
        SYS_settimeofday,
        SYS_clock_settime,
        SYS_adjtimex,
        SYS_sethostname,
        SYS_setdomainname,
        SYS_sched_setattr,
        SYS_ioprio_set,
        SYS_ioprio_get,
        SYS_mbind,
        SYS_move_pages,
        SYS_migrate_pages,
        SYS_set_mempolicy,
        SYS_get_robust_list,
        SYS_futex_waitv,
        454,
        455,
        456,
        SYS_name_to_handle_at,
        SYS_open_by_handle_at,
        SYS_vmsplice,
        SYS_tee,
        SYS_mlockall,
        SYS_mlock2,
        SYS_remap_file_pages,
        SYS_setrlimit,
        SYS_landlock_create_ruleset,
        SYS_lookup_dcookie,
        SYS_process_mrelease,
        SYS_rseq + 1000,
    ];
    for terms in TERMS {
        let filters = Filters::new(terms).unwrap();
        for call in others {
            for arguments in [[0; 6], [1; 6], [u64::MAX; 6]] {
                let answer = answer(&filters, call, arguments);
                assert!([NOT_PERMITTED, NOT_THERE].contains(&answer), "{terms:?}: call {call} {answer:#x}");
            }
        }
    }
}

#[test]
fn a_program_of_another_architecture_is_killed_at_its_first_call() {
    for terms in TERMS {
        let filters = Filters::new(terms).unwrap();
        let program = &filters.0[filters.0.len() - 2];
        let foreign = |start: &sock_filter| u32::from(start.code) == BPF_LD | BPF_W | BPF_ABS && start.k == 4;
        assert!(foreign(&program[0]), "it looks at the architecture first");
        assert_eq!((program[1].k, program[2].k), (ARCHITECTURE, SECCOMP_RET_KILL_PROCESS));
    }
}

/// Calls that would end the thread or the test, wait for ever, or leave something behind.
const UNTRIED: &[c_long] = &[
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_set_tid_address,
    SYS_umask,
    SYS_execve,
    SYS_execveat,
    SYS_rt_sigsuspend,
    SYS_rt_sigprocmask,
    SYS_vhangup,
    SYS_setsid,
    SYS_clone,
    SYS_brk,
    SYS_restart_syscall,
    SYS_close_range,
];
#[cfg(target_arch = "x86_64")]
const UNTRIED_HERE: &[c_long] = &[SYS_fork, SYS_vfork, SYS_pause, SYS_alarm, 335, 336]; // of probes: an illegal instruction
#[cfg(not(target_arch = "x86_64"))]
const UNTRIED_HERE: &[c_long] = &[];

/// Calls that the kernel itself can answer like that, with nonsense arguments.
const PRIVILEGED: &[c_long] = &[SYS_mlock, SYS_kill, SYS_tkill, SYS_tgkill, SYS_futex];

#[test]
fn the_kernel_says_the_same_of_every_call() {
    let nonsense = [u64::MAX; 6];
    for terms in TERMS {
        let tried = thread::spawn(move || {
            let filters = Filters::new(terms).unwrap();
            rustix::thread::set_no_new_privs(true).unwrap();
            filters.apply().unwrap();
            let untried = [UNTRIED, UNTRIED_HERE].concat();
            let calls = (0..=470).filter(|call| !untried.contains(call));
            calls.map(|call| (call, errno_of(call), answer(&filters, call, nonsense))).collect::<Vec<_>>()
        });
        let tried = tried.join().unwrap();
        assert!(tried.len() > 400);
        for (call, errno, expected) in tried {
            match expected {
                ALLOW if PRIVILEGED.contains(&call) => {}
                ALLOW => assert!(![EPERM, ENOSYS].contains(&errno), "{terms:?}: call {call}: errno {errno}"),
                _ => assert_eq!(SECCOMP_RET_ERRNO | errno as u32, expected, "{terms:?}: call {call}"),
            }
        }
    }
}

/// Makes a call with nonsense arguments, and returns the error; 0 if there is none.
fn errno_of(call: c_long) -> i32 {
    const NONSENSE: c_long = -1;
    // SAFETY: no pointer of the arguments points to memory, and no number is one of a descriptor or process.
    let done = unsafe { libc::syscall(call, NONSENSE, NONSENSE, NONSENSE, NONSENSE, NONSENSE, NONSENSE) };
    if done >= 0 { 0 } else { io::Error::last_os_error().raw_os_error().unwrap_or(0) }
}
