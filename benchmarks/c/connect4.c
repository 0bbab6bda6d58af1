/* Alpha-beta for Connect 4 on 12 x 6: the twin in C of engines/searches/alphabeta.py with the
 * evaluations `static` and `lines` (reading B). Same values, same nodes (a node is one applied
 * action; the root is none). State in registers: 9 columns of 7 bits in the low word of a side,
 * 3 in the high one; heights 4 bits a column. */
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;

enum { COLUMNS = 12, ROWS = 6, STRIDE = 7, LANES = 9, FULL = 72, REACH = 32 };
static const int ORDER[COLUMNS] = {5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0, 11};
static const int FIRST[COLUMNS] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5};
static const u64 WINDOW = (1ull << 49) - 1;

static int weight[COLUMNS][8];
static int starts[COLUMNS], counts[COLUMNS][8], keep[COLUMNS + 1];
static struct { u64 mask, below; } lines[4096];
static i64 gains[50][REACH];
static i64 nodes;

static inline u64 window(u64 low, u64 high, int first) {
    int shift = STRIDE * first;
    return ((low >> shift) | (high << (63 - shift))) & WINDOW;
}

static inline int four(u64 b) {
    u64 m = b & (b >> 7);
    if (m & (m >> 14)) return 1;
    m = b & (b >> 6);
    if (m & (m >> 12)) return 1;
    m = b & (b >> 8);
    if (m & (m >> 16)) return 1;
    m = b & (b >> 1);
    return (m & (m >> 2)) != 0;
}

/* What a stone of `mine` in a column adds to the value for its owner. */
static inline int gain_static(u64 ml, u64 mh, u64 ol, u64 oh, int c, int r) {
    return weight[c][r];
}

static inline i64 gain_lines(u64 ml, u64 mh, u64 ol, u64 oh, int c, int r) {
    int first = FIRST[c];
    u64 mine = window(ml, mh, first), theirs = window(ol, oh, first);
    u64 empty = ~(mine | theirs);
    int place = (c - first) * STRIDE + r;
    i64 total = 0;
    for (int i = starts[c], end = i + counts[c][r]; i < end; i++) {
        u64 mask = lines[i].mask;
        int k = __builtin_popcountll(mine & mask), o = __builtin_popcountll(theirs & mask);
        int on = mask >> place & 1, cells = __builtin_popcountll(lines[i].below & empty);
        total += gains[10 * k + 2 * o + on][cells];
    }
    return total;
}

#define STEP(i)                                                      \
    int c = (i), r = (heights >> (4 * c)) & 15;                      \
    if (r >= ROWS) continue;                                         \
    u64 nl = ml, nh = mh;                                            \
    if (c < LANES) nl |= 1ull << (STRIDE * c + r);                   \
    else nh |= 1ull << (STRIDE * (c - LANES) + r);

