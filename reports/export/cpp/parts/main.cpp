int main(int count, char** words) {
    using namespace play;
    std::string line;
    for (int i = 1; i < count; ++i) line += (i > 1 ? " " : "") + std::string(words[i]);
    if (line == "--protocol json-lines") {
        static Playing player;
        return play_json_lines(player);
    }
    static Bot bot;
    if (!line.empty()) return answer_line(bot, line) ? 0 : 2;
    return answer_lines(bot);
}
