// --- the player

// Plays the best action of the last finished depth.
struct Player {
  vector<u64> W = vector<u64>(SCRATCH + (FRAMES + DEEPER + LOOK_BACK) * STRIDE);
  vector<i64> A = vector<i64>(FRAMES * SLOTS + MORE_A);
  vector<i64> I = vector<i64>(STACK + 2 * FRAMES + MORE_I);
  vector<double> F = vector<double>(3 * FRAMES + FRAMES * SLOTS + MORE_F);
  vector<i64> roots;
  u64 root = 0;
  double guard_ms = NEVER;
  i64 depth_limit = DEPTH, node_limit = NODE_LIMIT;
  Clock clock{0.5, 2000.0, 1e6};

  void new_game(u64, i64) {
    if (REMEMBERS) std::fill(A.begin(), A.end(), 0);
  }

#ifdef USER_STOPS
  // 0 is no limit but the engine's own.
  void limit(i64 depth, i64 nodes) {
    depth_limit = depth ? min<i64>(depth, MAX_DEPTH) : DEPTH;
    node_limit = nodes ? nodes : NODE_LIMIT;
  }
#endif

  Move choose(const Position& position) {
    clock.begin(guard_ms);
    root = position.lay(W.data(), SCRATCH);
    begin();
    if (!DEEPENING) {
      // A fixed depth for which the time does not suffice is given up for smaller ones.
      if (finish(depth_limit, guard_ms * 0.7)) return told(found(depth_limit));
      begin();
    }
    return by_deepening();
  }

  void begin() { rules::begin(W.data(), root, A.data(), I.data(), P); }

  Move found(i64 depth) const {
    const double value = std::fabs(F[0]) == BY_LINE ? 0.0 : F[0] + 0.0;
    return {I[BEST], value, true, depth, I[NODES]};
  }

  // The same move, after it was told to a user.
  Move told(const Move& move) const {
#ifdef USER_STOPS
    if (asked_by_uci) tell_depth(move, now_ms() - clock.begun);
#endif
    return move;
  }

  Move by_deepening() {
    roots.assign(A.begin(), A.begin() + I[ROOTS]);
    const double time_ms = min(TIME_MS, guard_ms);
    Move best = {roots[0], 0, false, 0, 0};
    for (i64 depth = 1; depth <= depth_limit; ++depth) {
      if (!finish(depth, time_ms)) break;
      best = told(found(depth));
      // The root's actions in canonical order but for the best one, which goes first.
      size_t to = 0;
      A[to++] = best.action;
      for (i64 action : roots)
        if (action != best.action) A[to++] = action;
      if (std::fabs(F[0]) > WIN - MAX_DEPTH - 1 || I[ROOTS] == 1) break;
    }
    best.nodes = I[NODES];
    return best;
  }

  // Run one depth to its end; false when the limit or the time came first.
  bool finish(i64 depth, double time_ms) {
    I[RUNNING] = 0;
    while (I[NODES] < node_limit) {
      const i64 before = I[NODES], count = clock.slice(time_ms);
      if (!count) return false;
      I[STOP] = min(before + count, node_limit);
      if (rules::search(W.data(), root, A.data(), I.data(), F.data(), P, depth)) return true;
      clock.learn((double)(I[NODES] - before), clock.spent());
    }
    return false;
  }
};
