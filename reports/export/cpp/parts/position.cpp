// --- the game

vector<string> words_of(const string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<string>(stream), {}};
}

#ifndef OWN_TEXTS
static const vector<string> TEXTS = words_of(ACTION_TEXTS);

string text_of(i64 action) { return TEXTS[action]; }

// The action of a text; -1 if there is none.
i64 action_of(const string& text) {
  const i64 action = std::find(TEXTS.begin(), TEXTS.end(), text) - TEXTS.begin();
  return text == "?" || action == (i64)TEXTS.size() ? -1 : action;
}
#endif

#ifndef OWN_TURNS
// What is played, and what chance adds: numbers.
typedef i64 Turn;
typedef i64 Outcome;

bool read_turn(const string& text, Turn& turn) { return (turn = action_of(text)) >= 0; }

vector<i64> actions_of(u64* W, u64 at) {
  vector<i64> A(SLOTS);
  A.resize(rules::actions(W, at, A.data(), 0));
  return A;
}

bool legal_turn(u64* W, u64 at, Turn turn) {
  const vector<i64> A = actions_of(W, at);
  return std::find(A.begin(), A.end(), turn) != A.end();
}

void play_turn(u64* W, u64 from, u64 to, Turn turn, Outcome outcome) {
  rules::apply(W, from, to, turn, outcome);
}
#endif

// A state with the line of play that led to it, of which games that look back keep all states.
struct Position {
  vector<u64> W = vector<u64>((PATH_DEPENDENT ? MAX_PLIES + 2 : 2) * GAME_WORDS);
  u64 at = 0;
  i64 status = 0;
  vector<Turn> moves;
  vector<Outcome> outcomes;
  string start;

  Position() { set_up("startpos"); }

  // Take the position of a text; false if it is none.
  bool set_up(const string& text) {
    std::fill(W.begin(), W.end(), 0);
    at = 0;
    moves.clear();
    outcomes.clear();
    start = text;
    rules::start(W.data(), 0);
    const bool known = text == "startpos" || read_start(text, W.data());
    if (known) status = rules::status(W.data(), 0);
    return known;
  }

  i64 to_move() const { return rules::to_move(W.data(), at); }

  bool legal(const Turn& turn) { return legal_turn(W.data(), at, turn); }

  void play(const Turn& turn, const Outcome& outcome) {
    const u64 to = at && !PATH_DEPENDENT ? 0 : at + GAME_WORDS;
    play_turn(W.data(), at, to, turn, outcome);
    at = to;
    status = rules::status(W.data(), at);
    moves.push_back(turn);
    outcomes.push_back(outcome);
  }

  // Copy the states that the rules look back to, then this one, into S from word `begin` on, STRIDE
  // words each; returns where it lies.
  u64 lay(u64* S, u64 begin) const {
    const u64 plies = PATH_DEPENDENT ? min<u64>(at / GAME_WORDS, LOOK_BACK) : 0;
    for (u64 k = 0; k <= plies; ++k)
      memcpy(S + begin + k * STRIDE, &W[at - (plies - k) * GAME_WORDS], GAME_WORDS * sizeof(u64));
    return begin + plies * STRIDE;
  }
};

// The text of an action that a search has chosen in a position.
#ifdef OWN_TURNS
#ifndef WHOLE_TURNS
string chosen_text(const Position& position, i64 action) {
  return text_of(turn_of(position.W.data(), position.at, action));
}
#else
string chosen_text(const Position&, const Turn& turn) { return text_of(turn); }
#endif
#else
string chosen_text(const Position&, i64 action) { return text_of(action); }
#endif

// Read `startpos moves a b c`; returns what is wrong with it, "" if nothing is.
string read_line(Position& position, const string& line) {
  const vector<string> words = words_of(line);
  size_t i = 0;
  string start;
  for (; i < words.size() && words[i] != "moves"; ++i) start += (i ? " " : "") + words[i];
  if (!position.set_up(start.empty() ? "startpos" : start)) return "no position: '" + start + "'";
  for (++i; i < words.size(); ++i) {
    const size_t number = position.moves.size() + 1;
    const string named = "move " + std::to_string(number) + ": '" + words[i] + "'";
    Turn turn;
    if (!read_turn(words[i], turn)) return named + " is not an action";
    if (position.status) return named + ": the game is already over";
    if (!position.legal(turn)) return named + " is illegal here";
    position.play(turn, outcome_of(position.W.data(), position.at, turn, number));
  }
  return position.status ? "the game is over in this position, so there is no move" : "";
}
