/* A bot that plays legally and attacks: `attack NAME key=value ...`. It attacks at its first question,
 * reports the result on standard error, answers, and plays on. `attack --list` prints all attacks. Other names make
 * other bots: `victim` plays, `slow` takes its time, and `scapegoat` is no bot at all.
 *
 * Every attack is harmless if it works: it is capped, restores the old content, or only asks for permission. */
#include "attack.h"

#include <signal.h>
#include <stdarg.h>
#include <time.h>

const char *attack_name = "", *place = "/nonexistent", *token = "no-token", *terminal = "/dev/null";
pid_t scapegoat = 0;
int tcp_port = 0, udp_port = 0, inherited = 0;
bool receiver = false;
char own_file[4096];

static const struct {
    const char *name;
    const struct attack *attacks;
} FAMILIES[] = {
    {"files", FILES},
    {"metadata", METADATA},
    {"scratch", SCRATCH},
    {"peers", PEERS},
    {"processes", PROCESSES},
    {"survival", SURVIVAL},
    {"signals", SIGNALS},
    {"priorities", PRIORITIES},
    {"network", NETWORK},
    {"memory", MEMORY},
    {"ipc", IPC},
    {"locks", LOCKS},
    {"keyrings", KEYRINGS},
    {"descriptors", DESCRIPTORS},
    {"kernel", KERNEL},
    {"administration", ADMINISTRATION},
    {"channels", CHANNELS},
    {"futexes", FUTEXES},
    {"knowledge", KNOWLEDGE},
    {"residence", RESIDENCE},
    {"rights", RIGHTS},
    {"machine", MACHINE},
    {"pipes", PIPES},
};

static const char *const SETTINGS[] = {"alone", "pair", "sequel", "ponder"};

static const struct attack *find(const char *name, bool print)
{
    for (size_t family = 0; family < sizeof FAMILIES / sizeof *FAMILIES; family++)
        for (const struct attack *attack = FAMILIES[family].attacks; attack->name; attack++) {
            if (print)
                printf("%s\t%s\t%s\t%s\n", FAMILIES[family].name, attack->name, SETTINGS[attack->setting],
                       attack->what);
            else if (!strcmp(attack->name, name))
                return attack;
        }
    return NULL;
}

static void read_arguments(int count, char **words)
{
    for (int i = 2; i < count; i++) {
        char *value = strchr(words[i], '=');
        if (!value++)
            continue;
        if (!strncmp(words[i], "place=", 6)) place = value;
        if (!strncmp(words[i], "token=", 6)) token = value;
        if (!strncmp(words[i], "terminal=", 9)) terminal = value;
        if (!strncmp(words[i], "pid=", 4)) scapegoat = atoi(value);
        if (!strncmp(words[i], "tcp=", 4)) tcp_port = atoi(value);
        if (!strncmp(words[i], "udp=", 4)) udp_port = atoi(value);
        if (!strncmp(words[i], "role=", 5)) receiver = !strcmp(value, "receiver");
    }
}

static char details[512];

void detail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(details, sizeof details, format, arguments);
    va_end(arguments);
}

enum result by(long returned)
{
    if (returned >= 0)
        return WORKED;
    detail("%s", strerror(errno));
    return REFUSED;
}

enum result permission(long returned)
{
    if (returned >= 0)
        return WORKED;
    enum result result = by(returned);
    return errno == EPERM || errno == EACCES || errno == ENOSYS ? result : WORKED;
}

const char *below_place(const char *format, ...)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    int length = snprintf(path, sizeof *paths, "%s/", place);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + length, sizeof *paths - length, format, arguments);
    va_end(arguments);
    return path;
}

const char *canary(const char *name)
{
    return below_place("canary/%s/%s", attack_name, name);
}

bool holds_secret(const void *bytes, size_t length)
{
    return memmem(bytes, length, token, strlen(token)) != NULL;
}

