// Moves as UCI has them, and positions as FEN.
#define OWN_TEXTS

string square_text(i64 square) {
  return {(char)('a' + square % 8), (char)('1' + square / 8)};
}

string text_of(i64 action) {
  const string text = square_text(action >> 6 & 63) + square_text(action & 63);
  const i64 promoted = action >> 12;
  return promoted ? text + " nbrq"[promoted] : text;
}

i64 square_of(const string& text, size_t i) {
  if (i + 1 >= text.size()) return -1;
  const i64 file = text[i] - 'a', rank = text[i + 1] - '1';
  return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : 8 * rank + file;
}

i64 action_of(const string& text) {
  const i64 from = square_of(text, 0), to = square_of(text, 2);
  const bool promotes = text.size() == 5;
  const i64 promoted = promotes ? string("nbrq").find(text[4]) + 1 : 0;
  if (from < 0 || to < 0 || text.size() > 5 || (promotes && !promoted)) return -1;
  return to | from << 6 | promoted << 12;
}

// The words of a state: whose men, their kinds, rooks that may castle, en passant, counters.
enum { WHITE_MEN, BLACK_MEN, KINDS, KINGS = KINDS + 5, CASTLING_ROOKS, PASSANT_SQUARE, CLOCK_PLIES, BEFORE_WORD, PLY_WORD };

// The rook of a castling right: of KQ the outermost on that side of the king, else that of a file.
i64 rook_of(char letter, const u64* W) {
  const bool black = letter >= 'a';
  const i64 rank = black ? 56 : 0, file = letter - (black ? 'a' : 'A');
  const u64 king = W[black] & W[KINGS], rooks = W[black] & W[KINDS + 3] & 255ULL << rank;
  const u64 left = rooks & (king - 1), right = rooks & ~(king | (king - 1));
  if (file == 'K' - 'A') return right ? 63 - __builtin_clzll(right) : -1;
  if (file == 'Q' - 'A') return left ? __builtin_ctzll(left) : -1;
  return file >= 0 && file < 8 && rooks >> (rank + file) & 1 ? rank + file : -1;
}

// r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1; the last two numbers may be left out.
bool read_start(const string& text, u64* W) {
  char men[128] = "", side[4] = "", castling[16] = "", passant[8] = "";
  long long clock = 0, move = 1;
  if (sscanf(text.c_str(), "%127s %3s %15s %7s %lld %lld", men, side, castling, passant, &clock, &move) < 4)
    return false;
  std::fill(W, W + GAME_WORDS, 0);
  i64 square = 56, left = 8;
  for (const char* c = men; *c; ++c) {
    if (*c == '/') {
      if (left) return false;
      square -= 16, left = 8;
      continue;
    }
    const i64 empty = isdigit((unsigned char)*c) ? *c - '0' : 0, steps = empty ? empty : 1;
    const size_t kind = string("PNBRQK").find((char)toupper((unsigned char)*c));
    if ((!empty && kind > 5) || square < 0 || steps > left) return false;
    if (!empty) W[*c >= 'a'] |= 1ULL << square, W[KINDS + kind] |= 1ULL << square;
    square += steps, left -= steps;
  }
  for (int k = 0; k < 2; ++k)
    if (__builtin_popcountll(W[KINGS] & W[k]) != 1) return false;
  W[CLOCK_PLIES] = (u64)clock;
  W[PLY_WORD] = 2 * (u64)(max(move, 1LL) - 1) + (side[0] == 'b');
  for (const char* c = castling; *c && *c != '-'; ++c) {
    const i64 rook = rook_of(*c, W);
    if (rook < 0) return false;
    W[CASTLING_ROOKS] |= 1ULL << rook;
  }
  const i64 target = square_of(passant, 0);
  if (target < 0) return true;
  // En passant counts only where a pawn may take so.
  W[PASSANT_SQUARE] = 1ULL << target;
  vector<i64> A(SLOTS);
  A.resize(rules::actions(W, 0, A.data(), 0));
  for (i64 action : A)
    if ((action & 63) == target && (W[KINDS] >> (action >> 6 & 63) & 1)) return true;
  W[PASSANT_SQUARE] = 0;
  return true;
}