#define SEARCH(NAME, T, WIN)                                                                       \
    static T leaf_##NAME(u64 ml, u64 mh, u64 ol, u64 oh, u64 heights, T score, int stones,         \
                         T beta) {                                                                 \
        T best = -2 * WIN;                                                                         \
        for (int i = 0; i < COLUMNS; i++) {                                                        \
            STEP(ORDER[i])                                                                         \
            nodes++;                                                                               \
            T v;                                                                                   \
            if (four(window(nl, nh, FIRST[c]))) v = WIN - (stones + 1);                            \
            else if (stones + 1 == FULL) v = 0;                                                    \
            else v = score + gain_##NAME(ml, mh, ol, oh, c, r);                                    \
            if (v > best) {                                                                        \
                best = v;                                                                          \
                if (v >= beta) break;                                                              \
            }                                                                                      \
        }                                                                                          \
        return best;                                                                               \
    }                                                                                              \
    static T plain_##NAME(u64 ml, u64 mh, u64 ol, u64 oh, u64 heights, T score, int depth,         \
                          int stones, T alpha, T beta) {                                           \
        if (depth == 1) return leaf_##NAME(ml, mh, ol, oh, heights, score, stones, beta);          \
        T best = -2 * WIN;                                                                         \
        for (int i = 0; i < COLUMNS; i++) {                                                        \
            STEP(ORDER[i])                                                                         \
            nodes++;                                                                               \
            T v;                                                                                   \
            if (four(window(nl, nh, FIRST[c]))) v = WIN - (stones + 1);                            \
            else if (stones + 1 == FULL) v = 0;                                                    \
            else                                                                                   \
                v = -plain_##NAME(ol, oh, nl, nh, heights + (1ull << (4 * c)),                     \
                                  -(score + gain_##NAME(ml, mh, ol, oh, c, r)), depth - 1,         \
                                  stones + 1, -beta, -alpha);                                      \
            if (v > best) {                                                                        \
                best = v;                                                                          \
                if (v > alpha) alpha = v;                                                          \
                if (alpha >= beta) break;                                                          \
            }                                                                                      \
        }                                                                                          \
        return best;                                                                               \
    }                                                                                              \
    static T pruned_##NAME(u64 ml, u64 mh, u64 ol, u64 oh, u64 heights, T score, int depth,        \
                           int stones, T alpha, T beta) {                                          \
        if (depth == 1) return leaf_##NAME(ml, mh, ol, oh, heights, score, stones, beta);          \
        T scores[COLUMNS];                                                                         \
        int columns[COLUMNS], n = 0;                                                               \
        for (int i = 0; i < COLUMNS; i++) {                                                        \
            STEP(ORDER[i])                                                                         \
            nodes++;                                                                               \
            if (four(window(nl, nh, FIRST[c]))) return WIN - (stones + 1);                         \
            T s = stones + 1 == FULL ? 0 : score + gain_##NAME(ml, mh, ol, oh, c, r);              \
            int j = n++;                                                                           \
            for (; j > 0 && scores[j - 1] < s; j--) {                                              \
                scores[j] = scores[j - 1];                                                         \
                columns[j] = columns[j - 1];                                                       \
            }                                                                                      \
            scores[j] = s;                                                                         \
            columns[j] = c;                                                                        \
        }                                                                                          \
        T best = -2 * WIN;                                                                         \
        for (int i = 0; i < keep[n]; i++) {                                                        \
            STEP(columns[i])                                                                       \
            T v = 0;                                                                               \
            if (stones + 1 < FULL)                                                                 \
                v = -pruned_##NAME(ol, oh, nl, nh, heights + (1ull << (4 * c)), -scores[i],        \
                                   depth - 1, stones + 1, -beta, -alpha);                          \
            if (v > best) {                                                                        \
                best = v;                                                                          \
                if (v > alpha) alpha = v;                                                          \
                if (alpha >= beta) break;                                                          \
            }                                                                                      \
        }                                                                                          \
        return best;                                                                               \
    }

#define WIN_STATIC (1 << 20)
#define WIN_LINES (1ll << 60)
SEARCH(static, int, WIN_STATIC)
SEARCH(lines, i64, WIN_LINES)

void set_weights(const i64 *weights) {
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++) weight[c][r] = (int)weights[c * ROWS + r];
}

void set_lines(const i64 *start, const i64 *count, const u64 *masks, const u64 *belows, i64 size,
               const i64 *added) {
    for (int c = 0; c < COLUMNS; c++) {
        starts[c] = (int)start[c];
        for (int r = 0; r < ROWS; r++) counts[c][r] = (int)count[c * ROWS + r];
    }
    for (i64 i = 0; i < size; i++) lines[i].mask = masks[i], lines[i].below = belows[i];
    for (int i = 0; i < 50 * REACH; i++) gains[i / REACH][i % REACH] = added[i];
}

void set_keep(const i64 *kept) {
    for (int n = 0; n <= COLUMNS; n++) keep[n] = (int)kept[n];
}

/* The value in units of the engine's, from a state laid out as the engine's. */
static f64 told(i64 v, i64 win, f64 unit, int stones) {
    if (v > win / 2) return (f64)(1ll << 40) - (f64)(win - v - stones);
    if (v < -win / 2) return (f64)(win + v - stones) - (f64)(1ll << 40);
    return (f64)v / unit;
}

f64 search(const u64 *W, i64 depth, i64 by_lines, i64 prune, i64 *count) {
    int stones = (int)(W[5] & 255), d = (int)depth;
    i64 score = (i64)W[6];
    nodes = 0;
    f64 found;
    if (by_lines) {
        i64 inf = 2 * WIN_LINES;
        i64 v = prune ? pruned_lines(W[0], W[1], W[2], W[3], W[4], score, d, stones, -inf, inf)
                      : plain_lines(W[0], W[1], W[2], W[3], W[4], score, d, stones, -inf, inf);
        found = told(v, WIN_LINES, 4294967296.0, stones);
    } else {
        int inf = 2 * WIN_STATIC, s = (int)score;
        int v = prune ? pruned_static(W[0], W[1], W[2], W[3], W[4], s, d, stones, -inf, inf)
                      : plain_static(W[0], W[1], W[2], W[3], W[4], s, d, stones, -inf, inf);
        found = told(v, WIN_STATIC, 1.0, stones);
    }
    *count = nodes;
    return found;
}
