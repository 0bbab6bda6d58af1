/* Chess: the twin in C of engines/games/chess and of the plain alpha-beta search with `material`. */
#include <stdint.h>
#include <string.h>
#include <math.h>

typedef uint64_t u64;
typedef int64_t i64;

enum { WHITE, BLACK, PAWNS, KNIGHT, BISHOPS, ROOKS, QUEENS, KING, CASTLING, PASSANT, CLOCK, BEFORE, PLY, WORDS };
enum { SLOTS = 256, FRAMES = 62, FIFTY = 100, MOST = 2000, UNDO = 104 };
#define FILE_A 0x0101010101010101ULL
#define FILE_H 0x8080808080808080ULL
#define ENDS 0xFF000000000000FFULL
#define SECOND 0x00FF00000000FF00ULL
#define DARK 0xAA55AA55AA55AA55ULL
#define WIN 1099511627776.0
#define BIT(s) (1ULL << (s))

static u64 KNIGHTS[64], KINGS[64], RISING[64], FALLING[64], RANKS[64];

static inline u64 lowest(u64 x) { return (u64)__builtin_ctzll(x); }
static inline i64 popcount(u64 x) { return __builtin_popcountll(x); }

void prepare(const u64 *knights, const u64 *kings, const u64 *rising, const u64 *falling, const u64 *ranks) {
    memcpy(KNIGHTS, knights, 512), memcpy(KINGS, kings, 512), memcpy(RISING, rising, 512);
    memcpy(FALLING, falling, 512), memcpy(RANKS, ranks, 512);
}

static inline u64 along(u64 men, u64 line, u64 bit) {
    u64 there = men & line;
    u64 back = __builtin_bswap64(__builtin_bswap64(there) - __builtin_bswap64(bit));
    return ((there - bit) ^ back) & line;
}

static inline u64 diagonals(u64 men, u64 s) {
    return along(men, RISING[s], BIT(s)) | along(men, FALLING[s], BIT(s));
}

static inline u64 straights(u64 men, u64 s) {
    u64 file = s & 7, first = s & 56;
    u64 rank = (RANKS[(men >> (first + 1)) & 63] >> (8 * file)) & 255;
    return along(men, (FILE_A << file) ^ BIT(s), BIT(s)) | (rank << first);
}

static inline u64 between(u64 a, u64 b) {
    u64 on = straights(BIT(b), a);
    if (on & BIT(b)) return on & straights(BIT(a), b);
    on = diagonals(BIT(b), a);
    if (on & BIT(b)) return on & diagonals(BIT(a), b);
    return 0;
}

static inline u64 line_of(u64 a, u64 b) {
    u64 ends = BIT(a) | BIT(b), on = straights(0, a);
    if (on & BIT(b)) return (on & straights(0, b)) | ends;
    return (diagonals(0, a) & diagonals(0, b)) | ends;
}

static inline u64 pawn_takes(u64 pawns, u64 side) {
    u64 left = pawns & ~FILE_A, right = pawns & ~FILE_H;
    return side ? (left >> 9) | (right >> 7) : (left << 7) | (right << 9);
}

static inline u64 ahead(u64 squares, u64 side) { return side ? squares >> 8 : squares << 8; }

static inline u64 span(u64 a, u64 b) {
    u64 low = a < b ? a : b, high = a < b ? b : a;
    return (2ULL << high) - BIT(low);
}

static inline u64 attackers(const u64 *w, u64 s, u64 men, u64 side) {
    u64 found = pawn_takes(BIT(s), 1 - side) & w[PAWNS];
    found |= (KNIGHTS[s] & w[KNIGHT]) | (KINGS[s] & w[KING]);
    found |= diagonals(men, s) & (w[BISHOPS] | w[QUEENS]);
    found |= straights(men, s) & (w[ROOKS] | w[QUEENS]);
    return found & w[side];
}

static inline u64 checkers(const u64 *w) {
    u64 side = w[PLY] & 1;
    return attackers(w, lowest(w[KING] & w[side]), w[0] | w[1], 1 - side);
}

static inline u64 pinned(const u64 *w, u64 king, u64 side) {
    u64 foe = w[1 - side], pins = 0;
    u64 left = diagonals(foe, king) & (w[BISHOPS] | w[QUEENS]);
    left = (left | (straights(foe, king) & (w[ROOKS] | w[QUEENS]))) & foe;
    for (; left; left &= left - 1) {
        u64 before = between(king, lowest(left)) & w[side];
        if (!(before & (before - 1))) pins |= before;
    }
    return pins;
}

static inline u64 mask_of(u64 king, u64 givers) {
    if (!givers) return ~0ULL;
    if (givers & (givers - 1)) return 0;
    return between(king, lowest(givers)) | givers;
}

