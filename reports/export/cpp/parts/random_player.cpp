// --- the player

// Plays any legal action.
struct Player {
  u64 S[1] = {0};
  double guard_ms = NEVER;

  void new_game(u64 seed, i64) { S[0] = seed; }

#ifdef USER_STOPS
  void limit(i64, i64) {}
#endif

  Move choose(const Position& position) {
#ifdef WHOLE_TURNS
    return {sampled_turn(position.W.data(), position.at, S), 0, false, 0, 0};
#else
    vector<i64> A(SLOTS);
    vector<u64> W = position.W;
    return {rules::sample(W.data(), position.at, A.data(), 0, S), 0, false, 0, 0};
#endif
  }
};
