// Turns of many moves, (x,y)>(u,v):n+...; boards as 5x6 V3@4,3 W3@3,2 H1@2,2 turn V.
#define OWN_TEXTS
#define OWN_TURNS

struct GroupMove {
  i64 x, y, units, u, v;

  bool operator==(const GroupMove& o) const {
    return x == o.x && y == o.y && units == o.units && u == o.u && v == o.v;
  }
};

// Moves in their order, and the result of the battle at each target, in order of first appearance.
typedef vector<GroupMove> Turn;
typedef vector<i64> Outcome;

// No search's action is a turn: no tree is kept from turn to turn.
inline bool operator!=(i64, const Turn&) { return true; }
inline bool operator!=(i64, const Outcome&) { return true; }

static const i64 STEP_X[8] = {0, 0, 1, -1, 1, 1, -1, -1}, STEP_Y[8] = {-1, 1, 0, 0, -1, 1, -1, 1};
enum { UNITS_A_CELL = 255, UNITS_A_SIDE = 65535, CELLS_A_SIDE = 32 };

string text_of(const Turn& turn) {
  string text;
  for (const GroupMove& move : turn) {
    text += text.empty() ? "(" : "+(";
    text += std::to_string(move.x) + "," + std::to_string(move.y) + ")>(" + std::to_string(move.u);
    text += "," + std::to_string(move.v) + "):" + std::to_string(move.units);
  }
  return text.empty() ? "skip" : text;
}

// Reads up to four digits from text[i] on, and a sign behind them; -1 for anything else.
i64 read_number(const string& text, size_t& i, const char* sign) {
  i64 value = 0;
  size_t n = 0;
  for (; n < 4 && i < text.size() && isdigit((unsigned char)text[i]); ++n) value = 10 * value + (text[i++] - '0');
  const size_t length = strlen(sign);
  if (!n || text.compare(i, length, sign) != 0) return -1;
  i += length;
  return value;
}

bool read_turn(const string& text, Turn& turn) {
  turn.clear();
  if (text == "skip") return true;
  for (size_t i = 0; i < text.size();) {
    if (text[i++] != '(') return false;
    GroupMove move;
    move.x = read_number(text, i, ",");
    move.y = move.x < 0 ? -1 : read_number(text, i, ")>(");
    move.u = move.y < 0 ? -1 : read_number(text, i, ",");
    move.v = move.u < 0 ? -1 : read_number(text, i, "):");
    move.units = move.v < 0 ? -1 : read_number(text, i, "");
    const i64 dx = move.u - move.x, dy = move.v - move.y;
    if (move.units < 1 || move.units > UNITS_A_CELL || move.x >= CELLS_A_SIDE || move.y >= CELLS_A_SIDE) return false;
    if ((!dx && !dy) || dx < -1 || dx > 1 || dy < -1 || dy > 1) return false;
    turn.push_back(move);
    if (i < text.size() && (text[i++] != '+' || i == text.size())) return false;
  }
  return !turn.empty();
}

// A number of any length: ten bits for each target, the first one lowest.
Outcome read_outcome(const string& text) {
  Outcome results;
  for (char c : text) {
    i64 carry = c - '0';
    for (i64& result : results) {
      carry += 10 * result;
      result = carry & 1023;
      carry >>= 10;
    }
    if (carry) results.push_back(carry);
  }
  return results;
}

u64 cell_of(i64 x, i64 y) { return (u64)(y * WIDTH + x); }

i64 units_at(const u64* W, u64 at, u64 cell) {
  return (i64)(W[at + COUNTS + (cell >> 3)] >> (cell & 7) * 8 & 255);
}

bool lives_at(const u64* W, u64 at, u64 species, u64 cell) {
  return W[at + species * PARTS + (cell >> 6)] >> (cell & 63) & 1;
}

// The turn of an action by groups: a cell (10 bits), 1 + direction + 8 for a half, 16 for one unit.
Turn turn_of(const u64* W, u64 at, i64 action) {
  Turn turn;
  for (; action; action >>= 15) {
    const i64 cell = action & 1023, digit = (action >> 10 & 31) - 1, n = units_at(W, at, cell);
    const i64 x = cell % WIDTH, y = cell / WIDTH, units = digit < 8 ? n : digit < 16 ? n / 2 : 1;
    turn.push_back({x, y, units, x + STEP_X[digit & 7], y + STEP_Y[digit & 7]});
  }
  return turn;
}

struct Arrival { i64 x, y, units; };

// The units that come to every target, in order of first appearance.
vector<Arrival> arrivals(const Turn& turn) {
  vector<Arrival> all;
  for (const GroupMove& move : turn) {
    size_t k = 0;
    while (k < all.size() && (all[k].x != move.u || all[k].y != move.v)) ++k;
    if (k == all.size()) all.push_back({move.u, move.v, 0});
    all[k].units += move.units;
  }
  return all;
}

