/* An instant referee: starts its bots, waits for their ends and prints a result: ./referee MS SEED BOT BOT.
   With MS above 0 it also sleeps that long, as a game would last. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    for (int i = 3; i < count; i++)
        if (vfork() == 0) {
            execl(words[i], words[i], (char *)NULL);
            _exit(127);
        }
    while (wait(NULL) > 0) {
    }
    usleep(1000 * atoi(words[1]));
    puts("{\"scores\": [1, 0]}");
    return count < 5;
}
