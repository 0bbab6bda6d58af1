int main(int count, char** words) {
  using namespace play;
  if (!able()) return 2;
  static Bot bot;
  if (count > 1 && std::string(words[1]) == "--protocol") {
    const std::string name = count > 2 ? words[2] : "";
    // PROTOCOLS
    std::fprintf(stderr, "--protocol %s; allowed: ALLOWED\n", name.c_str());
    return 2;
  }
  std::string line;
  for (int i = 1; i < count; ++i) line += (i > 1 ? " " : "") + std::string(words[i]);
  if (!line.empty()) return answer_line(bot, line) ? 0 : 2;
  return answer_lines(bot);
}
