/* More processes and threads than a bot may have, and namespaces for them. */
#include "attack.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>

/* A bomb is capped, and its processes end with the attack. */
enum { BOMB = 200, TASKS_ALLOWED = 100 };

static enum result fork_one(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return result_of_child(child);
}

static enum result vfork_one(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(0);
    return result_of_child(child);
}

static enum result fork_by_clone3(void)
{
    uint64_t arguments[8] = {[4] = SIGCHLD};
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    return result_of_child(child);
}

static enum result spawn_shell(void)
{
    int status = system("exit 7");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
        return WORKED;
    detail("status %d: %s", status, strerror(errno));
    return REFUSED;
}

static enum result fork_bomb(void)
{
    pid_t children[BOMB];
    int count = 0, pipe_ends[2];
    if (pipe(pipe_ends) < 0)
        return by(-1);
    for (; count < BOMB; count++) {
        children[count] = fork();
        if (children[count] < 0)
            break;
        if (children[count] == 0) {
            char byte;
            in_child_end_after(10);
            close(pipe_ends[1]);
            _exit(read(pipe_ends[0], &byte, 1)); /* until the parent closes it */
        }
    }
    detail("%d processes: %s", count, strerror(errno));
    close(pipe_ends[1]);
    for (int i = 0; i < count; i++)
        waitpid(children[i], NULL, 0);
    return count > TASKS_ALLOWED ? WORKED : REFUSED;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *nothing)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return nothing;
}

static enum result thread_bomb(void)
{
    pthread_t threads[BOMB];
    pthread_attr_t small;
    int count = 0, error = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    pthread_mutex_lock(&gate);
    while (count < BOMB && !(error = pthread_create(&threads[count], &small, wait_at_gate, NULL)))
        count++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    detail("%d threads: %s", count, strerror(error));
    return count > TASKS_ALLOWED ? WORKED : REFUSED;
}

/* Each process that ends leaves an entry until another one waits for it. */
static enum result zombies(void)
{
    int count = 0;
    for (; count < BOMB; count++) {
        pid_t child = fork();
        if (child < 0)
            break;
        if (child == 0)
            _exit(0);
    }
    detail("%d zombies: %s", count, strerror(errno));
    while (waitpid(-1, NULL, 0) > 0) {}
    return count > TASKS_ALLOWED ? WORKED : REFUSED;
}

static enum result leave_session(void)
{
    if (setsid() >= 0)
        return WORKED;
    pid_t child = fork(); /* the leader of a session cannot, its child can */
    if (child == 0)
        _exit(setsid() < 0 ? errno : 0);
    return result_of_child(child);
}

static enum result leave_group(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(setpgid(0, 0) < 0 ? errno : 0);
    return result_of_child(child);
}

static enum result new_worlds(int flags)
{
    return by(unshare(flags));
}

static enum result new_users(void) { return new_worlds(CLONE_NEWUSER); }
static enum result new_mounts(void) { return new_worlds(CLONE_NEWNS); }
static enum result new_network(void) { return new_worlds(CLONE_NEWUSER | CLONE_NEWNET); }

static enum result clone_with(unsigned long flags)
{
    long child = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(0);
    return result_of_child(child);
}

static enum result clone_users(void) { return clone_with(CLONE_NEWUSER); }
static enum result clone_processes(void) { return clone_with(CLONE_NEWUSER | CLONE_NEWPID); }

static enum result clone3_users(void)
{
    uint64_t arguments[8] = {[0] = CLONE_NEWUSER, [4] = SIGCHLD};
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0)
        _exit(0);
    return result_of_child(child);
}

static enum result join_worlds(void)
{
    int world = open("/proc/1/ns/net", O_RDONLY);
    if (world < 0)
        world = syscall(SYS_pidfd_open, scapegoat, 0);
    return by(world < 0 ? world : setns(world, CLONE_NEWNET));
}

const struct attack PROCESSES[] = {
    {"fork", "starts a child", fork_one, ALONE},
    {"vfork", "starts a child by vfork", vfork_one, ALONE},
    {"fork-clone3", "starts a child by clone3", fork_by_clone3, ALONE},
    {"shell", "runs a shell", spawn_shell, ALONE},
    {"fork-bomb", "starts 200 processes at once", fork_bomb, ALONE},
    {"thread-bomb", "starts 200 threads at once", thread_bomb, ALONE},
    {"zombies", "leaves 200 processes unburied", zombies, ALONE},
    {"setsid", "leaves its session", leave_session, ALONE},
    {"setpgid", "has a child leave its process group", leave_group, ALONE},
    {"unshare-user", "makes a user namespace, to be root in", new_users, ALONE},
    {"unshare-mount", "makes a mount namespace", new_mounts, ALONE},
    {"unshare-net", "makes a network namespace", new_network, ALONE},
    {"clone-user", "clones into a user namespace", clone_users, ALONE},
    {"clone-pid", "clones into a process namespace", clone_processes, ALONE},
    {"clone3-user", "clones into a user namespace by clone3", clone3_users, ALONE},
    {"setns", "joins the network namespace of another process", join_worlds, ALONE},
    {0},
};
