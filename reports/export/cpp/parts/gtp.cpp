// --- GTP

// The Go Text Protocol, version 2: one size, one komi, the colours in turn.
struct Gtp {
  Bot& bot;
  Position position;
  double left_ms[2] = {NEVER, NEVER};

  static int colour_of(const string& word) {
    const char c = word.empty() ? '?' : (char)tolower((unsigned char)word[0]);
    return c == 'b' ? 0 : c == 'w' ? 1 : -1;
  }

  static string lower(string text) {
    for (char& c : text) c = (char)tolower((unsigned char)c);
    return text;
  }

  static i64 vertex(const string& text) {
    for (size_t k = 0; k < TEXTS.size(); ++k)
      if (lower(TEXTS[k]) == lower(text)) return k;
    return -1;
  }

  // Play where it is a colour's turn; returns what is wrong, "" if nothing is.
  string play(int colour, i64 action) {
    if (colour < 0 || action < 0) return "syntax error";
    if (position.status) return "the game is over";
    if (colour != position.to_move()) return "it is the other colour's turn";
    if (!position.legal(action)) return "illegal move";
    position.play(action, 0);
    return "";
  }

  // The answer to a command; what is wrong begins with '?'.
  string answer(const vector<string>& words) {
    static const char* const KNOWN[] = {
      "protocol_version", "name", "version", "known_command", "list_commands", "boardsize",
      "clear_board", "komi", "play", "genmove", "time_settings", "time_left", "quit"};
    const string& command = words[0];
    const string one = words.size() > 1 ? words[1] : "", two = words.size() > 2 ? words[2] : "";
    if (command == "protocol_version") return "2";
    if (command == "name") return "Joute";
    if (command == "version") return ENGINE;
    if (command == "known_command") {
      for (const char* known : KNOWN)
        if (one == known) return "true";
      return "false";
    }
    if (command == "list_commands") {
      string all;
      for (const char* known : KNOWN) all += string(all.empty() ? "" : "\n") + known;
      return all;
    }
    if (command == "boardsize") return atoll(one.c_str()) == SIZE ? "" : "?unacceptable size";
    if (command == "komi") return strtod(one.c_str(), nullptr) == KOMI ? "" : "?this file plays with another komi";
    if (command == "clear_board") return position.set_up("startpos"), bot.begun = false, "";
    if (command == "play") {
      const string wrong = play(colour_of(one), vertex(two));
      return wrong.empty() ? "" : "?" + wrong;
    }
    if (command == "time_settings") return left_ms[0] = left_ms[1] = NEVER, "";
    if (command == "time_left") {
      const int colour = colour_of(one);
      if (colour < 0) return "?syntax error";
      const double seconds = strtod(two.c_str(), nullptr);
      const double stones = words.size() > 3 ? strtod(words[3].c_str(), nullptr) : 0;
      left_ms[colour] = seconds * 1e3 / (stones > 0 ? stones : 30);
      return "";
    }
    if (command == "genmove") {
      const int colour = colour_of(one);
      if (colour < 0) return "?syntax error";
      if (position.status) return "?the game is over";
      if (colour != position.to_move()) return "?it is the other colour's turn";
      const Move move = bot.answer(position, min(GUARD_MS, left_ms[colour] * 0.9));
      position.play(move.action, 0);
      return text_of(move.action);
    }
    return command == "quit" ? "" : "?unknown command";
  }
};

int play_gtp(Bot& bot) {
  static Gtp gtp{bot};
  string line;
  while (next_line(line)) {
    vector<string> words = words_of(line.substr(0, line.find('#')));
    string id;
    if (!words.empty() && isdigit((unsigned char)words[0][0])) id = words[0], words.erase(words.begin());
    if (words.empty()) continue;
    const string said = gtp.answer(words);
    const bool wrong = said[0] == '?';
    printf("%s%s%s%s\n\n", wrong ? "?" : "=", id.c_str(), said.empty() ? "" : " ", said.c_str() + wrong);
    fflush(stdout);
    if (words[0] == "quit") return 0;
  }
  return 0;
}
