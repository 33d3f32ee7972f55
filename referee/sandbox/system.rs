//! System calls for which no library here has a safe wrapper, each in its own function.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::fs;
use std::io;
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::Timespec;
use rustix::process::Pid;
use rustix::thread::UnshareFlags;
use seccompiler::sock_filter;

/// Which process continues after [`fork`].
pub(crate) enum Fork {
    /// In the new process.
    Child,
    /// In the old one.
    Parent(Pid),
}

/// Makes a second process from this one.
///
/// # Safety
///
/// This process has one thread only: otherwise a lock that another thread holds is never released in the new
/// process.
pub(crate) unsafe fn fork() -> io::Result<Fork> {
    // SAFETY: the caller promises that no lock is held by another thread, and the child may do everything
    // that we may.
    let process = unsafe { libc::fork() };
    if process < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Pid::from_raw(process).map_or(Fork::Child, Fork::Parent))
}

/// Returns a function that adds the attempted action to an error.
pub(crate) fn context(what: impl Into<String>) -> impl FnOnce(io::Error) -> io::Error {
    let what = what.into();
    move |error| io::Error::new(error.kind(), format!("{what}: {error}"))
}

/// Starts a process that shares this one's memory and nothing else, has it do the work, and waits until it
/// has become another program or has ended. Unlike [`fork`] it copies no memory, which takes long. Changes
/// that the work makes in memory stay.
///
/// # Safety
///
/// This process has one thread only, and the work leaves memory as the rest of the program expects it: it
/// shares all of it, including `errno`.
pub(crate) unsafe fn fork_and_wait(mut work: impl FnMut()) -> io::Result<Pid> {
    let mut stack = new_stack(256 * 1024);
    let work: *mut _ = &mut work;
    // SAFETY: with CLONE_VFORK this thread waits until the process has become another program or has ended, and uses
    // neither the stack nor the work meanwhile. The work is of the type that the function expects. The rest is as the
    // caller promises.
    unsafe { clone(&mut stack, libc::CLONE_VFORK, run_borrowed_of(work), work.cast()) }
}

/// Starts a process that shares this one's memory and nothing else, does the work and ends. Both run at the
/// same time.
///
/// # Safety
///
/// The work touches no memory but its own stack and allocates none. Not even `errno`, which this thread
/// shares: so it calls no function of the C library that can fail.
pub(crate) unsafe fn fork_beside(work: fn(c_int), descriptor: c_int) -> io::Result<Pid> {
    // Both processes run at the same time, so stack and task are never freed.
    let stack = Box::leak(new_stack(64 * 1024));
    let task = Box::into_raw(Box::new((work, descriptor)));
    // SAFETY: no code of this process uses the stack or the task any more, and none frees them. The task is of the type
    // that `run_task` expects. The rest is as the caller promises.
    unsafe { clone(stack, 0, run_task, task.cast()) }
}

type Stack = [MaybeUninit<u128>];

fn new_stack(size: usize) -> Box<Stack> {
    Box::new_uninit_slice(size / size_of::<u128>())
}

extern "C" fn run_task(task: *mut c_void) -> c_int {
    let task: *mut (fn(c_int), c_int) = task.cast();
    // SAFETY: `fork_beside` has made the task, of this type, and no code frees or changes it.
    let (work, descriptor) = unsafe { *task };
    work(descriptor);
    0
}

extern "C" fn run_borrowed<Work: FnMut()>(work: *mut c_void) -> c_int {
    // SAFETY: the pointer is that of `fork_and_wait` to its own work, whose type is `Work`. It continues only when this
    // process has become another program or has ended, so nothing else uses the work meanwhile.
    let work: &mut Work = unsafe { &mut *work.cast() };
    work();
    0
}

/// Returns [`run_borrowed`] for the type of some work: that of a closure cannot be written.
fn run_borrowed_of<Work: FnMut()>(_: *mut Work) -> extern "C" fn(*mut c_void) -> c_int {
    run_borrowed::<Work>
}

/// Starts a process that shares this one's memory, and calls `run` with `argument` on another stack.
///
/// # Safety
///
/// Until the process has become another program or has ended, no other code uses `stack`, nor what `argument` points
/// to; `argument` is what `run` expects; and `run` leaves the shared memory as the rest of this process expects it.
unsafe fn clone(
    stack: &mut Stack,
    more_flags: c_int,
    run: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
) -> io::Result<Pid> {
    let flags = libc::CLONE_VM | libc::SIGCHLD | more_flags;
    // SAFETY: the pointer is the end of the stack, which grows downwards, and is aligned as a `u128`. The rest is as
    // the caller promises.
    let process = unsafe { libc::clone(run, stack.as_mut_ptr_range().end.cast(), flags, argument) };
    Pid::from_raw(process.max(0)).ok_or_else(io::Error::last_os_error)
}

