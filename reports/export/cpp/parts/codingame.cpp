// --- the site's turns

// Every turn is answered in time. What a turn took beyond its guard is taken off the next ones.
int play_codingame() {
  static Position position;
  static Dialogue dialogue;
  static Bot bot;
  double late = 0;
  for (int turn = 1; dialogue.wait(); ++turn) {
    const double begun = now_ms(), own = turn == 1 ? FIRST_MS : TURN_MS;
    dialogue.read(position);
    const double cut = min(late, own / 2);
    i64 action = 0;
    if (position.status) {  // we know less than the site: any move is better than none
      const vector<i64> legal = actions_of(position.W.data(), position.at);
      if (!legal.empty()) action = legal[0];
    } else
      action = bot.answer(position, own - cut - (now_ms() - begun)).action;
    late = max(0.9 * late, now_ms() - begun - own + cut);
    printf("%s\n", dialogue.answer(position, action).c_str());
    fflush(stdout);
  }
  return 0;
}
