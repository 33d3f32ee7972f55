/* What the kernel counts for the whole machine, by the call `sysinfo` and by a process's own files. Two bots could talk by
 * each number that changes with what others do. */
#include "attack.h"

#include <pthread.h>
#include <sys/sysinfo.h>
#include <time.h>

/* The machine that a bot sees: the same one at any time, on any host. */
static const unsigned long GIVEN = 4UL << 30;

static enum result field(unsigned long (*get)(const struct sysinfo *), unsigned long constant)
{
    struct sysinfo machine = {0};
    if (sysinfo(&machine) < 0)
        return by(-1);
    detail("%lu", get(&machine));
    return get(&machine) != constant ? WORKED : REFUSED;
}

static unsigned long get_total(const struct sysinfo *machine) { return machine->totalram * machine->mem_unit; }
static unsigned long get_free(const struct sysinfo *machine) { return machine->freeram * machine->mem_unit; }
static unsigned long get_shared(const struct sysinfo *machine) { return machine->sharedram; }
static unsigned long get_buffers(const struct sysinfo *machine) { return machine->bufferram; }
static unsigned long get_processes(const struct sysinfo *machine) { return machine->procs; }
static unsigned long get_load_1(const struct sysinfo *machine) { return machine->loads[0]; }
static unsigned long get_load_5(const struct sysinfo *machine) { return machine->loads[1]; }
static unsigned long get_load_15(const struct sysinfo *machine) { return machine->loads[2]; }
static unsigned long get_uptime(const struct sysinfo *machine) { return machine->uptime; }
static unsigned long get_unit(const struct sysinfo *machine) { return machine->totalswap + machine->totalhigh; }

static enum result total(void) { return field(get_total, GIVEN); }
static enum result unused(void) { return field(get_free, GIVEN); }
static enum result shared(void) { return field(get_shared, 0); }
static enum result buffers(void) { return field(get_buffers, 0); }
static enum result processes(void) { return field(get_processes, 1); }
static enum result load_1(void) { return field(get_load_1, 0); }
static enum result load_5(void) { return field(get_load_5, 0); }
static enum result load_15(void) { return field(get_load_15, 0); }
static enum result uptime(void) { return field(get_uptime, 1); }
static enum result swap(void) { return field(get_unit, 0); }

/* Likewise from a thread that is not the first. */
static void *ask_in_thread(void *answer)
{
    struct sysinfo machine = {0};
    *(bool *) answer = sysinfo(&machine) == 0 && get_processes(&machine) != 1;
    return NULL;
}

static enum result processes_in_thread(void)
{
    pthread_t thread;
    bool answer = false;
    if (pthread_create(&thread, NULL, ask_in_thread, &answer))
        return REFUSED;
    pthread_join(thread, NULL);
    return answer ? WORKED : REFUSED;
}

/* By the functions of the library. */
static enum result library(int name)
{
    long pages = sysconf(name), size = sysconf(_SC_PAGESIZE);
    detail("%ld pages", pages);
    return pages > 0 && (unsigned long) (pages * size) != GIVEN ? WORKED : REFUSED;
}

static enum result library_total(void) { return library(_SC_PHYS_PAGES); }
static enum result library_free(void) { return library(_SC_AVPHYS_PAGES); }

static enum result library_load(void)
{
    double loads[3] = {0};
    if (getloadavg(loads, 3) < 0)
        return by(-1);
    detail("%f", loads[2]);
    return loads[0] + loads[1] + loads[2] > 0 ? WORKED : REFUSED;
}

/* The answer is written into the bot's memory. It must not change a page that the bot itself may not write. */
static enum result into_protected_memory(void)
{
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long done = syscall(SYS_sysinfo, page);
    for (int i = 0; i < 256; i++)
        if (page[i])
            return WORKED;
    return done == 0 ? WORKED : REFUSED;
}

