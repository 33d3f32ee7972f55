/* Shared by all attacks: their targets, and how they report their results. */
#ifndef ATTACK_H
#define ATTACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* An attack's own report. DONE: it has tried, and the result shows outside: in a file that changed, a process that
 * remained, a packet that arrived. */
enum result { REFUSED, WORKED, DONE };

/* The setup of an attack. */
enum setting {
    ALONE,  /* next to bots that do not know of it */
    PAIR,   /* two bots in one game: the first sends, the second receives and reports */
    SEQUEL, /* two games, one after the other: the first bot sends, the second receives and reports */
    PONDER, /* in a game that asks one seat at a time */
};

struct attack {
    const char *name;
    const char *what;
    enum result (*run)(void);
    enum setting setting;
};

/* The families; each table ends with a null. */
extern const struct attack FILES[], METADATA[], SCRATCH[], PEERS[], PROCESSES[], SURVIVAL[], SIGNALS[], PRIORITIES[],
    NETWORK[], MEMORY[], IPC[], LOCKS[], KEYRINGS[], DESCRIPTORS[], KERNEL[], ADMINISTRATION[], CHANNELS[],
    RESIDENCE[], KNOWLEDGE[], RIGHTS[], FUTEXES[], MACHINE[], PIPES[];

/* From the command line. */
extern const char *attack_name;  /* this attack */
extern const char *place;        /* the driver's folder, with canaries below it */
extern const char *token;        /* the word in every secret */
extern const char *terminal;     /* a terminal of the driver's */
extern pid_t scapegoat;          /* a process of the driver's, as the driver numbers it */
extern int tcp_port, udp_port;   /* where the driver listens on the loopback interface */
extern bool receiver;            /* the second bot of a pair or sequel */
extern int inherited;            /* descriptors from 3 up that were open when the program began */
extern char own_file[];          /* this program's path */

/* Reports more than a result; the first word counts. */
void detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The result of a system call that returns less than zero if it is refused. */
enum result by(long returned);

/* The same for a call with nonsense arguments: an error about the nonsense means that the caller was allowed. */
enum result permission(long returned);

/* Returns the path of this attack's own canary. The last of a few texts stays valid. */
const char *canary(const char *name);

/* Reads a file and searches it for the secret. */
enum result reads_secret(const char *path);
enum result descriptor_reads_secret(int file);

/* Tells whether some bytes contain the secret. */
bool holds_secret(const void *bytes, size_t length);

/* Returns a path below the driver's folder. */
const char *below_place(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sleeps for some milliseconds. */
void pause_ms(long milliseconds);

/* Ends a child soon after its use, even if its parent has ended. */
void in_child_end_after(unsigned seconds);

/* Waits for a child; its exit status is its result, 0 worked. A child that was killed was refused. */
enum result result_of_child(pid_t child);

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#endif

#endif
