// ---------------------------------------------------------------- the ending

namespace play {

// The seed of the ending's stream: BLAKE2b (RFC 7693) of the game's seed and a word, 8 bytes.
static u64 seed_of(u64 seed) {
  static const u64 IV[8] = {0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL,
               0xa54ff53a5f1d36f1ULL, 0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL,
               0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL};
  static const unsigned char SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
  const std::string text = std::to_string(seed) + "\x1f" + "ending";
  unsigned char block[128] = {0};
  std::memcpy(block, text.data(), text.size());
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
    const unsigned char* s = SIGMA[round % 10];
    for (int i = 0; i < 4; ++i) step(i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
    for (int i = 0; i < 4; ++i)
      step(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
  }
  const u64 first = h[0] ^ v[0] ^ v[8];
  u64 seed_out = 0;
  for (int b = 0; b < 8; ++b) seed_out = seed_out << 8 | (first >> (8 * b) & 255);
  return seed_out;
}

// Asks the ending first, then the search.
struct EndingPlayer {
  Player search;
  std::vector<u64> W = std::vector<u64>(GAME_WORDS + ENDING_MEMORY);
  std::vector<i64> M = std::vector<i64>(ENDING_MEMORY);
  u64 S[1] = {0};
  double guard_ms = NEVER;
  Clock clock{0, 0, NEVER, 8.0};

  void new_game(u64 seed, i64 seat) {
    std::fill(M.begin(), M.end(), 0);
    S[0] = seed_of(seed);
    search.new_game(seed, seat);
  }

  Move choose(const Position& position) {
    std::memcpy(W.data(), position.W.data() + position.at, GAME_WORDS * sizeof(u64));
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

  i64 ask() { return run_ending(W.data(), 0, M.data(), S, ENDING_P); }

  // The work that the guard's time allows, once it is known how long some takes.
  i64 most() {
    double left = guard_ms;
    if (clock.rate == 0) {
      const std::vector<i64> kept = M;
      const u64 word = S[0];
      M[2] = PROBE;
      clock.start();
      if (ask() >= 0) {
        const double spent = clock.spent();
        clock.learn((double)std::max<i64>(M[0], 1), spent);
        left -= spent;
      }
      M = kept;
      S[0] = word;
    }
    return std::max<i64>(PROBE, (i64)(clock.rate * 0.6 * left));
  }
};

}  // namespace play