static inline u64 reach(const u64 *w, u64 s, u64 men) {
    u64 found = 0;
    if (w[KNIGHT] & BIT(s)) return KNIGHTS[s];
    if ((w[BISHOPS] | w[QUEENS]) & BIT(s)) found = diagonals(men, s);
    if ((w[ROOKS] | w[QUEENS]) & BIT(s)) found |= straights(men, s);
    return found;
}

static inline u64 pawn_reach(const u64 *w, u64 s, u64 men, u64 side) {
    u64 found = ahead(BIT(s), side) & ~men;
    if (found && (BIT(s) & SECOND)) found |= ahead(found, side) & ~men;
    return found | (pawn_takes(BIT(s), side) & w[1 - side]);
}

static inline u64 king_reach(const u64 *w, u64 king, u64 side) {
    u64 men = (w[0] | w[1]) ^ BIT(king), found = 0;
    for (u64 left = KINGS[king] & ~w[side]; left; left &= left - 1)
        if (!attackers(w, lowest(left), men, 1 - side)) found |= left & -left;
    return found;
}

static inline u64 en_passant(const u64 *w, u64 target, u64 side) {
    u64 king = lowest(w[KING] & w[side]), taken = ahead(target, 1 - side), found = 0;
    for (u64 left = pawn_takes(target, 1 - side) & w[PAWNS] & w[side]; left; left &= left - 1) {
        u64 bit = left & -left, men = (w[0] | w[1]) ^ (bit | target | taken);
        if (!(attackers(w, king, men, 1 - side) & ~taken)) found |= bit;
    }
    return found;
}

static u64 castles(const u64 *w, u64 side) {
    u64 own = w[side], men = w[0] | w[1], king = lowest(w[KING] & own), found = 0;
    for (u64 left = w[CASTLING] & own; left; left &= left - 1) {
        u64 rook = lowest(left), rank = king & 56, two = BIT(king) | BIT(rook);
        u64 king_to = rank + (rook < king ? 2 : 6), rook_to = rank + (rook < king ? 3 : 5);
        int safe = !((span(king, king_to) | span(rook, rook_to)) & men & ~two);
        for (u64 way = span(king, king_to) & ~(BIT(king) | BIT(king_to)); safe && way; way &= way - 1)
            safe = !attackers(w, lowest(way), men ^ BIT(king), 1 - side);
        if (safe && !attackers(w, king_to, (men ^ two) | BIT(rook_to), 1 - side)) found |= BIT(rook);
    }
    return found;
}

static inline u64 worth(const u64 *w, u64 s) {
    u64 rank = 0;
    for (int k = 0; k < 6; k++) rank += (u64)(k + 1) * ((w[PAWNS + k] >> s) & 1);
    return rank;
}

typedef struct { i64 *first, *end, *loud; } List;

static inline void put(List *l, u64 origin, u64 ends, u64 promoting, int loud) {
    for (; ends; ends &= ends - 1) {
        i64 action = (i64)(lowest(ends) | (origin << 6) | (promoting << 12));
        *l->end = action;
        if (loud) *l->end = *l->loud, *l->loud++ = action;
        l->end++;
    }
}

static inline void by_victim(const u64 *w, List *l) {
    for (i64 *k = l->first; k < l->loud; k++) {
        u64 action = (u64)*k, gain = worth(w, action & 63) + (action >> 12);
        u64 order = (gain << 24) - (worth(w, (action >> 6) & 63) << 16);
        i64 own = (i64)(order + (16ULL << 24) + action), *j = k;
        for (; j > l->first && j[-1] < own; j--) *j = j[-1];
        *j = own;
    }
    for (i64 *k = l->first; k < l->loud; k++) *k &= 0x7FFF;
}

static i64 actions(const u64 *w, i64 *to) {
    u64 side = w[PLY] & 1, own = w[side], foe = w[1 - side], men = own | foe;
    u64 king = lowest(w[KING] & own), givers = checkers(w);
    u64 mask = mask_of(king, givers), pins = pinned(w, king, side);
    List l = {to, to, to};
    if (!givers && (w[CASTLING] & own))
        for (u64 left = castles(w, side); left; left &= left - 1)
            put(&l, king, BIT((king & 56) + (lowest(left) < king ? 2 : 6)), 0, 0);
    if (mask) {
        for (u64 left = own & ~(w[PAWNS] | w[KING]); left; left &= left - 1) {
            u64 man = lowest(left), ends = reach(w, man, men) & ~own & mask;
            if (pins & BIT(man)) ends &= line_of(king, man);
            put(&l, man, ends & foe, 0, 1);
            put(&l, man, ends & ~foe, 0, 0);
        }
        for (u64 left = w[PAWNS] & own; left; left &= left - 1) {
            u64 pawn = lowest(left), ends = pawn_reach(w, pawn, men, side) & mask;
            if (pins & BIT(pawn)) ends &= line_of(king, pawn);
            u64 last = ends & ENDS;
            if (last) {
                put(&l, pawn, last, 4, 1);
                for (u64 kind = 1; kind < 4; kind++) put(&l, pawn, last, kind, 0);
                ends &= ~ENDS;
            }
            put(&l, pawn, ends & foe, 0, 1);
            put(&l, pawn, ends & ~foe, 0, 0);
        }
        if (w[PASSANT])
            for (u64 left = en_passant(w, w[PASSANT], side); left; left &= left - 1)
                put(&l, lowest(left), w[PASSANT], 0, 1);
    }
    u64 ends = king_reach(w, king, side);
    put(&l, king, ends & foe, 0, 1);
    put(&l, king, ends & ~foe, 0, 0);
    by_victim(w, &l);
    return l.end - l.first;
}

