// --- one game after the other

// A position further along the last one's line of play belongs to the same game.
struct Bot {
  Playing player;
  string start;
  vector<Turn> moves;
  bool begun = false;

  Move answer(const Position& position, double guard_ms) {
    const size_t known = moves.size();
    bool same = begun && start == position.start && position.moves.size() > known;
    for (size_t k = 0; same && k < known; ++k) same = moves[k] == position.moves[k];
    if (!same) player.new_game(0, position.to_move());
    begun = true;
    start = position.start;
    moves = position.moves;
    player.guard_ms = guard_ms;
    return player.choose(position);
  }
};
