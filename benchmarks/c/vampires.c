/* Vampires vs Werewolves: Langorou's search to a fixed depth, the twin in C of
 * tests/engines/slow_vampires.py: the same order of turns, branches and sums, hence the same bits
 * (gcc -O3 -march=native -ffp-contract=off).
 *
 *   vampires BOARD DEPTH [shared|full [THRESHOLD [MAX_GROUPS [LAST_WINS [CUT_EQUAL]]]]]
 *
 * prints value, turn, nodes (boards made) and milliseconds. A board is three lists of pieces, each
 * sorted row by row; a cell is y * 32 + x. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VAMPIRES, WEREWOLVES, HUMANS, NOBODY };
enum { MOST_UNITS = 255, MOST_PIECES = 1024, MOST_GROUPS = 256, OPTIONS = 17 };

typedef struct {
    uint16_t cell, count;
} Piece;

typedef struct {
    int columns, rows, turn, n[3];
    Piece piece[3][MOST_PIECES];
} Board;

typedef struct {
    int from, count, to; /* count 0: the group stays */
} Move;

typedef struct {
    int moves;
    Move move[MOST_GROUPS];
} Turn;

typedef struct {
    double chance[2];
    int target, outcomes, owner[2], count[2];
} Battle; /* what may become of one target: one outcome or two */

typedef struct {
    double counts, battles, neutral_battles, groups, cum_score, win_score, lose_over_win_ratio;
    double threshold;
    int max_groups, full, last_wins, cut_equal;
} Settings;

static Settings set = {1, 0.02, 0.03, 0, 1e-4, 1e10, 1, 1, 2, 0, 1, 1};
static int me;
static int64_t nodes;
static double quotient[MOST_UNITS + 1][32]; /* units over distance */

/* Boards. */

static void copy(Board *to, const Board *from) {
    to->columns = from->columns, to->rows = from->rows, to->turn = from->turn;
    for (int s = 0; s < 3; s++) {
        to->n[s] = from->n[s];
        memcpy(to->piece[s], from->piece[s], from->n[s] * sizeof(Piece));
    }
}

static int place_of(const Board *b, int species, int cell) {
    int i = 0;
    while (i < b->n[species] && b->piece[species][i].cell < cell) i++;
    return i;
}

static int units_at(const Board *b, int species, int cell) {
    int i = place_of(b, species, cell);
    return i < b->n[species] && b->piece[species][i].cell == cell ? b->piece[species][i].count : 0;
}

/* Let a cell hold this many units of a species; none removes the piece. */
static void put(Board *b, int species, int cell, int count) {
    Piece *list = b->piece[species];
    int i = place_of(b, species, cell), there = i < b->n[species] && list[i].cell == cell;
    if (count && !there)
        memmove(list + i + 1, list + i, (b->n[species]++ - i) * sizeof(Piece));
    else if (!count && there)
        memmove(list + i, list + i + 1, (--b->n[species] - i) * sizeof(Piece));
    if (count) list[i] = (Piece){cell, count};
}

static int units(const Board *b, int species) {
    int sum = 0;
    for (int i = 0; i < b->n[species]; i++) sum += b->piece[species][i].count;
    return sum;
}

static inline int distance(int a, int b) {
    int dx = abs((a & 31) - (b & 31)), dy = abs((a >> 5) - (b >> 5));
    return dx > dy ? dx : dy;
}

static inline double probability(int n, int k, int human) {
    if (human ? n >= k : 2 * n >= 3 * k) return 1.0;
    if (n == k) return 0.5;
    return n < k ? n / (2.0 * k) : n / (double)k - 0.5;
}

/* Evaluation. Who is too weak for humans expects no gain of them, else just their number. */

static double attraction(const Board *b, int species) {
    double total = 0;
    for (int i = 0; i < b->n[species]; i++) {
        Piece a = b->piece[species][i];
        for (int j = 0; j < b->n[HUMANS]; j++) {
            Piece h = b->piece[HUMANS][j];
            if (a.count >= h.count) total += quotient[h.count][distance(a.cell, h.cell)];
        }
    }
    return total;
}

static double evaluation(const Board *b, double cum) {
    int they = 1 - me;
    if (!b->n[me]) return -(set.win_score * set.lose_over_win_ratio) + set.cum_score * cum;
    if (!b->n[they]) return set.win_score - set.cum_score * cum;
    double mine = 0, theirs = 0;
    for (int i = 0; i < b->n[me]; i++)
        for (int j = 0; j < b->n[they]; j++) {
            Piece p = b->piece[me][i], q = b->piece[they][j];
            int n = p.count, k = q.count, d = distance(p.cell, q.cell);
            mine += (probability(n, k, 0) * (n + k) - k) / d;
            theirs += (probability(k, n, 0) * (n + k) - n) / d;
        }
    double neutral = attraction(b, me) - attraction(b, they);
    return set.counts * (units(b, me) - units(b, they)) + set.battles * (2.0 * (mine - theirs)) +
           set.neutral_battles * neutral + set.groups * (b->n[me] - b->n[they]) + set.cum_score * cum;
}

