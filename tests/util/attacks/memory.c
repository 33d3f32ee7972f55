/* More memory than a bot may have, in all forms of memory. */
#include "attack.h"

#include <alloca.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define MIB ((size_t) 1 << 20)

/* The limit is 512 MiB. More than this counts as no limit. All memory is freed after the attack. */
enum { WANTED_MIB = 640, ALLOWED_MIB = 576, STEP_MIB = 16 };

/* Kernel memory that no limit on a process's own memory counts. */
enum { KERNEL_WANTED_MIB = 48, KERNEL_ALLOWED_MIB = 32 };

static void touch(volatile char *bytes, size_t length)
{
    for (size_t at = 0; at < length; at += 4096)
        bytes[at] = 1;
}

static enum result got(size_t mebibytes)
{
    detail("%zu MiB: %s", mebibytes, mebibytes < WANTED_MIB ? strerror(errno) : "all of it");
    return mebibytes > ALLOWED_MIB ? WORKED : REFUSED;
}

/* Maps and touches piece by piece; file and flags as for mmap. */
static enum result map_pieces(int flags, int file)
{
    size_t have = 0;
    for (; have < WANTED_MIB; have += STEP_MIB) {
        char *piece = mmap(NULL, STEP_MIB * MIB, PROT_READ | PROT_WRITE, flags, file, have * MIB);
        if (piece == MAP_FAILED)
            break;
        touch(piece, STEP_MIB * MIB);
    }
    return got(have);
}

static enum result heap(void)
{
    size_t have = 0;
    for (char *piece; have < WANTED_MIB && (piece = malloc(STEP_MIB * MIB)); have += STEP_MIB)
        touch(piece, STEP_MIB * MIB);
    return got(have);
}

static enum result small_pieces(void)
{
    size_t have = 0;
    for (char *piece; have < WANTED_MIB * MIB && (piece = malloc(64 * 1024)); have += 64 * 1024)
        touch(piece, 64 * 1024);
    return got(have / MIB);
}

static enum result breaks(void)
{
    size_t have = 0;
    for (; have < WANTED_MIB; have += STEP_MIB) {
        char *piece = sbrk(STEP_MIB * MIB);
        if (piece == (void *) -1)
            break;
        touch(piece, STEP_MIB * MIB);
    }
    return got(have);
}

static enum result private_mapping(void) { return map_pieces(MAP_PRIVATE | MAP_ANONYMOUS, -1); }
static enum result shared_mapping(void) { return map_pieces(MAP_SHARED | MAP_ANONYMOUS, -1); }
static enum result populated(void) { return map_pieces(MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1); }
static enum result unreserved(void) { return map_pieces(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1); }
static enum result growing_down(void) { return map_pieces(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1); }

static enum result zero_device(void)
{
    size_t have = 0;
    for (int file = open("/dev/zero", O_RDWR); have < WANTED_MIB; have += STEP_MIB) {
        char *piece = mmap(NULL, STEP_MIB * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (piece == MAP_FAILED)
            break;
        touch(piece, STEP_MIB * MIB);
    }
    return got(have);
}

static enum result huge_pages(void) { return map_pieces(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1); }

/* Maps without the right to write, which is not counted as data, and takes the right later. */
static enum result protected_later(void)
{
    size_t have = 0;
    for (; have < WANTED_MIB; have += STEP_MIB) {
        char *piece = mmap(NULL, STEP_MIB * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED || mprotect(piece, STEP_MIB * MIB, PROT_READ | PROT_WRITE) < 0)
            break;
        touch(piece, STEP_MIB * MIB);
    }
    return got(have);
}

static enum result remapped(void)
{
    char *piece = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED)
        return by(-1);
    piece = mremap(piece, MIB, WANTED_MIB * MIB, MREMAP_MAYMOVE);
    if (piece == MAP_FAILED)
        return by(-1);
    touch(piece, WANTED_MIB * MIB);
    return WORKED;
}

