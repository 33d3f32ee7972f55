/* Actions of administrators only. Each is tried with nonsense arguments, or for the present state: the answer shows
 * whether it is allowed. */
#include "attack.h"

#include <grp.h>
#include <linux/reboot.h>
#include <sys/mount.h>
#include <sys/quota.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>

static enum result mount_memory(void)
{
    if (mkdir("mounted", 0700) < 0 || mount("none", "mounted", "tmpfs", 0, NULL) < 0)
        return by(-1);
    umount2("mounted", MNT_DETACH);
    return WORKED;
}

static enum result bind(void)
{
    if (mkdir("bound", 0700) < 0 || mount(canary("tree"), "bound", NULL, MS_BIND, NULL) < 0)
        return by(-1);
    umount2("bound", MNT_DETACH);
    return WORKED;
}

static enum result open_file_system(void) { return by(syscall(SYS_fsopen, "tmpfs", 0)); }
static enum result clone_tree(void) { return by(syscall(SYS_open_tree, AT_FDCWD, canary("tree"), 1)); }
static enum result unmount(void) { return permission(umount2("nothing-here", MNT_DETACH)); }
static enum result change_roots(void) { return permission(syscall(SYS_pivot_root, ".", ".")); }

static enum result write_back(const char *path)
{
    static char text[4096];
    int file = open(path, O_RDWR);
    if (file < 0)
        return by(file);
    ssize_t length = read(file, text, sizeof text);
    return by(length < 0 ? length : pwrite(file, text, length, 0));
}

static enum result core_pattern(void) { return write_back("/proc/sys/kernel/core_pattern"); }
static enum result modprobe(void) { return write_back("/proc/sys/kernel/modprobe"); }
static enum result sysrq(void) { return by(open("/proc/sysrq-trigger", O_WRONLY)); }
static enum result drop_caches(void) { return by(open("/proc/sys/vm/drop_caches", O_WRONLY)); }

static enum result write_sys(void)
{
    int file = open("/sys/kernel/profiling", O_WRONLY);
    if (file < 0)
        file = open("/sys/kernel/mm/ksm/run", O_WRONLY);
    return by(file);
}

static enum result make_group(void)
{
    static const char *const FOLDERS[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpu"};
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/bot-%s", FOLDERS[i], token);
        if (mkdir(path, 0755) == 0)
            return rmdir(path), WORKED;
    }
    return by(-1);
}

static enum result leave_group(void)
{
    int file = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
    if (file < 0)
        file = open("/sys/fs/cgroup/cpu/cgroup.procs", O_WRONLY);
    return by(file);
}

static enum result open_device(const char *path, int major_number, int minor_number)
{
    int file = open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0 && mknod("device", S_IFCHR | 0600, makedev(major_number, minor_number)) == 0)
        file = open("device", O_RDONLY | O_NONBLOCK);
    return by(file);
}

static enum result physical_memory(void) { return open_device("/dev/mem", 1, 1); }
static enum result log_device(void) { return open_device("/dev/kmsg", 1, 11); }
static enum result virtual_machine(void) { return open_device("/dev/kvm", 10, 232); }
static enum result loop_control(void) { return open_device("/dev/loop-control", 10, 237); }
static enum result user_file_systems(void) { return open_device("/dev/fuse", 10, 229); }

static enum result read_disk(void)
{
    struct stat status;
    if (stat("/", &status) < 0 || (major(status.st_dev) == 0 && stat("/dev/vda", &status) < 0))
        return by(-1);
    dev_t disk = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
    if (mknod("disk", S_IFBLK | 0600, disk) < 0)
        return by(-1);
    char block[512];
    int file = open("disk", O_RDONLY);
    return by(file < 0 ? file : read(file, block, sizeof block));
}