/* Turns: at most one move a group; the last group's option varies fastest. */

typedef struct {
    int groups, options[MOST_GROUPS], at[MOST_GROUPS];
    Move option[MOST_GROUPS][OPTIONS];
} Choices;

static void list_options(const Board *b, Choices *c) {
    static const int step[8][2] = {{0, -1}, {0, 1}, {1, 0}, {-1, 0}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
    int smallest = 0;
    for (int i = 0; i < b->n[HUMANS]; i++) {
        int count = b->piece[HUMANS][i].count;
        if (!smallest || count < smallest) smallest = count;
    }
    c->groups = b->n[b->turn];
    for (int g = 0; g < c->groups; g++) {
        Piece p = b->piece[b->turn][g];
        int n = 0, halves = c->groups < set.max_groups && smallest && p.count >= 2 * smallest;
        c->option[g][n++] = (Move){p.cell, 0, p.cell};
        for (int count = p.count, part = 0; part <= halves; part++, count = p.count / 2)
            for (int s = 0; s < 8; s++) {
                int x = (p.cell & 31) + step[s][0], y = (p.cell >> 5) + step[s][1];
                if (x < 0 || y < 0 || x >= b->columns || y >= b->rows) continue;
                c->option[g][n++] = (Move){p.cell, count, y * 32 + x};
            }
        c->options[g] = n;
        c->at[g] = 0;
    }
}

/* Step to the next combination; 0 after the last one. */
static int next_turn(Choices *c) {
    for (int g = c->groups - 1; g >= 0; g--) {
        if (++c->at[g] < c->options[g]) return 1;
        c->at[g] = 0;
    }
    return 0;
}

/* Whether no group moves to where another leaves. */
static int take_turn(const Choices *c, Turn *turn) {
    turn->moves = 0;
    for (int g = 0; g < c->groups; g++)
        if (c->at[g]) {
            Move m = c->option[g][c->at[g]];
            for (int i = 0; i < turn->moves; i++)
                if (turn->move[i].to == m.from || turn->move[i].from == m.to) return 0;
            turn->move[turn->moves++] = m;
        }
    return 1;
}

/* Expected outcomes of every target in the order of first appearance; -1 where a cell would
 * overflow. */
static int list_battles(const Board *b, const Turn *turn, Battle *battle) {
    int targets = 0, they = 1 - b->turn;
    for (int i = 0; i < turn->moves; i++) {
        int t = 0;
        while (t < targets && battle[t].target != turn->move[i].to) t++;
        if (t == targets) battle[targets++] = (Battle){.target = turn->move[i].to};
        battle[t].count[0] += turn->move[i].count;
    }
    for (int t = 0; t < targets; t++) {
        Battle *f = battle + t;
        int n = f->count[0], k = units_at(b, b->turn, f->target), against = NOBODY;
        f->outcomes = 1;
        f->chance[0] = 1;
        f->owner[0] = b->turn;
        if (k) {
            f->count[0] = n + k;
        } else if ((k = units_at(b, HUMANS, f->target))) {
            against = HUMANS;
            f->count[0] = n + k;
        } else if ((k = units_at(b, they, f->target))) {
            against = they;
        }
        if (f->count[0] > MOST_UNITS) return -1;
        if (against == NOBODY) continue;
        double p = probability(n, k, against == HUMANS);
        int won = against == HUMANS ? p * n + p * k : p * n, lost = (1.0 - p) * k;
        f->count[0] = won;
        if (p >= set.threshold) continue;
        if (p < 1.0 - set.threshold) {
            f->owner[0] = against;
            f->count[0] = lost;
        } else {
            f->outcomes = 2;
            f->chance[0] = p;
            f->chance[1] = 1.0 - p;
            f->owner[1] = against;
            f->count[1] = lost;
        }
    }
    return targets;
}

/* Search. */

typedef struct {
    const Battle *battle;
    int targets, depth, ply;
    double cum, alpha, beta, total;
} Branching;

static double best(const Board *b, int depth, int ply, double cum, double alpha, double beta, Turn *chosen);

/* Settle the targets from the t-th on, in every way, and add up the values; spoils the board. */
static void branch(Branching *s, Board *b, int t, double chance) {
    if (t == s->targets) {
        nodes++;
        s->total += chance * best(b, s->depth - 1, s->ply + 1, s->cum, s->alpha, s->beta, NULL);
        return;
    }
    const Battle *f = s->battle + t;
    for (int i = 0; i < f->outcomes; i++) {
        Board other, *after = b;
        if (i + 1 < f->outcomes) copy(after = &other, b);
        for (int species = 0; species < 3; species++)
            if (species != f->owner[i]) put(after, species, f->target, 0);
        put(after, f->owner[i], f->target, f->count[i]);
        branch(s, after, t + 1, chance * f->chance[i]);
    }
}

static int cuts(double low, double high) { return low > high || (set.cut_equal && low == high); }

static double best(const Board *b, int depth, int ply, double cum, double alpha, double beta, Turn *chosen) {
    if (!depth || !b->n[VAMPIRES] || !b->n[WEREWOLVES]) return evaluation(b, cum);
    int maximises = b->turn == me, found = 0;
    double value = maximises ? -INFINITY : INFINITY;
    double after = cum + (1.0 - ply / 1000.0) * (units(b, me) - units(b, 1 - me));
    Choices choices;
    Battle battle[MOST_GROUPS];
    Turn turn;
    Board child;
    list_options(b, &choices);
    while (next_turn(&choices)) {
        int targets;
        if (!take_turn(&choices, &turn) || (targets = list_battles(b, &turn, battle)) < 0) continue;
        copy(&child, b);
        child.turn = 1 - b->turn;
        for (int i = 0; i < turn.moves; i++) {
            Move m = turn.move[i];
            put(&child, b->turn, m.from, units_at(b, b->turn, m.from) - m.count);
        }
        Branching s = {battle, targets, depth, ply, after, alpha, beta, 0};
        for (int t = 0; t < targets && set.full; t++)
            if (battle[t].outcomes > 1) s.alpha = -INFINITY, s.beta = INFINITY;
        branch(&s, &child, 0, 1.0);
        double score = s.total;
        if (!found || (maximises ? score > value : score < value) || (score == value && set.last_wins)) {
            value = score;
            found = 1;
            if (chosen) {
                chosen->moves = turn.moves;
                memcpy(chosen->move, turn.move, turn.moves * sizeof(Move));
            }
        }
        if (maximises ? cuts(value, beta) : cuts(alpha, value)) break;
        if (maximises && value > alpha) alpha = value;
        if (!maximises && value < beta) beta = value;
    }
    return found ? value : evaluation(b, cum);
}

/* Value and turn for the side to move. */
double search(const Board *b, int depth, Turn *chosen) {
    if (!quotient[1][1])
        for (int n = 0; n <= MOST_UNITS; n++)
            for (int d = 1; d < 32; d++) quotient[n][d] = n / (double)d;
    me = b->turn;
    nodes = 0;
    chosen->moves = 0;
    return best(b, depth, 0, 0.0, -INFINITY, INFINITY, chosen);
}

/* The command line. */

static int parse(const char *text, Board *b) {
    int used = 0, count, x, y, length;
    char letter;
    memset(b, 0, sizeof *b);
    if (sscanf(text, "%dx%d%n", &b->columns, &b->rows, &used) < 2) return 0;
    if (b->columns < 1 || b->columns > 32 || b->rows < 1 || b->rows > 32) return 0;
    while (sscanf(text += used, " %c%d@%d,%d%n", &letter, &count, &x, &y, &length) == 4) {
        const char *found = strchr("VWH", letter);
        if (!found || count < 1 || count > MOST_UNITS || x < 0 || x >= b->columns || y < 0 || y >= b->rows)
            return 0;
        put(b, found - "VWH", y * 32 + x, count);
        used = length;
    }
    if (sscanf(text, " turn %c", &letter) == 1) b->turn = letter == 'W';
    return b->n[VAMPIRES] <= MOST_GROUPS && b->n[WEREWOLVES] <= MOST_GROUPS;
}

/* The same for a caller from outside; a board that cannot be read has no nodes. */
double run(const char *text, int depth, int full, double threshold, int max_groups, int64_t *made) {
    static Board board;
    static Turn turn;
    *made = 0;
    if (!parse(text, &board)) return 0;
    set.full = full, set.threshold = threshold, set.max_groups = max_groups;
    double value = search(&board, depth, &turn);
    *made = nodes;
    return value;
}

int main(int argc, char **argv) {
    static Board board;
    static Turn turn;
    if (argc < 3 || !parse(argv[1], &board)) {
        fprintf(stderr, "vampires BOARD DEPTH [shared|full [THRESHOLD [MAX_GROUPS [LAST_WINS [CUT_EQUAL]]]]]\n");
        return 2;
    }
    if (argc > 3) set.full = !strcmp(argv[3], "full");
    if (argc > 4) set.threshold = atof(argv[4]);
    if (argc > 5) set.max_groups = atoi(argv[5]);
    if (argc > 6) set.last_wins = atoi(argv[6]);
    if (argc > 7) set.cut_equal = atoi(argv[7]);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    double value = search(&board, atoi(argv[2]), &turn);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ms = (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6;
    printf("value %.17g turn", value);
    for (int i = 0; i < turn.moves; i++) {
        Move m = turn.move[i];
        printf(" %d,%d:%d>%d,%d", m.from & 31, m.from >> 5, m.count, m.to & 31, m.to >> 5);
    }
    printf(" nodes %lld ms %.3f\n", (long long)nodes, ms);
    return 0;
}
