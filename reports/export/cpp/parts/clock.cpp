// ---------------------------------------------------------------- the clock

namespace play {

constexpr double NEVER = std::numeric_limits<double>::infinity();
constexpr i64 FOREVER = 1LL << 62;

static double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

#ifdef USER_STOPS
static bool asked_by_uci = false;
static bool ended_by_user();
struct Move;
static void tell_depth(const Move& move, double ms);
#endif

// Whether the processor has the instructions that the first lines ask for; else says what to do.
static bool able() {
#if defined(__x86_64__) && !defined(PORTABLE)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) return true;
  std::fprintf(stderr, "this processor has no BMI2: compile with -DPORTABLE\n");
  return false;
#else
  return true;
#endif
}

// Learns the speed of work that is done in slices between looks at the time: searches read no
// clock. Slower is believed at once, faster by and by.
struct Clock {
  double slowest, usual, fastest, trust;
  double rate = 0, first = 0, begun = 0, started = 0;

  Clock(double slowest, double usual, double fastest, double trust = 1.25)
    : slowest(slowest), usual(usual), fastest(fastest), trust(trust), first(usual) {}

  void begin(double guard_ms) {
    begun = now_ms();
    first = guard_ms == NEVER ? usual : slowest;
  }

  void start() { started = now_ms(); }

  double spent() const { return std::max(now_ms() - started, 1e-3); }

  // How much work to do next; 0 once the move's time is over.
  i64 slice(double time_ms) {
    start();
#ifdef USER_STOPS
    if (asked_by_uci && time_ms != NEVER && ended_by_user()) return 0;
#endif
    if (time_ms == NEVER) return FOREVER;
    const double left = time_ms - (started - begun);
    if (left <= 0.05) return 0;
    return std::max<i64>(1, (i64)(std::min(left, SLICE_MS) * (rate > 0 ? rate : first)));
  }

  void learn(double work, double spent_ms) {
    const double measured = work / spent_ms;
    const double believed = rate > 0 ? rate : first > 0 ? first : measured;
    rate = std::min(std::max(std::min(measured, trust * believed), slowest), fastest);
  }
};

#ifdef WHOLE_TURNS
typedef Turn Action;
#else
typedef i64 Action;
#endif

// A player's answer. `value`: for the player who moves, if it is known.
struct Move {
  Action action;
  double value;
  bool valued;
  i64 depth, nodes;
};

}  // namespace play