static enum result memory_file(void)
{
    int file = syscall(SYS_memfd_create, "memory", 0);
    return file < 0 || ftruncate(file, WANTED_MIB * MIB) < 0 ? by(-1) : map_pieces(MAP_SHARED, file);
}

static enum result shared_memory_file(void)
{
    char name[256];
    snprintf(name, sizeof name, "/memory-%s", token);
    int file = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0)
        return by(file);
    shm_unlink(name);
    return ftruncate(file, WANTED_MIB * MIB) < 0 ? by(-1) : map_pieces(MAP_SHARED, file);
}

static enum result segment(void)
{
    int segment = shmget(IPC_PRIVATE, WANTED_MIB * MIB, 0600);
    if (segment < 0)
        return by(segment);
    char *bytes = shmat(segment, NULL, 0);
    shmctl(segment, IPC_RMID, NULL);
    if (bytes == (void *) -1)
        return by(-1);
    touch(bytes, WANTED_MIB * MIB);
    return WORKED;
}

/* Writes data into files in the folder for temporary files: if that is in memory, it counts twice. */
static enum result temporary_file(void)
{
    int file = open("memory", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    unlink("memory");
    return file < 0 || ftruncate(file, WANTED_MIB * MIB) < 0 ? by(-1) : map_pieces(MAP_SHARED, file);
}

static enum result children(void)
{
    enum { CHILDREN = 4 };
    pid_t started[CHILDREN];
    int full = 0, ready[2], leave[2];
    if (pipe(ready) < 0 || pipe(leave) < 0)
        return by(-1);
    for (int i = 0; i < CHILDREN; i++) {
        started[i] = fork();
        if (started[i] == 0) {
            char byte = 1, *bytes = malloc(WANTED_MIB / CHILDREN * MIB);
            in_child_end_after(10);
            close(leave[1]);
            if (bytes)
                touch(bytes, WANTED_MIB / CHILDREN * MIB);
            _exit(write(ready[1], &byte, bytes != NULL) + read(leave[0], &byte, 1));
        }
    }
    close(ready[1]);
    for (char byte; full < CHILDREN && read(ready[0], &byte, 1) == 1; full++) {}
    sleep(3); /* what several processes have together is looked at now and then, on a busy machine less often */
    close(leave[1]);
    for (int i = 0; i < CHILDREN; i++)
        if (started[i] > 0)
            waitpid(started[i], NULL, 0);
    return got((size_t) full * WANTED_MIB / CHILDREN);
}

static size_t deep(size_t left)
{
    volatile char frame[64 * 1024];
    frame[0] = frame[sizeof frame - 1] = 1;
    return left == 0 ? 0 : 1 + deep(left - 1) + frame[0] - 1;
}

static enum result stack(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
    pid_t child = fork(); /* this may kill it */
    if (child < 0)
        return deep(64 * MIB / (64 * 1024)) ? WORKED : REFUSED;
    if (child == 0) {
        deep(64 * MIB / (64 * 1024));
        _exit(0);
    }
    return result_of_child(child);
}

static void *fill_stack(void *nothing)
{
    touch(alloca(60 * MIB), 60 * MIB);
    return nothing;
}

static enum result stacks_of_threads(void)
{
    pthread_attr_t attributes;
    pthread_t threads[10];
    int count = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * MIB);
    while (count < 10 && (errno = pthread_create(&threads[count], &attributes, fill_stack, NULL)) == 0)
        count++;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return got(count * 64);
}

static enum result locked(void)
{
    char *bytes = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return by(bytes == MAP_FAILED ? -1 : mlock(bytes, 64 * MIB));
}

static enum result all_locked(void)
{
    long returned = mlockall(MCL_CURRENT | MCL_FUTURE);
    munlockall();
    return by(returned);
}

