/* Abuse of the only folder in which a bot may write: filling it, and leaving files that cannot be removed. */
#include "attack.h"

#include <dirent.h>
#include <sys/sysmacros.h>

enum { MIB = 1 << 20 };

/* More than this counts as no limit. */
enum { DISK_MIB = 64, ALLOWED_MIB = 32, FILES_MAX = 5000, ALLOWED_FILES = 2000 };

static void remove_numbered(int count)
{
    char name[32];
    while (count-- > 0) {
        snprintf(name, sizeof name, "f%d", count);
        unlink(name);
    }
}

/* Writes a number of files of this size in MiB, and deletes them again. */
static enum result write_files(int count, int mebibytes)
{
    static char zeros[MIB];
    long written = 0;
    int made = 0;
    for (; made < count; made++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", made);
        int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0)
            break;
        for (int i = 0; i < mebibytes; i++) {
            ssize_t now = write(file, zeros, MIB);
            if (now > 0)
                written += now;
            if (now < MIB)
                break;
        }
        close(file);
    }
    detail("%ld MiB in %d files: %s", written / MIB, made, strerror(errno));
    remove_numbered(made);
    return written > (long) ALLOWED_MIB * MIB ? WORKED : REFUSED;
}

static enum result fill_with_one(void) { return write_files(1, DISK_MIB); }
static enum result fill_with_many(void) { return write_files(DISK_MIB, 1); }

static enum result fill_inodes(void)
{
    int made = 0;
    for (; made < FILES_MAX; made++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", made);
        int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0)
            break;
        close(file);
    }
    detail("%d files: %s", made, strerror(errno));
    remove_numbered(made);
    return made > ALLOWED_FILES ? WORKED : REFUSED;
}

/* A removed file keeps its blocks until it is closed. */
static enum result fill_with_unlinked(void)
{
    static char zeros[MIB];
    int written = 0;
    for (; written < DISK_MIB; written++) {
        int file = open("f0", O_WRONLY | O_CREAT, 0600);
        if (file < 0 || unlink("f0") < 0 || write(file, zeros, MIB) < MIB)
            break;
    }
    detail("%d MiB: %s", written, strerror(errno));
    for (int file = 3; file < 200; file++)
        close(file);
    return written > ALLOWED_MIB ? WORKED : REFUSED;
}

static enum result allocate(void)
{
    int file = open("f0", O_WRONLY | O_CREAT, 0600);
    enum result result = by(file < 0 ? file : posix_fallocate(file, 0, (long) DISK_MIB * MIB) ? -1 : 0);
    unlink("f0");
    return result;
}

static enum result sparse_file(void)
{
    int file = open("f0", O_WRONLY | O_CREAT, 0600);
    enum result result = by(file < 0 ? file : ftruncate(file, 1L << 33));
    unlink("f0");
    return result;
}

/* A folder that cannot be opened by its path cannot be removed: 3,000 folders, one in the other. */
static enum result deep_tree(void)
{
    int depth = 0;
    for (; depth < 3000; depth++)
        if (mkdir("deep", 0700) < 0 || chdir("deep") < 0)
            break;
    detail("%d folders deep", depth);
    return DONE;
}

static enum result locked_folder(void)
{
    if (mkdir("locked", 0700) < 0 || mkdir("locked/inside", 0700) < 0)
        return by(-1);
    chmod("locked", 0);
    return DONE;
}

/* The same without chmod: no user may list it. */
static enum result blind_folder(void)
{
    enum result result = by(mkdir("blind", 0300) < 0 || mkdir("blind/inside", 0700) < 0 ? -1 : 0);
    return result == WORKED ? DONE : result;
}

static enum result long_names(void)
{
    char name[256];
    memset(name, '\xff', sizeof name);
    name[255] = 0;
    for (int i = 1; i < 40; i++) {
        name[0] = i;
        mkdir(name, 0700);
    }
    return DONE;
}

