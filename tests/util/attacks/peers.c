/* Looking into other processes: the host's, the referee's, other bots'. */
#include "attack.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

static const char *of_process(pid_t process, const char *what)
{
    static char path[2][64];
    static int next;
    snprintf(path[++next % 2], sizeof *path, "/proc/%d/%s", process, what);
    return path[next % 2];
}

/* The process of the bot `attack victim`, if it has been started. */
static pid_t look_for_victim(void)
{
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        char line[512] = "";
        pid_t process = atoi(entry->d_name);
        int file = process > 0 ? open(of_process(process, "cmdline"), O_RDONLY) : -1;
        ssize_t length = file < 0 ? 0 : read(file, line, sizeof line - 1);
        if (file >= 0)
            close(file);
        if (length > 0 && strstr(line, "attack") && !strcmp(line + strlen(line) + 1, "victim")) {
            closedir(processes);
            return process;
        }
    }
    if (processes)
        closedir(processes);
    errno = ESRCH;
    return -1;
}

static pid_t find_victim(void)
{
    pid_t victim = -1;
    for (int i = 0; i < 50 && (victim = look_for_victim()) < 0; i++)
        pause_ms(10);
    return victim;
}

static enum result read_environment(void) { return reads_secret(of_process(scapegoat, "environ")); }
static enum result read_command_line(void) { return reads_secret(of_process(scapegoat, "cmdline")); }
static enum result read_status(void) { return by(open(of_process(scapegoat, "status"), O_RDONLY)); }
static enum result read_parents_environment(void) { return by(open(of_process(getppid(), "environ"), O_RDONLY)); }

static enum result read_first_environment(void) { return by(open("/proc/1/environ", O_RDONLY)); }

static enum result read_own_environment(void)
{
    extern char **environ;
    for (char **variable = environ; *variable; variable++)
        if (strstr(*variable, token))
            return WORKED;
    return reads_secret("/proc/self/environ");
}

static enum result list_processes(void)
{
    DIR *processes = opendir("/proc");
    if (!processes)
        return by(-1);
    int others = 0;
    for (struct dirent *entry; (entry = readdir(processes));)
        others += isdigit(entry->d_name[0]) && atoi(entry->d_name) != getpid();
    closedir(processes);
    detail("%d others", others);
    return others > 2 ? WORKED : REFUSED;
}

/* Finds out which processes exist by asking the system about each number. */
static enum result probe_processes(void)
{
    return by(getsid(scapegoat) >= 0 || getpgid(scapegoat) >= 0 || getpriority(PRIO_PROCESS, scapegoat) != -1 ? 0 : -1);
}

static enum result list_descriptors(void)
{
    DIR *files = opendir(of_process(scapegoat, "fd"));
    return by(files ? 0 : -1);
}

static enum result through_root(void)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", of_process(scapegoat, "root"), canary("secret"));
    return reads_secret(path);
}

static enum result through_folder(void)
{
    char path[256], target[4096];
    snprintf(path, sizeof path, "%s/canary/%s/secret", of_process(scapegoat, "cwd"), attack_name);
    return by(readlink(of_process(scapegoat, "cwd"), target, sizeof target)) == WORKED ? reads_secret(path) : REFUSED;
}

static enum result through_parents_root(void)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", of_process(getppid(), "root"), canary("secret"));
    return reads_secret(path);
}

static enum result open_descriptor_of_other(void) { return by(open(of_process(scapegoat, "fd/1"), O_RDWR)); }

/* The address of some of a process's memory: its stack, which contains its arguments. */
static unsigned long stack_of(pid_t process, unsigned long *end)
{
    char line[512];
    unsigned long start = 0;
    FILE *maps = fopen(of_process(process, "maps"), "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[stack]"))
            sscanf(line, "%lx-%lx", &start, end);
    if (maps)
        fclose(maps);
    return start;
}

static enum result read_memory_file(void)
{
    static char bytes[1 << 20];
    unsigned long end = 0, start = stack_of(scapegoat, &end);
    int file = open(of_process(scapegoat, "mem"), O_RDONLY);
    if (!start || file < 0)
        return by(-1);
    if (end - start > sizeof bytes)
        start = end - sizeof bytes;
    ssize_t length = pread(file, bytes, end - start, start);
    return length > 0 && holds_secret(bytes, length) ? WORKED : by(-1);
}

static enum result write_memory_file(void) { return by(open(of_process(scapegoat, "mem"), O_RDWR)); }

static enum result read_memory(void)
{
    static char bytes[4096];
    unsigned long end = 0, start = stack_of(scapegoat, &end);
    if (!start)
        start = end = (unsigned long) bytes + sizeof bytes; /* the permission alone is enough then */
    struct iovec here = {bytes, sizeof bytes}, there = {(void *) (end - sizeof bytes), sizeof bytes};
    return permission(syscall(SYS_process_vm_readv, scapegoat, &here, 1, &there, 1, 0));
}

static enum result write_memory(void)
{
    char byte = 0;
    struct iovec here = {&byte, 1}, nowhere = {NULL, 1};
    return permission(syscall(SYS_process_vm_writev, scapegoat, &here, 1, &nowhere, 1, 0));
}

static enum result trace(pid_t process)
{
    if (process < 0 || ptrace(PTRACE_SEIZE, process, 0, 0) < 0)
        return by(-1);
    ptrace(PTRACE_INTERRUPT, process, 0, 0);
    int status;
    waitpid(process, &status, __WALL);
    ptrace(PTRACE_DETACH, process, 0, 0);
    return WORKED;
}

