/* Reading and changing files that do not concern the bot. */
#include "attack.h"

#include <dirent.h>
#include <glob.h>

static enum result read_secret(void) { return reads_secret(canary("secret")); }

static enum result read_relative(void)
{
    char path[8192] = "";
    for (int i = 0; i < 30; i++)
        strcat(path, "../");
    strncat(path, canary("secret"), sizeof path - strlen(path) - 1);
    return reads_secret(path);
}

static enum result read_openat2(void)
{
    struct { uint64_t flags, mode, resolve; } how = {O_RDONLY, 0, 0};
    return descriptor_reads_secret(syscall(SYS_openat2, AT_FDCWD, canary("secret"), &how, sizeof how));
}

static enum result read_through_path_descriptor(void)
{
    int file = open(canary("secret"), O_PATH);
    if (file < 0)
        return by(file);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return reads_secret(path);
}

static enum result read_through_symlink(void)
{
    if (symlink(canary("secret"), "pointer") < 0)
        return by(-1);
    return reads_secret("pointer");
}

static enum result read_through_hard_link(void)
{
    if (link(canary("secret"), "second-name") < 0)
        return by(-1);
    return reads_secret("second-name");
}

static enum result read_by_handle(void)
{
    union { struct file_handle handle; char room[sizeof(struct file_handle) + MAX_HANDLE_SZ]; } file;
    int mount, root = open("/", O_RDONLY | O_DIRECTORY);
    file.handle.handle_bytes = MAX_HANDLE_SZ;
    if (name_to_handle_at(AT_FDCWD, canary("secret"), &file.handle, &mount, 0) < 0)
        return by(-1);
    int folder = open(canary(""), O_RDONLY | O_DIRECTORY);
    return descriptor_reads_secret(open_by_handle_at(folder < 0 ? root : folder, &file.handle, O_RDONLY));
}

static enum result map_secret(void)
{
    int file = open(canary("secret"), O_RDONLY);
    if (file < 0)
        return by(file);
    void *bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    return bytes != MAP_FAILED && holds_secret(bytes, 256) ? WORKED : by(-1);
}

static enum result list(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return by(-1);
    int entries = 0;
    while (readdir(folder))
        entries++;
    closedir(folder);
    return entries > 2 ? WORKED : REFUSED;
}

static enum result list_folder(void) { return list(canary("")); }
static enum result list_root_of_machine(void) { return list(place); }

static enum result list_homes(void)
{
    glob_t homes;
    enum result result = list("/root");
    if (result != WORKED && !glob("/home/*", 0, NULL, &homes) && homes.gl_pathc > 0)
        result = list(homes.gl_pathv[0]);
    return result;
}

static enum result read_shadow(void) { return by(open("/etc/shadow", O_RDONLY)); }
static enum result read_users(void) { return by(open("/etc/passwd", O_RDONLY)); }
static enum result read_machine_id(void)
{
    static char name[256];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    if (file < 0)
        file = open("/etc/machine-id", O_RDONLY);
    return by(file < 0 ? file : read(file, name, sizeof name));
}

static enum result read_record(void) { return by(open(below_place("games/results.csv"), O_RDONLY)); }
static enum result read_logs(void) { return list(below_place("games/logs")); }
static enum result forge_record(void) { return by(open(below_place("games/results.csv"), O_WRONLY | O_APPEND)); }

static enum result write_to(int file)
{
    if (file < 0)
        return by(file);
    return by(write(file, "overwritten", 11));
}

static enum result write_file(void) { return write_to(open(canary("writable"), O_WRONLY)); }
static enum result append_to_file(void) { return write_to(open(canary("writable"), O_WRONLY | O_APPEND)); }
static enum result empty_file(void) { return by(open(canary("writable"), O_RDONLY | O_TRUNC)); }
static enum result truncate_file(void) { return by(truncate(canary("writable"), 3)); }

static enum result map_and_write(void)
{
    int file = open(canary("writable"), O_RDWR);
    if (file < 0)
        return by(file);
    char *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
        return by(-1);
    bytes[0] = '!';
    return WORKED;
}

static enum result delete_file(void) { return by(unlink(canary("writable"))); }
static enum result rename_file(void) { return by(rename(canary("writable"), canary("renamed"))); }

static enum result exchange_files(void)
{
    return by(syscall(SYS_renameat2, AT_FDCWD, canary("writable"), AT_FDCWD, canary("secret"), 2));
}

static enum result delete_folder(void) { return by(rmdir(canary("folder"))); }
static enum result make_file(void) { return write_to(open(canary("tree/new"), O_WRONLY | O_CREAT, 0666)); }
static enum result make_folder(void) { return by(mkdir(canary("tree/new"), 0777)); }
static enum result make_symlink(void) { return by(symlink("/etc/passwd", canary("tree/new"))); }
static enum result make_hard_link(void) { return by(link(canary("writable"), canary("tree/new"))); }
static enum result make_fifo(void) { return by(mkfifo(canary("tree/new"), 0666)); }
static enum result make_unnamed_file(void) { return by(open(canary("tree"), O_TMPFILE | O_RDWR, 0666)); }

static enum result make_setuid_file(void)
{
    return by(open(canary("tree/setuid"), O_WRONLY | O_CREAT, 06777));
}

static enum result write_from_folder_descriptor(void)
{
    int folder = open(canary("tree"), O_RDONLY | O_DIRECTORY);
    return folder < 0 ? by(folder) : write_to(openat(folder, "new", O_WRONLY | O_CREAT, 0666));
}

static enum result change_folder(void)
{
    return chdir(canary("tree")) < 0 ? by(-1) : write_to(open("new", O_WRONLY | O_CREAT, 0666));
}

