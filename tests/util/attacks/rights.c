/* Changes to itself: its rights, its fate, its owner. */
#include "attack.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static enum result option(int name, unsigned long value, unsigned long more)
{
    return by(syscall(SYS_prctl, name, value, more, 0, 0));
}

static enum result outlive_parent(void) { return option(PR_SET_PDEATHSIG, 0, 0); }
static enum result be_dumped(void) { return option(PR_SET_DUMPABLE, 1, 0); }
static enum result keep_capabilities(void) { return option(PR_SET_KEEPCAPS, 1, 0); }
static enum result clear_capabilities(void) { return option(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0); }
static enum result wake_precisely(void) { return option(PR_SET_TIMERSLACK, 1, 0); }
static enum result take_orphans(void) { return option(PR_SET_CHILD_SUBREAPER, 1, 0); }
static enum result read_death_signal(void)
{
    int signal;
    return option(PR_GET_PDEATHSIG, (unsigned long) &signal, 0);
}
static enum result speculate(void) { return option(52 /* PR_GET_SPECULATION_CTRL */, 0, 0); }

/* A traced process is stopped at each signal. */
static enum result trace_me(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, 0, 0) < 0 ? errno : 0);
    return child < 0 ? by(ptrace(PTRACE_TRACEME, 0, 0, 0)) : result_of_child(child);
}

static enum result seize(void)
{
    long done = ptrace(PTRACE_SEIZE, scapegoat, 0, 0);
    if (done == 0)
        ptrace(PTRACE_DETACH, scapegoat, 0, 0);
    return by(done);
}

static enum result in_child(int flags)
{
    pid_t child = fork();
    if (child < 0)
        return by(unshare(flags));
    if (child == 0)
        _exit(unshare(flags) < 0 ? errno : 0);
    return result_of_child(child);
}

static enum result new_name(void) { return in_child(CLONE_NEWUSER | CLONE_NEWUTS); }
static enum result new_queues(void) { return in_child(CLONE_NEWUSER | CLONE_NEWIPC); }
static enum result new_groups(void) { return in_child(CLONE_NEWUSER | CLONE_NEWCGROUP); }
static enum result new_time(void) { return in_child(CLONE_NEWUSER | CLONE_NEWTIME); }
static enum result own_descriptors(void) { return in_child(CLONE_FILES); }
static enum result own_folder(void) { return in_child(CLONE_FS); }

static enum result own_filter(void)
{
    struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return option(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (unsigned long) &program);
}

static enum result own_rules(void) { return by(syscall(444 /* landlock_create_ruleset */, NULL, 0, 1)); }

static enum result signal_by_thread(void)
{
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = -1};
    return by(syscall(SYS_rt_tgsigqueueinfo, scapegoat, scapegoat, 0, &info));
}

static enum result queue_nothing(void)
{
    siginfo_t info = {.si_signo = 0, .si_code = -1};
    return by(syscall(SYS_rt_sigqueueinfo, scapegoat, 0, &info));
}

static enum result limit_itself(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = 0;
    return by(setrlimit(RLIMIT_CORE, &limit));
}

static enum result no_groups(void) { return by(syscall(SYS_setgroups, 0, NULL)); }
static enum result group_again(void) { return by(syscall(SYS_setresgid, -1, -1, -1)); }
static enum result user_again(void) { return by(syscall(SYS_setresuid, -1, -1, -1)); }
static enum result files_as(void) { return by(syscall(SYS_setfsuid, -1)); }

const struct attack RIGHTS[] = {
    {"outlive-parent", "has no signal sent when its parent dies", outlive_parent, ALONE},
    {"dumpable", "may be looked into", be_dumped, ALONE},
    {"keep-capabilities", "keeps what it can do when it becomes another user", keep_capabilities, ALONE},
    {"ambient-capabilities", "changes what programs that it starts can do", clear_capabilities, ALONE},
    {"timer-slack", "is woken more precisely than others", wake_precisely, ALONE},
    {"subreaper", "takes in orphans", take_orphans, ALONE},
    {"death-signal", "reads what it is sent when its parent dies", read_death_signal, ALONE},
    {"speculation", "asks how the processor guesses", speculate, ALONE},
    {"trace-me", "has its parent trace it", trace_me, ALONE},
    {"seize", "traces a process without stopping it", seize, ALONE},
    {"unshare-name", "makes a namespace of names", new_name, ALONE},
    {"unshare-ipc", "makes a namespace of queues", new_queues, ALONE},
    {"unshare-cgroup", "makes a namespace of control groups", new_groups, ALONE},
    {"unshare-time", "makes a namespace of time", new_time, ALONE},
    {"unshare-files", "takes its descriptors from its threads", own_descriptors, ALONE},
    {"unshare-folder", "takes its folder from its threads", own_folder, ALONE},
    {"own-filter", "adds a filter of its own", own_filter, ALONE},
    {"own-rules", "asks for rules of its own", own_rules, ALONE},
    {"tgsigqueue", "may send a signal to a thread of a process of the host", signal_by_thread, ALONE},
    {"sigqueue-nothing", "asks by sigqueue whether a process is there", queue_nothing, ALONE},
    {"setrlimit", "sets a limit of its own", limit_itself, ALONE},
    {"setgroups", "sets its groups", no_groups, ALONE},
    {"setresgid", "sets its group", group_again, ALONE},
    {"setresuid", "sets its user", user_again, ALONE},
    {"setfsuid", "sets as whom it opens files", files_as, ALONE},
    {0},
};
