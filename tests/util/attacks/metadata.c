/* Properties of a file that can be seen without reading it, and changed without writing to it. */
#include "attack.h"

#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/xattr.h>

static enum result stat_file(void)
{
    struct stat status;
    return by(stat(canary("secret"), &status));
}

static enum result read_link(void)
{
    char target[256];
    return by(readlink(canary("pointer"), target, sizeof target));
}

static enum result list_xattrs(void)
{
    char names[256];
    return by(listxattr(canary("secret"), names, sizeof names));
}

static enum result change_mode(void) { return by(chmod(canary("own"), 0640)); }
static enum result change_mode_2(void) { return by(syscall(SYS_fchmodat2, AT_FDCWD, canary("own"), 0640, 0)); }

static enum result change_mode_of_descriptor(void)
{
    int file = open(canary("own"), O_RDONLY);
    return by(file < 0 ? file : fchmod(file, 0640));
}

static enum result change_owner(void)
{
    struct stat status;
    if (stat(canary("own"), &status) < 0)
        return by(-1);
    return by(chown(canary("own"), status.st_uid, geteuid() == 0 ? 65534 : status.st_gid));
}

static enum result change_times(void)
{
    struct timeval times[2] = {{1, 0}, {1, 0}};
    return by(utimes(canary("writable"), times));
}

static enum result touch(void) { return by(utimensat(AT_FDCWD, canary("writable"), NULL, 0)); }

static enum result change_times_of_path_descriptor(void)
{
    int file = open(canary("writable"), O_PATH);
    return by(file < 0 ? file : utimensat(file, "", NULL, AT_EMPTY_PATH));
}

static enum result set_xattr(void) { return by(setxattr(canary("writable"), "user.note", "1", 1, 0)); }

static enum result set_xattr_at(void)
{
    struct { uint64_t value; uint32_t size, flags; } note = {(uintptr_t) "1", 1, 0};
    return by(syscall(SYS_setxattrat, AT_FDCWD, canary("writable"), 0, "user.note", &note, sizeof note));
}

static enum result set_attributes(void)
{
    int file = open(canary("own"), O_RDONLY), attributes = 0;
    if (file < 0 || ioctl(file, _IOR('f', 1, long), &attributes) < 0)
        return by(-1);
    int changed = attributes | 0x40; /* no dump: without any effect */
    return by(ioctl(file, _IOW('f', 2, long), &changed));
}

static enum result sizes_of_disks(void)
{
    struct statfs disk;
    return by(statfs(canary("secret"), &disk));
}

/* Files that can be seen: they keep what they have. */
static const char SYSTEM_FILE[] = "/usr/lib/os-release", DEVICE[] = "/dev/null";

static enum result same_mode(const char *path)
{
    struct stat status;
    return by(stat(path, &status) < 0 ? -1 : chmod(path, status.st_mode & 07777));
}

static enum result mode_of_system(void) { return same_mode(SYSTEM_FILE); }
static enum result mode_of_device(void) { return same_mode(DEVICE); }
static enum result times_of_device(void) { return by(utimensat(AT_FDCWD, DEVICE, NULL, 0)); }

static enum result times_of_system(void)
{
    struct stat status;
    if (stat(SYSTEM_FILE, &status) < 0)
        return by(-1);
    return by(utimensat(AT_FDCWD, SYSTEM_FILE, (struct timespec[]){status.st_atim, status.st_mtim}, 0));
}

static enum result give_away(void)
{
    close(open("gift", O_WRONLY | O_CREAT, 0600));
    return by(chown("gift", 12345, 12345));
}

const struct attack METADATA[] = {
    {"stat", "asks for the size and times of a known path", stat_file, ALONE},
    {"readlink", "reads where a symbolic link at a known path points", read_link, ALONE},
    {"list-xattrs", "lists the extended attributes of a known path", list_xattrs, ALONE},
    {"statfs", "asks how full the host's disk is", sizes_of_disks, ALONE},
    {"chmod", "changes a file's mode", change_mode, ALONE},
    {"fchmodat2", "changes a file's mode by a newer call", change_mode_2, ALONE},
    {"fchmod", "changes the mode of a file that it has opened", change_mode_of_descriptor, ALONE},
    {"chown", "changes a file's owner", change_owner, ALONE},
    {"give-away", "gives a file of its own to another user", give_away, ALONE},
    {"utimes", "changes a file's times", change_times, ALONE},
    {"touch", "sets a file's times to now", touch, ALONE},
    {"touch-path-descriptor", "sets the times of a file of which it has only the path", change_times_of_path_descriptor,
     ALONE},
    {"setxattr", "writes an extended attribute", set_xattr, ALONE},
    {"setxattrat", "writes an extended attribute by a newer call", set_xattr_at, ALONE},
    {"chattr", "sets a file's attributes", set_attributes, ALONE},
    {"system-mode", "sets the mode of a file of the system", mode_of_system, ALONE},
    {"system-times", "sets the times of a file of the system", times_of_system, ALONE},
    {"device-mode", "sets the mode of a device", mode_of_device, ALONE},
    {"device-times", "sets the times of a device", times_of_device, ALONE},
    {0},
};
