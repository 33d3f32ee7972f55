/* A bot that tries forbidden things with WASI's library: `bot CANARY`. It attacks at its first question, and reports on
 * standard error whether each attack worked. The attacks of tests/util/attacks need system calls that WASI does not
 * have; these are the remaining ones. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wasi/libc.h>

#ifdef NETWORK
#include <sys/socket.h>
#endif

extern char **environ;

static void report(const char *name, int worked)
{
    fprintf(stderr, "%s: %s\n", name, worked ? "worked" : "refused");
}

/* Reports for every descriptor above the standard ones whether it can be used. */
static int any_descriptor(int (*try)(int))
{
    for (int file = 3; file < 1024; file++)
        if (try(file) >= 0)
            return 1;
    return 0;
}

/* Not F_GETFD, which the library answers itself. */
static int flags(int file) { return fcntl(file, F_GETFL); }
static int status(int file) { struct stat stat; return fstat(file, &stat); }
static int reads(int file) { char byte; return read(file, &byte, 1); }
static int writes(int file) { return write(file, "x", 1); }
static int opens(int file) { return openat(file, "secret", O_RDONLY); }
static int makes(int file) { return openat(file, "made", O_CREAT | O_WRONLY, 0600); }
static int cuts(int file) { return ftruncate(file, 0); }
static int lists(int file) { return fdopendir(file) ? 0 : -1; }
static int takes_place(int file) { return __wasilibc_fd_renumber(1, file); }

static void attack(const char *canary)
{
    char bytes[256];
    struct stat stat;
    struct timespec now, soon = {0, 1000000};
    struct timeval times[2] = {{1, 0}, {1, 0}};

    report("read a file", open(canary, O_RDONLY) >= 0);
    report("read a file by a relative path", open("../../../../../../../../etc/passwd", O_RDONLY) >= 0);
    report("read a file from here", open("secret", O_RDONLY) >= 0);
    report("write a file", open(canary, O_WRONLY | O_TRUNC) >= 0);
    report("add to a file", open(canary, O_WRONLY | O_APPEND) >= 0);
    report("make a file", open("made", O_CREAT | O_WRONLY, 0600) >= 0);
    report("make a file in /tmp", open("/tmp/made", O_CREAT | O_WRONLY, 0600) >= 0);
    report("cut a file", truncate(canary, 0) >= 0);
    report("remove a file", unlink(canary) >= 0);
    report("rename a file", rename(canary, "stolen") >= 0);
    report("link a file", link(canary, "second") >= 0);
    report("point at a file", symlink(canary, "pointer") >= 0);
    report("look at a file", lstat(canary, &stat) >= 0);
    report("ask whether a file is there", access(canary, F_OK) >= 0);
    report("date a file", utimes(canary, times) >= 0);
    report("list a folder", opendir("/") != NULL);
    report("list this folder", opendir(".") != NULL);
    report("make a folder", mkdir("folder", 0700) >= 0);
    report("remove a folder", rmdir("/tmp") >= 0);
    report("go to a folder", chdir("/etc") >= 0);
    report("find its own program", readlink("/proc/self/exe", bytes, sizeof bytes) >= 0);
    report("open a device", open("/dev/tty", O_RDWR) >= 0);

    report("flags of other descriptors", any_descriptor(flags));
    report("status of other descriptors", any_descriptor(status));
    report("read other descriptors", any_descriptor(reads));
    report("write other descriptors", any_descriptor(writes));
    report("open below other descriptors", any_descriptor(opens));
    report("make below other descriptors", any_descriptor(makes));
    report("cut other descriptors", any_descriptor(cuts));
    report("list other descriptors", any_descriptor(lists));
    report("put standard output elsewhere", any_descriptor(takes_place));
    report("write standard input", write(0, "1 1\n", 4) >= 0);
    report("read standard output", read(1, bytes, sizeof bytes) >= 0);
    report("read questions twice", lseek(0, 0, SEEK_SET) >= 0);
    report("cut standard output", ftruncate(1, 0) >= 0);

    report("know the date", clock_gettime(CLOCK_REALTIME, &now) >= 0 && now.tv_sec > 365 * 86400);
    report("sleep", nanosleep(&soon, NULL) >= 0);
    report("wait for nothing", poll(NULL, 0, 1) >= 0);
    report("read the environment", getenv("PATH") || getenv("HOME") || getenv("USER"));
    int others = 0;
    for (char **variable = environ; *variable; variable++)
        others += strncmp(*variable, "REFEREE_", 8) != 0;
    report("find more variables", others);
    /* A compiler may leave out memory that is never read. */
    char *volatile memory = malloc(64 << 20);
    report("get more memory than a bot may", memory != NULL);
    size_t total = 0;
    while (total < (size_t)128 << 20 && (memory = malloc(1 << 20)))
        total += 1 << 20;
    report("get it bit by bit", total >= (size_t)64 << 20);

    /* These numbers are the same in each game. The test compares them. */
    unsigned char random[8];
    getentropy(random, sizeof random);
    for (size_t i = 0; i < sizeof random; i++)
        fprintf(stderr, "%02x", random[i]);
    fprintf(stderr, " at %lld\n", (long long)now.tv_nsec);
#ifdef NETWORK
    report("accept a connection", accept(3, NULL, NULL) >= 0);
    report("receive", recv(3, bytes, sizeof bytes, 0) >= 0);
#endif
}

int main(int count, char **words)
{
    static char question[65536];
    ssize_t length;
    for (int number = 0; (length = read(0, question, sizeof question)) > 0; number++) {
        if (number == 0)
            attack(count > 1 ? words[1] : "");
        write(1, "1\n", 2);
    }
    return 0;
}
