/* A referee of Pig, the dice game: ./referee SEED LOG BOT BOT

   Each turn a bot reads "MINE OTHERS TURN" and answers roll or hold. A 1 loses the points of the turn,
   hold banks them; who has 100 first has won. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static FILE *start(const char *command, int *bot) {
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    if (fork() == 0) {
        dup2(ends[1], 0);
        dup2(ends[1], 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *bot = ends[0];
    return fdopen(ends[0], "r");
}

int main(int count, char **words) {
    if (count != 5) return 2;
    unsigned long long dice = strtoull(words[1], NULL, 10) * 0x9E3779B97F4A7C15ULL + 1;
    FILE *log = fopen(words[2], "w"), *answers[2];
    int bots[2], score[2] = {0, 0}, failed[2] = {0, 0}, seat = 0, turn = 0;
    char answer[16];
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 2; i++) answers[i] = start(words[3 + i], &bots[i]);
    while (score[0] < 100 && score[1] < 100) {
        dprintf(bots[seat], "%d %d %d\n", score[seat], score[!seat], turn);
        if (!fgets(answer, sizeof answer, answers[seat])) *answer = 0;
        int rolls = !strcmp(answer, "roll\n"), die = 0;
        if ((failed[seat] = !rolls && strcmp(answer, "hold\n"))) break;
        if (rolls) {
            dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
            turn = (die = 1 + (dice >> 33) % 6) > 1 ? turn + die : 0;
        }
        fprintf(log, "bot %d %s %d, turn %d\n", seat + 1, rolls ? "rolls" : "holds", die, turn);
        if (die > 1) continue;
        score[seat] += turn, turn = 0, seat = !seat;
    }
    const char *said[] = {"null", "\"no roll or hold\""};
    printf("{\"scores\": [%d, %d], \"failed\": [%s, %s]}\n", score[0] - 200 * failed[0],
           score[1] - 200 * failed[1], said[failed[0]], said[failed[1]]);
}