enum result descriptor_reads_secret(int file)
{
    static char bytes[1 << 16];
    if (file < 0)
        return by(file);
    ssize_t length = read(file, bytes, sizeof bytes);
    close(file);
    if (length < 0)
        return by(length);
    if (holds_secret(bytes, length))
        return WORKED;
    detail("nothing secret in it");
    return REFUSED;
}

enum result reads_secret(const char *path)
{
    return descriptor_reads_secret(open(path, O_RDONLY | O_CLOEXEC));
}

void pause_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

void in_child_end_after(unsigned seconds)
{
    alarm(seconds);
}

enum result result_of_child(pid_t child)
{
    int status;
    if (child < 0)
        return by(child);
    if (waitpid(child, &status, 0) == child && WIFEXITED(status)) {
        if (WEXITSTATUS(status) == 0)
            return WORKED;
        detail("%s", strerror(WEXITSTATUS(status)));
        return REFUSED;
    }
    detail("its child was killed");
    return REFUSED;
}

/* Reads a whole question. Tells whether there is one. */
static bool read_question(char *line, size_t size)
{
    size_t length = 0;
    while (length + 1 < size) {
        ssize_t count = read(0, line + length, size - length - 1);
        if (count <= 0)
            return false;
        length += count;
        if (line[length - 1] == '\n')
            break;
    }
    line[length] = 0;
    return true;
}

static void say(int stream, const char *text)
{
    if (write(stream, text, strlen(text)) < 0)
        _exit(0); /* the referee has ended */
}

static void answer(const char *question)
{
    const char *game = getenv("REFEREE_GAME");
    if (game && !strcmp(game, "target")) {
        say(1, strcmp(attack_name, "slow") ? "2\n" : "7\n"); /* stays, or is no move: not all may stay */
        return;
    }
    int turn = 0, players = 1;
    sscanf(question, "%*d %d %*d %d", &turn, &players);
    while (players-- > 0)
        say(1, turn == 0 ? "528 " : "4 "); /* to the middle; stay */
    say(1, "\n");
}

static void report(enum result result)
{
    static const char *const WORDS[] = {"refused", "worked", "done"};
    char line[600];
    snprintf(line, sizeof line, "attack: %s: %s\n", WORDS[result], details);
    say(2, line);
}

static void note_signal(int number)
{
    (void) number;
    say(1, "!");
}

/* A process of the host that records each signal, until its input ends. */
static int be_scapegoat(void)
{
    struct sigaction note = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    char byte;
    for (int number = 1; number <= 64; number++)
        sigaction(number, &note, NULL);
    say(1, "ready");
    while (read(0, &byte, 1) > 0) {}
    return 0;
}

int main(int count, char **words)
{
    static char question[1 << 20];
    for (int file = 3; file < 1024; file++)
        inherited += fcntl(file, F_GETFD) >= 0;
    if (readlink("/proc/self/exe", own_file, sizeof own_file - 1) < 0)
        snprintf(own_file, sizeof own_file, "%s", words[0]);
    attack_name = count > 1 ? words[1] : "";
    if (!strcmp(attack_name, "--list"))
        return find("", true) != NULL;
    if (!strcmp(attack_name, "scapegoat"))
        return be_scapegoat();
    read_arguments(count, words);
    const struct attack *attack = find(attack_name, false);
    if (!strcmp(attack_name, "nothing"))
        return 0;
    if (!strcmp(attack_name, "again")) { /* this program was executed by an attack that has not answered yet */
        report(WORKED);
        answer(getenv("REFEREE_QUESTION"));
    }
    bool lingers = attack && attack->setting == PONDER; /* reports with its second answer */
    for (int number = 0; read_question(question, sizeof question); number++) {
        if (!strcmp(attack_name, "slow"))
            pause_ms(40);
        if (attack && number == 0) {
            setenv("REFEREE_QUESTION", question, 1);
            enum result result = attack->run();
            if (!lingers)
                report(result);
        } else if (lingers && number == 1) {
            receiver = true;
            report(attack->run());
        }
        answer(question);
    }
    return 0;
}