static enum result got_kernel_memory(size_t bytes)
{
    detail("%zu MiB: %s", bytes / MIB, strerror(errno));
    return bytes > KERNEL_ALLOWED_MIB * MIB ? WORKED : REFUSED;
}

/* A page of page tables for one page in each two MiB, which is read but never written. */
static enum result page_tables(void)
{
    size_t pages = KERNEL_WANTED_MIB * MIB / 4096, touched = 0;
    for (; touched < pages; touched += 512) {
        volatile char *room = mmap(NULL, 512 * 2 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED)
            break;
        madvise((char *) room, 512 * 2 * MIB, MADV_NOHUGEPAGE);
        for (int i = 0; i < 512; i++)
            (void) room[i * 2 * MIB];
    }
    return got_kernel_memory(touched * 4096);
}

static enum result pipes(void)
{
    static char bytes[1 << 20];
    size_t held = 0;
    int ends[2];
    while (held < KERNEL_WANTED_MIB * MIB && pipe2(ends, O_NONBLOCK) == 0) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        ssize_t written = write(ends[1], bytes, sizeof bytes);
        held += written > 0 ? written : 0;
    }
    return got_kernel_memory(held);
}

static enum result bigger_pipe(void)
{
    int ends[2];
    return by(pipe(ends) < 0 ? -1 : fcntl(ends[1], F_SETPIPE_SZ, 1 << 20));
}

static enum result socket_buffers(void)
{
    static char bytes[1 << 16];
    size_t held = 0;
    int ends[2], size = 1 << 30;
    while (held < KERNEL_WANTED_MIB * MIB && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0) {
        for (int i = 0; i < 2; i++) {
            setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
            for (ssize_t written; (written = write(ends[i], bytes, sizeof bytes)) > 0;)
                held += written;
        }
    }
    return got_kernel_memory(held);
}

const struct attack MEMORY[] = {
    {"heap", "640 MiB of the heap", heap, ALONE},
    {"heap-small", "640 MiB in small pieces", small_pieces, ALONE},
    {"brk", "640 MiB by sbrk", breaks, ALONE},
    {"mmap-private", "640 MiB of private mappings", private_mapping, ALONE},
    {"mmap-shared", "640 MiB of shared mappings", shared_mapping, ALONE},
    {"mmap-populate", "640 MiB that are filled when they are mapped", populated, ALONE},
    {"mmap-noreserve", "640 MiB without reservation", unreserved, ALONE},
    {"mmap-growsdown", "640 MiB of mappings that grow like a stack", growing_down, ALONE},
    {"mmap-zero", "640 MiB of /dev/zero, shared", zero_device, ALONE},
    {"mmap-huge", "640 MiB of huge pages", huge_pages, ALONE},
    {"mprotect", "640 MiB that become writable later", protected_later, ALONE},
    {"mremap", "1 MiB that grows to 640", remapped, ALONE},
    {"memfd", "640 MiB of a file in memory", memory_file, ALONE},
    {"shm-open", "640 MiB in /dev/shm", shared_memory_file, ALONE},
    {"sysv-shm", "640 MiB of a shared segment", segment, ALONE},
    {"mmap-file", "640 MiB of a file in its own folder", temporary_file, ALONE},
    {"children", "640 MiB in four children", children, ALONE},
    {"stack", "64 MiB of stack", stack, ALONE},
    {"thread-stacks", "640 MiB of threads' stacks", stacks_of_threads, ALONE},
    {"mlock", "locks 64 MiB", locked, ALONE},
    {"mlockall", "locks all it has", all_locked, ALONE},
    {"page-tables", "48 MiB of page tables for pages that it never writes", page_tables, ALONE},
    {"pipe-buffers", "48 MiB in pipes", pipes, ALONE},
    {"pipe-size", "makes a pipe of 1 MiB", bigger_pipe, ALONE},
    {"socket-buffers", "48 MiB in sockets", socket_buffers, ALONE},
    {0},
};
