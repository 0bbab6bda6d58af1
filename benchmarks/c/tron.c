/* Tron 30 x 20 for two: the twin in C of engines/games/tron.py, of the evaluation `zones` (weights,
 * parity, corpse, chambers; two eyes, share) and of the loop of engines/searches/uct.py over it.
 * Same boards (two rows of 32 cells a word), same order of all operations: same bits. */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef double f64;

enum { PARTS = 10, WIDTH = 30, HEIGHT = 20, WORDS = 3 * PARTS + 3, HEADS = WORDS - 3, META = WORDS - 1 };
static const u64 DARK = 0xAAAAAAAA55555555ull;

static u64 zones[2][PARTS], fronts[2][PARTS + 2], unclaimed[PARTS], kinds[3][PARTS];

static inline i64 popcount(u64 x) { return __builtin_popcountll(x); }

static inline u64 beside(u64 before, u64 word, u64 after) {
    return (word << 1) | (word >> 1) | (word << 32) | (word >> 32) | (before >> 32) | (after << 32);
}

/* One step of one front between words *low and *high; 0 when it is gone. */
static inline int grow(u64 *restrict front, u64 *restrict zone, u64 *restrict left, int *low, int *high) {
    int begin = *low > 0 ? *low - 1 : 0, end = *high < PARTS - 1 ? *high + 1 : PARTS - 1;
    int first = 255, last = 0;
    u64 before = 0, word = front[begin];
    for (int k = begin; k <= end; k++) {
        u64 after = front[k + 1];
        u64 new = beside(before, word, after) & left[k];
        left[k] ^= new;
        zone[k] |= new;
        front[k] = new;
        if (new) {
            if (k < first) first = k;
            last = k;
        }
        before = word;
        word = after;
    }
    *low = first;
    *high = last;
    return first != 255;
}

static void flood(const u64 *W) {
    memset(zones, 0, sizeof zones);
    memset(fronts, 0, sizeof fronts);
    for (int k = 0; k < PARTS; k++) unclaimed[k] = ~W[k];
    int low[2], high[2], going[2], mover = W[META] & 15;
    for (int p = 0; p < 2; p++) {
        int head = (W[HEADS] >> (16 * p)) & 0xFFFF;
        going[p] = (W[META] >> (4 + p)) & 1;
        low[p] = high[p] = head >> 6;
        if (going[p]) fronts[p][1 + (head >> 6)] = 1ull << (head & 63);
    }
    while (going[0] || going[1])
        for (int i = 0; i < 2; i++) {
            int p = mover ^ i;
            if (going[p]) going[p] = grow(fronts[p] + 1, zones[p], unclaimed, &low[p], &high[p]);
        }
}

static void find_kinds(const u64 *W) {
    u64 before = 0, word = ~W[0];
    for (int k = 0; k < PARTS; k++) {
        u64 after = k + 1 < PARTS ? ~W[k + 1] : 0;
        u64 left = word << 1, right = word >> 1;
        u64 up = (word << 32) | (before >> 32), down = (word >> 32) | (after << 32);
        u64 one = left ^ right, two = left & right, other = up ^ down, pair = up & down;
        u64 odd = one ^ other, carry = one & other, even = two ^ pair ^ carry;
        u64 four = (two & pair) | (two & carry) | (pair & carry);
        kinds[0][k] = word & ~(even | four);
        kinds[1][k] = word & even & ~odd;
        kinds[2][k] = word & even & odd;
        before = word;
        word = after;
    }
}

static inline i64 walkable(i64 first, i64 second) {
    return 2 * first < 2 * second + 1 ? 2 * first : 2 * second + 1;
}

