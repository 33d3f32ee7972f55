/* Channels between two bots of one game through shared things: pages of files, clocks, the system's information about
 * others. The sender sends for a while; the receiver reports what it saw. */
#include "attack.h"
#include "futexes.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <time.h>

#ifndef SYS_futex_wake
#define SYS_futex_wake 454
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

uint32_t *common_page(void)
{
    static const char *const FILES[] = {"/etc/ld.so.cache", "/lib/x86_64-linux-gnu/libc.so.6",
        "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "/usr/bin/env"};
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        int file = open(FILES[i], O_RDONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (page != MAP_FAILED)
            return page;
    }
    return NULL;
}

static const struct timespec MOMENT = {0, 20000000};

uint32_t *common_word(void)
{
    uint32_t *page = common_page();
    unsigned hash = 5381;
    for (const char *text = attack_name; *text; text++)
        hash = hash * 33 + *text;
    return page ? page + hash % 1024 : NULL;
}

enum result send_by(long (*wake)(uint32_t *word))
{
    uint32_t *word = common_word();
    if (!word)
        return REFUSED;
    for (int i = 0; i < 3000; i++) {
        long woken = wake(word);
        if (woken < 0)
            return by(woken);
        if (woken > 0)
            return WORKED;
        pause_ms(1);
    }
    return REFUSED;
}

enum result receive_by(long (*wait_for)(uint32_t *word))
{
    struct timespec now, start;
    uint32_t *word = common_word();
    if (!word)
        return REFUSED;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        long woken = wait_for(word);
        if (woken >= 0)
            return WORKED;
        /* From its own messages, not from another bot. */
        if (errno != ETIMEDOUT && errno != EINTR && errno != EAGAIN)
            return by(woken);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < 4);
    detail("nobody wakes it");
    return REFUSED;
}

long wait_plain(uint32_t *word) { return syscall(SYS_futex, word, FUTEX_WAIT, *word, &MOMENT, NULL, 0); }

long wait_bitset(uint32_t *word)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += MOMENT.tv_nsec;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET, *word, &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

long wake_plain(uint32_t *word) { return syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }
static long wake_all(uint32_t *word) { return syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0); }
static long wake_bitset(uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_WAKE_BITSET, 1, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}
static long requeue(uint32_t *word) { return syscall(SYS_futex, word, FUTEX_REQUEUE, 1, (void *) 1, word + 1, 0); }
static long compare_requeue(uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_CMP_REQUEUE, 1, (void *) 1, word + 1, *word);
}
static long wake_op(uint32_t *word)
{
    static uint32_t own;
    int nothing = FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0);
    return syscall(SYS_futex, &own, FUTEX_WAKE_OP, 1, (void *) 1, word, nothing);
}
static long wake_private_clock(uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0);
}
static long wake_new(uint32_t *word) { return syscall(SYS_futex_wake, word, ~0ul, 1, 2 /* 32 bits */); }

BY_FUTEX(talk_wake, wake_plain, wait_plain)
BY_FUTEX(talk_wake_all, wake_all, wait_plain)
BY_FUTEX(talk_wake_bitset, wake_bitset, wait_bitset)
BY_FUTEX(talk_wake_mixed, wake_plain, wait_bitset)
BY_FUTEX(talk_requeue, requeue, wait_plain)
BY_FUTEX(talk_compare_requeue, compare_requeue, wait_plain)
BY_FUTEX(talk_wake_op, wake_op, wait_plain)
BY_FUTEX(talk_wake_clock, wake_private_clock, wait_plain)
BY_FUTEX(talk_wake_new, wake_new, wait_plain)

/* A page of its own program, which another bot may share. */
static uint32_t *own_word(void)
{
    static uint32_t *page;
    int file = page ? -1 : open(own_file, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
        close(file);
    }
    return page;
}

static long wake_itself(uint32_t *word)
{
    (void) word;
    return wake_plain(own_word());
}

static long wait_on_itself(uint32_t *word)
{
    (void) word;
    return wait_plain(own_word());
}

BY_FUTEX(futex_on_itself, wake_itself, wait_on_itself)

static enum result wait_for_many(void)
{
    struct { uint64_t value, address; uint32_t flags, reserved; } waiter = {0, (uintptr_t) common_word(), 2, 0};
    struct timespec now = {0, 0};
    syscall(SYS_futex_waitv, &waiter, 1, 0, &now, CLOCK_MONOTONIC);
    detail("%s", strerror(errno));
    return errno == ENOSYS || errno == EPERM ? REFUSED : WORKED;
}

static enum result wait_new(void)
{
    struct timespec now = {0, 0};
    uint32_t *word = common_word();
    syscall(SYS_futex_wait, word, word ? (unsigned long) *word : 0, ~0ul, 2, &now, CLOCK_MONOTONIC);
    detail("%s", strerror(errno));
    return errno == ENOSYS || errno == EPERM ? REFUSED : WORKED;
}

/* Files that the host has read recently. */
static int file_of_system(void)
{
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    return file < 0 ? open(own_file, O_RDONLY | O_CLOEXEC) : file;
}