static enum result reboot_with_nonsense(void) { return permission(syscall(SYS_reboot, 0, 0, 0, NULL)); }
static enum result load_kernel(void) { return permission(syscall(SYS_kexec_load, 0, 0, NULL, ~0UL)); }
static enum result load_module(void) { return permission(syscall(SYS_init_module, NULL, 0, "")); }
static enum result load_module_file(void) { return permission(syscall(SYS_finit_module, -1, "", 0)); }
static enum result remove_module(void) { return permission(syscall(SYS_delete_module, "no-such-module", O_NONBLOCK)); }
static enum result swap(void) { return permission(swapon("nothing-here", 0)); }
static enum result account(void) { return permission(acct("nothing-here/at-all")); }
static enum result quotas(void) { return by(quotactl(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL)); }
static enum result hang_up(void) { return permission(vhangup()); }

static enum result set_time_zone(void)
{
    struct timezone zone = {0, 0};
    return by(syscall(SYS_settimeofday, NULL, &zone));
}

static enum result adjust_clock(void)
{
    struct timex nothing = {.modes = ADJ_TICK, .tick = -1};
    return permission(adjtimex(&nothing));
}

static enum result name_host(void)
{
    char name[256];
    gethostname(name, sizeof name);
    return by(sethostname(name, strlen(name)));
}

static enum result become_root(void)
{
    if (getuid() != 0)
        return by(setresuid(0, 0, 0));
    return by(setgroups(0, NULL)); /* root tries what only root may do */
}

static enum result become_another_user(void)
{
    pid_t child = vfork();
    if (child == 0) /* for this one child alone */
        _exit(syscall(SYS_setresuid, 12345, 12345, 12345) < 0 ? errno : 0);
    return result_of_child(child);
}

const struct attack ADMINISTRATION[] = {
    {"mount", "mounts memory in its folder", mount_memory, ALONE},
    {"bind-mount", "mounts another folder in its own", bind, ALONE},
    {"fsopen", "opens a file system", open_file_system, ALONE},
    {"open-tree", "clones a mount", clone_tree, ALONE},
    {"umount", "unmounts", unmount, ALONE},
    {"pivot-root", "changes all processes' root", change_roots, ALONE},
    {"core-pattern", "sets what the host runs when a program crashes", core_pattern, ALONE},
    {"modprobe-path", "sets what the host runs to load a module", modprobe, ALONE},
    {"sysrq", "opens the key to everything", sysrq, ALONE},
    {"drop-caches", "empties the host's caches", drop_caches, ALONE},
    {"write-sys", "changes a setting of the kernel", write_sys, ALONE},
    {"make-cgroup", "makes a control group", make_group, ALONE},
    {"leave-cgroup", "leaves its control group", leave_group, ALONE},
    {"dev-mem", "opens the machine's memory", physical_memory, ALONE},
    {"dev-kmsg", "opens the kernel's log", log_device, ALONE},
    {"dev-kvm", "opens the virtual machines", virtual_machine, ALONE},
    {"dev-loop", "opens the loop devices", loop_control, ALONE},
    {"dev-fuse", "opens the file systems in user space", user_file_systems, ALONE},
    {"read-disk", "reads the disk beneath the file system", read_disk, ALONE},
    {"reboot", "may reboot", reboot_with_nonsense, ALONE},
    {"kexec", "may load another kernel", load_kernel, ALONE},
    {"init-module", "may load a module", load_module, ALONE},
    {"finit-module", "may load a module from a file", load_module_file, ALONE},
    {"delete-module", "may remove a module", remove_module, ALONE},
    {"swapon", "may add swap space", swap, ALONE},
    {"acct", "may keep accounts", account, ALONE},
    {"quotactl", "has quotas written out", quotas, ALONE},
    {"vhangup", "may hang up its terminal", hang_up, ALONE},
    {"settimeofday", "sets the time zone", set_time_zone, ALONE},
    {"adjtimex", "may adjust the clock", adjust_clock, ALONE},
    {"sethostname", "sets the host's name", name_host, ALONE},
    {"become-root", "acts as root", become_root, ALONE},
    {"become-user", "becomes another user", become_another_user, ALONE},
    {0},
};
