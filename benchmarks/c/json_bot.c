/* An instant bot in json-lines: plays the first legal action, or the one a running number picks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20];

int main(int argc, char **argv) {
    unsigned state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"quit\"")) return 0;
        if (!strstr(line, "\"type\":\"turn\"")) continue;
        char *at = strstr(line, "\"actions\":[") + 11, *ends[64];
        int count = 0;
        for (char *c = at; *c != ']' && count < 64; c++)
            if (*c == '"') ends[count++] = c;
        state = state * 1664525u + 1013904223u;
        int pick = 2 * ((state >> 16) % (count / 2));
        *ends[pick + 1] = 0;
        printf("{\"action\":%s\"}\n", ends[pick]);
        fflush(stdout);
    }
    return 0;
}