static enum result read_if_cached(int flags)
{
    char byte;
    struct iovec part = {&byte, 1};
    long count = preadv2(file_of_system(), &part, 1, 0, flags);
    detail("%s", count < 0 ? strerror(errno) : "it is in memory");
    return count >= 0 || errno == EAGAIN ? WORKED : REFUSED;
}

static enum result no_wait(void) { return read_if_cached(8 /* RWF_NOWAIT */); }
static enum result no_wait_and_more(void) { return read_if_cached(8 | 1 /* RWF_HIPRI */); }
static enum result dont_cache(void) { return read_if_cached(0x80 /* RWF_DONTCACHE */); }

static enum result resident_pages(void)
{
    unsigned char pages[1];
    void *page = common_page();
    return by(page ? mincore(page, 4096, pages) : -1);
}

static enum result advice(int what)
{
    void *page = common_page();
    return by(page ? madvise(page, 4096, what) : -1);
}

static enum result page_out(void) { return advice(21); }
static enum result cool_down(void) { return advice(20); }
static enum result read_ahead(void) { return by(readahead(file_of_system(), 0, 4096)); }
static enum result will_need(void) { return by(posix_fadvise(file_of_system(), 0, 4096, POSIX_FADV_WILLNEED) ? -1 : 0); }
static enum result sync_range(void) { return by(sync_file_range(file_of_system(), 0, 4096, 1)); }

/* Equal memory of two processes becomes one page: writing to it takes longer. */
static enum result merge_pages(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return by(page == MAP_FAILED ? -1 : madvise(page, 4096, MADV_MERGEABLE));
}

static enum result merge_all(void) { return by(syscall(SYS_prctl, 67 /* PR_SET_MEMORY_MERGE */, 1, 0, 0, 0)); }

/* How long another process ran: one of the driver's, which does not exist in a namespace. */
static clockid_t clock_of(pid_t process, int kind) { return (~(unsigned) process << 3) | kind; }

static enum result read_clock(pid_t process, int kind)
{
    struct timespec time;
    return by(syscall(SYS_clock_gettime, clock_of(process, kind), &time));
}

static enum result clock_of_host(void) { return read_clock(scapegoat, 2); }
static enum result user_clock_of_host(void) { return read_clock(scapegoat, 1); }
static enum result profile_clock_of_host(void) { return read_clock(scapegoat, 0); }
static enum result clock_of_parent(void) { return getppid() ? read_clock(getppid(), 2) : REFUSED; }

static enum result resolution_of_clock(void)
{
    struct timespec time;
    return by(syscall(SYS_clock_getres, clock_of(scapegoat, 2), &time));
}

/* Reads which processes exist, and how long each has run. */
static enum result clocks_of_all(void)
{
    int found = 0;
    struct timespec time;
    for (pid_t process = 1; process < 70000; process++)
        found += process != getpid() && syscall(SYS_clock_gettime, clock_of(process, 2), &time) == 0;
    detail("%d clocks", found);
    return found > 1 ? WORKED : REFUSED;
}

static enum result sleep_by_clock(void)
{
    struct timespec time = {0, 0};
    return by(syscall(SYS_clock_nanosleep, clock_of(scapegoat, 2), TIMER_ABSTIME, &time, NULL));
}

static enum result timer_on(int kind)
{
    int timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    return by(syscall(SYS_timer_create, clock_of(scapegoat, kind), &event, &timer));
}

static enum result timer_on_host(void) { return timer_on(2); }
static enum result profile_timer_on_host(void) { return timer_on(0); }

static enum result affinity_of_host(void)
{
    cpu_set_t cores;
    return by(syscall(SYS_sched_getaffinity, scapegoat, sizeof cores, &cores));
}

/* A number without a process. An answer that is the same for this number reveals nothing. */
enum { NOBODYS = 4194302 };

static enum result scheduler_of_host(void)
{
    long said = syscall(SYS_sched_getscheduler, scapegoat);
    return said == syscall(SYS_sched_getscheduler, NOBODYS) ? REFUSED : by(said);
}
static enum result parameters_of_host(void)
{
    struct sched_param parameters = {-1}, of_nobody = {-1};
    long said = syscall(SYS_sched_getparam, scapegoat, &parameters);
    bool same = said == syscall(SYS_sched_getparam, NOBODYS, &of_nobody);
    return same && parameters.sched_priority == of_nobody.sched_priority ? REFUSED : by(said);
}
static enum result attributes_of_host(void)
{
    char attributes[56];
    return by(syscall(SYS_sched_getattr, scapegoat, attributes, sizeof attributes, 0));
}
static enum result interval_of_host(void)
{
    struct timespec interval;
    return by(syscall(SYS_sched_rr_get_interval, scapegoat, &interval));
}
static enum result niceness_of_host(void)
{
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, scapegoat);
    return by(nice == -1 && errno ? -1 : 0);
}
static enum result io_priority_of_host(void) { return by(syscall(SYS_ioprio_get, 1, scapegoat)); }
static enum result session_of_host(void) { return by(getsid(scapegoat)); }
static enum result group_of_host(void) { return by(getpgid(scapegoat)); }
static enum result limits_of_host(void)
{
    struct rlimit limit;
    return by(syscall(SYS_prlimit64, scapegoat, RLIMIT_NOFILE, NULL, &limit));
}
static enum result robust_list_of_host(void)
{
    void *head;
    size_t length;
    return by(syscall(SYS_get_robust_list, scapegoat, &head, &length));
}
static enum result policy_of_host(void)
{
    unsigned long nodes[16];
    return permission(syscall(SYS_move_pages, scapegoat, 0, NULL, NULL, nodes, 0));
}
static enum result capabilities_of_host(void)
{
    uint32_t header[2] = {0x20080522, scapegoat}, sets[6];
    return by(syscall(SYS_capget, header, sets));
}
static enum result release_memory(void) { return permission(syscall(SYS_process_mrelease, -1, 0)); }

