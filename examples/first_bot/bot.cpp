// A bot for Connect 4 (7 x 6): UCT with 200 playouts per move, and two constants whose values are guesses.
//
//   g++ -O2 -std=c++17 -o bot bot.cpp
//   ./bot --k 1.4 --heed 0
//
// It talks json-lines: one message per line on stdin, one answer per turn on stdout.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

double k = 1.4;     // UCT's exploration: high tries everything, low trusts the first results
double heed = 0.0;  // how often a playout sees a winning drop, its own or the opponent's
constexpr int PLAYOUTS = 200, COLUMNS = 7, ROWS = 6;

std::mt19937_64 random_bits;
double chance() { return std::uniform_real_distribution<>(0, 1)(random_bits); }

// Seven bits per column, bottom first; the seventh stays empty, so that lines do not wrap around.
struct Board {
    uint64_t stones[2] = {0, 0};
    int height[COLUMNS] = {}, ply = 0;

    bool open(int column) const { return height[column] < ROWS; }
    uint64_t cell(int column) const { return 1ull << (7 * column + height[column]); }
    bool full() const { return ply == COLUMNS * ROWS; }

    bool wins(int player, int column) const {  // would a drop there make four?
        const uint64_t mine = stones[player] | cell(column);
        for (const int step : {1, 6, 7, 8}) {
            const uint64_t pairs = mine & (mine >> step);
            if (pairs & (pairs >> 2 * step)) return true;
        }
        return false;
    }
    void drop(int column) {
        stones[ply++ % 2] |= cell(column);
        ++height[column];
    }
};

// Play to the end at random; return the score of player 0.
double playout(Board board) {
    while (!board.full()) {
        const int mover = board.ply % 2;
        int column = -1;
        if (heed > 0 && chance() < heed)
            for (const int player : {1 - mover, mover})  // an own win overrides a block
                for (int c = 0; c < COLUMNS; ++c)
                    if (board.open(c) && board.wins(player, c)) column = c;
        while (column < 0 || !board.open(column)) column = int(random_bits() % COLUMNS);
        if (board.wins(mover, column)) return mover == 0 ? 1 : 0;
        board.drop(column);
    }
    return 0.5;
}

struct Node {
    int visits = 0, child[COLUMNS] = {};
    double sum = 0;  // of the scores of the player who moved here
};

int best_column(const Board& root) {
    std::vector<Node> tree(1);
    tree.reserve(PLAYOUTS + 1);
    for (int i = 0; i < PLAYOUTS; ++i) {
        Board board = root;
        std::vector<int> path = {0};
        double score = -1;
        while (score < 0) {
            const int at = path.back(), mover = board.ply % 2;
            int column = -1;
            double most = -1;
            for (int c = 0; c < COLUMNS; ++c) {
                if (!board.open(c)) continue;
                const Node& next = tree[tree[at].child[c]];
                const double worth = tree[at].child[c] == 0 ? 1e9 + chance()
                                     : next.sum / next.visits + k * std::sqrt(std::log(tree[at].visits) / next.visits);
                if (worth > most) most = worth, column = c;
            }
            const bool fresh = tree[at].child[column] == 0, won = board.wins(mover, column);
            if (fresh) {
                tree[at].child[column] = int(tree.size());
                tree.emplace_back();
            }
            path.push_back(tree[at].child[column]);
            board.drop(column);
            if (won) score = mover == 0 ? 1 : 0;
            else if (board.full()) score = 0.5;
            else if (fresh) score = playout(board);
        }
        for (size_t depth = 0; depth < path.size(); ++depth) {
            const bool first = (root.ply + depth) % 2 == 1;  // player 0 moved to this node
            tree[path[depth]].visits += 1;
            tree[path[depth]].sum += first ? score : 1 - score;
        }
    }
    int best = -1;
    for (int c = 0; c < COLUMNS; ++c)
        if (tree[0].child[c] && (best < 0 || tree[tree[0].child[c]].visits > tree[tree[0].child[best]].visits)) best = c;
    return best;
}

// "7/7/7/7/3O3/2XX3": rows from the top, digits are empty cells, X moved first.
Board board_of(const std::string& text) {
    Board board;
    int row = ROWS - 1, column = 0;
    for (const char c : text) {
        if (c == '/') --row, column = 0;
        else if (c >= '1' && c <= '9') column += c - '0';
        else if (c == 'X' || c == 'O') {
            board.stones[c == 'O'] |= 1ull << (7 * column + row);
            if (board.height[column] < row + 1) board.height[column] = row + 1;
            ++board.ply, ++column;
        } else break;
    }
    return board;
}

// What follows a key in a message, up to a character.
std::string after(const std::string& message, const std::string& key, char end) {
    const size_t at = message.find("\"" + key + "\":");
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size() + 3;
    return message.substr(begin, message.find(end, begin) - begin);
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i += 2) {
        const std::string flag = argv[i];
        if (i + 1 == argc || (flag != "--k" && flag != "--heed"))
            return std::cerr << flag << ": allowed are --k NUMBER and --heed NUMBER\n", 2;
        (flag == "--k" ? k : heed) = std::atof(argv[i + 1]);
    }
    for (std::string message; std::getline(std::cin, message);) {
        const std::string type = after(message, "type", ',');
        if (type == "\"new\"") random_bits.seed(std::stoull(after(message, "seed", ',')));
        if (type == "\"turn\"")
            std::cout << "{\"action\":\"" << best_column(board_of(after(message, "position", ',').substr(1))) + 1 << "\"}" << std::endl;
        if (type == "\"quit\"}") break;
    }
}
