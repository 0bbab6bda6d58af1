// Moves as UCI has them, and positions as FEN.
#define OWN_TEXTS

static std::string square_text(i64 square) {
  return std::string(1, (char)('a' + square % 8)) + (char)('1' + square / 8);
}

static std::string text_of(i64 action) {
  std::string text = square_text(action >> 6 & 63) + square_text(action & 63);
  if (const i64 promoted = action >> 12 & 7) text += " nbrq"[promoted];
  return text;
}

static i64 square_of(const std::string& text, size_t i) {
  if (i + 1 >= text.size() || text[i] < 'a' || text[i] > 'h' || text[i + 1] < '1' || text[i + 1] > '8')
    return -1;
  return 8 * (text[i + 1] - '1') + (text[i] - 'a');
}

static i64 action_of(const std::string& text) {
  const i64 from = square_of(text, 0), to = square_of(text, 2);
  if (from < 0 || to < 0 || text.size() > 5) return -1;
  i64 promoted = 0;
  if (text.size() == 5) {
    const char* found = std::strchr(" nbrq", text[4]);
    if (!found || text[4] == ' ') return -1;
    promoted = found - " nbrq";
  }
  return to | from << 6 | promoted << 12;
}

// The words of a state: whose men, their kinds, rooks that may castle, en passant, counters.
enum { WHITE_MEN, BLACK_MEN, KINDS, KINGS = KINDS + 5, CASTLING_ROOKS, PASSANT_SQUARE, CLOCK_PLIES, BEFORE_WORD, PLY_WORD };

// The rook of a castling right: of KQ the outermost on that side of the king, else that of a file.
static i64 rook_of(char letter, const u64* W) {
  const bool black = std::islower((unsigned char)letter);
  const i64 rank = black ? 56 : 0;
  const u64 rooks = W[black] & W[KINDS + 3], king = W[black] & W[KINGS];
  if (!king) return -1;
  const i64 at = __builtin_ctzll(king);
  const char right = (char)std::toupper(letter);
  if (right == 'K')
    for (i64 s = rank + 7; s > at; --s)
      if (rooks >> s & 1) return s;
  if (right == 'Q')
    for (i64 s = rank; s < at; ++s)
      if (rooks >> s & 1) return s;
  if (right >= 'A' && right <= 'H' && (rooks >> (rank + right - 'A') & 1)) return rank + right - 'A';
  return -1;
}

// r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1; the last two numbers may be left out.
static bool read_start(const std::string& text, u64* W) {
  char men[128] = "", side[4] = "", castling[16] = "", passant[8] = "";
  long long clock = 0, move = 1;
  if (std::sscanf(text.c_str(), "%127s %3s %15s %7s %lld %lld", men, side, castling, passant, &clock, &move) < 4)
    return false;
  std::fill(W, W + GAME_WORDS, 0);
  i64 square = 56, left = 8;
  for (const char* c = men; *c; ++c) {
    if (*c == '/') {
      if (left) return false;
      square -= 16, left = 8;
      continue;
    }
    const i64 empty = std::isdigit((unsigned char)*c) ? *c - '0' : 0;
    const char* kind = std::strchr("PNBRQK", std::toupper(*c));
    if ((!empty && !kind) || square < 0) return false;
    if (!empty) {
      W[std::islower((unsigned char)*c) ? BLACK_MEN : WHITE_MEN] |= 1ULL << square;
      W[KINDS + (kind - "PNBRQK")] |= 1ULL << square;
    }
    square += empty ? empty : 1;
    left -= empty ? empty : 1;
    if (left < 0) return false;
  }
  const bool black = side[0] == 'b';
  if (__builtin_popcountll(W[KINGS] & W[0]) != 1 || __builtin_popcountll(W[KINGS] & W[1]) != 1) return false;
  W[CLOCK_PLIES] = (u64)clock;
  W[PLY_WORD] = 2 * (u64)(std::max(move, 1LL) - 1) + black;
  for (const char* c = castling; *c && *c != '-'; ++c) {
    const i64 rook = rook_of(*c, W);
    if (rook < 0) return false;
    W[CASTLING_ROOKS] |= 1ULL << rook;
  }
  const i64 target = square_of(passant, 0);
  if (target < 0) return true;
  // En passant counts only where a pawn may take so.
  W[PASSANT_SQUARE] = 1ULL << target;
  std::vector<i64> A(SLOTS);
  std::vector<u64> S(W, W + GAME_WORDS);
  A.resize(rules::actions(S.data(), 0, A.data(), 0));
  for (i64 action : A)
    if ((action & 63) == target && (W[KINDS] >> (action >> 6 & 63) & 1)) return true;
  W[PASSANT_SQUARE] = 0;
  return true;
}
