/* Signals to processes of others. The scapegoat records each. */
#include "attack.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

static enum result tried(long returned)
{
    enum result result = by(returned);
    return result == WORKED ? DONE : result;
}

static enum result kill_one(void) { return tried(kill(scapegoat, SIGUSR1)); }
static enum result stop_one(void) { return tried(kill(scapegoat, SIGSTOP)); }
static enum result kill_thread(void) { return tried(syscall(SYS_tkill, scapegoat, SIGUSR1)); }
static enum result kill_thread_of_group(void) { return tried(syscall(SYS_tgkill, scapegoat, scapegoat, SIGUSR1)); }

static enum result queue_signal(void)
{
    union sigval value = {0};
    return tried(sigqueue(scapegoat, SIGUSR1, value));
}

static enum result signal_by_pidfd(void)
{
    int process = syscall(SYS_pidfd_open, scapegoat, 0);
    return tried(process < 0 ? process : syscall(SYS_pidfd_send_signal, process, SIGUSR1, NULL, 0));
}

/* The kernel sends the signal when a byte comes through a pipe. */
static enum result signal_by_owner(void)
{
    int ends[2];
    if (pipe(ends) < 0 || fcntl(ends[0], F_SETOWN, scapegoat) < 0 || fcntl(ends[0], F_SETSIG, SIGUSR1) < 0
        || fcntl(ends[0], F_SETFL, O_ASYNC) < 0)
        return by(-1);
    return tried(write(ends[1], "!", 1));
}

static enum result signal_by_owner_ex(void)
{
    struct f_owner_ex owner = {F_OWNER_PID, scapegoat};
    int ends[2];
    if (pipe(ends) < 0 || fcntl(ends[0], F_SETOWN_EX, &owner) < 0 || fcntl(ends[0], F_SETFL, O_ASYNC) < 0)
        return by(-1);
    return tried(write(ends[1], "!", 1));
}

static enum result signal_by_socket(void)
{
    int ends[2], owner = scapegoat, on = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || ioctl(ends[0], FIOSETOWN, &owner) < 0
        || ioctl(ends[0], FIOASYNC, &on) < 0)
        return by(-1);
    return tried(write(ends[1], "!", 1));
}

static enum result kill_everybody(void) { return by(kill(-1, 0)); }
static enum result kill_referee(void)
{
    errno = ESRCH; /* a parent out of sight has number 0 */
    return by(getppid() == 0 ? -1 : kill(getppid(), 0));
}
static enum result kill_first(void) { return by(kill(1, 0)); }

static enum result kill_other_group(void) { return by(kill(-getpgid(scapegoat), 0)); }

/* A limit instead of a signal: one second of CPU, then the process is killed. */
static enum result limit_other(void)
{
    struct rlimit limit;
    if (prlimit(scapegoat, RLIMIT_NOFILE, NULL, &limit) < 0)
        return by(-1);
    limit.rlim_cur -= limit.rlim_cur > 100;
    return tried(prlimit(scapegoat, RLIMIT_NOFILE, &limit, NULL));
}

/* Its parent is signalled when that child ends, and never waits for it. */
static enum result child_of_parent(void)
{
    long child = syscall(SYS_clone, 0x8000 /* CLONE_PARENT */ | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(0);
    return by(child);
}

const struct attack SIGNALS[] = {
    {"kill", "sends a signal to a process of the host", kill_one, ALONE},
    {"stop", "stops a process of the host", stop_one, ALONE},
    {"tkill", "sends a signal by tkill", kill_thread, ALONE},
    {"tgkill", "sends a signal by tgkill", kill_thread_of_group, ALONE},
    {"sigqueue", "sends a signal by sigqueue", queue_signal, ALONE},
    {"pidfd-signal", "sends a signal through a pidfd", signal_by_pidfd, ALONE},
    {"fowner-signal", "has a pipe send a signal, by F_SETOWN", signal_by_owner, ALONE},
    {"fowner-ex-signal", "has a pipe send a signal, by F_SETOWN_EX", signal_by_owner_ex, ALONE},
    {"socket-signal", "has a socket send a signal, by FIOSETOWN", signal_by_socket, ALONE},
    {"kill-all", "may signal all processes (asks only)", kill_everybody, ALONE},
    {"kill-parent", "may signal its parent (asks only)", kill_referee, ALONE},
    {"kill-init", "may signal process 1 (asks only)", kill_first, ALONE},
    {"kill-group", "may signal a group of the host (asks only)", kill_other_group, ALONE},
    {"prlimit-other", "lowers a limit of a process of the host", limit_other, ALONE},
    {"clone-parent", "gives its parent a child that it knows nothing of", child_of_parent, ALONE},
    {0},
};