static enum result trace_host(void) { return trace(scapegoat); }
static enum result trace_referee(void) { return trace(getppid()); }
static enum result trace_bot(void) { return trace(find_victim()); }

static enum result trace_itself_by_child(void)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PTRACER, parent, 0, 0, 0);
        _exit(ptrace(PTRACE_TRACEME, 0, 0, 0) < 0 ? errno : 0);
    }
    return result_of_child(child);
}

static enum result read_bots_environment(void)
{
    pid_t victim = find_victim();
    return by(victim < 0 ? victim : open(of_process(victim, "environ"), O_RDONLY));
}

static enum result read_bots_scratch(void)
{
    pid_t victim = find_victim();
    DIR *folder = victim < 0 ? NULL : opendir(of_process(victim, "cwd"));
    return by(folder ? 0 : -1);
}

static enum result read_bots_program(void) { return by(open(below_place("bots/victim/attack"), O_RDONLY)); }

static enum result read_bots_pipes(void)
{
    pid_t victim = find_victim();
    return by(victim < 0 ? victim : open(of_process(victim, "fd/0"), O_RDONLY | O_NONBLOCK));
}

static enum result answer_for_bot(void)
{
    pid_t victim = find_victim();
    return by(victim < 0 ? victim : open(of_process(victim, "fd/1"), O_WRONLY));
}

static enum result write_to_referees_files(void)
{
    for (int file = 3; file < 64; file++) {
        char name[16];
        snprintf(name, sizeof name, "fd/%d", file);
        struct stat status;
        int opened = open(of_process(getppid(), name), O_WRONLY | O_APPEND | O_NONBLOCK);
        if (opened >= 0 && fstat(opened, &status) == 0 && S_ISREG(status.st_mode))
            return WORKED;
    }
    return by(-1);
}

static enum result list_scratch_folders(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/..", getenv("HOME"));
    DIR *folder = opendir(path);
    if (!folder)
        return by(-1);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (!strncmp(entry->d_name, "referee-bot-", 12) && !strstr(getenv("HOME"), entry->d_name))
            return WORKED;
    return REFUSED;
}

static enum result compare_kernel_objects(void) { return by(syscall(SYS_kcmp, getpid(), scapegoat, 0, 0, 0)); }

static enum result take_descriptor(void)
{
    int process = syscall(SYS_pidfd_open, scapegoat, 0);
    return by(process < 0 ? process : syscall(SYS_pidfd_getfd, process, 1, 0));
}

static enum result advise_memory(void)
{
    struct iovec nothing = {NULL, 0};
    int process = syscall(SYS_pidfd_open, scapegoat, 0);
    return by(process < 0 ? process : syscall(SYS_process_madvise, process, &nothing, 1, 20 /* cold */, 0));
}

static enum result move_pages_of(void)
{
    return permission(syscall(SYS_move_pages, scapegoat, 0, NULL, NULL, NULL, 0));
}

const struct attack PEERS[] = {
    {"own-environ", "looks for the host's variables in its own environment", read_own_environment, ALONE},
    {"peer-environ", "reads a process's environment", read_environment, ALONE},
    {"peer-cmdline", "reads a process's arguments", read_command_line, ALONE},
    {"peer-status", "reads a process's status", read_status, ALONE},
    {"parent-environ", "reads the environment of its parent", read_parents_environment, ALONE},
    {"init-environ", "reads the environment of process 1", read_first_environment, ALONE},
    {"list-processes", "lists the processes of the host", list_processes, ALONE},
    {"probe-process", "asks whether a process is there", probe_processes, ALONE},
    {"peer-fds", "lists a process's descriptors", list_descriptors, ALONE},
    {"peer-root", "reads a file through /proc/PID/root", through_root, ALONE},
    {"peer-cwd", "reads a file through /proc/PID/cwd", through_folder, ALONE},
    {"parent-root", "reads a file through its parent's /proc/PID/root", through_parents_root, ALONE},
    {"peer-fd", "opens a process's standard output again", open_descriptor_of_other, ALONE},
    {"peer-mem-read", "reads memory through /proc/PID/mem", read_memory_file, ALONE},
    {"peer-mem-write", "opens /proc/PID/mem to write", write_memory_file, ALONE},
    {"vm-readv", "reads memory by process_vm_readv", read_memory, ALONE},
    {"vm-writev", "writes memory by process_vm_writev", write_memory, ALONE},
    {"ptrace-host", "traces a process of the host", trace_host, ALONE},
    {"ptrace-parent", "traces its parent", trace_referee, ALONE},
    {"ptrace-bot", "traces another bot", trace_bot, ALONE},
    {"ptrace-child", "traces a child of its own", trace_itself_by_child, ALONE},
    {"bot-environ", "reads another bot's environment: its seat", read_bots_environment, ALONE},
    {"bot-scratch", "lists another bot's folder through /proc", read_bots_scratch, ALONE},
    {"bot-program", "reads another bot's program", read_bots_program, ALONE},
    {"bot-stdin", "reads another bot's questions", read_bots_pipes, ALONE},
    {"bot-stdout", "answers in another bot's place", answer_for_bot, ALONE},
    {"referee-files", "opens the log that the referee is writing", write_to_referees_files, ALONE},
    {"list-scratch", "lists other bots' folders", list_scratch_folders, ALONE},
    {"kcmp", "compares kernel objects with a process's", compare_kernel_objects, ALONE},
    {"pidfd-getfd", "takes a descriptor out of a process", take_descriptor, ALONE},
    {"process-madvise", "has a process's memory paged out", advise_memory, ALONE},
    {"move-pages", "moves a process's memory", move_pages_of, ALONE},
    {0},
};
