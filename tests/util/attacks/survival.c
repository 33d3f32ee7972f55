/* Surviving the game. The driver searches for processes with this attack's name; each ends by itself after a minute. */
#include "attack.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

static void stay(void)
{
    in_child_end_after(60);
    for (;;)
        pause();
}

static void close_streams(void)
{
    close(0), close(1), close(2);
}

/* Starts a child. Returns true in the child. */
static bool in_child(enum result *result)
{
    pid_t child = fork();
    if (child == 0)
        return true;
    *result = child < 0 ? by(-1) : DONE;
    pause_ms(50); /* until it has settled */
    return false;
}

static enum result child_stays(void)
{
    enum result result;
    if (in_child(&result)) {
        close_streams();
        stay();
    }
    return result;
}

static enum result child_with_pipes_stays(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        stay();
    }
    return result;
}

static enum result session_stays(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        close_streams();
        stay();
    }
    return result;
}

static enum result group_stays(void)
{
    enum result result;
    if (in_child(&result)) {
        setpgid(0, 0);
        close_streams();
        stay();
    }
    return result;
}

static enum result orphan_stays(void)
{
    enum result result;
    if (in_child(&result)) {
        if (fork() > 0)
            _exit(0);
        close_streams();
        stay();
    }
    return result;
}

static enum result daemon_stays(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        if (fork() > 0)
            _exit(0);
        close_streams();
        stay();
    }
    return result;
}

static enum result without_death_signal(void)
{
    enum result result;
    if (in_child(&result)) {
        prctl(PR_SET_PDEATHSIG, 0);
        setsid();
        close_streams();
        if (fork() > 0)
            _exit(0);
        prctl(PR_SET_PDEATHSIG, 0);
        stay();
    }
    return result;
}

static enum result deaf_to_signals(void)
{
    enum result result;
    if (in_child(&result)) {
        for (int number = 1; number < 65; number++)
            signal(number, SIG_IGN);
        setsid();
        close_streams();
        in_child_end_after(0);
        for (int i = 0; i < 60; i++)
            sleep(1);
        _exit(0);
    }
    return result;
}

static enum result stopped(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        close_streams();
        in_child_end_after(60);
        raise(SIGSTOP);
        stay();
    }
    return result;
}

/* Becomes another process every few milliseconds, so that its number is soon out of date. */
static enum result comet(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        close_streams();
        for (int i = 0; i < 200; i++) {
            if (fork() > 0)
                _exit(0);
            pause_ms(20);
        }
        _exit(0);
    }
    return result;
}

/* Two that watch each other: the survivor starts another. Not for long. */
static void guard(int generation)
{
    for (; generation < 100; generation++) {
        pid_t parent = getpid(), child = fork();
        if (child < 0)
            _exit(1);
        in_child_end_after(20);
        if (child > 0) {
            waitpid(child, NULL, 0);
            continue;
        }
        setsid();
        while (getppid() == parent)
            pause_ms(1);
    }
    _exit(0);
}

static enum result hydra(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        close_streams();
        guard(0);
    }
    return result;
}

static enum result in_process_namespace(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        close_streams();
        if (unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0 || fork() > 0)
            _exit(1);
        stay();
    }
    return result;
}

static enum result takes_in_orphans(void)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
        return by(-1);
    return daemon_stays();
}

static void *stay_in_thread(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

/* The first thread has ended, the process has not. */
static enum result without_first_thread(void)
{
    enum result result;
    if (in_child(&result)) {
        pthread_t thread;
        setsid();
        close_streams();
        in_child_end_after(60);
        if (pthread_create(&thread, NULL, stay_in_thread, NULL) == 0)
            pthread_exit(NULL);
        _exit(1);
    }
    return result;
}

static enum result as_another_program(void)
{
    enum result result;
    if (in_child(&result)) {
        setsid();
        close_streams();
        execl("/bin/sh", "sh", "-c", "sleep 59; :", attack_name, token, NULL);
        _exit(1);
    }
    return result;
}

const struct attack SURVIVAL[] = {
    {"stay-child", "a child", child_stays, ALONE},
    {"stay-with-pipes", "a child that holds the pipes, in a session of its own", child_with_pipes_stays, ALONE},
    {"stay-session", "a child in a session of its own", session_stays, ALONE},
    {"stay-group", "a child in a process group of its own", group_stays, ALONE},
    {"stay-orphan", "a child's child", orphan_stays, ALONE},
    {"stay-daemon", "a child's child in a session of its own", daemon_stays, ALONE},
    {"stay-pdeathsig", "the same, without the signal at its parent's death", without_death_signal, ALONE},
    {"stay-deaf", "a child that ignores all signals", deaf_to_signals, ALONE},
    {"stay-stopped", "a child that has stopped itself", stopped, ALONE},
    {"stay-comet", "a child that is another process every few milliseconds", comet, ALONE},
    {"stay-hydra", "two children, each of which replaces the other", hydra, ALONE},
    {"stay-namespace", "a child in a process namespace", in_process_namespace, ALONE},
    {"stay-subreaper", "a child's child that the bot takes in", takes_in_orphans, ALONE},
    {"stay-threads", "a child whose first thread has ended", without_first_thread, ALONE},
    {"stay-exec", "a child that is another program", as_another_program, ALONE},
    {0},
};
