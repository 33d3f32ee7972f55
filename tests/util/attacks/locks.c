/* Locks and watches on files that others read, too: mount namespaces do not separate those. */
#include "attack.h"

#include <signal.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>

static int library(void)
{
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    return file < 0 ? open(own_file, O_RDONLY | O_CLOEXEC) : file;
}

static int program(void) { return open(own_file, O_RDONLY | O_CLOEXEC); }

static enum result lock_by_flock(int file) { return by(file < 0 ? file : flock(file, LOCK_EX | LOCK_NB)); }
static enum result flock_library(void) { return lock_by_flock(library()); }
static enum result flock_program(void) { return lock_by_flock(program()); }

static enum result lock_by(int command)
{
    struct flock part = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int file = library();
    return by(file < 0 ? file : fcntl(file, command, &part));
}

static enum result fcntl_lock(void) { return lock_by(F_SETLK); }
static enum result fcntl_lock_of_description(void) { return lock_by(F_OFD_SETLK); }
static enum result ask_for_locks(void) { return lock_by(F_GETLK); }

static enum result lease(void)
{
    int file = program();
    signal(SIGIO, SIG_IGN);
    return by(file < 0 ? file : fcntl(file, F_SETLEASE, F_RDLCK));
}

static enum result lease_library(void)
{
    int file = library();
    signal(SIGIO, SIG_IGN);
    return by(file < 0 ? file : fcntl(file, F_SETLEASE, F_RDLCK));
}

static enum result notify_of_folder(void)
{
    int folder = open("/usr/lib", O_RDONLY | O_DIRECTORY);
    signal(SIGIO, SIG_IGN);
    return by(folder < 0 ? folder : fcntl(folder, F_NOTIFY, DN_CREATE));
}

static enum result watch(const char *path)
{
    int watcher = inotify_init1(IN_CLOEXEC);
    return by(watcher < 0 ? watcher : inotify_add_watch(watcher, path, IN_OPEN | IN_ACCESS));
}

static enum result watch_library(void) { return watch("/usr/lib"); }
static enum result watch_program(void) { return watch(own_file); }
static enum result watch_record(void) { return watch(below_place("games")); }

static enum result watch_everything(void)
{
    int watcher = fanotify_init(FAN_CLASS_NOTIF, O_RDONLY);
    if (watcher < 0) /* without privileges there is a weaker form */
        watcher = fanotify_init(FAN_CLASS_NOTIF | 0x200 /* FAN_REPORT_FID */, O_RDONLY);
    return by(watcher);
}

static enum result lock_own_files(void)
{
    int file = open("own", O_RDWR | O_CREAT, 0600);
    return by(file < 0 ? file : flock(file, LOCK_EX | LOCK_NB));
}

const struct attack LOCKS[] = {
    {"flock-library", "locks a file of the system", flock_library, ALONE},
    {"flock-program", "locks its own program, which the next game starts", flock_program, ALONE},
    {"flock-own", "locks at all: a file in its own folder", lock_own_files, ALONE},
    {"fcntl-lock", "locks a part of a file of the system", fcntl_lock, ALONE},
    {"fcntl-ofd-lock", "locks it for the open file", fcntl_lock_of_description, ALONE},
    {"fcntl-ask", "asks who holds a lock", ask_for_locks, ALONE},
    {"lease-program", "takes a lease on its own program", lease, ALONE},
    {"lease-library", "takes a lease on a file of the system", lease_library, ALONE},
    {"dnotify", "has itself told of changes to a folder", notify_of_folder, ALONE},
    {"inotify-library", "sees who opens the system's libraries", watch_library, ALONE},
    {"inotify-program", "sees when its own program is started", watch_program, ALONE},
    {"inotify-games", "sees when the referee writes", watch_record, ALONE},
    {"fanotify", "has itself told of everything", watch_everything, ALONE},
    {0},
};