static u64 ends_of(const u64 *w, u64 s, u64 king, u64 mask, u64 pins, u64 side) {
    u64 own = w[side], men = w[0] | w[1], ends, taking = 0;
    if (s == king) return king_reach(w, king, side);
    if (w[PAWNS] & BIT(s)) {
        ends = pawn_reach(w, s, men, side);
        if (w[PASSANT] && (en_passant(w, w[PASSANT], side) & BIT(s))) taking = w[PASSANT];
    } else ends = reach(w, s, men);
    ends &= ~own & mask;
    if (pins & BIT(s)) ends &= line_of(king, s);
    return ends | taking;
}

static inline int can_move(const u64 *w, u64 givers) {
    u64 side = w[PLY] & 1, own = w[side], king = lowest(w[KING] & own);
    u64 mask = mask_of(king, givers), pins = pinned(w, king, side);
    if (ahead(w[PAWNS] & own & ~pins, side) & ~(w[0] | w[1]) & mask) return 1;
    for (u64 left = own; left; left &= left - 1)
        if (ends_of(w, lowest(left), king, mask, pins, side)) return 1;
    return !givers && castles(w, side);
}

static void castle(const u64 *w, u64 *to, u64 king, u64 end, u64 side) {
    int right = end > king;
    u64 rank = king & 56, rook = w[CASTLING] & w[side];
    rook = lowest(right ? rook & ~(BIT(king) - 1) : rook);
    u64 king_to = rank + (right ? 6 : 2), rook_to = rank + (right ? 5 : 3);
    for (int k = 0; k < 8; k++) to[k] = w[k];
    to[side] = (w[side] & ~(BIT(king) | BIT(rook))) | BIT(king_to) | BIT(rook_to);
    to[KING] = (w[KING] & ~BIT(king)) | BIT(king_to);
    to[ROOKS] = (w[ROOKS] & ~BIT(rook)) | BIT(rook_to);
}

static void apply(const u64 *w, u64 *to, u64 action) {
    u64 side = w[PLY] & 1, end = action & 63, begin = (action >> 6) & 63, t = BIT(end), f = BIT(begin);
    u64 rights = w[CASTLING];
    to[PLY] = w[PLY] + 1, to[BEFORE] = w[BEFORE] + 1, to[PASSANT] = 0;
    if (w[KING] & f) {
        if (begin + 2 == end || end + 2 == begin) {
            castle(w, to, begin, end, side);
            to[CASTLING] = rights & ~w[side], to[CLOCK] = w[CLOCK] + 1;
            return;
        }
        rights &= ~w[side];
    }
    to[CASTLING] = rights & ~(f | t);
    u64 taken = w[1 - side] & t;
    for (int k = PAWNS; k <= KING; k++) to[k] = (w[k] & ~(f | t)) | (((w[k] >> begin) & 1) << end);
    to[side] = w[side] ^ (f | t);
    to[1 - side] = w[1 - side] & ~t;
    to[CLOCK] = taken ? 0 : w[CLOCK] + 1;
    if (w[PAWNS] & f) {
        to[CLOCK] = 0;
        u64 promoted = action >> 12;
        if (promoted) to[PAWNS] ^= t, to[PAWNS + promoted] |= t;
        else if (t == w[PASSANT]) {
            u64 behind = ahead(t, 1 - side);
            to[PAWNS] ^= behind, to[1 - side] ^= behind;
        } else if ((f & SECOND) && (begin + 16 == end || end + 16 == begin)) {
            u64 over = ahead(f, side);
            if ((pawn_takes(over, side) & to[PAWNS] & to[1 - side]) && en_passant(to, over, 1 - side))
                to[PASSANT] = over;
        }
    }
}

