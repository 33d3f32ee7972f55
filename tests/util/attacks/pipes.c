/* The other ends of its own pipes: a bot that could open them would ask itself, or read what it has said. */
#include "attack.h"

/* Opens the pipe behind one of its own descriptors anew. */
static enum result reopen(const char *path, int how)
{
    int file = open(path, how | O_NONBLOCK | O_CLOEXEC);
    enum result result = by(file);
    close(file);
    return result;
}

static enum result ask(void) { return reopen("/proc/self/fd/0", O_WRONLY); }
static enum result ask_and_read(void) { return reopen("/proc/self/fd/0", O_RDWR); }
static enum result ask_appending(void) { return reopen("/proc/self/fd/0", O_WRONLY | O_APPEND); }
static enum result ask_creating(void) { return reopen("/proc/self/fd/0", O_WRONLY | O_CREAT | O_TRUNC); }
static enum result ask_by_thread(void) { return reopen("/proc/thread-self/fd/0", O_WRONLY); }
static enum result ask_by_device(void) { return reopen("/dev/fd/0", O_WRONLY); }
static enum result ask_by_name(void) { return reopen("/dev/stdin", O_WRONLY); }
static enum result read_answers(void) { return reopen("/proc/self/fd/1", O_RDONLY); }
static enum result read_answers_by_name(void) { return reopen("/dev/stdout", O_RDONLY); }
static enum result read_and_write_answers(void) { return reopen("/proc/self/fd/1", O_RDWR); }
static enum result read_errors(void) { return reopen("/proc/self/fd/2", O_RDONLY); }

static enum result ask_by_number(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/0", getpid());
    return reopen(path, O_WRONLY);
}

static enum result ask_by_task(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/fd/0", syscall(SYS_gettid));
    return reopen(path, O_WRONLY);
}

static enum result ask_from_folder(void)
{
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = folder < 0 ? folder : openat(folder, "0", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    enum result result = by(file);
    close(file);
    close(folder);
    return result;
}

static enum result ask_by_newer_call(void)
{
    uint64_t how[3] = {O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0, 0};
    long file = syscall(SYS_openat2, AT_FDCWD, "/proc/self/fd/0", how, sizeof how);
    enum result result = by(file);
    close(file);
    return result;
}

/* Gives itself the right first. */
static enum result ask_after_chmod(void)
{
    struct stat before;
    fstat(0, &before);
    fchmod(0, 0666);
    enum result result = reopen("/proc/self/fd/0", O_WRONLY);
    fchmod(0, before.st_mode & 07777);
    return result;
}

/* A copy of the descriptor is as good. */
static enum result ask_by_copy(void)
{
    char path[64];
    int copy = dup(0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
    enum result result = reopen(path, O_WRONLY);
    close(copy);
    return result;
}

const struct attack PIPES[] = {
    {"ask-itself", "opens its input for writing", ask, ALONE},
    {"ask-itself-both", "opens its input for both", ask_and_read, ALONE},
    {"ask-itself-append", "opens its input for appending", ask_appending, ALONE},
    {"ask-itself-create", "opens its input as if to make it", ask_creating, ALONE},
    {"ask-itself-thread", "opens its input by its thread", ask_by_thread, ALONE},
    {"ask-itself-task", "opens its input by the number of its thread", ask_by_task, ALONE},
    {"ask-itself-number", "opens its input by its number", ask_by_number, ALONE},
    {"ask-itself-device", "opens its input below /dev/fd", ask_by_device, ALONE},
    {"ask-itself-name", "opens /dev/stdin for writing", ask_by_name, ALONE},
    {"ask-itself-folder", "opens its input from the folder of its descriptors", ask_from_folder, ALONE},
    {"ask-itself-newer", "opens its input by the newer call", ask_by_newer_call, ALONE},
    {"ask-itself-chmod", "gives itself the right first", ask_after_chmod, ALONE},
    {"ask-itself-copy", "opens a copy of its input", ask_by_copy, ALONE},
    {"hear-itself", "opens its output for reading", read_answers, ALONE},
    {"hear-itself-name", "opens /dev/stdout for reading", read_answers_by_name, ALONE},
    {"hear-itself-both", "opens its output for both", read_and_write_answers, ALONE},
    {"hear-errors", "opens its standard error for reading", read_errors, ALONE},
    {0},
};
