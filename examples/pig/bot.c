/* A bot for Pig: ./bot HOLD RUSH. It holds at HOLD points of a turn, and never once the other has RUSH. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    int hold = count > 1 ? atoi(words[1]) : 20, rush = count > 2 ? atoi(words[2]) : 100;
    for (int mine, others, turn; scanf("%d %d %d", &mine, &others, &turn) == 3;) {
        int wins = mine + turn >= 100, enough = turn >= hold && others < rush;
        puts(wins || enough ? "hold" : "roll");
        fflush(stdout);
    }
}