/// Moves this process into namespaces of its own.
///
/// # Safety
///
/// This process has one thread only, and the table of descriptors is not among what is unshared.
pub(crate) unsafe fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: as the caller promises.
    unsafe { rustix::thread::unshare_unsafe(namespaces) }.map_err(io::Error::from)
}

/// Becomes another program; returns only if that fails. Never a shell, whatever the file holds.
pub(crate) fn execute(file: &CStr, arguments: &[CString], variables: &[CString]) -> io::Error {
    let (arguments, variables) = (pointers(arguments), pointers(variables));
    // SAFETY: all three point to NUL-terminated data that outlives the call; both lists end with a null.
    unsafe {
        libc::execve(file.as_ptr(), arguments.as_ptr(), variables.as_ptr());
    }
    io::Error::last_os_error()
}

/// Like [`execute`], for an open file, whose path this process need not be able to follow.
pub(crate) fn execute_open(file: BorrowedFd<'_>, arguments: &[CString], variables: &[CString]) -> io::Error {
    let (arguments, variables) = (pointers(arguments), pointers(variables));
    // SAFETY: as above, and the empty path makes the call use the descriptor, which is open.
    unsafe {
        libc::syscall(
            libc::SYS_execveat,
            file.as_raw_fd(),
            c"".as_ptr(),
            arguments.as_ptr(),
            variables.as_ptr(),
            libc::AT_EMPTY_PATH,
        );
    }
    io::Error::last_os_error()
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// Makes a mount read-only, without set-user-id programs, and private: mounts of others do not reach it. If
/// `recursive`, so are all mounts below it. The mount is at `path` below `folder`; if the path is empty, it
/// is `folder` itself.
pub(crate) fn protect_mount(
    folder: BorrowedFd<'_>,
    path: &CStr,
    more_attributes: u64,
    recursive: bool,
) -> io::Result<()> {
    // The kernel's `struct mount_attr`.
    let attributes: [u64; 4] =
        [libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | more_attributes, 0, libc::MS_PRIVATE, 0];
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 } | libc::AT_EMPTY_PATH;
    // SAFETY: the path ends with a NUL, the attributes have the given size, and both outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder.as_raw_fd(),
            path.as_ptr(),
            flags as c_uint,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The end of a child, and its usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Its exit status, or the signal that ended it.
    pub(crate) how: Result<i32, i32>,
    /// Processor time, including its children that it has waited for.
    pub(crate) cpu: Duration,
    /// Its peak memory, in KiB.
    pub(crate) memory_kib: u64,
}

/// Returns how a child has ended, if it has. Leaves it in the process table: its number stays taken.
pub(crate) fn look_at_end(child: Pid) -> io::Result<Option<Ending>> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: both structures live through the call and may consist of zeros, which they do if it writes
    // nothing.
    let (done, info, used) = unsafe {
        let done = libc::syscall(
            libc::SYS_waitid,
            libc::P_PID,
            child.as_raw_nonzero().get(),
            info.as_mut_ptr(),
            options,
            used.as_mut_ptr(),
        );
        (done, info.assume_init(), used.assume_init())
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    if info.si_signo == 0 {
        return Ok(None);
    }
    // SAFETY: the call reports a child, so this is the part of the union that was written.
    let status = unsafe { info.si_status() };
    let how = if info.si_code == libc::CLD_EXITED { Ok(status) } else { Err(status) };
    let cpu = duration(used.ru_utime) + duration(used.ru_stime);
    Ok(Some(Ending { how, cpu, memory_kib: used.ru_maxrss.max(0) as u64 }))
}

/// Returns a length of time in the system's form.
pub fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: i64::from(duration.subsec_nanos()) }
}

/// Reads the system's form: a length of time, or a time since the clock's beginning. Negative times count as zero.
pub(crate) fn time_of(bytes: &[u8; 16]) -> Duration {
    let number = |half: &[u8]| i64::from_ne_bytes(half.try_into().expect("a half of 16 bytes"));
    let (seconds, nanoseconds) = bytes.split_at(8);
    Duration::from_secs(number(seconds).max(0) as u64)
        .saturating_add(Duration::from_nanos(number(nanoseconds).clamp(0, 999_999_999) as u64))
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec.max(0) as u64, (time.tv_usec.max(0) * 1000) as u32)
}

/// Makes the kernel remove children automatically when they end, or keep them until they are waited for.
pub(crate) fn ignore_children(ignore: bool) {
    // SAFETY: the kernel is told to ignore the signal, or to treat it by default. No handler is installed, so no code
    // of this program is run by the signal.
    unsafe {
        libc::signal(libc::SIGCHLD, if ignore { libc::SIG_IGN } else { libc::SIG_DFL });
    }
}

