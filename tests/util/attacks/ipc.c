/* Objects that outlive a process, and ways for two bots to talk: in one game, and from one game to the next. */
#include "attack.h"

#include <mqueue.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

/* A key of its own for each attack and run. */
static key_t key(void)
{
    unsigned hash = 5381;
    for (const char *text = attack_name; *text; text++)
        hash = hash * 33 + *text;
    for (const char *text = token; *text; text++)
        hash = hash * 33 + *text;
    return hash & 0x7fffffff;
}

static enum result leave_queue(void)
{
    int queue = msgget(key(), IPC_CREAT | 0666);
    enum result result = by(queue);
    msgctl(queue, IPC_RMID, NULL);
    return result;
}

static enum result leave_semaphores(void)
{
    int set = semget(key(), 1, IPC_CREAT | 0666);
    enum result result = by(set);
    semctl(set, 0, IPC_RMID);
    return result;
}

static enum result leave_segment(void)
{
    int segment = shmget(key(), 4096, IPC_CREAT | 0666);
    enum result result = by(segment);
    shmctl(segment, IPC_RMID, NULL);
    return result;
}

static enum result leave_posix_queue(void)
{
    char name[256];
    snprintf(name, sizeof name, "/queue-%s", token);
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0666, NULL);
    enum result result = by(queue);
    mq_unlink(name);
    return result;
}

static enum result leave_shared_memory(void)
{
    char name[256];
    snprintf(name, sizeof name, "/note-%s", token);
    enum result result = by(shm_open(name, O_RDWR | O_CREAT, 0666));
    shm_unlink(name);
    return result;
}

/* The receiver searches for the sender's word until it is there, or for a while. */
static enum result wait_for(enum result (*look)(void))
{
    enum result result = REFUSED;
    for (int i = 0; i < 100 && result != WORKED; i++) {
        if (i > 0)
            pause_ms(10);
        result = look();
    }
    return result;
}

static const char *note_in(const char *folder)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/note-%s-%s", folder, attack_name, token);
    return path;
}

static enum result write_note(const char *folder)
{
    int file = open(note_in(folder), O_WRONLY | O_CREAT, 0666);
    enum result result = by(file < 0 ? file : write(file, token, strlen(token)));
    return result == WORKED ? DONE : result;
}

static enum result read_note(const char *folder)
{
    enum result result = reads_secret(note_in(folder));
    unlink(note_in(folder));
    return result;
}

static enum result look_in_tmp(void) { return read_note("/tmp"); }
static enum result look_in_var_tmp(void) { return read_note("/var/tmp"); }
static enum result look_in_shm(void) { return read_note("/dev/shm"); }

static enum result note_in_tmp(void) { return receiver ? wait_for(look_in_tmp) : write_note("/tmp"); }
static enum result note_in_var_tmp(void) { return receiver ? wait_for(look_in_var_tmp) : write_note("/var/tmp"); }
static enum result note_in_shm(void) { return receiver ? wait_for(look_in_shm) : write_note("/dev/shm"); }

/* The folder of the sender is gone, but perhaps the next one has its name. */
static enum result note_in_parent_of_home(void)
{
    char folder[4200];
    snprintf(folder, sizeof folder, "%s/..", getenv("HOME"));
    return receiver ? read_note(folder) : write_note(folder);
}

static enum result note_beside_program(void)
{
    char folder[4200];
    snprintf(folder, sizeof folder, "%s", own_file);
    *strrchr(folder, '/') = 0;
    return receiver ? read_note(folder) : write_note(folder);
}

/* One bit: a lock on a file that both can read. */
static enum result lock_is_held(void)
{
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(file);
        return WORKED;
    }
    enum result result = by(-1);
    close(file); /* releases it */
    return result;
}

static enum result talk_by_lock(void)
{
    if (receiver)
        return wait_for(lock_is_held);
    int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    enum result result = by(file < 0 ? file : flock(file, LOCK_SH)); /* held until the end of the game */
    return result == WORKED ? DONE : result;
}

