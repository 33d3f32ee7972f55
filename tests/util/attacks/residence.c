/* Memory that a bot holds but that no longer counts as its own: written, and then converted. */
#include "attack.h"

#include <signal.h>
#include <time.h>

#define MIB ((size_t) 1 << 20)

/* The limit is 512 MiB, and some more for the stack and files. More than this counts as no limit. */
enum { WANTED_MIB = 640, ALLOWED_MIB = 576, STEP_MIB = 16 };

static void touch(volatile char *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += 4096)
        bytes[at] = 1;
}

/* Time for a look at its memory. */
static enum result held(size_t mebibytes)
{
    int error = errno;
    pause_ms(2000);
    errno = error;
    detail("%zu MiB: %s", mebibytes, mebibytes < WANTED_MIB ? strerror(errno) : "all of it");
    return mebibytes > ALLOWED_MIB ? WORKED : REFUSED;
}

/* Writes to memory and then converts it to a kind that is not counted as data. */
static enum result write_and(int (*change)(char *piece, size_t length), int flags, int file)
{
    size_t have = 0;
    for (; have < WANTED_MIB; have += STEP_MIB) {
        char *piece = mmap(NULL, STEP_MIB * MIB, PROT_READ | PROT_WRITE, flags, file, 0);
        if (piece == MAP_FAILED)
            break;
        touch(piece, STEP_MIB * MIB);
        if (change(piece, STEP_MIB * MIB) < 0)
            break;
    }
    return held(have);
}

static int only_read(char *piece, size_t length) { return mprotect(piece, length, PROT_READ); }
static int forbid(char *piece, size_t length) { return mprotect(piece, length, PROT_NONE); }
static int execute(char *piece, size_t length) { return mprotect(piece, length, PROT_READ | PROT_EXEC); }
static int lock_by_key(char *piece, size_t length) { return syscall(SYS_pkey_mprotect, piece, length, PROT_READ, -1); }
static int move(char *piece, size_t length)
{
    return only_read(piece, length) < 0 || mremap(piece, length, length + MIB, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0;
}
static int by_parts(char *piece, size_t length)
{
    for (size_t at = 0; at < length; at += MIB)
        if (only_read(piece + at, MIB) < 0)
            return -1;
    return 0;
}

static enum result written_then_read(void) { return write_and(only_read, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result written_then_forbidden(void) { return write_and(forbid, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result written_then_executed(void) { return write_and(execute, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result written_then_locked(void) { return write_and(lock_by_key, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result written_then_moved(void) { return write_and(move, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result written_by_parts(void) { return write_and(by_parts, MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result populated_then_read(void)
{
    return write_and(only_read, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_NORESERVE, -1);
}

/* The same with copies of a file's pages. */
static enum result copied_pages(void)
{
    static char page[4096];
    int file = open("pages", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    unlink("pages");
    if (file < 0)
        return by(file);
    for (size_t at = 0; at < STEP_MIB / 2 * MIB / sizeof page; at++)
        if (write(file, page, sizeof page) < 0)
            return by(-1);
    size_t have = 0;
    for (; have < WANTED_MIB; have += STEP_MIB / 2) {
        char *piece = mmap(NULL, STEP_MIB / 2 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
        if (piece == MAP_FAILED)
            break;
        touch(piece, STEP_MIB / 2 * MIB);
        if (only_read(piece, STEP_MIB / 2 * MIB) < 0)
            break;
    }
    return held(have);
}

/* Pending timers and signals take memory of the kernel. */
static enum result many_timers(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    int count = 0, timer;
    while (count < 2000 && syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
        count++;
    detail("%d timers: %s", count, strerror(errno));
    return count > 1000 ? WORKED : REFUSED;
}

static enum result many_signals(void)
{
    sigset_t set;
    union sigval value = {0};
    int count = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    while (count < 2000 && sigqueue(getpid(), SIGRTMIN, value) == 0)
        count++;
    detail("%d signals: %s", count, strerror(errno));
    return count > 1000 ? WORKED : REFUSED;
}

const struct attack RESIDENCE[] = {
    {"write-then-read", "640 MiB that it may only read once they are written", written_then_read, ALONE},
    {"write-then-forbid", "640 MiB that nobody may touch once they are written", written_then_forbidden, ALONE},
    {"write-then-execute", "640 MiB that are a program once they are written", written_then_executed, ALONE},
    {"write-then-lock", "640 MiB, changed by pkey_mprotect", written_then_locked, ALONE},
    {"write-then-move", "640 MiB that move once they are written", written_then_moved, ALONE},
    {"write-by-parts", "640 MiB, changed MiB by MiB", written_by_parts, ALONE},
    {"populate-then-read", "640 MiB that are filled when they are mapped, and read-only then", populated_then_read, ALONE},
    {"copied-pages", "640 MiB of copies of a file's pages", copied_pages, ALONE},
    {"timers", "2,000 timers", many_timers, ALONE},
    {"signals", "2,000 signals that wait", many_signals, ALONE},
    {0},
};
