// A bot for CodinGame's "Tron Battle" with parameters on its command line; C++17, one file.
//
//   g++ -O2 -std=c++17 -o bot bot.cpp
//   ./bot --k 0.3 --edges 0.5 --iterations 400
//
// UCT: each player chooses what is best for itself. A leaf is worth a player's share of the cells that
// it reaches first (a flood from all heads at once, in the order of the moves). A cell with many free
// neighbours may count more than one in a corridor.
#include <array>
#include <cmath>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

constexpr int W = 30, H = 20, CELLS = W * H, FREE = -1, NOWHERE = -1, MOST = 4;
const std::array<const char*, 4> WORDS = {"UP", "DOWN", "LEFT", "RIGHT"};

struct Knobs {
    double k = 0.3;        // how much UCT explores
    double edges = 0.5;    // what the free neighbours of a cell add to its worth
    int iterations = 400;  // descents per move
};

int neighbour(int cell, int direction) {
    const int x = cell % W, y = cell / W;
    switch (direction) {
        case 0: return y > 0 ? cell - W : NOWHERE;
        case 1: return y < H - 1 ? cell + W : NOWHERE;
        case 2: return x > 0 ? cell - 1 : NOWHERE;
        default: return x < W - 1 ? cell + 1 : NOWHERE;
    }
}

struct State {
    std::array<signed char, CELLS> owner;  // whose ribbon a cell is, or FREE
    std::array<int, MOST> head;            // NOWHERE once dead
    int players = 0, mover = 0, alive = 0;

    bool free(int cell) const { return cell != NOWHERE && owner[cell] == FREE; }

    void kill(int p) {
        for (auto& cell : owner)
            if (cell == p) cell = FREE;
        if (head[p] != NOWHERE) --alive;
        head[p] = NOWHERE;
    }

    void play(int direction) {
        const int cell = neighbour(head[mover], direction);
        if (free(cell)) {
            owner[cell] = static_cast<signed char>(mover);
            head[mover] = cell;
        } else {
            kill(mover);
        }
        do mover = (mover + 1) % players;
        while (head[mover] == NOWHERE && alive > 0);
    }

    // Directions that do not kill; one that does where there is no other.
    int directions(std::array<int, 4>& found) const {
        int n = 0;
        for (int d = 0; d < 4; ++d)
            if (free(neighbour(head[mover], d))) found[n++] = d;
        if (n == 0) found[n++] = 0;
        return n;
    }
};

// Each player's share of the field, from 0 to 1.
std::array<double, MOST> shares(const State& s, const Knobs& knobs) {
    std::array<double, MOST> area{};
    std::array<signed char, CELLS> first;
    std::memcpy(first.data(), s.owner.data(), CELLS);
    static int queue[CELLS + MOST];
    int from = 0, to = 0;
    for (int i = 0; i < s.players; ++i) {
        const int p = (s.mover + i) % s.players;
        if (s.head[p] != NOWHERE) queue[to++] = s.head[p];
        if (s.head[p] != NOWHERE) area[p] = 0.01;
    }
    while (from < to) {
        const int cell = queue[from++], p = first[cell];
        int open = 0;
        for (int d = 0; d < 4; ++d) {
            const int next = neighbour(cell, d);
            if (!s.free(next)) continue;
            ++open;
            if (first[next] == FREE) {
                first[next] = static_cast<signed char>(p);
                queue[to++] = next;
            }
        }
        if (s.owner[cell] == FREE) area[p] += 1.0 + knobs.edges * open;
    }
    double sum = 0;
    for (double a : area) sum += a;
    for (double& a : area) a /= sum > 0 ? sum : 1;
    return area;
}

struct Node {
    std::array<int, 4> child{NOWHERE, NOWHERE, NOWHERE, NOWHERE};
    double visits = 0, value = 0;  // value for the player who moved here
};

int search(const State& root, const Knobs& knobs) {
    std::vector<Node> tree(1);
    tree.reserve(knobs.iterations + 1);
    std::vector<std::pair<int, int>> path;  // node, and who moved there
    for (int i = 0; i < knobs.iterations; ++i) {
        State s = root;
        int node = 0;
        bool grown = false;
        path.assign(1, {0, NOWHERE});
        while (s.alive > 1 && !grown) {
            std::array<int, 4> moves;
            const int n = s.directions(moves);
            int best = moves[0];
            double most = -1;
            for (int m = 0; m < n; ++m) {
                const int c = tree[node].child[moves[m]];
                const double bonus =
                    c == NOWHERE ? 1e9
                                 : tree[c].value / tree[c].visits +
                                       knobs.k * std::sqrt(std::log(tree[node].visits) / tree[c].visits);
                if (bonus > most) most = bonus, best = moves[m];
            }
            grown = tree[node].child[best] == NOWHERE;
            if (grown) {
                tree[node].child[best] = static_cast<int>(tree.size());
                tree.emplace_back();
            }
            node = tree[node].child[best];
            path.push_back({node, s.mover});
            s.play(best);
        }
        const auto worth = shares(s, knobs);
        for (const auto& [at, who] : path) {
            tree[at].visits += 1;
            if (who != NOWHERE) tree[at].value += worth[who];
        }
    }
    int best = 0;
    double most = -1;
    for (int d = 0; d < 4; ++d) {
        const int c = tree[0].child[d];
        if (c != NOWHERE && tree[c].visits > most) most = tree[c].visits, best = d;
    }
    return best;
}

int main(int argc, char** argv) {
    Knobs knobs;
    for (int i = 1; i < argc; i += 2) {
        const std::string name = i + 1 < argc ? argv[i] : "";
        const double value = name.empty() ? 0 : std::stod(argv[i + 1]);
        if (name == "--k") knobs.k = value;
        else if (name == "--edges") knobs.edges = value;
        else if (name == "--iterations") knobs.iterations = static_cast<int>(value);
        else return std::cerr << argv[i] << ": allowed are --k, --edges and --iterations, each with a number\n", 2;
    }
    State s;
    s.owner.fill(FREE);
    s.head.fill(NOWHERE);
    for (int players, me; std::cin >> players >> me;) {
        s.players = s.alive = players;
        s.mover = me;
        for (int p = 0; p < players; ++p) {
            int x0, y0, x1, y1;
            std::cin >> x0 >> y0 >> x1 >> y1;
            if (x0 < 0) {
                s.kill(p);  // its ribbon vanishes
                continue;
            }
            s.owner[y0 * W + x0] = s.owner[y1 * W + x1] = static_cast<signed char>(p);
            s.head[p] = y1 * W + x1;
        }
        s.alive = 0;
        for (int p = 0; p < players; ++p) s.alive += s.head[p] != NOWHERE;
        std::cout << WORDS[search(s, knobs)] << std::endl;
    }
}
