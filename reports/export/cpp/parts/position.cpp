// ---------------------------------------------------------------- the game

namespace play {

#ifndef OWN_TEXTS
// The action of a text; -1 if there is none.
static i64 action_of(const std::string& text) {
  for (const ActionText& one : ACTION_TEXTS)
    if (text == one.text) return one.action;
  return -1;
}

static std::string text_of(i64 action) {
  for (const ActionText& one : ACTION_TEXTS)
    if (action == one.action) return one.text;
  return "?";
}
#endif

#ifndef OWN_TURNS
// What is played, and what chance adds: numbers. A game whose turns are too long for one has its own.
typedef i64 Turn;
typedef i64 Outcome;

static bool read_turn(const std::string& text, Turn& turn) { return (turn = action_of(text)) >= 0; }

static Outcome read_outcome(const std::string& text) { return std::atoll(text.c_str()); }

// The turn of a search's action.
static Turn turn_of(const u64*, u64, i64 action) { return action; }

static std::vector<i64> actions_of(u64* W, u64 at) {
  std::vector<i64> A(SLOTS);
  A.resize(rules::actions(W, at, A.data(), 0));
  return A;
}

static bool legal_turn(u64* W, u64 at, Turn turn) {
  const std::vector<i64> A = actions_of(W, at);
  return std::find(A.begin(), A.end(), turn) != A.end();
}

static void play_turn(u64* W, u64 from, u64 to, Turn turn, Outcome outcome) {
  rules::apply(W, from, to, turn, outcome);
}
#endif

// A state with the line of play that led to it. Games whose rules look back keep every earlier
// state below; others alternate between two places.
struct Position {
  std::vector<u64> W = std::vector<u64>((PATH_DEPENDENT ? MAX_PLIES + 2 : 2) * GAME_WORDS);
  u64 at = 0;
  i64 status = 0;
  std::vector<Turn> moves;
  std::vector<Outcome> outcomes;
  std::string start = "startpos";

  Position() { set_up(); }

  // Take the start position.
  void set_up() {
    std::fill(W.begin(), W.end(), 0);
    at = 0;
    moves.clear();
    outcomes.clear();
    rules::start(W.data(), 0);
    status = rules::status(W.data(), 0);
  }

  // Take the position of a text; false if it is none.
  bool set_up(const std::string& text) {
    set_up();
    start = text;
    if (text == "startpos") return true;
    if (!read_start(text, W.data())) return false;
    status = rules::status(W.data(), 0);
    return true;
  }

  i64 to_move() const { return rules::to_move(W.data(), at); }

  bool legal(const Turn& turn) { return legal_turn(W.data(), at, turn); }

  void play(const Turn& turn, const Outcome& outcome) {
    u64 to = at + GAME_WORDS;
    if (!PATH_DEPENDENT && at) to = 0;
    play_turn(W.data(), at, to, turn, outcome);
    at = to;
    status = rules::status(W.data(), at);
    moves.push_back(turn);
    outcomes.push_back(outcome);
  }

  // Copy the state into S from word `begin` on, before it as much of the line of play as the rules
  // look back; states are STRIDE words apart. Returns where it lies.
  u64 lay(u64* S, u64 begin) const {
    const u64 plies = PATH_DEPENDENT ? std::min<u64>(at / GAME_WORDS, LOOK_BACK) : 0;
    for (u64 k = 0; k <= plies; ++k) {
      const u64 from = at - (plies - k) * GAME_WORDS;
      std::memcpy(S + begin + k * STRIDE, W.data() + from, GAME_WORDS * sizeof(u64));
    }
    return begin + plies * STRIDE;
  }
};

static std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (size_t i = 0; i < line.size();) {
    while (i < line.size() && std::isspace((unsigned char)line[i])) ++i;
    const size_t begin = i;
    while (i < line.size() && !std::isspace((unsigned char)line[i])) ++i;
    if (i > begin) words.push_back(line.substr(begin, i - begin));
  }
  return words;
}

// The text of an action that a search has chosen in a position.
static std::string chosen_text(const Position& position, const Action& action) {
#ifdef WHOLE_TURNS
  (void)position;
  return text_of(action);
#else
  return text_of(turn_of(position.W.data(), position.at, action));
#endif
}

// Play a move by its text; returns what is wrong with it, "" if nothing is.
static std::string play_text(Position& position, const std::string& text) {
  Turn turn;
  if (!read_turn(text, turn)) return "'" + text + "' is not an action";
  if (position.status) return "'" + text + "': the game is already over";
  if (!position.legal(turn)) return "'" + text + "' is illegal here";
  position.play(turn, outcome_of(position.W.data(), position.at, turn, position.moves.size() + 1));
  return "";
}

// Read `startpos moves a b c`; returns what is wrong with it, "" if nothing is.
static std::string read_line(Position& position, const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  size_t i = 0;
  std::string start;
  for (; i < words.size() && words[i] != "moves"; ++i) start += (i ? " " : "") + words[i];
  if (!position.set_up(start.empty() ? "startpos" : start)) return "no position: '" + start + "'";
  for (++i; i < words.size(); ++i) {
    const std::string wrong = play_text(position, words[i]);
    if (!wrong.empty())
      return "move " + std::to_string(position.moves.size() + 1) + ": " + wrong;
  }
  if (position.status) return "the game is over in this position, so there is no move";
  return "";
}

}  // namespace play
