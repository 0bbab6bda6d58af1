// The site's lines: `N P`, then `X0 Y0 X1 Y1` of each player: where its ribbon began, and its head.
struct Dialogue {
  bool begun = false;
  long long players = 0, me = 0;

  // Wait for a turn; false when there is none any more.
  bool wait() { return scanf("%lld %lld", &players, &me) == 2; }

  void read(Position& position) {
    i64 cells[PLAYERS][4];
    for (auto& one : cells) one[0] = one[1] = one[2] = one[3] = -1;
    for (long long p = 0; p < players; ++p) {
      long long c[4] = {-1, -1, -1, -1};
      if (scanf("%lld %lld %lld %lld", c, c + 1, c + 2, c + 3) != 4) return;
      for (int k = 0; k < 4 && p < PLAYERS; ++k) cells[p][k] = c[k];
    }
    if (!begun) first(position, cells);
    else follow(position, cells);
    begun = true;
  }

  // At our first turn all that is ribbon is in the lines.
  void first(Position& position, const i64 (*cells)[4]) {
    Field field;
    field.rows.assign(HEIGHT, string(WIDTH, '.'));
    i64 dead = 0;
    for (i64 p = 0; p < PLAYERS; ++p) {
      const i64* c = cells[p];
      const bool inside = c[0] >= 0 && c[1] >= 0 && c[2] >= 0 && c[3] >= 0 && c[0] < WIDTH &&
                c[2] < WIDTH && c[1] < HEIGHT && c[3] < HEIGHT;
      field.heads[p] = field.starts[p] = -1;
      if (!inside) {
        field.deaths[p] = ++dead;
        continue;
      }
      field.rows[c[1]][c[0]] = (char)('a' + p);
      field.rows[c[3]][c[2]] = (char)('A' + p);
      field.heads[p] = c[3] * 32 + c[2];
      field.starts[p] = c[1] * 32 + c[0];
    }
    position.set_up("startpos");
    position.start = "first turn";
    field.write(me, position.W.data());
    position.status = rules::status(position.W.data(), 0);
  }

  // Play the moves of the others since our last turn.
  void follow(Position& position, const i64 (*cells)[4]) {
    while (!position.status && position.to_move() != me) {
      const i64 p = position.to_move();
      const i64 head = position.W[position.at + GAME_WORDS - 3] >> (16 * p) & 0xFFFF;
      const i64 x = cells[p][2] - head % 32, y = cells[p][3] - head / 32;
      i64 action = 4;  // it has died
      if (cells[p][2] >= 0 && x * x + y * y == 1) action = y < 0 ? 0 : y > 0 ? 1 : x < 0 ? 2 : 3;
      position.play(action, 0);
    }
  }

  // Our own move is made.
  string answer(Position& position, i64 action) {
    position.play(action, 0);
    return text_of(action);
  }
};
