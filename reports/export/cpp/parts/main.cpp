int main(int count, char** words) {
  using namespace play;
  if (!able()) return 2;
  static Bot bot;
  if (count > 1 && string(words[1]) == "--protocol") {
    const string name = count > 2 ? words[2] : "";
    // PROTOCOLS
    fprintf(stderr, "--protocol %s; allowed: ALLOWED\n", name.c_str());
    return 2;
  }
  string line;
  for (int i = 1; i < count; ++i) line += (i > 1 ? " " : "") + string(words[i]);
  bool known = line.empty() || answer_line(bot, line);
  if (line.empty())
    while (next_line(line)) known &= answer_line(bot, line);
  return known ? 0 : 2;
}