static f64 weighed(const u64 *zone, int head, const f64 *P) {
    i64 total = 0, dark = 0, tight = 0, two = 0, three = 0;
    for (int k = 0; k < PARTS; k++) {
        u64 word = zone[k];
        total += popcount(word);
        dark += popcount(word & DARK);
        tight += popcount(word & kinds[0][k]);
        two += popcount(word & kinds[1][k]);
        three += popcount(word & kinds[2][k]);
    }
    f64 worth = P[0] * (f64)tight + P[1] * (f64)two + P[2] * (f64)three;
    worth += P[3] * (f64)(total - tight - two - three);
    if (P[4] != 0.0 && total != 0) {
        i64 light = total - dark;
        if (((head & 31) + (head >> 5)) & 1) worth *= (f64)walkable(dark, light) / (f64)total;
        else worth *= (f64)walkable(light, dark) / (f64)total;
    }
    return worth;
}

static int touches(const u64 *W, int p, int other) {
    const u64 *ribbon = W + PARTS * (other + 1);
    u64 before = 0, word = ribbon[0];
    for (int k = 0; k < PARTS; k++) {
        u64 after = k + 1 < PARTS ? ribbon[k + 1] : 0;
        if (beside(before, word, after) & zones[p][k]) return 1;
        before = word;
        word = after;
    }
    return 0;
}

/* ---- rooms: engines/games/tron/rooms.py, boards with an empty word before and after ---- */
enum { BOARD = PARTS + 2, CELLS = 64 * BOARD, HALLS = CELLS / 2, NODES = CELLS + HALLS };
typedef struct { int entry, begin, end; i64 total, dark, tight, two, three; } room;
static u64 region[BOARD], left_over[BOARD], narrow[BOARD], wide[BOARD], doors[BOARD], block[BOARD];
static u64 halls[HALLS][BOARD], best[CELLS];
static int number[NODES], low_number[NODES], above_of[NODES], stack[NODES], ways[CELLS];
static room rooms[CELLS];
static const int STEP[4] = {-32, 32, -1, 1};

static inline int has(const u64 *board, int cell) { return (board[cell >> 6] >> (cell & 63)) & 1; }
static inline void add(u64 *board, int cell) { board[cell >> 6] |= 1ull << (cell & 63); }
static inline int lowest(u64 x) { return __builtin_ctzll(x); }

static inline u64 along(u64 seeds, u64 mask) {
    u64 found = seeds | (mask & ~(mask + seeds));
    for (int step = 1; step <= 16; step *= 2) {
        found |= mask & (found >> step);
        mask &= mask >> step;
    }
    return found;
}

static void sort_cells(int root) {
    u64 before = 0, word = region[1];
    for (int k = 1; k <= PARTS; k++) {
        u64 after = region[k + 1];
        u64 up = (word << 32) | (before >> 32), down = (word >> 32) | (after << 32);
        u64 left = word << 1, right = word >> 1;
        u64 a = up & ~((up >> 1) & right), b = right & ~((down >> 1) & down);
        u64 c = down & ~((down << 1) & left), d = left & ~((up << 1) & up);
        u64 cut = word & ((a & b) | (c & d) | ((a | b) & (c | d)));
        narrow[k] = cut;
        wide[k] = word & ~cut;
        before = word;
        word = after;
    }
    add(narrow, root);
    wide[root >> 6] &= ~(1ull << (root & 63));
    for (int k = 1; k <= PARTS; k++) {
        u64 alone = wide[k] & ~beside(wide[k - 1], wide[k], wide[k + 1]);
        narrow[k] |= alone;
        wide[k] &= ~alone;
    }
}

static void fill_hall(u64 *hall, int seed) {
    memset(hall, 0, BOARD * sizeof(u64));
    add(hall, seed);
    for (int growing = 1; growing;) {
        growing = 0;
        for (int i = 0; i < 2 * PARTS; i++) {
            int k = i < PARTS ? i + 1 : 2 * PARTS - i;
            u64 new = beside(hall[k - 1], hall[k], hall[k + 1]) & wide[k] & ~hall[k];
            if (!new) continue;
            hall[k] = along(hall[k] | new, wide[k]);
            growing = 1;
        }
    }
}

static inline int number_of(int cell, int found) {
    if (has(narrow, cell)) return number[cell];
    do found--; while (!has(halls[found], cell));
    return number[CELLS + found];
}

