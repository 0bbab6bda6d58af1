/* Alpha-beta for Connect 4 on 12 x 6: the twin in C of engines/searches/alphabeta.py with the
 * evaluations `static` and `lines` (reading B). Same values, same nodes (a node is one applied
 * action; the root is none). State in registers: 9 columns of 7 bits in the low word of a side,
 * 3 in the high one; heights 4 bits a column. */
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;

enum { COLUMNS = 12, ROWS = 6, STRIDE = 7, LANES = 9, FULL = 72, WORDS = 3 };
static const int ORDER[COLUMNS] = {5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0, 11};
static const int FIRST[COLUMNS] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5, 5};
static const u64 WINDOW = (1ull << 49) - 1;

static int weight[COLUMNS][8];
static int starts[COLUMNS], begins[COLUMNS], after_it[COLUMNS], keep[COLUMNS + 1];
static struct { u64 mask, below; } lines[4096];
static u64 through[COLUMNS][ROWS], above[COLUMNS][ROWS], lines_through[COLUMNS][ROWS][WORDS];
static i64 gains[32 * (4 * ROWS + 1)];
static i64 nodes;

/* The lines in which each side has a stone, a bit each. */
typedef struct { u64 mine[WORDS], theirs[WORDS]; } Sets;

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

/* What a stone of `mine` in a column adds to the value for its owner, and the lines after it. */
static inline int gain_static(u64 ml, u64 mh, u64 ol, u64 oh, const Sets *sets, int c, int r) {
    return weight[c][r];
}

static inline void next_static(Sets *next, const Sets *sets, int c, int r) {}

static inline u64 bits_from(const u64 *words, int begin, int later) {
    int shift = begin & 63;
    return words[begin >> 6] >> shift | words[later] << 1 << (63 - shift);
}

static inline i64 gain_lines(u64 ml, u64 mh, u64 ol, u64 oh, const Sets *sets, int c, int r) {
    int first = FIRST[c];
    u64 occupied = window(ml | ol, mh | oh, first);
    u64 mine = bits_from(sets->mine, begins[c], after_it[c]);
    u64 theirs = bits_from(sets->theirs, begins[c], after_it[c]);
    u64 here = through[c][r], left = (above[c][r] & (mine ^ theirs)) | (here & ~(mine & theirs));
    i64 total = 0;
    for (; left; left &= left - 1) {
        int n = __builtin_ctzll(left), j = starts[c] + n;
        int stones = __builtin_popcountll(occupied & lines[j].mask);
        int cells = __builtin_popcountll(lines[j].below & ~occupied);
        total += gains[(theirs >> n & 1) + (here >> n & 1) * 2 + stones * 4 + cells * 32];
    }
    return total;
}

static inline void next_lines(Sets *next, const Sets *sets, int c, int r) {
    for (int k = 0; k < WORDS; k++) {
        next->mine[k] = sets->theirs[k];
        next->theirs[k] = sets->mine[k] | lines_through[c][r][k];
    }
}

#define STEP(i)                                                      \
    int c = (i), r = (heights >> (4 * c)) & 15;                      \
    if (r >= ROWS) continue;                                         \
    u64 nl = ml, nh = mh;                                            \
    if (c < LANES) nl |= 1ull << (STRIDE * c + r);                   \
    else nh |= 1ull << (STRIDE * (c - LANES) + r);

