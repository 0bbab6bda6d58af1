/* Random playouts of Go on 9 x 9 with area scoring and positional superko: the twin in C of
 * engines/games/go/rules.py. The same stream of random numbers gives the same games. A set of cells
 * is one number of 128 bits; a game is an array of boards, the earlier ones for superko. */
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef unsigned __int128 set;

enum { SIDE = 9, CELLS = SIDE * SIDE, LAST = 4 * CELLS + 100, PASS = CELLS };
#define ONE(c) ((set)1 << (c))

static set whole, rightwards, leftwards, near[CELLS], aslant[CELLS];
static int spare[CELLS];

typedef struct {
    set stones[2];
    int ply, passes, count, most;
} board;

static board line[LAST + 2];
static u64 S;

void prepare(u64 seed) {
    S = seed;
    whole = rightwards = leftwards = 0;
    for (int c = 0; c < CELLS; c++) {
        int x = c % SIDE, y = c / SIDE, corners = 0;
        whole |= ONE(c);
        if (x > 0) rightwards |= ONE(c);
        if (x < SIDE - 1) leftwards |= ONE(c);
        near[c] = aslant[c] = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int i = x + dx, j = y + dy;
                if (i < 0 || i >= SIDE || j < 0 || j >= SIDE || (!dx && !dy)) continue;
                if (dx && dy) {
                    aslant[c] |= ONE(j * SIDE + i);
                    corners++;
                } else
                    near[c] |= ONE(j * SIDE + i);
            }
        spare[c] = corners == 4;
    }
}

static inline u64 below(u64 n) {
    u64 z = (S += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (((z ^ (z >> 31)) >> 32) * n) >> 32;
}

static inline int size(set a) {
    return __builtin_popcountll((u64)a) + __builtin_popcountll((u64)(a >> 64));
}

static inline int nth_cell(set a, int k) {
    u64 word = (u64)a;
    int begin = 0, here = __builtin_popcountll(word);
    if (k >= here) k -= here, begin = 64, word = (u64)(a >> 64);
    int bit = 0;
    for (int width = 32; width; width /= 2) {
        here = __builtin_popcountll(word >> bit & ((1ull << width) - 1));
        bit += k >= here ? width : 0;
        k -= k >= here ? here : 0;
    }
    return begin + bit;
}

static inline set around(set a) {
    return ((a << 1) & rightwards) | ((a >> 1) & leftwards) | (a << SIDE) | (a >> SIDE);
}

static inline set captured(set other, set free, int c) {
    set beside = near[c] & other;
    if (!beside) return 0;
    set alive = around(free) & other;
    while (beside & ~alive) {
        set more = alive | (around(alive) & other);
        if (more == alive) return other & ~alive;
        alive = more;
    }
    return 0;
}

static inline int breathes(set own, set free, int c) {
    if (near[c] & free) return 1;
    set friends = near[c] & own;
    if (!friends) return 0;
    set alive = around(free) & own;
    while (!(friends & alive)) {
        set more = alive | (around(alive) & own);
        if (more == alive) return 0;
        alive = more;
    }
    return 1;
}

static inline int repeats(const board *at, int mover, set own, set other, int count) {
    while (at->most >= count) {
        int back = 1;
        if (at->count > count)
            back = at->count - count;
        else if (at->count == count && at->stones[mover] == own && at->stones[!mover] == other)
            return 1;
        if (back > at - line) return 0;
        at -= back;
    }
    return 0;
}

static inline int legal(const board *at, int c) {
    int mover = at->ply & 1;
    set own = at->stones[mover], other = at->stones[!mover], free = whole & ~(own | other | ONE(c));
    set dead = captured(other, free, c);
    if (!dead) {
        if (!breathes(own, free, c)) return 0;
        if (at->count >= at->most) return 1;
    }
    return !repeats(at, mover, own | ONE(c), other & ~dead, at->count + 1 - size(dead));
}

static inline int choose(const board *at) {
    int mover = at->ply & 1;
    set own = at->stones[mover], other = at->stones[!mover], left = whole & ~(own | other);
    for (;;) {
        int n = size(left);
        if (!n) return PASS;
        int c = nth_cell(left, (int)below(n));
        int eye = !(near[c] & ~own) && size(aslant[c] & other) <= spare[c];
        if (!eye && legal(at, c)) return c;
        left &= ~ONE(c);
    }
}

static inline void apply(const board *from, board *to, int action) {
    int mover = from->ply & 1;
    set own = from->stones[mover], other = from->stones[!mover], dead = 0;
    int count = from->count, passes = from->passes + 1;
    if (action != PASS) {
        dead = captured(other, whole & ~(own | other | ONE(action)), action);
        own |= ONE(action);
        other &= ~dead;
        count += 1 - size(dead);
        passes = 0;
    }
    to->stones[mover] = own;
    to->stones[!mover] = other;
    to->ply = from->ply + 1;
    to->passes = passes;
    to->count = count;
    to->most = from->most > count ? from->most : count;
}

static set reached(set stones, set empty) {
    set found = around(stones) & empty;
    for (;;) {
        set more = found | (around(found) & empty);
        if (more == found) return found;
        found = more;
    }
}

static int lead(const board *at) {
    set empty = whole & ~(at->stones[0] | at->stones[1]);
    set black = reached(at->stones[0], empty), white = reached(at->stones[1], empty);
    return size(black & ~white) - size(white & ~black) + size(at->stones[0]) - size(at->stones[1]);
}

/* How many of so many playouts Black wins with a komi in half points; *plies counts their moves. */
i64 playouts(i64 games, int komi, i64 *plies) {
    i64 wins = 0;
    *plies = 0;
    for (i64 i = 0; i < games; i++) {
        board *at = line;
        *at = (board){{0, 0}, 0, 0, 0, 0};
        while (at->passes < 2 && at->ply < LAST) {
            apply(at, at + 1, choose(at));
            at++;
        }
        *plies += at->ply;
        wins += 2 * lead(at) > komi;
    }
    return wins;
}
