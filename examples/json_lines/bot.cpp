// A complete bot for any game in C++17: it plays a random legal action, or the first one.
// Its one parameter: --first 0.3 plays the first action of the list in three of ten turns.
// g++ -O2 -std=c++17 -o bot bot.cpp
#include <iostream>
#include <random>
#include <string>
#include <vector>

// The texts of the list under a key: enough where texts hold no quotes, as those of actions do.
std::vector<std::string> texts(const std::string& line, const std::string& key) {
    std::vector<std::string> found;
    size_t at = line.find("\"" + key + "\":[");
    const size_t end = line.find(']', at);
    for (at = line.find('[', at); (at = line.find('"', at)) < end; ++at) {
        const size_t begin = at + 1;
        at = line.find('"', begin);
        found.push_back(line.substr(begin, at - begin));
    }
    return found;
}

bool is(const std::string& line, const std::string& type) {
    return line.find("\"type\":\"" + type + "\"") != std::string::npos;
}

int main(int argc, char** argv) {
    if (argc > 1 && (argc != 3 || std::string(argv[1]) != "--first"))
        return std::cerr << argv[1] << ": allowed is --first NUMBER\n", 2;
    const double first = argc > 1 ? std::stod(argv[2]) : 0.0;
    std::mt19937_64 random;
    for (std::string line; std::getline(std::cin, line) && !is(line, "quit");) {
        if (is(line, "new")) {  // game, players, player (our seat), seed, parameters
            random.seed(std::stoull(line.substr(line.find("\"seed\":") + 7)));
        } else if (is(line, "turn")) {  // moves since our last turn, actions, time_ms
            const std::vector<std::string> actions = texts(line, "actions");
            bool take_first = std::uniform_real_distribution<>(0, 1)(random) < first;
            std::cout << "{\"action\":\"" << actions[take_first ? 0 : random() % actions.size()] << "\"}" << std::endl;
        }
    }
}