static void arrive(int v, int above, int clock, int found) {
    int least = clock;
    if (v < CELLS) {
        left_over[v >> 6] &= ~(1ull << (v & 63));
        for (int way = 0; way < 4; way++) {
            int c = v + STEP[way];
            if (!has(region, c) || has(left_over, c)) continue;
            int n = number_of(c, found);
            if (n < least) least = n;
        }
    } else {
        const u64 *hall = halls[v - CELLS];
        for (int k = 1; k <= PARTS; k++) {
            left_over[k] &= ~hall[k];
            u64 near = beside(hall[k - 1], hall[k], hall[k + 1]) & narrow[k] & ~left_over[k];
            for (; near; near &= near - 1) {
                int n = number[(k << 6) + lowest(near)];
                if (n < least) least = n;
            }
        }
    }
    number[v] = clock;
    low_number[v] = least;
    above_of[v] = above;
}

static int onward(int v) {
    if (v < CELLS) {
        for (int way = 0; way < 4; way++)
            if (has(left_over, v + STEP[way])) return v + STEP[way];
        return 0;
    }
    const u64 *hall = halls[v - CELLS];
    for (int k = 1; k <= PARTS; k++) {
        u64 near = beside(hall[k - 1], hall[k], hall[k + 1]) & narrow[k] & left_over[k];
        if (near) return (k << 6) + lowest(near);
    }
    return 0;
}

static void describe(room *r, int first, int last) {
    r->total = r->dark = r->tight = r->two = r->three = 0;
    for (int k = first; k <= last; k++) {
        u64 word = block[k];
        block[k] = 0;
        r->total += popcount(word);
        r->dark += popcount(word & DARK);
        r->tight += popcount(word & kinds[0][k - 1]);
        r->two += popcount(word & kinds[1][k - 1]);
        r->three += popcount(word & kinds[2][k - 1]);
    }
}

static int find_rooms(const u64 *zone, int root) {
    memset(region, 0, sizeof region);
    memset(narrow, 0, sizeof narrow);
    memset(wide, 0, sizeof wide);
    memset(doors, 0, sizeof doors);
    memset(block, 0, sizeof block);
    memcpy(region + 1, zone, PARTS * sizeof(u64));
    add(region, root);
    memcpy(left_over, region, sizeof region);
    sort_cells(root);
    int clock = 1, found = 0, high = 0, listed = 0, made = 0, v = root;
    arrive(v, 0xFFFF, clock, found);
    for (;;) {
        int c = onward(v);
        if (c) {
            if (has(wide, c)) {
                fill_hall(halls[found], c);
                c = CELLS + found++;
            }
            arrive(c, v, ++clock, found);
            stack[high++] = c;
            v = c;
            continue;
        }
        if (v == root) return made;
        int above = above_of[v];
        if (low_number[v] < low_number[above]) low_number[above] = low_number[v];
        if (above < CELLS && low_number[v] >= number[above]) {
            room *r = &rooms[made++];
            int first = PARTS, last = 1;
            r->begin = listed;
            do {
                c = stack[--high];
                if (c >= CELLS) {
                    for (int k = 1; k <= PARTS; k++) block[k] |= halls[c - CELLS][k];
                    first = 1;
                    last = PARTS;
                } else {
                    add(block, c);
                    if (c >> 6 < first) first = c >> 6;
                    if (c >> 6 > last) last = c >> 6;
                    if (has(doors, c)) ways[listed++] = c;
                }
            } while (c != v);
            r->entry = above;
            r->end = listed;
            describe(r, first, last);
            add(doors, above);
        }
        v = above;
    }
}

