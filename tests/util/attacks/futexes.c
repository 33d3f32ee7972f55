/* Two bots that talk by a futex on a page of a file without a call that wakes: the kernel itself wakes threads that wait
 * for the end of a thread. */
#include "futexes.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static long wait_for_date(uint32_t *word)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    return syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, *word, &until, NULL, 1);
}

static void nothing(int signal) { (void) signal; }

static long wait_until_interrupted(uint32_t *word, int operation)
{
    struct sigaction interrupt = {.sa_handler = nothing};
    struct itimerval soon = {{0, 0}, {0, 50000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &interrupt, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    long woken = syscall(SYS_futex, word, operation, *word, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
    int error = errno;
    setitimer(ITIMER_REAL, &never, NULL);
    errno = error;
    return woken;
}

static long wait_long(uint32_t *word) { return wait_until_interrupted(word, FUTEX_WAIT); }
static long wait_as_join(uint32_t *word)
{
    return wait_until_interrupted(word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME);
}

static long wait_for_one_of_many(uint32_t *word)
{
    struct { uint64_t value, address; uint32_t flags, reserved; } waiter = {*word, (uintptr_t) word, 2, 0};
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    return syscall(SYS_futex_waitv, &waiter, 1, 0, &until, CLOCK_MONOTONIC);
}

/* Starts a thread that has only a stack. */
static long start(int (*work)(void *), void *word, int also)
{
    enum { SIZE = 65536, COUNT = 8 };
    static char stacks[COUNT][SIZE] __attribute__((aligned(16)));
    static int next;
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | also;
    next = (next + 1) % COUNT;
    long thread = clone(work, stacks[next] + SIZE, flags, word, NULL, NULL, word);
    return thread < 0 ? thread : 0;
}

static int end(void *word)
{
    (void) word;
    return 0;
}

static long end_at(uint32_t *word) { return start(end, word, CLONE_CHILD_CLEARTID); }

static int end_as_told(void *word)
{
    syscall(SYS_set_tid_address, word);
    return 0;
}

static long tell_and_end(uint32_t *word) { return start(end_as_told, word, 0); }

/* A lock that a thread was about to take or release when it ended, and that no thread holds. */
static int end_with_lock(void *word)
{
    struct { void *next; long offset; void *pending; } list = {&list, 0, word};
    syscall(SYS_set_robust_list, &list, sizeof list);
    syscall(SYS_exit, 0);
    return 0;
}

static uint32_t *word_of_nobody(void)
{
    uint32_t *page = common_page();
    for (int i = 0; page && i < 1024; i++)
        if (!page[i])
            return page + i;
    return common_word();
}

static long end_with_word(uint32_t *word)
{
    (void) word;
    return start(end_with_lock, word_of_nobody(), 0);
}

static long wait_for_lock(uint32_t *word)
{
    (void) word;
    return wait_plain(word_of_nobody());
}

static long wake_by(uint32_t *word, int operation)
{
    return syscall(SYS_futex, word, operation, 1, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

static long wake_with_date(uint32_t *word) { return wake_by(word, FUTEX_WAKE_BITSET | FUTEX_CLOCK_REALTIME); }
static long wake_with_more(uint32_t *word) { return wake_by(word, FUTEX_WAKE | 0x200); }
static long wake_with_sign(uint32_t *word) { return wake_by(word, FUTEX_WAKE | INT32_MIN); }

/* Wakes one, disguised as another call: the upper half of the operation is ignored. */
static long wake_with_high_half(uint32_t *word)
{
    return syscall(SYS_futex, word, (1ul << 32) | FUTEX_WAKE, 1, NULL, NULL, 0);
}

static long wake_private(uint32_t *word) { return wake_by(word, FUTEX_WAKE_PRIVATE); }

BY_FUTEX(talk_end, end_at, wait_plain)
BY_FUTEX(talk_end_long, end_at, wait_long)
BY_FUTEX(talk_end_bitset, end_at, wait_bitset)
BY_FUTEX(talk_end_date, end_at, wait_for_date)
BY_FUTEX(talk_end_join, end_at, wait_as_join)
BY_FUTEX(talk_end_many, end_at, wait_for_one_of_many)
BY_FUTEX(talk_end_told, tell_and_end, wait_bitset)
BY_FUTEX(talk_end_lock, end_with_word, wait_for_lock)
BY_FUTEX(talk_wake_many, wake_plain, wait_for_one_of_many)
BY_FUTEX(talk_wake_date, wake_plain, wait_for_date)
BY_FUTEX(talk_wake_long, wake_plain, wait_long)
BY_FUTEX(talk_wake_high, wake_with_high_half, wait_plain)
BY_FUTEX(talk_wake_private, wake_private, wait_plain)
BY_FUTEX(talk_wake_date_flag, wake_with_date, wait_bitset)
BY_FUTEX(talk_wake_more, wake_with_more, wait_plain)
BY_FUTEX(talk_wake_sign, wake_with_sign, wait_plain)

const struct attack FUTEXES[] = {
    {"end-futex", "two bots: ending a thread whose number stands on a page of a library", talk_end, PAIR},
    {"end-futex-long", "two bots: the same, waited for without a limit", talk_end_long, PAIR},
    {"end-futex-bitset", "two bots: the same, waited for by a set of bits", talk_end_bitset, PAIR},
    {"end-futex-date", "two bots: the same, waited for up to a date", talk_end_date, PAIR},
    {"end-futex-join", "two bots: the same, waited for as a library waits for a thread", talk_end_join, PAIR},
    {"end-futex-many", "two bots: the same, waited for among others", talk_end_many, PAIR},
    {"end-futex-told", "two bots: ending a thread that says later where its number stands", talk_end_told, PAIR},
    {"end-futex-lock", "two bots: ending a thread that has a lock on a page of a library", talk_end_lock, PAIR},
    {"wake-futex-many", "two bots: waking who waits among others", talk_wake_many, PAIR},
    {"wake-futex-date", "two bots: waking who waits up to a date", talk_wake_date, PAIR},
    {"wake-futex-long", "two bots: waking who waits without a limit", talk_wake_long, PAIR},
    {"wake-futex-high", "two bots: waking with more bits than count", talk_wake_high, PAIR},
    {"wake-futex-private", "two bots: waking with the flag that it is the process's own", talk_wake_private, PAIR},
    {"wake-futex-flag", "two bots: waking by a set of bits with a clock", talk_wake_date_flag, PAIR},
    {"wake-futex-more", "two bots: waking with a flag that is not known", talk_wake_more, PAIR},
    {"wake-futex-sign", "two bots: waking by a negative operation", talk_wake_sign, PAIR},
    {0},
};