static enum result segment_is_there(void)
{
    int segment = shmget(key(), 0, 0);
    enum result result = by(segment);
    shmctl(segment, IPC_RMID, NULL);
    return result;
}

static enum result talk_by_segment(void)
{
    if (receiver)
        return wait_for(segment_is_there);
    enum result result = by(shmget(key(), 4096, IPC_CREAT | 0666));
    return result == WORKED ? DONE : result;
}

static struct sockaddr_un meeting_point(socklen_t *length)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *length = offsetof(struct sockaddr_un, sun_path) + 1
        + snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "meet-%s-%s", attack_name, token);
    return address;
}

static enum result somebody_listens(void)
{
    socklen_t length;
    struct sockaddr_un address = meeting_point(&length);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    return by(file < 0 ? file : connect(file, (struct sockaddr *) &address, length));
}

static enum result talk_by_socket(void)
{
    if (receiver)
        return wait_for(somebody_listens);
    socklen_t length;
    struct sockaddr_un address = meeting_point(&length);
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0 || bind(file, (struct sockaddr *) &address, length) < 0)
        return by(-1);
    return by(listen(file, 1)) == WORKED ? DONE : REFUSED;
}

/* Anything can be sent through a socket, also a descriptor: here its own standard input. */
static enum result take_passed_descriptor(void)
{
    socklen_t length;
    struct sockaddr_un address = meeting_point(&length);
    char byte, room[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    int file = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct timeval patience = {0, 500000};
    if (file < 0 || bind(file, (struct sockaddr *) &address, length) < 0)
        return by(-1);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return by(recvmsg(file, &message, 0) < 0 || !CMSG_FIRSTHDR(&message) ? -1 : 0);
}

static enum result pass_descriptor(void)
{
    if (receiver)
        return take_passed_descriptor();
    socklen_t length;
    struct sockaddr_un address = meeting_point(&length);
    char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {&address, length, &part, 1, room, sizeof room, 0};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memset(CMSG_DATA(header), 0, sizeof(int));
    int file = socket(AF_UNIX, SOCK_DGRAM, 0);
    for (int i = 0; file >= 0 && i < 50; i++, pause_ms(10))
        if (sendmsg(file, &message, 0) >= 0)
            return DONE;
    return by(-1);
}

const struct attack IPC[] = {
    {"sysv-queue", "makes a System V message queue", leave_queue, ALONE},
    {"sysv-semaphores", "makes System V semaphores", leave_semaphores, ALONE},
    {"sysv-segment", "makes a System V segment with a name", leave_segment, ALONE},
    {"posix-queue", "makes a POSIX message queue", leave_posix_queue, ALONE},
    {"posix-shm", "makes POSIX shared memory", leave_shared_memory, ALONE},
    {"talk-tmp", "two bots: a note in /tmp", note_in_tmp, PAIR},
    {"talk-var-tmp", "two bots: a note in /var/tmp", note_in_var_tmp, PAIR},
    {"talk-shm", "two bots: a note in /dev/shm", note_in_shm, PAIR},
    {"talk-lock", "two bots: a lock on a file of the system", talk_by_lock, PAIR},
    {"talk-segment", "two bots: a System V segment", talk_by_segment, PAIR},
    {"talk-socket", "two bots: an abstract socket", talk_by_socket, PAIR},
    {"pass-descriptor", "two bots: one hands the other its questions", pass_descriptor, PAIR},
    {"remember-tmp", "two games: a note in /tmp", note_in_tmp, SEQUEL},
    {"remember-shm", "two games: a note in /dev/shm", note_in_shm, SEQUEL},
    {"remember-home", "two games: a note beside its folder", note_in_parent_of_home, SEQUEL},
    {"remember-program", "two games: a note beside its program", note_beside_program, SEQUEL},
    {"remember-segment", "two games: a System V segment", talk_by_segment, SEQUEL},
    {0},
};
