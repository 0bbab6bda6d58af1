/* The smallest bot that CodinGame's Tron could have: reads a turn, answers UP. */
#include <stdio.h>

int main(void) {
    char line[256];
    int players, me;
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%d %d", &players, &me) == 2) {
        for (int i = 0; i < players; i++)
            if (!fgets(line, sizeof line, stdin)) return 0;
        fputs("UP\n", stdout);
        fflush(stdout);
    }
    return 0;
}
