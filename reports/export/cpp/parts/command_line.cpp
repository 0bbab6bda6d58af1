// --- positions as lines

bool next_line(string& line) {
  line.clear();
  int c;
  while ((c = getchar()) != EOF && c != '\n') line += (char)c;
  return c != EOF || !line.empty();
}

// Answer a position with the text of the action; returns whether it was one.
bool answer_line(Bot& bot, const string& line) {
  static Position position;
  const string wrong = read_line(position, line);
  if (!wrong.empty()) return fprintf(stderr, "%s\n", wrong.c_str()), false;
  printf("%s\n", chosen_text(position, bot.answer(position, GUARD_MS).action).c_str());
  fflush(stdout);
  return true;
}
