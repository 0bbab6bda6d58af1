// --- UCI

// What was asked while a search ran: stop ends it, other lines wait.
vector<string> waiting_lines;
bool search_stopped = false, search_endless = false;

// A line without a buffer of the library's, so that `poll` tells the truth.
bool raw_line(string& line) {
  line.clear();
  char c;
  while (read(0, &c, 1) == 1) {
    if (c == '\n') return true;
    if (c != '\r') line += c;
  }
  return !line.empty();
}

void say(const string& line) {
  printf("%s\n", line.c_str());
  fflush(stdout);
}

bool ended_by_user() {
  pollfd input = {0, POLLIN, 0};
  while (!search_stopped && poll(&input, 1, 0) > 0) {
    string line;
    if (!raw_line(line) || line == "quit" || line == "stop") {
      search_stopped = true;
      if (line != "stop") waiting_lines.push_back("quit");
    } else if (line == "isready")
      say("readyok");
    else
      waiting_lines.push_back(line);
  }
  return search_stopped;
}

string score_text(double value) {
  const double plies = WIN - std::fabs(value);
  const bool mate = plies >= 0 && plies <= 100000;
  const double moves = value > 0 ? std::ceil((plies + 1) / 2) : -std::ceil(plies / 2);
  const double shown = mate ? moves : min(max(value, -30000.0), 30000.0);
  return (mate ? "mate " : "cp ") + std::to_string(std::llround(shown));
}

void tell_depth(const Move& move, double ms) {
  string line = "info depth " + std::to_string(max<i64>(1, move.depth));
  if (move.valued) line += " score " + score_text(move.value);
  line += " nodes " + std::to_string(move.nodes) + " time " + std::to_string((i64)ms);
  say(line + " pv " + text_of(move.action));
}

double number_after(const vector<string>& words, const string& name, double otherwise = 0) {
  for (size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == name) return strtod(words[i + 1].c_str(), nullptr);
  return otherwise;
}

// The milliseconds of a move: a share of the clock and most of the increment, at most half.
double time_of(const vector<string>& words, i64 mover) {
  search_endless = std::find(words.begin(), words.end(), "infinite") != words.end();
  if (search_endless) return 1e12;
  const double fixed = number_after(words, "movetime", NEVER);
  if (fixed != NEVER) return max(1.0, fixed - min(20.0, fixed / 4));
  const double left = number_after(words, mover ? "btime" : "wtime", NEVER);
  if (left == NEVER) return NEVER;
  const double moves = number_after(words, "movestogo");
  const double increment = number_after(words, mover ? "binc" : "winc");
  const double share = left / (moves > 0 ? moves : 30) + 0.8 * increment;
  return max(1.0, min(share, left / 2) - min(20.0, left / 4));
}

string answer_to_go(Bot& bot, const Position& position, const vector<string>& words) {
  if (position.status) return "bestmove (none)";
  search_stopped = false;
  const double guard = min(GUARD_MS, time_of(words, position.to_move()));
  bot.player.limit(number_after(words, "depth"), number_after(words, "nodes"));
  const Move move = bot.answer(position, guard);
  while (search_endless && !ended_by_user()) poll(nullptr, 0, 2);
  return "bestmove " + text_of(move.action);
}

int play_uci(Bot& bot) {
  static Position position;
  asked_by_uci = true;
  for (string line;;) {
    if (!waiting_lines.empty()) {
      line = waiting_lines.front();
      waiting_lines.erase(waiting_lines.begin());
    } else if (!raw_line(line))
      return 0;
    const vector<string> words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "quit") return 0;
    if (words[0] == "uci") say("id name Joute\nid author exported\nuciok");
    else if (words[0] == "isready") say("readyok");
    else if (words[0] == "ucinewgame") bot.begun = false;
    else if (words[0] == "position") {
      const bool fen = words.size() > 1 && words[1] == "fen";
      const size_t skip = fen ? line.find("fen") + 4 : line.find("position") + 9;
      const string wrong = read_line(position, line.substr(min(skip, line.size())));
      if (!wrong.empty() && !position.status) say("info string " + wrong);
    } else if (words[0] == "go") say(answer_to_go(bot, position, words));
    else if (words[0] != "stop") say("info string unknown command " + words[0]);
  }
}