#define SEARCH(NAME, T, WIN)                                                                       \
    static T leaf_##NAME(u64 ml, u64 mh, u64 ol, u64 oh, u64 heights, const Sets *sets, T score,   \
                         int stones, T beta) {                                                     \
        T best = -2 * WIN;                                                                         \
        for (int i = 0; i < COLUMNS; i++) {                                                        \
            STEP(ORDER[i])                                                                         \
            nodes++;                                                                               \
            T v;                                                                                   \
            if (four(window(nl, nh, FIRST[c]))) v = WIN - (stones + 1);                            \
            else if (stones + 1 == FULL) v = 0;                                                    \
            else v = score + gain_##NAME(ml, mh, ol, oh, sets, c, r);                              \
            if (v > best) {                                                                        \
                best = v;                                                                          \
                if (v >= beta) break;                                                              \
            }                                                                                      \
        }                                                                                          \
        return best;                                                                               \
    }                                                                                              \
    static T plain_##NAME(u64 ml, u64 mh, u64 ol, u64 oh, u64 heights, const Sets *sets, T score,  \
                          int depth, int stones, T alpha, T beta) {                                \
        if (depth == 1) return leaf_##NAME(ml, mh, ol, oh, heights, sets, score, stones, beta);    \
        T best = -2 * WIN;                                                                         \
        for (int i = 0; i < COLUMNS; i++) {                                                        \
            STEP(ORDER[i])                                                                         \
            nodes++;                                                                               \
            T v;                                                                                   \
            if (four(window(nl, nh, FIRST[c]))) v = WIN - (stones + 1);                            \
            else if (stones + 1 == FULL) v = 0;                                                    \
            else {                                                                                 \
                Sets next;                                                                         \
                next_##NAME(&next, sets, c, r);                                                    \
                v = -plain_##NAME(ol, oh, nl, nh, heights + (1ull << (4 * c)), &next,              \
                                  -(score + gain_##NAME(ml, mh, ol, oh, sets, c, r)), depth - 1,   \
                                  stones + 1, -beta, -alpha);                                      \
            }                                                                                      \
            if (v > best) {                                                                        \
                best = v;                                                                          \
                if (v > alpha) alpha = v;                                                          \
                if (alpha >= beta) break;                                                          \
            }                                                                                      \
        }                                                                                          \
        return best;                                                                               \
    }                                                                                              \
    static T pruned_##NAME(u64 ml, u64 mh, u64 ol, u64 oh, u64 heights, const Sets *sets, T score, \
                           int depth, int stones, T alpha, T beta) {                               \
        if (depth == 1) return leaf_##NAME(ml, mh, ol, oh, heights, sets, score, stones, beta);    \
        T scores[COLUMNS];                                                                         \
        int columns[COLUMNS], n = 0;                                                               \
        for (int i = 0; i < COLUMNS; i++) {                                                        \
            STEP(ORDER[i])                                                                         \
            nodes++;                                                                               \
            if (four(window(nl, nh, FIRST[c]))) return WIN - (stones + 1);                         \
            T s = stones + 1 == FULL ? 0 : score + gain_##NAME(ml, mh, ol, oh, sets, c, r);        \
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
            if (stones + 1 < FULL) {                                                               \
                Sets next;                                                                         \
                next_##NAME(&next, sets, c, r);                                                    \
                v = -pruned_##NAME(ol, oh, nl, nh, heights + (1ull << (4 * c)), &next, -scores[i], \
                                   depth - 1, stones + 1, -beta, -alpha);                          \
            }                                                                                      \
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

void set_lines(const i64 *start, const u64 *begin, const u64 *after, const u64 *masks, const u64 *belows,
               i64 size, const u64 *of, const u64 *over, const u64 *by_number, const i64 *added) {
    for (int c = 0; c < COLUMNS; c++) {
        starts[c] = (int)start[c], begins[c] = (int)begin[c], after_it[c] = (int)after[c];
        for (int r = 0; r < ROWS; r++) {
            int i = c * ROWS + r;
            through[c][r] = of[i], above[c][r] = over[i];
            for (int k = 0; k < WORDS; k++) lines_through[c][r][k] = by_number[i * WORDS + k];
        }
    }
    for (i64 i = 0; i < size; i++) lines[i].mask = masks[i], lines[i].below = belows[i];
    for (int i = 0; i < 32 * (4 * ROWS + 1); i++) gains[i] = added[i];
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
    Sets sets = {{W[7], W[8], W[9]}, {W[10], W[11], W[12]}};
    nodes = 0;
    f64 found;
    if (by_lines) {
        i64 inf = 2 * WIN_LINES;
        i64 v = prune ? pruned_lines(W[0], W[1], W[2], W[3], W[4], &sets, score, d, stones, -inf, inf)
                      : plain_lines(W[0], W[1], W[2], W[3], W[4], &sets, score, d, stones, -inf, inf);
        found = told(v, WIN_LINES, 4294967296.0, stones);
    } else {
        int inf = 2 * WIN_STATIC, s = (int)score;
        int v = prune ? pruned_static(W[0], W[1], W[2], W[3], W[4], 0, s, d, stones, -inf, inf)
                      : plain_static(W[0], W[1], W[2], W[3], W[4], 0, s, d, stones, -inf, inf);
        found = told(v, WIN_STATIC, 1.0, stones);
    }
    *count = nodes;
    return found;
}