/// Resets the signal handlers and the signal mask that this process has inherited: a bot starts like any other program.
pub(crate) fn reset_signals() {
    // SAFETY: setting signals to their default runs no code of ours; the empty set is written before it is read.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
}

/// Whether this system closes many descriptors with one call, which Linux before 5.9 does not.
static CLOSES_MANY: AtomicBool = AtomicBool::new(true);

/// Closes all descriptors from `first` upwards. After the first call in a process, neither it nor a copy of
/// it touches `errno` here.
///
/// # Safety
///
/// No code in this process owns one of them, or uses it any more.
pub(crate) unsafe fn close_from(first: c_int) {
    if CLOSES_MANY.load(Ordering::Relaxed) {
        // SAFETY: as the caller promises.
        let done = unsafe { libc::syscall(libc::SYS_close_range, first as c_uint, c_uint::MAX, 0) };
        if done == 0 {
            return;
        }
        CLOSES_MANY.store(false, Ordering::Relaxed);
    }
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(65_536);
    for descriptor in first..limit.min(1 << 20) as c_int {
        // SAFETY: it is inspected, and closed only if it is open. No other code uses it, as the caller promises.
        unsafe {
            if rustix::io::fcntl_getfd(BorrowedFd::borrow_raw(descriptor)).is_ok() {
                rustix::io::close(descriptor);
            }
        }
    }
}

/// Makes a descriptor standard input, and closes all others.
///
/// # Safety
///
/// The descriptor is open, and no code in this process owns another, or uses it any more.
pub(crate) unsafe fn keep_only(descriptor: c_int) {
    // SAFETY: it is open, as the caller promises.
    let _ = rustix::stdio::dup2_stdin(unsafe { BorrowedFd::borrow_raw(descriptor) });
    // SAFETY: as the caller promises.
    unsafe { close_from(1) };
}

/// Returns the version of Landlock in the kernel; 0 if there is none.
pub(crate) fn landlock_version() -> i32 {
    ask_for_landlock().unwrap_or(0)
}

/// Returns the version of Landlock in the kernel, or the reason why there is none.
pub(crate) fn ask_for_landlock() -> io::Result<i32> {
    // SAFETY: with this flag the call takes no structure.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0_usize, 1 as c_uint)
    };
    if version < 0 {
        return Err(io::Error::last_os_error());
    }
    i32::try_from(version).map_err(io::Error::other)
}

/// A system call that waits until a listener ends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The kernel's number of it.
    pub(crate) id: u64,
    /// The thread that made the call.
    pub(crate) thread: u32,
    /// Which call it is.
    pub(crate) number: i32,
    pub(crate) arguments: [u64; 6],
}

/// Installs a filter in this process, and returns the listener that receives the calls that the filter leaves
/// open.
pub(crate) fn filter_and_listen(program: &[sock_filter]) -> io::Result<OwnedFd> {
    let length = program.len().try_into().map_err(io::Error::other)?;
    let program = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut().cast() };
    // SAFETY: the kernel reads the given number of instructions, and both libraries use the kernel's form for
    // them.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it, and no other code knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(listener as c_int) })
}

/// Takes the next call; waits for one if there is none. It is an error if the call is gone by now.
pub(crate) fn receive_call(listener: BorrowedFd<'_>) -> io::Result<Call> {
    let mut call = MaybeUninit::<libc::seccomp_notif>::zeroed();
    // SAFETY: the kernel writes a structure of the size that is part of the request, which may consist of
    // zeros.
    let (done, call) = unsafe {
        let done = libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, call.as_mut_ptr());
        (done, call.assume_init())
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Call { id: call.id, thread: call.pid, number: call.data.nr, arguments: call.data.args })
}

/// Ends a call with its result, or with an error.
pub(crate) fn end_call(listener: BorrowedFd<'_>, id: u64, answer: Result<i64, c_int>) -> io::Result<()> {
    let (val, error) = match answer {
        Ok(value) => (value, 0),
        Err(error) => (0, -error),
    };
    let mut response = libc::seccomp_notif_resp { id, val, error, flags: 0 };
    // SAFETY: the kernel reads a structure of the size that is part of the request.
    let done =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Tells whether a call is no longer waiting: its thread has ended, or a signal came.
pub(crate) fn is_call_gone(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads a number of the size that is part of the request.
    let done =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) };
    // Linux before 5.8 has another number for the request.
    done != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT)
}

/// Reads from another process's memory until the buffer is full.
pub(crate) fn read_memory(thread: u32, address: u64, buffer: &mut [u8]) -> io::Result<()> {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: buffer.len() };
    // SAFETY: the written memory is as long as the buffer. The other address is not used in this process.
    let count =
        unsafe { libc::process_vm_readv(thread as i32, &raw const local, 1, &raw const remote, 1, 0) };
    all_copied(count, buffer.len())
}

