/* Descriptors and terminals. */
#include "attack.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>

static enum result use_inherited(void)
{
    detail("%d descriptors from 3 up", inherited);
    return inherited > 0 ? WORKED : REFUSED;
}

static enum result open_many(void)
{
    int count = 0;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (count < 2000 && dup(0) >= 0)
        count++;
    detail("%d more: %s", count, strerror(errno));
    for (int file = 3; file < 2100; file++)
        close(file);
    return count > 256 ? WORKED : REFUSED;
}

static enum result high_number(void)
{
    int file = dup2(0, 1000);
    enum result result = by(file);
    close(file);
    return result;
}

static enum result own_terminal(void) { return by(open("/dev/tty", O_RDWR)); }
static enum result console(void) { return by(open("/dev/console", O_WRONLY | O_NOCTTY)); }

static enum result zero_device(void)
{
    char byte;
    int file = open("/dev/zero", O_RDONLY);
    return by(file < 0 ? file : read(file, &byte, 1));
}

static enum result write_terminal(void)
{
    int file = open(terminal, O_WRONLY | O_NOCTTY);
    return by(file < 0 ? file : write(file, "typed by a bot\n", 15));
}

static enum result type_on_terminal(void)
{
    int file = open(terminal, O_RDWR | O_NOCTTY);
    return by(file < 0 ? file : ioctl(file, TIOCSTI, "x"));
}

static enum result take_terminal(void)
{
    int file = open(terminal, O_RDWR);
    return by(file < 0 ? file : ioctl(file, TIOCSCTTY, 0));
}

static enum result new_terminal(void) { return by(posix_openpt(O_RDWR | O_NOCTTY)); }

static enum result list_terminals(void) { return by(open("/dev/pts", O_RDONLY | O_DIRECTORY)); }

const struct attack DESCRIPTORS[] = {
    {"inherited", "finds descriptors of the referee open", use_inherited, ALONE},
    {"exhaust", "opens 2,000 descriptors", open_many, ALONE},
    {"high-descriptor", "opens descriptor 1,000", high_number, ALONE},
    {"own-terminal", "opens the terminal of the host's session", own_terminal, ALONE},
    {"console", "opens the console", console, ALONE},
    {"zero-device", "reads a device that it does not need", zero_device, ALONE},
    {"write-terminal", "writes to a terminal of the host", write_terminal, ALONE},
    {"type-terminal", "types on a terminal of the host", type_on_terminal, ALONE},
    {"take-terminal", "makes a terminal of the host its own", take_terminal, ALONE},
    {"new-terminal", "makes a terminal", new_terminal, ALONE},
    {"list-terminals", "lists the host's terminals", list_terminals, ALONE},
    {0},
};
