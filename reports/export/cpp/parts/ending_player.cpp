// --- the ending

// The seed of the ending's stream: BLAKE2b (RFC 7693) of the game's seed and a word, 8 bytes.
u64 seed_of(u64 seed) {
  static const u64 IV[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179};
  static const char* const SIGMA[10] = {  // the order of the words in each round
    "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8",
    "905724afe1bc683d", "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a",
    "6fe9b308c2d714a5", "a2847615fb9e3cd0"};
  const string text = std::to_string(seed) + "\x1f" + "ending";
  unsigned char block[128] = {0};
  memcpy(block, text.data(), text.size());
  u64 m[16], h[8], v[16];
  for (int i = 0; i < 16; ++i) {
    m[i] = 0;
    for (int b = 7; b >= 0; --b) m[i] = m[i] << 8 | block[8 * i + b];
  }
  for (int i = 0; i < 8; ++i) h[i] = v[i] = IV[i], v[i + 8] = IV[i];
  h[0] = v[0] = IV[0] ^ 0x01010008ULL;
  v[12] ^= text.size();
  v[14] = ~v[14];
  const auto turn = [](u64 x, int n) { return x >> n | x << (64 - n); };
  const auto step = [&](int a, int b, int c, int d, u64 x, u64 y) {
    v[a] += v[b] + x, v[d] = turn(v[d] ^ v[a], 32), v[c] += v[d], v[b] = turn(v[b] ^ v[c], 24);
    v[a] += v[b] + y, v[d] = turn(v[d] ^ v[a], 16), v[c] += v[d], v[b] = turn(v[b] ^ v[c], 63);
  };
  for (int round = 0; round < 12; ++round) {
    const auto word = [&](int i) {
      const char c = SIGMA[round % 10][i];
      return m[c > '9' ? c - 'a' + 10 : c - '0'];
    };
    for (int i = 0; i < 4; ++i) step(i, i + 4, i + 8, i + 12, word(2 * i), word(2 * i + 1));
    for (int i = 0; i < 4; ++i)
      step(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, word(8 + 2 * i), word(9 + 2 * i));
  }
  const u64 first = h[0] ^ v[0] ^ v[8];
  u64 seed_out = 0;
  for (int b = 0; b < 8; ++b) seed_out = seed_out << 8 | (first >> (8 * b) & 255);
  return seed_out;
}

// Asks the ending first, then the search.
struct EndingPlayer {
  Player search;
  vector<u64> W = vector<u64>(GAME_WORDS + ENDING_MEMORY);
  vector<i64> M = vector<i64>(ENDING_MEMORY);
  u64 S[1] = {0};
  double guard_ms = NEVER;
  Clock clock{0, 0, NEVER, 8.0};

  void new_game(u64 seed, i64 seat) {
    std::fill(M.begin(), M.end(), 0);
    S[0] = seed_of(seed);
    search.new_game(seed, seat);
  }

#ifdef USER_STOPS
  void limit(i64 depth, i64 nodes) { search.limit(depth, nodes); }
#endif

  Move choose(const Position& position) {
    memcpy(W.data(), position.W.data() + position.at, GAME_WORDS * sizeof(u64));
    M[2] = guard_ms == NEVER ? 0 : most();
    clock.start();
    const i64 action = ask();
    const double spent = clock.spent();
    if (action >= 0) {
      if (M[0] >= PROBE) clock.learn((double)M[0], spent);
      return {action, 0, false, M[1], M[0]};
    }
    search.guard_ms = guard_ms - spent;
    return search.choose(position);
  }

  i64 ask() { return rules::choose(W.data(), 0, M.data(), S, P); }

  // The work that the guard's time allows, once it is known how long some takes.
  i64 most() {
    double left = guard_ms;
    if (clock.rate == 0) {
      const vector<i64> kept = M;
      const u64 word = S[0];
      M[2] = PROBE;
      clock.start();
      if (ask() >= 0) {
        const double spent = clock.spent();
        clock.learn((double)max<i64>(M[0], 1), spent);
        left -= spent;
      }
      M = kept;
      S[0] = word;
    }
    return max<i64>(PROBE, (i64)(clock.rate * 0.6 * left));
  }
};