static enum result into_library(void)
{
    char before[256];
    char *code = (char *) ((uintptr_t) &getloadavg & ~(uintptr_t) 4095);
    memcpy(before, code, sizeof before);
    syscall(SYS_sysinfo, code);
    return memcmp(before, code, sizeof before) ? WORKED : REFUSED;
}

static const size_t MUCH = 12 << 20;

/* Two bots: the first changes a number for half a second at a time, the second sees it go up and down. */
static enum result watch(unsigned long (*get)(const struct sysinfo *), unsigned long step)
{
    struct sysinfo machine;
    unsigned long least = ~0UL, most = 0;
    for (int i = 0; i < 600; i++) {
        if (sysinfo(&machine) < 0)
            return by(-1);
        unsigned long now = get(&machine);
        least = now < least ? now : least;
        most = now > most ? now : most;
        pause_ms(5);
    }
    detail("from %lu to %lu", least, most);
    return most - least >= step ? WORKED : REFUSED;
}

static enum result talk_shared(void)
{
    if (receiver)
        return watch(get_shared, MUCH / 2);
    static char block[1 << 20];
    const char *folder = getenv("TMPDIR");
    char name[4096];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s/%s-%d", folder ? folder : "/dev/shm", attack_name, getpid());
        int file = open(name, O_RDWR | O_CREAT, 0600);
        if (file < 0)
            file = syscall(SYS_memfd_create, "x", 0);
        for (size_t done = 0; done < MUCH; done += sizeof block)
            if (write(file, block, sizeof block) < 0)
                break;
        pause_ms(400);
        unlink(name);
        close(file);
        pause_ms(400);
    }
    return REFUSED;
}

