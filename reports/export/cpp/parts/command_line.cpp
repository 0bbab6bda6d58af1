// ---------------------------------------------------------------- positions as lines

namespace play {

static bool next_line(std::string& line) {
  line.clear();
  int c;
  while ((c = std::getchar()) != EOF && c != '\n') line += (char)c;
  return c != EOF || !line.empty();
}

// Answer a position with the text of the action; returns whether it was one.
static bool answer_line(Bot& bot, const std::string& line) {
  static Position position;
  const std::string wrong = read_line(position, line);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    return false;
  }
  std::printf("%s\n", chosen_text(position, bot.answer(position, GUARD_MS).action).c_str());
  std::fflush(stdout);
  return true;
}

static int answer_lines(Bot& bot) {
  std::string line;
  int result = 0;
  while (next_line(line))
    if (!answer_line(bot, line)) result = 2;
  return result;
}

}  // namespace play