static f64 best_walk(const u64 *zone, int head, const f64 *P) {
    int root = head + 64, made = find_rooms(zone, root);
    best[root] = 0;
    for (int i = 0; i < made; i++) best[rooms[i].entry] = 0;
    for (int i = 0; i < made; i++) {
        const room *r = &rooms[i];
        f64 worth = P[0] * (f64)r->tight + P[1] * (f64)r->two + P[2] * (f64)r->three;
        worth += P[3] * (f64)(r->total - r->tight - r->two - r->three);
        if (P[4] != 0.0) {
            i64 light = r->total - r->dark;
            if ((DARK >> (r->entry & 63)) & 1) worth *= (f64)walkable(light, r->dark) / (f64)r->total;
            else worth *= (f64)walkable(r->dark, light) / (f64)r->total;
        }
        u64 beyond = 0;
        for (int k = r->begin; k < r->end; k++)
            if (best[ways[k]] > beyond) beyond = best[ways[k]];
        u64 value = (u64)(i64)(worth * 1e6 + 0.5) + beyond;
        if (value > best[r->entry]) best[r->entry] = value;
    }
    return (f64)best[root] / 1e6;
}

/* The expected return of the first player. */
f64 expected(const u64 *W, const f64 *P) {
    f64 area[2], more[2] = {0.0, 0.0};
    flood(W);
    find_kinds(W);
    for (int p = 0; p < 2; p++) {
        int alive = (W[META] >> (4 + p)) & 1;
        int head = (W[HEADS] >> (16 * p)) & 0xFFFF;
        area[p] = !alive ? -1.0 : P[6] != 0.0 ? best_walk(zones[p], head, P) : weighed(zones[p], head, P);
    }
    if (P[5] != 0.0)
        for (int j = 0; j < 2; j++) {
            if (area[j] < 0.0 || area[!j] < 0.0 || !touches(W, !j, j) || !(area[!j] > area[j] + 1e-6)) continue;
            i64 length = 0;
            for (int k = 0; k < PARTS; k++) length += popcount(W[PARTS * (j + 1) + k]);
            more[!j] += P[5] * (f64)length / 1.0;
        }
    f64 own = area[0] + more[0], both = own + (area[1] + more[1]);
    return both > 0.0 ? own / both : 0.5;
}

void evaluate_all(const u64 *W, i64 count, const f64 *P, f64 *out) {
    for (i64 i = 0; i < count; i++) out[i] = expected(W + i * WORDS, P);
}

/* ---- rules ---- */
static i64 ahead(const u64 *W, i64 head, int action) {
    i64 x = head & 31, y = head >> 5, cell;
    if (action == 0) { if (y == 0) return -1; cell = head - 32; }
    else if (action == 1) { if (y == HEIGHT - 1) return -1; cell = head + 32; }
    else if (action == 2) { if (x == 0) return -1; cell = head - 1; }
    else { if (x == WIDTH - 1) return -1; cell = head + 1; }
    return (W[cell >> 6] >> (cell & 63)) & 1 ? -1 : cell;
}

static int actions(const u64 *W, int *A) {
    i64 head = (W[HEADS] >> (16 * (W[META] & 15))) & 0xFFFF;
    int n = 0;
    for (int a = 0; a < 4; a++)
        if (ahead(W, head, a) >= 0) A[n++] = a;
    if (n == 0) A[n++] = 0;
    return n;
}

static void apply(const u64 *restrict src, u64 *restrict dst, int action) {
    memcpy(dst, src, WORDS * sizeof(u64));
    int mover = src[META] & 15;
    i64 head = (src[HEADS] >> (16 * mover)) & 0xFFFF, cell = ahead(src, head, action);
    if (cell < 0) {
        for (int k = 0; k < PARTS; k++) {
            dst[k] ^= dst[PARTS * (mover + 1) + k];
            dst[PARTS * (mover + 1) + k] = 0;
        }
        dst[HEADS] |= 0xFFFFull << (16 * mover);
        dst[HEADS + 1] |= 0xFFFFull << (16 * mover);
        u64 word = dst[META] & ~(1ull << (4 + mover));
        word |= 1ull << (16 + 4 * mover);
        dst[META] = word | (u64)((mover ^ 1) + 1) << 8;
    } else {
        dst[cell >> 6] |= 1ull << (cell & 63);
        dst[PARTS * (mover + 1) + (cell >> 6)] |= 1ull << (cell & 63);
        dst[HEADS] ^= (u64)(head ^ cell) << (16 * mover);
    }
    dst[META] = (dst[META] & ~15ull) | (u64)(mover ^ 1);
}