const struct attack CHANNELS[] = {
    {"futex-wake", "two bots: waking by a page of a library", talk_wake, PAIR},
    {"futex-wake-all", "two bots: waking all who wait", talk_wake_all, PAIR},
    {"futex-wake-bitset", "two bots: waking by a set of bits", talk_wake_bitset, PAIR},
    {"futex-wake-mixed", "two bots: waking who waits by a set of bits", talk_wake_mixed, PAIR},
    {"futex-requeue", "two bots: requeueing", talk_requeue, PAIR},
    {"futex-cmp-requeue", "two bots: requeueing if equal", talk_compare_requeue, PAIR},
    {"futex-wake-op", "two bots: waking by an operation on a page of its own", talk_wake_op, PAIR},
    {"futex-wake-clock", "two bots: waking with a flag that is for waiting", talk_wake_clock, PAIR},
    {"futex-wake-new", "two bots: waking by the newer call", talk_wake_new, PAIR},
    {"futex-itself", "two bots: waking by a page of the program that both are", futex_on_itself, PAIR},
    {"futex-waitv", "waits on several pages of files", wait_for_many, ALONE},
    {"futex-wait-new", "waits by the newer call", wait_new, ALONE},
    {"preadv2-nowait", "asks whether a file is in memory by reading without waiting", no_wait, ALONE},
    {"preadv2-flags", "the same, with another flag besides", no_wait_and_more, ALONE},
    {"preadv2-uncached", "drops what it has read from memory", dont_cache, ALONE},
    {"mincore", "asks which pages of a file are in memory", resident_pages, ALONE},
    {"page-out", "drops pages of a library", page_out, ALONE},
    {"cold", "has pages of a library dropped first", cool_down, ALONE},
    {"readahead", "reads a file ahead", read_ahead, ALONE},
    {"fadvise-willneed", "has a file read ahead", will_need, ALONE},
    {"sync-range", "writes a file's pages out", sync_range, ALONE},
    {"merge-pages", "shares equal pages with others", merge_pages, ALONE},
    {"merge-all", "shares all its equal pages", merge_all, ALONE},
    {"cpu-clock", "reads how long another process ran", clock_of_host, ALONE},
    {"cpu-clock-user", "reads how long another process ran by itself", user_clock_of_host, ALONE},
    {"cpu-clock-profile", "reads another process's profiling clock", profile_clock_of_host, ALONE},
    {"cpu-clock-parent", "reads how long its parent ran", clock_of_parent, ALONE},
    {"cpu-clock-resolution", "asks whether a process has a clock", resolution_of_clock, ALONE},
    {"cpu-clock-all", "reads the clocks of all processes", clocks_of_all, ALONE},
    {"cpu-clock-sleep", "sleeps by another process's clock", sleep_by_clock, ALONE},
    {"cpu-timer", "sets a timer by another process's clock", timer_on_host, ALONE},
    {"cpu-timer-profile", "sets a timer by another's profiling clock", profile_timer_on_host, ALONE},
    {"affinity-read", "asks on which cores another process may run", affinity_of_host, ALONE},
    {"scheduler-other", "asks how another process is scheduled", scheduler_of_host, ALONE},
    {"parameters-other", "asks for another process's priority", parameters_of_host, ALONE},
    {"attributes-other", "asks for another process's scheduling", attributes_of_host, ALONE},
    {"interval-other", "asks for another process's share of time", interval_of_host, ALONE},
    {"niceness-other", "asks how nice another process is", niceness_of_host, ALONE},
    {"io-priority-other", "asks for another process's priority on disks", io_priority_of_host, ALONE},
    {"session-other", "asks for another process's session", session_of_host, ALONE},
    {"group-other", "asks for another process's group", group_of_host, ALONE},
    {"limits-other", "asks for another process's limits", limits_of_host, ALONE},
    {"robust-list-other", "asks where another process keeps its locks", robust_list_of_host, ALONE},
    {"pages-other", "asks where another process's pages are", policy_of_host, ALONE},
    {"capabilities-other", "asks what another process can do", capabilities_of_host, ALONE},
    {"release-memory", "releases a dying process's memory", release_memory, ALONE},
    {0},
};