/// Writes all of these bytes to another process's memory.
pub(crate) fn write_memory(thread: u32, address: u64, bytes: &[u8]) -> io::Result<()> {
    let local = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: bytes.len() };
    // SAFETY: the kernel only reads from these bytes. The other address is not used in this process.
    let count =
        unsafe { libc::process_vm_writev(thread as i32, &raw const local, 1, &raw const remote, 1, 0) };
    all_copied(count, bytes.len())
}

/// Tells by the number of copied bytes whether all were copied. A copy of some is no error of the system's: it ends
/// where the memory of the other process does.
fn all_copied(count: isize, length: usize) -> io::Result<()> {
    match count {
        -1 => Err(io::Error::last_os_error()),
        count if count == length as isize => Ok(()),
        _ => Err(io::Error::from_raw_os_error(libc::EFAULT)),
    }
}

/// Makes this process stop for its parent when it becomes another program.
pub(crate) fn be_traced() -> io::Result<()> {
    // SAFETY: this request uses no other argument.
    let done = unsafe { libc::ptrace(libc::PTRACE_TRACEME) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the address of the stack of a process that has stopped for this one.
pub(crate) fn stack_of_traced(process: Pid) -> io::Result<u64> {
    let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
    let mut part =
        libc::iovec { iov_base: registers.as_mut_ptr().cast(), iov_len: size_of::<libc::user_regs_struct>() };
    let process = process.as_raw_nonzero().get();
    // SAFETY: the kernel writes no more than the given length, and all fields are numbers.
    let (done, registers) = unsafe {
        let done = libc::ptrace(libc::PTRACE_GETREGSET, process, libc::NT_PRSTATUS as usize, &raw mut part);
        (done, registers.assume_init())
    };
    #[cfg(target_arch = "x86_64")]
    let stack = registers.rsp;
    #[cfg(target_arch = "aarch64")]
    let stack = registers.sp;
    if done == 0 { Ok(stack) } else { Err(io::Error::last_os_error()) }
}

/// Lets a process go that has stopped for this one.
pub(crate) fn let_go(process: Pid) -> io::Result<()> {
    // SAFETY: the two numbers are an address that is not used, and no signal.
    let done = unsafe { libc::ptrace(libc::PTRACE_DETACH, process.as_raw_nonzero().get(), 0_usize, 0_usize) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the machine that `sysinfo` describes to bots, in the kernel's form: the same one at any time and on any
/// host.
pub(crate) fn constant_machine() -> [u8; size_of::<libc::sysinfo>()] {
    let mut machine = [0; size_of::<libc::sysinfo>()];
    let mut set = |at: usize, value: &[u8]| machine[at..at + value.len()].copy_from_slice(value);
    set(offset_of!(libc::sysinfo, uptime), &(1 as libc::c_long).to_ne_bytes());
    set(offset_of!(libc::sysinfo, totalram), &MACHINE_BYTES.to_ne_bytes());
    set(offset_of!(libc::sysinfo, freeram), &MACHINE_BYTES.to_ne_bytes());
    set(offset_of!(libc::sysinfo, procs), &1_u16.to_ne_bytes());
    set(offset_of!(libc::sysinfo, mem_unit), &(1 as c_uint).to_ne_bytes());
    machine
}

/// The memory of that machine. Runtimes choose the sizes of their heaps by it, where nothing else tells them.
const MACHINE_BYTES: libc::c_ulong = 4 << 30;

/// Sets how readily the kernel kills this process if memory runs out: at 1000, before all others.
pub(crate) fn set_oom_score(score: i32) {
    let _ = fs::write("/proc/self/oom_score_adj", score.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_ends_within_a_copy_is_a_bad_address_whatever_failed_before() {
        let page = rustix::param::page_size();
        // SAFETY: the two pages are new, and no other code knows them.
        let last_bytes = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let pages = libc::mmap(ptr::null_mut(), 2 * page, access, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(pages.byte_add(page), page, libc::PROT_NONE), 0);
            pages as u64 + page as u64 - 4
        };
        let this = rustix::process::getpid().as_raw_nonzero().get() as u32;
        let copies = [
            |this, place, length| read_memory(this, place, &mut vec![0; length]),
            |this, place, length| write_memory(this, place, &vec![0; length]),
        ];
        for copy in copies {
            assert!(copy(this, last_bytes, 4).is_ok());
            // SAFETY: no descriptor has this number.
            assert_eq!(unsafe { libc::close(-1) }, -1);
            let error = copy(this, last_bytes, 8).expect_err("the other page is closed");
            assert_eq!(error.raw_os_error(), Some(libc::EFAULT));
        }
    }
}
