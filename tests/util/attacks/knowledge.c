/* Information about the machine and other processes that a bot should not get. */
#include "attack.h"

#include <dirent.h>

/* Its user number: if it is near that of its parent, it reveals how many processes the host has started. */
static enum result user_tells_process(void)
{
    int far = (int) getuid() - 0x70000000 - scapegoat;
    detail("user %u", getuid());
    return far > -2000 && far < 2000 ? WORKED : REFUSED;
}

static enum result name_of_host(void)
{
    char name[256], path[] = "/proc/sys/kernel/hostname";
    int file = open(path, O_RDONLY);
    return by(file < 0 ? file : read(file, name, sizeof name));
}

static enum result reads(const char *path)
{
    char bytes[64];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    return by(file < 0 ? file : read(file, bytes, sizeof bytes));
}

static enum result uptime(void) { return reads("/proc/uptime"); }
static enum result load(void) { return reads("/proc/loadavg"); }
static enum result memory_of_machine(void) { return reads("/proc/meminfo"); }
static enum result cores_of_machine(void) { return reads("/proc/stat"); }
static enum result scheduler_statistics(void) { return reads("/proc/schedstat"); }
static enum result pressure(void) { return reads("/proc/pressure/cpu"); }
static enum result interrupts(void) { return reads("/proc/interrupts"); }
static enum result disk_statistics(void) { return reads("/proc/diskstats"); }
static enum result paging_statistics(void) { return reads("/proc/vmstat"); }
static enum result locks_of_machine(void) { return reads("/proc/locks"); }
static enum result timers_of_machine(void) { return reads("/proc/timer_list"); }
static enum result files_of_machine(void) { return reads("/proc/sys/fs/file-nr"); }
static enum result inodes_of_machine(void) { return reads("/proc/sys/fs/inode-nr"); }
static enum result processes_of_machine(void) { return reads("/proc/sys/kernel/ns_last_pid"); }
static enum result identity_of_boot(void) { return reads("/proc/sys/kernel/random/boot_id"); }
static enum result devices_of_machine(void) { return reads("/sys/class/dmi/id/product_name"); }
static enum result temperature(void) { return reads("/sys/devices/system/cpu/possible"); }
static enum result name_in_file(void) { return reads("/etc/hostname"); }
static enum result known_hosts(void) { return reads("/etc/hosts"); }
static enum result resolver(void) { return reads("/etc/resolv.conf"); }
static enum result command_of_kernel(void) { return reads("/proc/cmdline"); }
static enum result own_io(void) { return reads("/proc/self/io"); }
static enum result own_session(void) { return reads("/proc/self/sessionid"); }
static enum result own_mounts(void) { return reads("/proc/self/mountinfo"); }
static enum result own_network(void) { return reads("/proc/self/net/tcp"); }
static enum result own_timers(void) { return reads("/proc/self/timers"); }
static enum result own_groups(void) { return reads("/proc/self/cgroup"); }
static enum result own_kernel_stack(void) { return reads("/proc/self/stack"); }
static enum result own_pagemap(void) { return reads("/proc/self/pagemap"); }
static enum result own_auxiliary(void) { return reads("/proc/self/environ"); }

static enum result rivals_program(void)
{
    char start[4];
    int file = open(below_place("bots/victim/attack"), O_RDONLY | O_CLOEXEC);
    return by(file < 0 ? file : read(file, start, sizeof start));
}

static enum result list(const char *path)
{
    DIR *folder = opendir(path);
    return by(folder ? 0 : -1);
}

static enum result list_var(void) { return list("/var"); }
static enum result list_sys(void) { return list("/sys"); }
static enum result list_settings(void) { return list("/proc/sys"); }
static enum result list_rivals(void) { return list(below_place("bots")); }
static enum result list_rivals_folder(void) { return list(below_place("bots/victim")); }
static enum result list_games(void) { return list(below_place("played")); }

/* Files next to its own program, or in the folders above. */
static enum result list_above_itself(void)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", own_file);
    *strrchr(folder, '/') = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return by(-1);
    int others = 0;
    for (struct dirent *entry; (entry = readdir(entries));)
        others += entry->d_name[0] != '.' && !strstr(own_file, entry->d_name);
    strncat(folder, "/..", sizeof folder - strlen(folder) - 1);
    detail("%d others beside it", others);
    return others > 0 || open(strcat(folder, "/victim/attack"), O_RDONLY) >= 0 ? WORKED : REFUSED;
}

const struct attack KNOWLEDGE[] = {
    {"user-number", "reads a number of a process out of its user", user_tells_process, ALONE},
    {"hostname-file", "reads the host's name", name_of_host, ALONE},
    {"etc-hostname", "reads the host's name in /etc", name_in_file, ALONE},
    {"etc-hosts", "reads the hosts that the host knows", known_hosts, ALONE},
    {"etc-resolver", "reads whom the host asks for names", resolver, ALONE},
    {"uptime", "reads how long the host has run", uptime, ALONE},
    {"loadavg", "reads the host's load", load, ALONE},
    {"meminfo", "reads the host's free memory", memory_of_machine, ALONE},
    {"proc-stat", "reads what the host's cores do", cores_of_machine, ALONE},
    {"schedstat", "reads how long programs wait for a core", scheduler_statistics, ALONE},
    {"pressure", "reads how scarce cores are", pressure, ALONE},
    {"interrupts", "reads the host's interrupts", interrupts, ALONE},
    {"diskstats", "reads what the host's disks do", disk_statistics, ALONE},
    {"vmstat", "reads what the host's memory does", paging_statistics, ALONE},
    {"proc-locks", "reads the host's locks", locks_of_machine, ALONE},
    {"timer-list", "reads the host's timers", timers_of_machine, ALONE},
    {"file-number", "reads how many files are open", files_of_machine, ALONE},
    {"inode-number", "reads how many inodes there are", inodes_of_machine, ALONE},
    {"last-process", "reads the number of the newest process", processes_of_machine, ALONE},
    {"boot-id", "reads what tells this start of the host from others", identity_of_boot, ALONE},
    {"product-name", "reads what machine this is", devices_of_machine, ALONE},
    {"sys-cores", "reads which cores the host has", temperature, ALONE},
    {"kernel-command", "reads how the kernel was started", command_of_kernel, ALONE},
    {"list-var", "lists what the host keeps in /var", list_var, ALONE},
    {"list-sys", "lists what the kernel shows in /sys", list_sys, ALONE},
    {"list-settings", "lists the kernel's settings", list_settings, ALONE},
    {"own-io", "reads what it has written, counted by the host", own_io, ALONE},
    {"own-session", "reads the host's number of its session", own_session, ALONE},
    {"own-mounts", "reads where out there its files lie", own_mounts, ALONE},
    {"own-net", "reads connections below its own process", own_network, ALONE},
    {"own-timers", "reads its timers in the host's list", own_timers, ALONE},
    {"own-cgroup", "reads where the host keeps it", own_groups, ALONE},
    {"own-kernel-stack", "reads its stack in the kernel", own_kernel_stack, ALONE},
    {"own-pagemap", "reads which of its pages are where", own_pagemap, ALONE},
    {"own-environ-file", "reads what it was started with", own_auxiliary, ALONE},
    {"rival-program", "reads another bot's program", rivals_program, ALONE},
    {"list-rivals", "lists which bots there are", list_rivals, ALONE},
    {"list-rival", "lists another bot's folder", list_rivals_folder, ALONE},
    {"list-games", "lists which games are played", list_games, ALONE},
    {"list-beside-itself", "lists what lies beside its own program", list_above_itself, ALONE},
    {0},
};
