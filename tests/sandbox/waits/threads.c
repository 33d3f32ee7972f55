/* A bot whose threads end at once, several at a time, and that waits for each. It answers 1 once all have ended. With `fork`, a
 * child does the same. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 8, TIMES = 25 };

static void *nothing(void *number) { return number; }

static int all_end(void)
{
    long sum = 0;
    for (int time = 0; time < TIMES; time++) {
        pthread_t threads[COUNT];
        void *number;
        for (long i = 0; i < COUNT; i++)
            if (pthread_create(&threads[i], NULL, nothing, (void *) i))
                return 0;
        for (int i = 0; i < COUNT; i++) {
            pthread_join(threads[i], &number);
            sum += (long) number;
        }
    }
    return sum == TIMES * (COUNT * (COUNT - 1) / 2);
}

static int all_end_in_a_child(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(all_end());
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status);
}

int main(int count, char **words)
{
    int forks = count > 1 && !strcmp(words[1], "fork");
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        printf("%d\n", all_end() && (!forks || all_end_in_a_child()));
        fflush(stdout);
    }
}