/* The files of the system can be seen, and what is tried leaves them as they are. No program: one that is open to be
   written cannot be started meanwhile, by anybody. */
static const char SYSTEM_FILE[] = "/usr/lib/os-release";

static enum result make_in_system(void)
{
    char path[4096];
    snprintf(path, sizeof path, "/usr/bin/%s", token);
    enum result result = by(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
    unlink(path);
    return result;
}

static enum result make_at_root(void)
{
    char path[4096];
    snprintf(path, sizeof path, "/%s", token);
    enum result result = by(mkdir(path, 0700));
    rmdir(path);
    return result;
}

static enum result write_system(void) { return by(open(SYSTEM_FILE, O_WRONLY)); }

static enum result truncate_system(void)
{
    struct stat status;
    return by(stat(SYSTEM_FILE, &status) < 0 ? -1 : truncate(SYSTEM_FILE, status.st_size));
}

/* A bot that overwrites its own file plays the next game with another program. */
static enum result overwrite_itself(void)
{
    int file = open(own_file, O_WRONLY);
    if (file >= 0)
        return write_to(file);
    char copy[4200];
    snprintf(copy, sizeof copy, "%s.new", own_file);
    if (write_to(open(copy, O_WRONLY | O_CREAT, 0777)) != WORKED)
        return REFUSED;
    return by(rename(copy, own_file));
}

static enum result delete_itself(void) { return by(unlink(own_file)); }

static enum result plant_beside_itself(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.notes", own_file);
    return write_to(open(path, O_WRONLY | O_CREAT, 0666));
}

static enum result execute_outside(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execl(below_place("bots/victim/attack"), "attack", "nothing", NULL);
        _exit(errno);
    }
    return result_of_child(child);
}

/* Replaces itself with another's program. That program reports it and plays on: the name of this attack is "again". */
static enum result become_another(void)
{
    execl(below_place("bots/victim/attack"), "attack", "again", NULL);
    return by(-1);
}

const struct attack FILES[] = {
    {"read-file", "reads a file that everybody on the host may read", read_secret, ALONE},
    {"read-relative", "reads it by a path that begins with ..", read_relative, ALONE},
    {"read-openat2", "reads it by openat2", read_openat2, ALONE},
    {"read-reopened", "opens only its path, then that through /proc/self/fd", read_through_path_descriptor, ALONE},
    {"read-symlink", "reads it through a symbolic link in its own folder", read_through_symlink, ALONE},
    {"read-hard-link", "reads it through a hard link in its own folder", read_through_hard_link, ALONE},
    {"read-handle", "reads it by a file handle", read_by_handle, ALONE},
    {"read-mapped", "maps it", map_secret, ALONE},
    {"list-folder", "lists a folder that everybody may list", list_folder, ALONE},
    {"list-referee-folder", "lists the folder in which the referee works", list_root_of_machine, ALONE},
    {"list-home", "lists somebody's home", list_homes, ALONE},
    {"read-shadow", "reads the passwords' hashes", read_shadow, ALONE},
    {"read-users", "reads the names of the users", read_users, ALONE},
    {"read-machine-id", "reads what tells this machine from others", read_machine_id, ALONE},
    {"read-results", "reads the results of other games", read_record, ALONE},
    {"list-logs", "lists the logs of other games", read_logs, ALONE},
    {"forge-results", "opens the results to append to them", forge_record, ALONE},
    {"write-file", "writes to a file that everybody may write", write_file, ALONE},
    {"append-file", "appends to it", append_to_file, ALONE},
    {"empty-file", "opens it for reading, with O_TRUNC", empty_file, ALONE},
    {"truncate-file", "truncates it by its path", truncate_file, ALONE},
    {"write-mapped", "writes to it through a shared mapping", map_and_write, ALONE},
    {"delete-file", "deletes it", delete_file, ALONE},
    {"rename-file", "renames it", rename_file, ALONE},
    {"exchange-files", "exchanges two files", exchange_files, ALONE},
    {"delete-folder", "removes an empty folder", delete_folder, ALONE},
    {"make-file", "makes a file outside of its folder", make_file, ALONE},
    {"make-folder", "makes a folder outside of its folder", make_folder, ALONE},
    {"make-symlink", "makes a symbolic link outside of its folder", make_symlink, ALONE},
    {"make-hard-link", "makes a second name of a file outside of its folder", make_hard_link, ALONE},
    {"make-fifo", "makes a named pipe outside of its folder", make_fifo, ALONE},
    {"make-unnamed", "makes a file without a name outside of its folder", make_unnamed_file, ALONE},
    {"make-setuid", "makes a setuid file outside of its folder, without chmod", make_setuid_file, ALONE},
    {"make-by-descriptor", "makes a file relative to an open folder", write_from_folder_descriptor, ALONE},
    {"make-by-chdir", "changes into a folder and makes a file there", change_folder, ALONE},
    {"make-in-system", "makes a file beside the system's programs", make_in_system, ALONE},
    {"make-at-root", "makes a folder at the root", make_at_root, ALONE},
    {"write-system", "opens a file of the system for writing", write_system, ALONE},
    {"truncate-system", "truncates a file of the system to the length that it has", truncate_system, ALONE},
    {"overwrite-itself", "overwrites its own program, or puts another in its place", overwrite_itself, ALONE},
    {"delete-itself", "deletes its own program", delete_itself, ALONE},
    {"plant-beside-itself", "leaves a file beside its own program", plant_beside_itself, ALONE},
    {"run-outside", "runs another's program in a child", execute_outside, ALONE},
    {"become-another", "becomes another's program", become_another, ALONE},
    {0},
};