bool legal_turn(const u64* W, u64 at, const Turn& turn) {
  const u64 mover = W[at + META] & 1;
  const i64 columns = W[at + META] >> 8 & 255, rows = W[at + META] >> 16 & 255;
  for (const GroupMove& move : turn) {
    if (move.x >= columns || move.y >= rows || !lives_at(W, at, mover, cell_of(move.x, move.y))) return false;
    if (move.u < 0 || move.v < 0 || move.u >= columns || move.v >= rows) return false;
    i64 leaving = 0;
    for (const GroupMove& other : turn) {
      if (other.x == move.x && other.y == move.y) leaving += other.units;
      if (other.u == move.x && other.v == move.y) return false;
    }
    if (leaving > units_at(W, at, cell_of(move.x, move.y))) return false;
  }
  for (const Arrival& one : arrivals(turn)) {
    const u64 cell = cell_of(one.x, one.y);
    const i64 there = lives_at(W, at, 1 - mover, cell) ? 0 : units_at(W, at, cell);
    if (one.units + there > UNITS_A_CELL) return false;
  }
  return !turn.empty();
}

void play_turn(u64* W, u64 from, u64 to, const Turn& turn, const Outcome& outcome) {
  std::memmove(W + to, W + from, GAME_WORDS * sizeof(u64));
  const u64 mover = rules::to_move(W, from);
  for (const GroupMove& move : turn) rules::take(W, to, mover, cell_of(move.x, move.y), move.units);
  size_t k = 0;
  for (const Arrival& one : arrivals(turn)) {
    const i64 result = k < outcome.size() ? outcome[k] : 0;
    rules::settle(W, to, mover, cell_of(one.x, one.y), one.units, result);
    ++k;
  }
  rules::finish(W, to);
}

Outcome outcome_of(u64* W, u64 at, const Turn& turn, u64 seed) {
  const u64 mover = rules::to_move(W, at);
  u64 S[1] = {seed};
  Outcome results;
  for (const Arrival& one : arrivals(turn)) {
    const u64 cell = cell_of(one.x, one.y);
    const bool sure = rules::certain(W, at, mover, cell, one.units);
    results.push_back(sure ? 0 : rules::draw(W, at, mover, cell, one.units, S));
  }
  return results;
}

#ifdef WHOLE_TURNS
// Any legal turn: each group stays, or goes anywhere, whole, half or in part.
Turn sampled_turn(const u64* W, u64 at, u64* S) {
  const u64 mover = W[at + META] & 1;
  vector<u64> groups;
  for (u64 cell = 0; cell < (u64)(WIDTH * HEIGHT); ++cell)
    if (lives_at(W, at, mover, cell)) groups.push_back(cell);
  for (int tries = 0; tries < TRIES; ++tries) {
    Turn turn;
    for (u64 cell : groups) {
      const u64 direction = rules::below(S, 16), share = rules::below(S, 3);
      if (direction >= 8 && groups.size() > 1) continue;
      const i64 n = units_at(W, at, cell), few = 1 + (i64)rules::below(S, (u64)n);
      const i64 x = (i64)cell % WIDTH, y = (i64)cell / WIDTH;
      const i64 units = share == 0 ? n : share == 1 ? (n + 1) / 2 : few;
      turn.push_back({x, y, units, x + STEP_X[direction & 7], y + STEP_Y[direction & 7]});
    }
    if (legal_turn(W, at, turn)) return turn;
  }
  fprintf(stderr, "no legal turn was found\n");
  std::exit(2);
}
#endif

bool read_start(const string& text, u64* W) {
  static const string KINDS = "VWH";
  size_t i = 0;
  const i64 columns = read_number(text, i, "x"), rows = columns < 0 ? -1 : read_number(text, i, "");
  if (columns < 1 || rows < 1 || columns > WIDTH || rows > HEIGHT) return false;
  std::fill(W, W + GAME_WORDS, 0);
  u64 totals[3] = {0, 0, 0}, turn = 0;
  while (i < text.size()) {
    if (text[i++] != ' ') return false;
    if (text.compare(i, 5, "turn ") == 0) {
      if (text.size() != i + 6 || (text[i + 5] != 'V' && text[i + 5] != 'W')) return false;
      turn = text[i + 5] == 'W';
      break;
    }
    const size_t species = i < text.size() ? KINDS.find(text[i++]) : string::npos;
    const i64 n = species > 2 ? -1 : read_number(text, i, "@"), x = n < 1 ? -1 : read_number(text, i, ",");
    const i64 y = x < 0 ? -1 : read_number(text, i, "");
    if (n > UNITS_A_CELL || y < 0 || x >= columns || y >= rows) return false;
    const u64 cell = cell_of(x, y);
    if (units_at(W, 0, cell)) return false;
    W[species * PARTS + (cell >> 6)] |= 1ULL << (cell & 63);
    W[COUNTS + (cell >> 3)] |= (u64)n << (cell & 7) * 8;
    totals[species] += (u64)n;
  }
  if (max({totals[0], totals[1], totals[2]}) > UNITS_A_SIDE) return false;
  const u64 over = !totals[0] ? 2 : !totals[1] ? 1 : 0;
  W[META] = turn | over << 1 | (u64)columns << 8 | (u64)rows << 16;
  W[UNITS] = totals[0] | totals[1] << 16 | totals[2] << 32;
  return true;
}
