// --- the clock

constexpr double NEVER = std::numeric_limits<double>::infinity();
constexpr i64 FOREVER = 1LL << 62;

double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

#ifdef USER_STOPS
bool asked_by_uci = false;
bool ended_by_user();
struct Move;
void tell_depth(const Move& move, double ms);
#endif

// Whether the processor has the instructions that the first lines ask for; else says what to do.
bool able() {
#ifdef BMI2
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
    return fprintf(stderr, "this processor has no BMI2: compile with -DPORTABLE\n"), false;
#endif
  return true;
}

// Learns the speed of work that is done in slices between looks at the time: searches read no
// clock. Slower is believed at once, faster by and by.
struct Clock {
  double slowest, usual, fastest, trust = 1.25, rate = 0, first = 0, begun = 0, started = 0;

  void begin(double guard_ms) {
    begun = now_ms();
    first = guard_ms == NEVER ? usual : slowest;
  }

  void start() { started = now_ms(); }

  double spent() const { return max(now_ms() - started, 1e-3); }

  // How much work to do next; 0 once the move's time is over.
  i64 slice(double time_ms) {
    start();
#ifdef USER_STOPS
    if (asked_by_uci && time_ms != NEVER && ended_by_user()) return 0;
#endif
    if (time_ms == NEVER) return FOREVER;
    const double left = time_ms - (started - begun);
    if (left <= 0.05) return 0;
    return max<i64>(1, (i64)(min(left, SLICE_MS) * (rate > 0 ? rate : first)));
  }

  void learn(double work, double spent_ms) {
    const double measured = work / spent_ms;
    const double believed = rate > 0 ? rate : first > 0 ? first : measured;
    rate = min(max(min(measured, trust * believed), slowest), fastest);
  }
};

// A player's answer. `value`: for the player who moves, if it is known.
struct Move {
#ifdef WHOLE_TURNS
  Turn action;
#else
  i64 action;
#endif
  double value;
  bool valued;
  i64 depth, nodes;
};
