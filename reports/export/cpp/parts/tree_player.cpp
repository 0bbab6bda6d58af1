// --- the player

// What is known of each node; see the kernels. Arrays that this search does without have no room.
struct Nodes {
  vector<i64> first, following, children, action, visits, decided, rave_visits;
  vector<double> total, known, prior, squares, rave_total;

  void make(u64 room) {
    for (auto* one : {&first, &following, &children, &action, &visits, &decided}) one->resize(room);
    total.resize(room);
    known.resize(room * PLAYERS);
    if (KEEPS_PRIOR) prior.resize(room);
    if (KEEPS_SQUARES) squares.resize(room);
    if (KEEPS_RAVE) rave_visits.resize(room), rave_total.resize(room);
    reset();
  }

  void reset() {
    first[0] = following[0] = children[0] = visits[0] = decided[0] = 0;
    total[0] = 0.0;
  }
};

// Plays the most visited action; a decided win at once, a decided loss last.
struct Player {
  Nodes tree, spare;
  vector<u64> W = vector<u64>(SCRATCH + (2 * MAX_PLIES + 4) * STRIDE);
  vector<i64> A = vector<i64>(SLOTS + MORE_A), I = vector<i64>(CONTROL);
  vector<i64> path = vector<i64>(4 * MAX_PLIES + 8), source;
  vector<double> R = vector<double>(PLAYERS + MORE_R);
  u64 S[1] = {0}, root = 0;
  i64 mover = -1, visited = 0;
  bool seen = false;
  vector<Turn> seen_moves;
  vector<Outcome> seen_outcomes;
  string seen_start;
  double guard_ms = NEVER;
  Clock clock{0.5, 20.0, 1e5};

  Player() {
    tree.make(ROOM);
    if (REUSE) spare.make(ROOM), source.resize(ROOM);
    I[NODES] = 1;
  }

  void new_game(u64 seed, i64) {
    S[0] = seed;
    seen = false;
  }

#ifdef USER_STOPS
  void limit(i64, i64) {}
#endif

  Move choose(const Position& position) {
    clock.begin(guard_ms);
    follow(position);
    root = position.lay(W.data(), SCRATCH);
    I[DEEPEST] = I[WAITING] = I[DONE] = 0;
    visited = tree.visits[0];
    seen = true;
    seen_moves = position.moves;
    seen_outcomes = position.outcomes;
    seen_start = position.start;
    const double time_ms = min(TIME_MS, guard_ms);
    if (time_ms == NEVER)
      grow(ITERATIONS);
    else
      grow_for(time_ms);
    const i64 child = best();
    Move move = {tree.action[child], 0, false, I[DEEPEST], tree.visits[0] - visited};
    if (tree.decided[child])
      move.value = tree.known[child * PLAYERS + mover], move.valued = true;
    else if (tree.visits[child])
      move.value = tree.total[child] / (double)tree.visits[child], move.valued = true;
    return move;
  }

  i64 grow(i64 count) { return run_iterations(*this, count); }

  void grow_for(double time_ms) {
    i64 todo = ITERATIONS;
    while (todo > 0) {
      i64 count = clock.slice(time_ms - CLEANUP * (double)I[NODES]);
      if (!count && tree.children[0]) return;
      count = min(todo, max<i64>(1, count));
      if (grow(count) < count) return;
      todo -= count;
      clock.learn((double)count, clock.spent());
    }
  }

  // Keep the part of the tree below the moves played since the last search.
  void follow(const Position& position) {
    const size_t before = seen_moves.size(), now = position.moves.size();
    bool known = seen && now >= before && seen_start == position.start && mover == position.to_move();
    mover = position.to_move();
    for (size_t k = 0; known && k < before; ++k)
      known = seen_moves[k] == position.moves[k] && seen_outcomes[k] == position.outcomes[k];
    if (known && REUSE) {
      i64 node = 0;
      for (size_t k = before; k < now && node >= 0; ++k)
        node = child_of(node, position.moves[k], position.outcomes[k]);
      if (node >= 0 && now > before) {
        const i64 used = copy_tree(*this, node);
        std::swap(tree, spare);
        I[NODES] = used;
        return;
      }
      if (node == 0 && now == before) return;
    }
    tree.reset();
    I[NODES] = 1;
  }

  i64 child_of(i64 node, const Turn& action, const Outcome& outcome) const {
    for (i64 c = tree.first[node]; c < tree.first[node] + tree.children[node]; ++c) {
      if (tree.action[c] != action) continue;
      if (!CHANCE) return c;
      i64 below = tree.first[c];
      while (below && tree.action[below] != outcome) below = tree.following[below];
      return below ? below : -1;
    }
    return -1;
  }

  i64 best() const {
    i64 chosen = tree.first[0];
    double sure = -1, mean = 0;
    i64 visits = 0;
    for (i64 c = tree.first[0]; c < tree.first[0] + tree.children[0]; ++c) {
      double own = 0.5;
      if (tree.decided[c]) own = tree.known[c * PLAYERS + mover];
      if (own != 0.0 && own != 1.0) own = 0.5;
      const i64 v = tree.visits[c];
      const double m = v ? tree.total[c] / (double)v : 0.0;
      if (own > sure || (own == sure && (v > visits || (v == visits && m > mean))))
        chosen = c, sure = own, visits = v, mean = m;
    }
    return chosen;
  }
};
