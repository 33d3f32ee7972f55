/* A frame for any game: q has the integers of the question. Put those of your answer into `answer`. */
static int think(const int *q, int count, int *answer) {
    (void)q, (void)count;
    answer[0] = 0; /* change this: the rules say what an answer is */
    return 1;      /* the number of integers */
}
