// The cells of a field: what is known of each player, and a state made of it.
struct Field {
  vector<string> rows;
  i64 heads[PLAYERS], starts[PLAYERS], deaths[PLAYERS] = {};  // cells y * 32 + x; -1: dead

  void write(i64 mover, u64* W) const {
    constexpr u64 PARTS = (HEIGHT + 1) / 2;
    std::fill(W, W + GAME_WORDS, 0);
    for (u64 y = 0; y < 2 * PARTS; ++y)
      for (u64 x = 0; x < 32; ++x) {
        const bool inside = y < rows.size() && x < rows[y].size();
        const char cell = inside ? rows[y][x] : '#';
        const u64 bit = 1ULL << (y % 2 * 32 + x);
        if (cell != '.') W[y / 2] |= bit;
        if (cell != '.' && cell != '#')
          W[PARTS * (1 + (toupper(cell) - 'A')) + y / 2] |= bit;
      }
    u64 alive = 0, last = 0, meta = (u64)mover;
    for (u64 p = 0; p < PLAYERS; ++p) {
      W[GAME_WORDS - 3] |= (u64)(heads[p] & 0xFFFF) << 16 * p;
      W[GAME_WORDS - 2] |= (u64)(starts[p] & 0xFFFF) << 16 * p;
      if (heads[p] >= 0) meta |= 1ULL << (4 + p), ++alive, last = p;
      meta |= (u64)deaths[p] << (16 + 4 * p);
    }
    if (alive == 1) meta |= (PLAYERS == 2 ? last + 1 : PLAYERS + 1) << 8;
    W[GAME_WORDS - 1] = meta;
  }
};

// Rows from the top with '/' between, the player to move, where each ribbon began: `5/1A2B 1 1,1;4,1`.
bool read_start(const string& text, u64* W) {
  Field field;
  for (u64 p = 0; p < PLAYERS; ++p) field.heads[p] = -1;
  size_t i = 0;
  field.rows.emplace_back();
  for (; i < text.size() && text[i] != ' '; ++i) {
    const char c = text[i];
    if (c == '/') field.rows.emplace_back();
    else if (isdigit((unsigned char)c)) {
      i64 count = 0;
      for (; i < text.size() && isdigit((unsigned char)text[i]); ++i)
        count = min<i64>(count * 10 + (text[i] - '0'), 99);
      --i;
      field.rows.back() += string(count, '.');
    } else
      field.rows.back() += c;
  }
  if (field.rows.size() > HEIGHT) return false;
  for (u64 y = 0; y < field.rows.size(); ++y) {
    if (field.rows[y].size() != field.rows[0].size() || field.rows[y].size() > WIDTH) return false;
    for (u64 x = 0; x < field.rows[y].size(); ++x) {
      const char c = field.rows[y][x];
      if (c == '.' || c == '#') continue;
      if (toupper(c) < 'A' || toupper(c) >= (int)('A' + PLAYERS)) return false;
      if (c < 'a') field.heads[c - 'A'] = y * 32 + x;
    }
  }
  i64 dead = 0, mover = -1;
  for (u64 p = 0; p < PLAYERS; ++p) {
    field.starts[p] = field.heads[p];
    if (field.heads[p] < 0) field.deaths[p] = ++dead;
    else if (mover < 0) mover = p;
  }
  if (mover < 0) return false;
  if (i < text.size()) mover = strtoll(text.c_str() + i, nullptr, 10) - 1;
  if (mover < 0 || mover >= PLAYERS || field.heads[mover] < 0) return false;
  i = text.find(' ', i + 1);
  for (u64 p = 0; i != string::npos && p < PLAYERS; ++p) {
    long long x = 0, y = 0;
    const int read = sscanf(text.c_str() + i + 1, "%lld,%lld", &x, &y);
    if (read == 1 && x < 0) field.deaths[p] = -x;
    else if (read == 2) field.starts[p] = y * 32 + x;
    else return false;
    i = text.find(';', i + 1);
  }
  field.write(mover, W);
  return true;
}