static enum result talk_free(void)
{
    if (receiver)
        return watch(get_free, 8 * MUCH / 2);
    for (int i = 0; i < 4; i++) {
        char *memory = mmap(NULL, 8 * MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return REFUSED;
        for (size_t at = 0; at < 8 * MUCH; at += 4096)
            memory[at] = 1;
        pause_ms(400);
        munmap(memory, 8 * MUCH);
        pause_ms(400);
    }
    return REFUSED;
}

static void *rest(void *nothing)
{
    pause_ms(400);
    return nothing;
}

static enum result talk_processes(void)
{
    if (receiver)
        return watch(get_processes, 10);
    for (int i = 0; i < 4; i++) {
        pthread_t threads[20];
        int count = 0;
        while (count < 20 && !pthread_create(&threads[count], NULL, rest, NULL))
            count++;
        while (count > 0)
            pthread_join(threads[--count], NULL);
        pause_ms(400);
    }
    return REFUSED;
}

static enum result reads(const char *path)
{
    char bytes[64];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    return by(file < 0 ? file : read(file, bytes, sizeof bytes));
}

static enum result writes(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    return by(file < 0 ? file : write(file, text, strlen(text)));
}

static enum result own_badness(void) { return reads("/proc/self/oom_score"); }
static enum result own_descriptor(void) { return reads("/proc/self/fdinfo/0"); }
static enum result own_mount_table(void) { return reads("/proc/self/mounts"); }
static enum result own_mount_statistics(void) { return reads("/proc/self/mountstats"); }
static enum result own_scheduling(void) { return reads("/proc/self/sched"); }
static enum result own_call(void) { return reads("/proc/self/syscall"); }
static enum result own_channel(void) { return reads("/proc/self/wchan"); }
static enum result own_nodes(void) { return reads("/proc/self/numa_maps"); }
static enum result own_pages(void) { return reads("/proc/self/smaps"); }
static enum result own_pages_summed(void) { return reads("/proc/self/smaps_rollup"); }
static enum result own_login(void) { return reads("/proc/self/loginuid"); }
static enum result own_cpuset(void) { return reads("/proc/self/cpuset"); }
static enum result own_user_map(void) { return reads("/proc/self/uid_map"); }
static enum result own_group_map(void) { return reads("/proc/self/gid_map"); }
static enum result own_personality(void) { return reads("/proc/self/personality"); }
static enum result own_packets(void) { return reads("/proc/self/net/dev"); }
static enum result own_sockets(void) { return reads("/proc/self/net/sockstat"); }
static enum result thread_badness(void) { return reads("/proc/thread-self/oom_score"); }
static enum result be_spared(void) { return writes("/proc/self/oom_score_adj", "0"); }
static enum result keep_more_cores(void) { return writes("/proc/self/coredump_filter", "0x33"); }
static enum result forget_pages(void) { return writes("/proc/self/clear_refs", "1"); }

const struct attack MACHINE[] = {
    {"sysinfo-total", "asks how much memory the host has", total, ALONE},
    {"sysinfo-free", "asks how much of it is free", unused, ALONE},
    {"sysinfo-shared", "asks how much memory is shared", shared, ALONE},
    {"sysinfo-buffers", "asks how much memory the disks use", buffers, ALONE},
    {"sysinfo-processes", "asks how many threads the host has", processes, ALONE},
    {"sysinfo-thread", "asks the same from another thread", processes_in_thread, ALONE},
    {"sysinfo-load-1", "asks how busy the host is", load_1, ALONE},
    {"sysinfo-load-5", "asks how busy it was for five minutes", load_5, ALONE},
    {"sysinfo-load-15", "asks how busy it was for fifteen minutes", load_15, ALONE},
    {"sysinfo-uptime", "asks how long the host has run", uptime, ALONE},
    {"sysinfo-swap", "asks for the host's swap space", swap, ALONE},
    {"sysinfo-pages", "asks the library for the host's memory", library_total, ALONE},
    {"sysinfo-free-pages", "asks the library for the free memory", library_free, ALONE},
    {"library-load", "asks the library for the load", library_load, ALONE},
    {"sysinfo-protected", "has the answer written where it may not write", into_protected_memory, ALONE},
    {"sysinfo-library", "has the answer written over a library", into_library, ALONE},
    {"talk-shared", "two bots: by how much memory is shared", talk_shared, PAIR},
    {"talk-free", "two bots: by how much memory is free", talk_free, PAIR},
    {"talk-processes", "two bots: by how many threads there are", talk_processes, PAIR},
    {"own-badness", "reads its part of the host's memory", own_badness, ALONE},
    {"own-descriptor", "reads the mount of its input", own_descriptor, ALONE},
    {"own-mount-table", "reads the table of mounts", own_mount_table, ALONE},
    {"own-mount-statistics", "reads what mounts there are, at length", own_mount_statistics, ALONE},
    {"own-scheduling", "reads how the host schedules it", own_scheduling, ALONE},
    {"own-call", "reads addresses of its calls", own_call, ALONE},
    {"own-channel", "reads where in the kernel it waits", own_channel, ALONE},
    {"own-nodes", "reads on which part of the memory it is", own_nodes, ALONE},
    {"own-pages", "reads which of its pages others share", own_pages, ALONE},
    {"own-pages-summed", "reads the sum of that", own_pages_summed, ALONE},
    {"own-login", "reads who has logged in", own_login, ALONE},
    {"own-cpuset", "reads the name of its set of cores", own_cpuset, ALONE},
    {"own-user-map", "reads which user it is outside", own_user_map, ALONE},
    {"own-group-map", "reads which group it is outside", own_group_map, ALONE},
    {"own-personality", "reads its personality", own_personality, ALONE},
    {"own-packets", "reads how much the network carries", own_packets, ALONE},
    {"own-sockets", "reads how many sockets there are", own_sockets, ALONE},
    {"thread-badness", "reads its part of the memory by its thread", thread_badness, ALONE},
    {"be-spared", "asks to be spared when memory is scarce", be_spared, ALONE},
    {"keep-more-cores", "asks for longer core dumps", keep_more_cores, ALONE},
    {"forget-pages", "has its pages marked as unused", forget_pages, ALONE},
    {0},
};