/* The referee removes the folder that it made. This puts a link to another in its place. */
static enum result replace_by_link(void)
{
    char moved[4200];
    const char *home = getenv("HOME");
    snprintf(moved, sizeof moved, "%s-moved", home);
    if (rename(home, moved) < 0)
        return by(-1);
    enum result result = by(symlink(canary("tree"), home));
    return result == WORKED ? DONE : result;
}

/* Keeps making files while the referee removes them. */
static enum result race_the_removal(void)
{
    pid_t child = fork();
    if (child != 0)
        return child < 0 ? by(-1) : DONE;
    in_child_end_after(20);
    setsid();
    close(0), close(1), close(2);
    for (int number = 0;; number++) {
        char name[32];
        snprintf(name, sizeof name, "%s/r%d", getenv("HOME"), number % 1000);
        mkdir(getenv("HOME"), 0700);
        close(open(name, O_WRONLY | O_CREAT, 0600));
    }
}

static enum result device_node(void)
{
    if (mknod("device", S_IFCHR | 0666, makedev(1, 5)) < 0) /* /dev/zero */
        return by(-1);
    char byte = 1;
    int file = open("device", O_RDONLY);
    return by(file < 0 ? file : read(file, &byte, 1));
}

static enum result setuid_here(void)
{
    close(open("setuid", O_WRONLY | O_CREAT, 0700));
    if (chmod("setuid", 04755) < 0)
        return by(-1);
    struct stat status;
    return stat("setuid", &status) == 0 && status.st_mode & S_ISUID ? WORKED : REFUSED;
}

static bool copy_itself(int to)
{
    static char bytes[1 << 16];
    int from = open("/proc/self/exe", O_RDONLY);
    ssize_t length;
    while ((length = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, length) < length)
            return false;
    return from >= 0 && length == 0;
}

/* Runs a program that was never checked as a submission. */
static enum result execute_written(void)
{
    int file = open("program", O_WRONLY | O_CREAT, 0700);
    if (file < 0 || !copy_itself(file))
        return by(-1);
    close(file);
    execl("./program", "attack", "again", NULL);
    return by(-1);
}

static enum result map_written(void)
{
    int file = open("library", O_RDWR | O_CREAT, 0700);
    if (file < 0 || !copy_itself(file))
        return by(-1);
    return by(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED ? -1 : 0);
}

static enum result execute_memory(void)
{
    int file = syscall(SYS_memfd_create, "program", 0);
    if (file < 0 || !copy_itself(file))
        return by(-1);
    char *words[] = {"attack", "again", NULL};
    extern char **environ;
    return by(syscall(SYS_execveat, file, "", words, environ, AT_EMPTY_PATH));
}

const struct attack SCRATCH[] = {
    {"fill-one-file", "writes a file of 64 MiB", fill_with_one, ALONE},
    {"fill-many-files", "writes 64 files of 1 MiB", fill_with_many, ALONE},
    {"fill-unlinked", "writes 64 MiB into files without a name", fill_with_unlinked, ALONE},
    {"fill-allocated", "allocates 64 MiB of a file", allocate, ALONE},
    {"fill-inodes", "makes 5,000 empty files", fill_inodes, ALONE},
    {"sparse-file", "makes a file that says it has 8 GiB", sparse_file, ALONE},
    {"deep-tree", "leaves 3,000 folders, one in the other", deep_tree, ALONE},
    {"locked-folder", "leaves a folder that it has locked", locked_folder, ALONE},
    {"blind-folder", "leaves a folder that nobody may list", blind_folder, ALONE},
    {"long-names", "leaves names of 255 odd bytes", long_names, ALONE},
    {"replace-scratch", "moves its folder and leaves a link in its place", replace_by_link, ALONE},
    {"race-removal", "goes on making files while its folder is removed", race_the_removal, ALONE},
    {"device-node", "makes a device of its own", device_node, ALONE},
    {"setuid-here", "makes a setuid file in its folder", setuid_here, ALONE},
    {"run-written", "runs a program that it has written", execute_written, ALONE},
    {"load-written", "loads code that it has written", map_written, ALONE},
    {"run-from-memory", "runs a program from memory", execute_memory, ALONE},
    {0},
};
