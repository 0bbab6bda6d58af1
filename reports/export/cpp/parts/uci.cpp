// ---------------------------------------------------------------- UCI

namespace play {

// What was asked while a search ran: stop ends it, other lines wait.
static std::vector<std::string> waiting_lines;
static bool search_stopped = false, search_endless = false;

static bool line_waits() {
  pollfd input = {0, POLLIN, 0};
  return poll(&input, 1, 0) > 0;
}

// A line without a buffer of the library's, so that `line_waits` tells the truth.
static bool raw_line(std::string& line) {
  line.clear();
  char c;
  while (read(0, &c, 1) == 1) {
    if (c == '\n') return true;
    if (c != '\r') line += c;
  }
  return !line.empty();
}

static bool ended_by_user() {
  while (!search_stopped && line_waits()) {
    std::string line;
    if (!raw_line(line) || line == "quit" || line == "stop") {
      search_stopped = true;
      if (line != "stop") waiting_lines.push_back("quit");
    } else if (line == "isready") {
      std::printf("readyok\n");
      std::fflush(stdout);
    } else
      waiting_lines.push_back(line);
  }
  return search_stopped;
}

static std::string score_text(double value) {
  const double plies = WIN - std::fabs(value);
  if (plies >= 0 && plies <= 100000) {
    const double moves = value > 0 ? std::ceil((plies + 1) / 2) : -std::ceil(plies / 2);
    return "mate " + std::to_string((long long)moves);
  }
  return "cp " + std::to_string((long long)std::llround(std::min(std::max(value, -30000.0), 30000.0)));
}

static void tell_depth(const Move& move, double ms) {
  std::printf("info depth %lld", (long long)std::max<i64>(1, move.depth));
  if (move.valued) std::printf(" score %s", score_text(move.value).c_str());
  std::printf(" nodes %lld time %lld pv %s\n", (long long)move.nodes, (long long)ms, text_of(move.action).c_str());
  std::fflush(stdout);
}

// The milliseconds of a move: a share of the clock and most of the increment, at most half.
static double time_of(const std::vector<std::string>& words, i64 mover) {
  double left = NEVER, increment = 0, moves = 30, fixed = NEVER;
  search_endless = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const double n = i + 1 < words.size() ? std::strtod(words[i + 1].c_str(), nullptr) : 0;
    if (words[i] == (mover ? "btime" : "wtime")) left = n;
    if (words[i] == (mover ? "binc" : "winc")) increment = n;
    if (words[i] == "movestogo" && n > 0) moves = n;
    if (words[i] == "movetime") fixed = std::max(1.0, n - std::min(20.0, n / 4));
    if (words[i] == "infinite") search_endless = true;
  }
  if (search_endless) return 1e12;
  if (fixed != NEVER || left == NEVER) return fixed;
  const double share = left / moves + 0.8 * increment;
  return std::max(1.0, std::min(share, left / 2) - std::min(20.0, left / 4));
}

// Limits of depth and nodes, for players that have them.
template <class P>
static auto limit_search(P& player, i64 depth, i64 nodes) -> decltype(player.depth_limit, void()) {
  player.depth_limit = depth ? std::min<i64>(depth, MAX_DEPTH) : DEPTH;
  player.node_limit = nodes ? nodes : NODE_LIMIT;
}
static void limit_search(...) {}

static i64 number_after(const std::vector<std::string>& words, const char* name) {
  for (size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == name) return std::atoll(words[i + 1].c_str());
  return 0;
}

static int play_uci(Bot& bot) {
  static Position position;
  asked_by_uci = true;
  std::string line;
  for (;;) {
    if (!waiting_lines.empty()) {
      line = waiting_lines.front();
      waiting_lines.erase(waiting_lines.begin());
    } else if (!raw_line(line))
      return 0;
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "quit") return 0;
    if (words[0] == "uci") std::printf("id name Joute\nid author exported\nuciok\n");
    else if (words[0] == "isready") std::printf("readyok\n");
    else if (words[0] == "ucinewgame") bot.begun = false;
    else if (words[0] == "position") {
      size_t skip = words.size() > 1 && words[1] == "fen" ? line.find("fen") + 4 : line.find("position") + 9;
      const std::string text = line.substr(std::min(skip, line.size()));
      const std::string wrong = read_line(position, text);
      if (!wrong.empty() && !position.status) std::printf("info string %s\n", wrong.c_str());
    } else if (words[0] == "go") {
      if (position.status) {
        std::printf("bestmove (none)\n");
      } else {
        search_stopped = false;
        const double guard = std::min(GUARD_MS, time_of(words, position.to_move()));
        limit_search(bot.player, number_after(words, "depth"), number_after(words, "nodes"));
        const Move move = bot.answer(position, guard);
        while (search_endless && !ended_by_user()) poll(nullptr, 0, 2);
        std::printf("bestmove %s\n", text_of(move.action).c_str());
      }
    } else if (words[0] != "stop")
      std::printf("info string unknown command %s\n", words[0].c_str());
    std::fflush(stdout);
  }
}

}  // namespace play