static inline int is_dead(const u64 *w) {
    if (w[PAWNS] | w[ROOKS] | w[QUEENS]) return 0;
    if (w[KNIGHT]) return !w[BISHOPS] && !(w[KNIGHT] & (w[KNIGHT] - 1));
    return !(w[BISHOPS] & DARK) || !(w[BISHOPS] & ~DARK);
}

static inline i64 occurrences(const u64 *w, i64 enough) {
    u64 count = w[CLOCK] < w[BEFORE] ? w[CLOCK] : w[BEFORE];
    i64 found = 0;
    for (u64 back = 4; back <= count && found < enough; back += 2) {
        const u64 *then = w - back * WORDS;
        int k = 0;
        while (k <= PASSANT && then[k] == w[k]) k++;
        found += k > PASSANT;
    }
    return found;
}

static inline i64 status(const u64 *w) {
    u64 givers = checkers(w);
    if (!can_move(w, givers)) return givers ? (i64)(2 - (w[PLY] & 1)) : 3;
    if (w[CLOCK] >= FIFTY || w[BEFORE] >= MOST || is_dead(w) || occurrences(w, 2) == 2) return 3;
    return 0;
}

static inline i64 tree_status(const u64 *w) {
    i64 code = status(w);
    if ((code == 0 || code == 3) && (w[CLOCK] >= FIFTY || w[BEFORE] >= MOST || occurrences(w, 1))) return 4;
    return code;
}

/* Sequences of exactly so many plies, every move made, in the caller's arrays: states, SLOTS moves a ply,
 * and for each ply how many moves are left. */
i64 perft(u64 *w, i64 *moves, i64 *left, i64 depth) {
    i64 total = 0, d = 0;
    left[0] = actions(w, moves);
    for (;;) {
        if (left[d] == 0) {
            if (d == 0) return total;
            d--, w -= WORDS;
            continue;
        }
        left[d]--;
        apply(w, w + WORDS, (u64)moves[d * SLOTS + left[d]]);
        if (d + 1 == depth) {
            total++;
            continue;
        }
        if (status(w + WORDS) != 0) continue;
        d++, w += WORDS;
        left[d] = actions(w, moves + d * SLOTS);
    }
}

/* The same where the moves of the last ply are counted and none is made, as `joute perft` does. */
i64 counted(u64 *w, i64 *moves, i64 *left, i64 depth) {
    i64 total = 0, d = 0;
    left[0] = actions(w, moves);
    for (;;) {
        if (d + 1 == depth) total += left[d], left[d] = 0;
        if (left[d] == 0) {
            if (d == 0) return total;
            d--, w -= WORDS;
            continue;
        }
        left[d]--;
        apply(w, w + WORDS, (u64)moves[d * SLOTS + left[d]]);
        if (status(w + WORDS) != 0) continue;
        d++, w += WORDS;
        left[d] = actions(w, moves + d * SLOTS);
    }
}

static double WORTH[5];
static i64 NODES;
static u64 STACK_[WORDS * (FRAMES + 2)];
static i64 MOVES[SLOTS * FRAMES];

void set_worth(const double *worths) { memcpy(WORTH, worths, sizeof WORTH); }

static inline double value(const u64 *w) {
    u64 side = w[PLY] & 1;
    double total = 0;
    for (int k = 0; k < 5; k++)
        total += WORTH[k] * (double)(popcount(w[PAWNS + k] & w[side]) - popcount(w[PAWNS + k] & w[1 - side]));
    return total;
}

static inline double end_value(i64 code, i64 mover, int d) {
    if (code == 4) return -ldexp(1.0, -900);
    if (code == 3) return 0.0;
    return code == mover + 1 ? WIN - (d + 1) : (d + 1) - WIN;
}

static double negamax(int d, int depth, double alpha, double beta, i64 *chosen) {
    u64 *w = STACK_ + d * WORDS;
    i64 *moves = MOVES + d * SLOTS, n = actions(w, moves), mover = (i64)(w[PLY] & 1);
    double best = -2 * WIN;
    for (i64 i = 0; i < n; i++) {
        apply(w, w + WORDS, (u64)moves[i]);
        NODES++;
        i64 code = tree_status(w + WORDS);
        double v = code ? end_value(code, mover, d)
                 : d + 1 == depth ? -value(w + WORDS) : -negamax(d + 1, depth, -beta, -alpha, 0);
        if (v > best) {
            best = v;
            if (chosen) *chosen = moves[i];
            if (v > alpha) alpha = v;
            if (alpha >= beta) break;
        }
    }
    return best;
}

double search(const u64 *start, i64 depth, i64 *nodes, i64 *chosen) {
    memcpy(STACK_, start, sizeof(u64) * WORDS);
    NODES = 0;
    double v = negamax(0, (int)depth, -2 * WIN, 2 * WIN, chosen);
    *nodes = NODES;
    return v;
}