/* ---- UCT ---- */
enum { ROOM = 1 << 20, DEEP = 700 };
static i64 first[ROOM], visits[ROOM];
static int children[ROOM], action_of[ROOM], decided[ROOM];
static f64 total[ROOM], known[ROOM][2];
static u64 line[DEEP][WORDS];

static f64 log_of(f64 x) {
    int k = 0;
    while (x > 1.4142135623730951) { x *= 0.5; k++; }
    f64 z = (x - 1.0) / (x + 1.0), square = z * z, sum = 0.0, power = z;
    for (int i = 0; i < 11; i++) { sum += power / (2 * i + 1); power *= square; }
    return 2.0 * sum + k * 0.6931471805599453;
}

/* Runs so many iterations from a fresh root; visits and totals of the root's children in `out`. */
i64 uct(const u64 *root, i64 count, f64 k, const f64 *P, i64 *out_visits, f64 *out_total) {
    static i64 path[DEEP];
    static int mover_of[DEEP];
    i64 used = 1, done = 0;
    int A[4];
    first[0] = visits[0] = children[0] = decided[0] = 0;
    memcpy(line[0], root, sizeof line[0]);
    while (done < count && !decided[0]) {
        i64 node = 0;
        int depth = 0, fresh = 0;
        f64 R[2];
        for (;;) {
            const u64 *W = line[depth];
            if (decided[node]) {
                R[0] = known[node][0];
                R[1] = known[node][1];
                break;
            }
            if (children[node] == 0) {
                int m = actions(W, A);
                if ((visits[node] == 0 && node) || used + m > ROOM) {
                    R[0] = expected(W, P);
                    R[1] = 1.0 - R[0];
                    break;
                }
                first[node] = used;
                children[node] = m;
                for (int i = 0; i < m; i++) {
                    i64 c = used + i;
                    action_of[c] = A[i];
                    first[c] = visits[c] = children[c] = decided[c] = 0;
                    total[c] = 0.0;
                }
                used += m;
            }
            int mover = W[META] & 15;
            i64 begin = first[node], chosen = begin;
            f64 spread = k * sqrt(log_of((f64)(visits[node] > 1 ? visits[node] : 1))), best = -1.0;
            for (i64 c = begin; c < begin + children[node]; c++) {
                f64 urgency;
                if (decided[c]) urgency = known[c][mover];
                else if (visits[c] == 0) { chosen = c; break; }
                else {
                    f64 v = (f64)visits[c];
                    urgency = total[c] / v + spread / sqrt(v);
                }
                if (urgency > best) { best = urgency; chosen = c; }
            }
            node = chosen;
            depth++;
            path[depth] = node;
            mover_of[depth] = mover;
            if (decided[node]) continue;
            apply(line[depth - 1], line[depth], action_of[node]);
            int code = (line[depth][META] >> 8) & 15;
            if (code) {
                R[0] = code == 1;
                R[1] = code == 2;
                decided[node] = fresh = 1;
                known[node][0] = R[0];
                known[node][1] = R[1];
                break;
            }
        }
        visits[0]++;
        for (int d = 1; d <= depth; d++) {
            visits[path[d]]++;
            total[path[d]] += R[mover_of[d]];
        }
        for (int up = depth; fresh && up > 0;) {
            int mover = mover_of[up--];
            i64 parent = up ? path[up] : 0, begin = first[parent], chosen = begin;
            f64 best = -1.0;
            int all = 1;
            for (i64 c = begin; c < begin + children[parent]; c++) {
                if (!decided[c]) all = 0;
                else if (known[c][mover] > best) { best = known[c][mover]; chosen = c; }
            }
            if (!all && best < 1.0) break;
            decided[parent] = 1;
            known[parent][0] = known[chosen][0];
            known[parent][1] = known[chosen][1];
        }
        done++;
    }
    for (int i = 0; i < children[0]; i++) {
        out_visits[i] = visits[first[0] + i];
        out_total[i] = total[first[0] + i];
    }
    return used;
}
