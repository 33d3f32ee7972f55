/* Parts of the kernel that are large, rarely needed, and have been exploited before. */
#include "attack.h"

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#ifdef __x86_64__
#include <asm/ldt.h>
#include <sys/io.h>
#endif

static enum result io_rings(void)
{
    char parameters[120] = {0};
    return by(syscall(SYS_io_uring_setup, 4, parameters));
}

static enum result bpf_map(void)
{
    union bpf_attr attributes = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
    return by(syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes));
}

static enum result bpf_program(void)
{
    struct bpf_insn nothing[] = {{.code = 0xb7}, {.code = 0x95}};
    union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insn_cnt = 2};
    attributes.insns = (uintptr_t) nothing;
    attributes.license = (uintptr_t) "GPL";
    return by(syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes));
}

static enum result count_events_of(pid_t process)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1};
    return by(syscall(SYS_perf_event_open, &attributes, process, -1, -1, 0));
}

static enum result count_events(void) { return count_events_of(0); }
static enum result count_events_of_other(void) { return count_events_of(scapegoat); }
static enum result page_faults(void)
{
    int file = syscall(SYS_userfaultfd, O_CLOEXEC);
    return by(file < 0 && errno == EPERM ? syscall(SYS_userfaultfd, O_CLOEXEC | 1) : file);
}

static enum result change_personality(void)
{
    return by(personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC));
}

static enum result another_root(void) { return by(chroot(".")); }

/* A filter of its own whose calls another process decides: it can make its children hang. */
static enum result listen_to_calls(void)
{
    struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return by(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 3 /* listener */, &program));
}

static enum result may_gain(void)
{
    detail("a setuid program would make it root");
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 ? WORKED : REFUSED;
}

static enum result has_capabilities(void)
{
    uint32_t header[2] = {0x20080522, 0}, sets[6] = {0};
    if (syscall(SYS_capget, header, sets) < 0)
        return by(-1);
    detail("effective %x%08x", sets[3], sets[0]);
    return sets[0] | sets[3] ? WORKED : REFUSED;
}

static enum result secret_memory(void)
{
    return by(syscall(SYS_memfd_secret, 0));
}

static enum result page_cache(void)
{
    struct { uint64_t offset, length; } range = {0, 0};
    uint64_t counts[5];
    int file = open("/etc/ld.so.cache", O_RDONLY);
    if (file < 0)
        file = open(own_file, O_RDONLY);
    return by(file < 0 ? file : syscall(SYS_cachestat, file, &range, counts, 0));
}

static enum result drop_page_cache(void)
{
    int file = open("/etc/ld.so.cache", O_RDONLY);
    if (file < 0)
        file = open(own_file, O_RDONLY);
    errno = file < 0 ? errno : posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    return by(errno ? -1 : 0);
}

static enum result kernel_log(void) { return by(syscall(SYS_syslog, 3 /* read all */, (char[256]){0}, 256)); }
static enum result kernel_symbols(void) { return by(open("/proc/kallsyms", O_RDONLY)); }

/* Another way around refused calls: the calls of the other architectures. */
static enum result old_calls(void)
{
#ifdef __x86_64__
    long returned;
    __asm__ volatile("int $0x80" : "=a"(returned) : "a"(20 /* getpid */) : "memory");
    return returned == getpid() ? WORKED : REFUSED;
#else
    return REFUSED;
#endif
}

static enum result x32_calls(void)
{
#ifdef __x86_64__
    return by(syscall(0x40000000 | SYS_getpid));
#else
    return REFUSED;
#endif
}

static enum result segments(void)
{
#ifdef __x86_64__
    struct user_desc entry = {.entry_number = 0, .limit = 1};
    return by(syscall(SYS_modify_ldt, 1, &entry, sizeof entry));
#else
    return REFUSED;
#endif
}

static enum result ports(void)
{
#ifdef __x86_64__
    return by(ioperm(0x80, 1, 1) < 0 ? -1 : 0);
#else
    return REFUSED;
#endif
}

static enum result all_ports(void)
{
#ifdef __x86_64__
    return by(iopl(3));
#else
    return REFUSED;
#endif
}

const struct attack KERNEL[] = {
    {"io-uring", "makes an io_uring", io_rings, ALONE},
    {"bpf-map", "makes a BPF map", bpf_map, ALONE},
    {"bpf-program", "loads a BPF program", bpf_program, ALONE},
    {"perf", "counts its own events", count_events, ALONE},
    {"perf-other", "counts another process's events", count_events_of_other, ALONE},
    {"userfaultfd", "handles its own page faults", page_faults, ALONE},
    {"personality", "turns off the randomness of addresses", change_personality, ALONE},
    {"chroot", "changes its root", another_root, ALONE},
    {"seccomp-listener", "decides on the calls of what it starts", listen_to_calls, ALONE},
    {"new-privileges", "may run setuid programs", may_gain, ALONE},
    {"capabilities", "has capabilities", has_capabilities, ALONE},
    {"memfd-secret", "makes memory that the kernel cannot see", secret_memory, ALONE},
    {"cachestat", "asks what the host has read lately", page_cache, ALONE},
    {"fadvise", "drops the host's page cache of a file", drop_page_cache, ALONE},
    {"kernel-log", "reads the kernel's log", kernel_log, ALONE},
    {"kallsyms", "reads the kernel's symbols", kernel_symbols, ALONE},
    {"int-0x80", "calls the kernel as a 32-bit program", old_calls, ALONE},
    {"x32", "calls the kernel as an x32 program", x32_calls, ALONE},
    {"modify-ldt", "changes its segments", segments, ALONE},
    {"ioperm", "reaches a port of the hardware", ports, ALONE},
    {"iopl", "reaches all ports of the hardware", all_ports, ALONE},
    {0},
};
