/* Dodo on side 4 and Gopher on side 6: random playouts, and alpha-beta with the evaluation
 * `mobility`. The twin in C of engines/games/dodo, engines/games/gopher, engines/searches/mcts/leaf.py
 * and engines/searches/alphabeta.py: same games, values and nodes. */
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;

static u64 seed;
static i64 nodes;

static inline u64 below(u64 n) {
    u64 z = (seed += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    return ((z >> 32) * n) >> 32;
}

static inline int count(u64 x) { return __builtin_popcountll(x); }
static inline int lowest(u64 x) { return __builtin_ctzll(x); }

static inline u64 nth(u64 x, int skip) {
    while (skip-- > 0) x &= x - 1;
    return x & -x;
}

/* Dodo: a word a side; the first player's steps lead 9, 8 or 1 bits further, the second's back. */
typedef struct { u64 own[2]; int mover; } Dodo;
static const int SHIFT[3] = {9, 8, 1};
static u64 dodo_board;
static Dodo dodo_start;

void dodo_prepare(u64 board, u64 first, u64 second) {
    dodo_board = board;
    dodo_start = (Dodo){{first, second}, 0};
}

static inline u64 dodo_movers(const Dodo *d, int player, int way) {
    u64 empty = dodo_board & ~(d->own[0] | d->own[1]);
    return d->own[player] & (player ? empty << SHIFT[way] : empty >> SHIFT[way]);
}

static inline int dodo_mobility(const Dodo *d, int player) {
    return count(dodo_movers(d, player, 0)) + count(dodo_movers(d, player, 1)) +
           count(dodo_movers(d, player, 2));
}

static inline int dodo_over(const Dodo *d) {
    return !(dodo_movers(d, d->mover, 0) | dodo_movers(d, d->mover, 1) |
             dodo_movers(d, d->mover, 2));
}

static inline void dodo_go(Dodo *d, u64 bit, int way) {
    d->own[d->mover] ^= bit | (d->mover ? bit >> SHIFT[way] : bit << SHIFT[way]);
    d->mover ^= 1;
}

static inline void dodo_random(Dodo *d) {
    int skip = (int)below(dodo_mobility(d, d->mover)), way = 0;
    u64 left = dodo_movers(d, d->mover, 0);
    for (int here; skip >= (here = count(left)); left = dodo_movers(d, d->mover, ++way))
        skip -= here;
    dodo_go(d, nth(left, skip), way);
}

i64 dodo_playouts(u64 begin, i64 games) {
    i64 wins = 0;
    seed = begin;
    for (i64 g = 0; g < games; g++) {
        Dodo d = dodo_start;
        do dodo_random(&d);
        while (!dodo_over(&d));
        wins += d.mover == 0;
    }
    return wins;
}

static const f64 WIN = (f64)(1ll << 40);

static f64 dodo_search(const Dodo *d, int depth, int ply, f64 alpha, f64 beta) {
    f64 best = -2 * WIN;
    int n = 0;
    short steps[39]; /* listed before any is searched, as the engine does */
    for (int way = 0; way < 3; way++)
        for (u64 left = dodo_movers(d, d->mover, way); left; left &= left - 1)
            steps[n++] = (short)(4 * lowest(left) + way);
    for (int i = 0; i < n; i++) {
        Dodo next = *d;
        dodo_go(&next, 1ull << (steps[i] >> 2), steps[i] & 3);
        nodes++;
        f64 v;
        if (dodo_over(&next)) v = (f64)(ply + 1) - WIN;
        else if (depth == 1)
            v = -(f64)(dodo_mobility(&next, 1 - next.mover) - dodo_mobility(&next, next.mover));
        else v = -dodo_search(&next, depth - 1, ply + 1, -beta, -alpha);
        if (v > best) {
            best = v;
            if (v > alpha) alpha = v;
            if (alpha >= beta) return best;
        }
    }
    return best;
}

f64 dodo_best(u64 first, u64 second, i64 mover, i64 depth, i64 *found) {
    Dodo d = {{first, second}, (int)mover};
    nodes = 0;
    f64 v = dodo_search(&d, (int)depth, 0, -2 * WIN, 2 * WIN);
    *found = nodes;
    return v;
}

/* Gopher: two words a set; of each side the stones, the cells beside one of them, beside more. */
typedef struct { u64 own[2][2], near[2][2], crowded[2][2]; int mover; } Gopher;
static u64 beside[91][2];
static const u64 CELLS[2] = {~0ull, (1ull << 27) - 1};

void gopher_prepare(const u64 *table) {
    for (int c = 0; c < 91; c++) beside[c][0] = table[2 * c], beside[c][1] = table[2 * c + 1];
}

static inline u64 gopher_legal(const Gopher *g, int player, int k) {
    int other = 1 - player;
    if (!(g->own[0][0] | g->own[0][1] | g->own[1][0] | g->own[1][1])) return CELLS[k];
    return g->near[other][k] & ~g->crowded[other][k] &
           ~(g->near[player][k] | g->own[0][k] | g->own[1][k]);
}

static inline int gopher_mobility(const Gopher *g, int player) {
    return count(gopher_legal(g, player, 0)) + count(gopher_legal(g, player, 1));
}

static inline void gopher_place(Gopher *g, int cell) {
    int p = g->mover;
    g->own[p][cell >> 6] |= 1ull << (cell & 63);
    for (int k = 0; k < 2; k++) {
        g->crowded[p][k] |= g->near[p][k] & beside[cell][k];
        g->near[p][k] |= beside[cell][k];
    }
    g->mover ^= 1;
}

static inline int gopher_over(const Gopher *g) {
    return !(gopher_legal(g, g->mover, 0) | gopher_legal(g, g->mover, 1));
}

i64 gopher_playouts(u64 begin, i64 games) {
    i64 wins = 0;
    seed = begin;
    for (i64 n = 0; n < games; n++) {
        Gopher g = {0};
        do {
            int skip = (int)below(gopher_mobility(&g, g.mover)), k = 0;
            u64 left = gopher_legal(&g, g.mover, 0);
            if (skip >= count(left)) skip -= count(left), left = gopher_legal(&g, g.mover, k = 1);
            gopher_place(&g, 64 * k + lowest(nth(left, skip)));
        } while (!gopher_over(&g));
        wins += g.mover == 1;
    }
    return wins;
}

static f64 gopher_search(const Gopher *g, int depth, int ply, f64 alpha, f64 beta) {
    f64 best = -2 * WIN;
    int n = 0;
    unsigned char cells[91];
    for (int k = 0; k < 2; k++)
        for (u64 left = gopher_legal(g, g->mover, k); left; left &= left - 1)
            cells[n++] = (unsigned char)(64 * k + lowest(left));
    for (int i = 0; i < n; i++) {
        Gopher next = *g;
        gopher_place(&next, cells[i]);
        nodes++;
        f64 v;
        if (gopher_over(&next)) v = WIN - (f64)(ply + 1);
        else if (depth == 1)
            v = -(f64)(gopher_mobility(&next, next.mover) - gopher_mobility(&next, 1 - next.mover));
        else v = -gopher_search(&next, depth - 1, ply + 1, -beta, -alpha);
        if (v > best) {
            best = v;
            if (v > alpha) alpha = v;
            if (alpha >= beta) return best;
        }
    }
    return best;
}

/* From a state laid out as the engine's: stones, beside one, beside more, each of both sides. */
f64 gopher_best(const u64 *W, i64 depth, i64 *found) {
    Gopher g;
    for (int i = 0; i < 4; i++) {
        g.own[i / 2][i % 2] = W[i];
        g.near[i / 2][i % 2] = W[4 + i];
        g.crowded[i / 2][i % 2] = W[8 + i];
    }
    g.mover = (int)(W[12] & 1);
    nodes = 0;
    f64 v = gopher_search(&g, (int)depth, 0, -2 * WIN, 2 * WIN);
    *found = nodes;
    return v;
}
