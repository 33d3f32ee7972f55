/* A starter bot: it reads a question, one line, and writes an answer, one line. The function `think` plays: make
 * it better. It reads the question q (count integers), fills in the answer and returns how many integers that has.
 * The referee's protocol.md says what the integers mean. */
#include <stdio.h>
#include <stdlib.h>

/* The game's function goes here. */

int main(void) {
    static int q[1 << 16], answer[256];
    const char *game = getenv("REFEREE_GAME"), *seat = getenv("REFEREE_SEAT");
    fprintf(stderr, "I play %s in seat %s\n", game ? game : "a game", seat ? seat : "?"); /* debug to standard error only */
    /* A question is the number of its integers, then the integers. Questions come until the game is over. */
    for (int number = 1, count; scanf("%d", &count) == 1; number++) {
        for (int i = 0; i < count; i++)
            if (scanf("%d", &q[i]) != 1) return 0; /* the input has ended within a question */
        int length = think(q, count, answer);
        printf("@%d", number); /* the tag says which question this answers */
        for (int i = 0; i < length; i++) printf(" %d", answer[i]);
        printf("\n"), fflush(stdout); /* or nobody sees it */
    }
}
