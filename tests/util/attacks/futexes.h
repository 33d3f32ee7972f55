/* Tools for two bots that try to talk by a futex on a page of a file. */
#ifndef FUTEXES_H
#define FUTEXES_H

#include "attack.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* A page of a file that every bot can read. */
uint32_t *common_page(void);

/* A word on it: each attack has one of its own. */
uint32_t *common_word(void);

/* Sends until a thread was woken, or for a while. */
enum result send_by(long (*wake)(uint32_t *word));

/* Waits until it is woken, or for a while. */
enum result receive_by(long (*wait_for)(uint32_t *word));

/* Wait for a moment, in the two possible ways. */
long wait_plain(uint32_t *word);
long wait_bitset(uint32_t *word);
long wake_plain(uint32_t *word);

#define BY_FUTEX(name, wake, wait) \
    static enum result name(void) { return receiver ? receive_by(wait) : send_by(wake); }

#endif
