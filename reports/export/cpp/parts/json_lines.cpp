// ---------------------------------------------------------------- json-lines

namespace play {

// Reads the few values of a message that matter, and steps over the others.
struct Json {
  const std::string& text;
  size_t i = 0;

  void space() {
    while (i < text.size() && std::isspace((unsigned char)text[i])) ++i;
  }

  bool take(char c) {
    space();
    if (i < text.size() && text[i] == c) return ++i, true;
    return false;
  }

  std::string string() {
    std::string out;
    if (!take('"')) return out;
    while (i < text.size() && text[i] != '"') {
      if (text[i] == '\\' && i + 1 < text.size()) {
        const char c = text[++i];
        if (c == 'u') i += 4, out += '?';
        else out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
        ++i;
      } else
        out += text[i++];
    }
    ++i;
    return out;
  }

  // Anything: a string as it is, a number or word as its text, the inside of others left out.
  std::string value() {
    space();
    if (i >= text.size()) return "";
    if (text[i] == '"') return string();
    if (text[i] == '[' || text[i] == '{') {
      const char end = text[i++] == '[' ? ']' : '}';
      while (!take(end) && i < text.size()) {
        value();
        if (!take(',')) take(':');
      }
      return "";
    }
    const size_t begin = i;
    while (i < text.size() && !std::strchr(",:]} \t", text[i])) ++i;
    return text.substr(begin, i - begin);
  }

  std::vector<std::string> list() {
    std::vector<std::string> all;
    if (!take('[')) return value(), all;
    while (!take(']') && i < text.size()) all.push_back(value()), take(',');
    return all;
  }
};

struct Message {
  std::string type, start, position, game;
  std::vector<std::string> moves, outcomes;
  bool has_start = false, has_moves = false;
  u64 seed = 0;
  i64 seat = 0;

  explicit Message(const std::string& line) {
    Json json{line};
    if (!json.take('{')) return;
    while (!json.take('}') && json.i < line.size()) {
      const std::string key = json.string();
      json.take(':');
      if (key == "type") type = json.value();
      else if (key == "start") start = json.value(), has_start = true;
      else if (key == "position") position = json.value();
      else if (key == "game") game = json.value();
      else if (key == "moves") moves = json.list(), has_moves = true;
      else if (key == "outcomes") outcomes = json.list();
      else if (key == "seed") seed = std::strtoull(json.value().c_str(), nullptr, 10);
      else if (key == "player") seat = std::atoll(json.value().c_str());
      else json.value();
      json.take(',');
    }
  }
};

static void complain(const std::string& wrong) { std::fprintf(stderr, "%s\n", wrong.c_str()); }

// Play under a referee until it quits.
static int play_json_lines(Playing& player) {
  Position position;
  std::string line;
  while (next_line(line)) {
    const Message message(line);
    if (message.type == "quit") return 0;
    if (message.type == "new") {
      if (!message.game.empty() && message.game != GAME)
        return complain("this file plays " + std::string(GAME) + ", not " + message.game), 2;
      position.set_up("startpos");
      player.new_game(message.seed, message.seat);
    } else if (message.type == "turn") {
      if (message.has_start && !position.set_up(message.start))
        return complain("no position of this file: '" + message.start + "'"), 2;
      if (!message.has_moves) {
        const std::string wrong = read_line(position, message.position);
        if (!wrong.empty()) return complain(wrong), 2;
      }
      for (size_t k = 0; k < message.moves.size(); ++k) {
        Turn turn;
        if (!read_turn(message.moves[k], turn)) return complain("'" + message.moves[k] + "' is not an action"), 2;
        const bool told = k < message.outcomes.size();
        position.play(turn, told ? read_outcome(message.outcomes[k]) : Outcome{});
      }
      player.guard_ms = GUARD_MS;
      const Move move = player.choose(position);
      std::printf("{\"action\":\"%s\"", chosen_text(position, move.action).c_str());
      if (move.valued) std::printf(",\"value\":%.17g", move.value);
      std::printf(",\"depth\":%lld,\"nodes\":%lld}\n", (long long)move.depth, (long long)move.nodes);
      std::fflush(stdout);
    } else if (message.type != "over")
      return complain("a message of type '" + message.type + "'; known: new, turn, over, quit"), 2;
  }
  return 0;
}

}  // namespace play
