// --- json-lines

// Reads the few values of a message that matter, and steps over the others.
struct Json {
  const string& text;
  size_t i = 0;

  bool more() const { return i < text.size(); }

  bool take(char c) {
    while (more() && isspace((unsigned char)text[i])) ++i;
    if (!more() || text[i] != c) return false;
    return ++i, true;
  }

  // Anything: a string as it is, a number or word as its text, the inside of others left out.
  string value() {
    string out;
    if (take('[') || take('{')) {
      const char end = text[i - 1] == '[' ? ']' : '}';
      while (!take(end) && more()) {
        value();
        if (!take(',')) take(':');
      }
    } else if (take('"')) {
      for (; more() && text[i] != '"'; ++i) {
        if (text[i] != '\\' || i + 1 >= text.size()) out += text[i];
        else if (text[++i] == 'u') i += 4, out += '?';
        else out += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
      }
      ++i;
    } else {
      const size_t begin = i;
      while (more() && !strchr(",:]} \t", text[i])) out += text[i++];
      i += i == begin;  // what makes no sense
    }
    return out;
  }

  vector<string> list() {
    vector<string> all;
    if (!take('[')) return value(), all;
    while (!take(']') && more()) all.push_back(value()), take(',');
    return all;
  }
};

// What a message says.
struct Message {
  string type, start, position, game;
  vector<string> moves, outcomes;
  bool has_start = false, has_moves = false;
  u64 seed = 0;
  i64 seat = 0;

  explicit Message(const string& line) {
    Json json{line};
    if (!json.take('{')) return;
    for (; !json.take('}') && json.more(); json.take(',')) {
      const string key = json.value();
      json.take(':');
      if (key == "moves") moves = json.list(), has_moves = true;
      else if (key == "outcomes") outcomes = json.list();
      else {
        const string value = json.value();
        if (key == "type") type = value;
        if (key == "start") start = value, has_start = true;
        if (key == "position") position = value;
        if (key == "game") game = value;
        if (key == "seed") seed = strtoull(value.c_str(), nullptr, 10);
        if (key == "player") seat = atoll(value.c_str());
      }
    }
  }
};

#ifndef OWN_TURNS
Outcome read_outcome(const string& text) { return atoll(text.c_str()); }

#endif
// Set up the position of a message, and play its moves; returns what is wrong, "" if nothing is.
string follow(Position& position, const Message& message) {
  if (message.has_start && !position.set_up(message.start))
    return "no position of this file: '" + message.start + "'";
  if (!message.has_moves) return read_line(position, message.position);
  for (size_t k = 0; k < message.moves.size(); ++k) {
    Turn turn;
    if (!read_turn(message.moves[k], turn)) return "'" + message.moves[k] + "' is not an action";
    const bool told = k < message.outcomes.size();
    position.play(turn, told ? read_outcome(message.outcomes[k]) : Outcome{});
  }
  return "";
}

// Play under a referee until it quits.
int play_json_lines(Playing& player) {
  Position position;
  string line, wrong;
  while (next_line(line)) {
    const Message message(line);
    if (message.type == "quit") return 0;
    if (message.type == "new") {
      if (!message.game.empty() && message.game != GAME)
        wrong = "this file plays " + string(GAME) + ", not " + message.game;
      position.set_up("startpos");
      player.new_game(message.seed, message.seat);
    } else if (message.type == "turn")
      wrong = follow(position, message);
    else if (message.type != "over")
      wrong = "a message of type '" + message.type + "'; known: new, turn, over, quit";
    if (!wrong.empty()) return fprintf(stderr, "%s\n", wrong.c_str()), 2;
    if (message.type != "turn") continue;
    player.guard_ms = GUARD_MS;
    const Move move = player.choose(position);
    printf("{\"action\":\"%s\"", chosen_text(position, move.action).c_str());
    if (move.valued) printf(",\"value\":%.17g", move.value);
    printf(",\"depth\":%lld,\"nodes\":%lld}\n", (long long)move.depth, (long long)move.nodes);
    fflush(stdout);
  }
  return 0;
}
