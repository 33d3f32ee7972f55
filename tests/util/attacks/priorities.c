/* A greater share of the machine than the others get. */
#include "attack.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

static enum result renice_itself(void)
{
    errno = 0;
    enum result result = by(setpriority(PRIO_PROCESS, 0, -5));
    return result == WORKED && getpriority(PRIO_PROCESS, 0) != -5 ? REFUSED : result;
}

static enum result renice_other(void)
{
    enum result result = by(setpriority(PRIO_PROCESS, scapegoat, 5));
    return result == WORKED ? DONE : result;
}

static enum result real_time(void)
{
    struct sched_param parameters = {1};
    enum result result = by(sched_setscheduler(0, SCHED_FIFO, &parameters));
    if (result == WORKED && sched_getscheduler(0) != SCHED_FIFO)
        result = REFUSED;
    parameters.sched_priority = 0;
    sched_setscheduler(0, SCHED_OTHER, &parameters);
    return result;
}

static enum result deadline(void)
{
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t runtime, deadline, period; }
        wish = {48, 6 /* SCHED_DEADLINE */, 0, 0, 0, 1000000, 10000000, 10000000};
    enum result result = by(syscall(SYS_sched_setattr, 0, &wish, 0));
    struct sched_param parameters = {0};
    sched_setscheduler(0, SCHED_OTHER, &parameters);
    return result;
}

static enum result idle_other(void)
{
    struct sched_param parameters = {0};
    enum result result = by(sched_setscheduler(scapegoat, SCHED_IDLE, &parameters));
    return result == WORKED ? DONE : result;
}

/* Leaves the core on which the game runs. A call that reports success and does nothing does not count: one core is
 * requested first. */
static enum result all_cores(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    /* Another core than before: only then it shows whether a change that was granted was made. */
    if (sched_getaffinity(0, sizeof all, &all) == 0 && CPU_EQUAL(&all, &one)) {
        CPU_ZERO(&one);
        CPU_SET(1, &one);
    }
    enum result result = by(sched_setaffinity(0, sizeof one, &one));
    if (result == WORKED && (sched_getaffinity(0, sizeof all, &all) != 0 || !CPU_EQUAL(&all, &one)))
        return REFUSED;
    memset(&all, 0xff, sizeof all);
    return result == WORKED ? by(sched_setaffinity(0, sizeof all, &all)) : result;
}

static enum result pin_other(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    enum result result = by(sched_setaffinity(scapegoat, sizeof one, &one));
    return result == WORKED ? DONE : result;
}

static enum result io_priority(void) { return by(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 0)); }
static enum result io_priority_of_other(void) { return by(syscall(SYS_ioprio_set, 1, scapegoat, 3 << 13)); }

static enum result write_word(const char *path, const char *word)
{
    int file = open(path, O_WRONLY);
    return by(file < 0 ? file : write(file, word, strlen(word)));
}

static enum result killed_last(void) { return write_word("/proc/self/oom_score_adj", "-500"); }

static enum result killed_first(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/oom_score_adj", scapegoat);
    enum result result = write_word(path, "500");
    return result == WORKED ? DONE : result;
}

static enum result autogroup(void) { return write_word("/proc/self/autogroup", "5"); }

static enum result raise_limits(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_max += 1000;
    return by(setrlimit(RLIMIT_NOFILE, &limit));
}

static enum result dump_core(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    return by(setrlimit(RLIMIT_CORE, &limit));
}

static long cpu_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void *burn(void *nothing)
{
    for (volatile unsigned long count = 0;; count++) {}
    return nothing;
}

static long when_answered, cpu_when_answered;

/* Continues to think while others are asked. At the second question it computes how much time it got. */
static enum result think_on(void)
{
    pthread_t thread;
    if (!receiver) {
        when_answered = cpu_ms(CLOCK_MONOTONIC);
        cpu_when_answered = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
        return pthread_create(&thread, NULL, burn, NULL) ? REFUSED : DONE;
    }
    long wall = cpu_ms(CLOCK_MONOTONIC) - when_answered, cpu = cpu_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_when_answered;
    detail("%ld ms of CPU in %ld ms", cpu, wall);
    return cpu > wall / 5 ? WORKED : REFUSED;
}

static enum result think_on_in_child(void)
{
    static volatile long *spent;
    if (!receiver) {
        when_answered = cpu_ms(CLOCK_MONOTONIC);
        spent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        pid_t child = (void *) spent == MAP_FAILED ? -1 : fork();
        if (child == 0) {
            in_child_end_after(10);
            setsid();
            for (;;)
                *spent = cpu_ms(CLOCK_PROCESS_CPUTIME_ID);
        }
        return child < 0 ? by(-1) : DONE;
    }
    long wall = cpu_ms(CLOCK_MONOTONIC) - when_answered, cpu = (void *) spent == MAP_FAILED ? 0 : *spent;
    detail("%ld ms of CPU in %ld ms", cpu, wall);
    return cpu > wall / 5 ? WORKED : REFUSED;
}

const struct attack PRIORITIES[] = {
    {"nice", "raises its own priority", renice_itself, ALONE},
    {"nice-other", "lowers the priority of a process of the host", renice_other, ALONE},
    {"fifo", "becomes a real-time process", real_time, ALONE},
    {"deadline", "becomes a process with a deadline", deadline, ALONE},
    {"idle-other", "has a process of the host run only when nobody else wants to", idle_other, ALONE},
    {"affinity", "runs on all cores", all_cores, ALONE},
    {"affinity-other", "binds a process of the host to one core", pin_other, ALONE},
    {"ioprio", "raises its priority at the disk", io_priority, ALONE},
    {"ioprio-other", "lowers the priority of a process of the host at the disk", io_priority_of_other, ALONE},
    {"oom-self", "has others killed first when memory runs out", killed_last, ALONE},
    {"oom-other", "has a process of the host killed first", killed_first, ALONE},
    {"autogroup", "changes the priority of its session", autogroup, ALONE},
    {"raise-limits", "raises a limit above what it was given", raise_limits, ALONE},
    {"core-dump", "lets its crash write a core file", dump_core, ALONE},
    {"think-on", "thinks on while others are asked, in a thread", think_on, PONDER},
    {"think-on-child", "thinks on while others are asked, in a child of its own session", think_on_in_child, PONDER},
    {0},
};
