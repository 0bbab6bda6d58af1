// A bot for Connect 4 in C++17: it gets three parameters by words (--middle 0.5) or lines of params.txt.
// g++ -O2 -std=c++17 -o bot bot.cpp
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

std::map<std::string, double> parameters = {{"line", 1}, {"block", 1}, {"middle", 1}};

// What follows a key, up to a character: enough for messages whose texts hold no quotes.
std::string after(const std::string& message, const std::string& key, char end) {
    const size_t at = message.find("\"" + key + "\":");
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size() + 3;
    return message.substr(begin, message.find(end, begin) - begin);
}

// What a stone in a column is worth, to the player of `mine`.
double worth(const std::vector<std::string>& board, int column, char mine) {
    const int rows = int(board.size()), columns = int(board[0].size());
    int row = rows - 1;
    while (row > 0 && board[row][column] != '.') --row;
    double value = -parameters["middle"] * std::abs(column - columns / 2);
    for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
            if (dr == 0 && dc == 0) continue;
            for (const bool own : {true, false}) {
                const char stone = own == (mine == 'X') ? 'X' : 'O';
                int length = 0, r = row + dr, c = column + dc;
                for (; r >= 0 && r < rows && c >= 0 && c < columns && board[r][c] == stone; r += dr, c += dc)
                    ++length;
                value += parameters[own ? "line" : "block"] * length * length;
            }
        }
    return value;
}

int main(int argc, char** argv) {
    std::ifstream file("params.txt");
    std::string name, equals;
    for (double value; file >> name >> equals >> value;) parameters[name] = value;
    for (int i = 1; i < argc; i += 2) {
        const std::string flag = argv[i];
        if (i + 1 == argc || flag.rfind("--", 0) != 0 || !parameters.count(flag.substr(2)))
            return std::cerr << flag << ": allowed are --line, --block and --middle, each with a number\n", 2;
        parameters[flag.substr(2)] = std::stod(argv[i + 1]);
    }

    std::mt19937_64 random;
    char mine = 'X';
    for (std::string message; std::getline(std::cin, message);) {
        const std::string type = after(message, "type", ',');
        if (type == "\"new\"") {
            mine = "XO"[std::stoi(after(message, "player", ','))];
            random.seed(std::stoull(after(message, "seed", ',')));
        } else if (type == "\"turn\"") {
            std::vector<std::string> board(1);
            for (const char c : after(message, "position", ',').substr(1)) {
                if (c == '/') board.emplace_back();
                else if (c >= '1' && c <= '9') board.back().append(c - '0', '.');
                else if (c == 'X' || c == 'O') board.back() += c;
                else break;
            }
            std::string best;
            double most = 0;
            int same = 0;
            for (const char c : after(message, "actions", ']')) {
                if (c < '1' || c > '9') continue;
                const double value = worth(board, c - '1', mine);
                if (best.empty() || value > most) same = 0;
                if (best.empty() || value > most || (value == most && random() % ++same == 0)) {
                    best = c;
                    most = value;
                }
            }
            std::cout << "{\"action\":\"" << best << "\"}" << std::endl;
        } else if (type == "\"quit\"}") {
            break;
        }
    }
}
