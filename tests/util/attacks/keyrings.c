/* Keyrings: data that the kernel stores for a user, even after the end of a process. */
#include "attack.h"

enum { SESSION = -3, USER = -4, JOIN = 1, READ = 11, REVOKE = 3, GET_ID = 0, PERSISTENT = 22, UNLINK = 9, SEARCH = 10 };

static const char *key_name(void)
{
    static char name[256];
    snprintf(name, sizeof name, "note-%s-%s", attack_name, token);
    return name;
}

static long add(int ring) { return syscall(SYS_add_key, "user", key_name(), token, strlen(token), ring); }

static enum result add_to_session(void)
{
    long key = add(SESSION);
    enum result result = by(key);
    syscall(SYS_keyctl, UNLINK, key, SESSION);
    return result;
}

static enum result add_to_user(void)
{
    long key = add(USER);
    enum result result = by(key);
    syscall(SYS_keyctl, UNLINK, key, USER);
    return result;
}

static enum result remember(void)
{
    if (!receiver)
        return by(add(USER)) == WORKED ? DONE : REFUSED;
    long key = syscall(SYS_keyctl, SEARCH, USER, "user", key_name(), 0);
    enum result result = by(key);
    syscall(SYS_keyctl, UNLINK, key, USER);
    return result;
}

static enum result join_session(void) { return by(syscall(SYS_keyctl, JOIN, "a session of its own")); }
static enum result find_user_ring(void) { return by(syscall(SYS_keyctl, GET_ID, USER, 1)); }
static enum result persistent_ring(void) { return by(syscall(SYS_keyctl, PERSISTENT, -1, SESSION)); }

static enum result request(void)
{
    long key = syscall(SYS_request_key, "user", key_name(), NULL, SESSION);
    return by(key < 0 && errno == ENOKEY ? 0 : key); /* there is none, but the call is allowed */
}

static enum result list_keys(void) { return by(open("/proc/keys", O_RDONLY)); }

const struct attack KEYRINGS[] = {
    {"add-key", "keeps a word in its session's keyring", add_to_session, ALONE},
    {"add-user-key", "keeps a word in its user's keyring", add_to_user, ALONE},
    {"remember-key", "two games: a word in the user's keyring", remember, SEQUEL},
    {"join-keyring", "makes a keyring", join_session, ALONE},
    {"user-keyring", "finds its user's keyring", find_user_ring, ALONE},
    {"persistent-keyring", "finds its user's persistent keyring", persistent_ring, ALONE},
    {"request-key", "has the kernel look for a key", request, ALONE},
    {"list-keys", "reads which keys there are", list_keys, ALONE},
    {0},
};
