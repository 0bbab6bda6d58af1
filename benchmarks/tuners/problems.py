"""The problems: those of the literature, and one of each class that a model of smooth hills gets wrong.

LOG, ROSENBROCK and CORRELATED are of Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box
Parameter Tuning" (2011). All numbers are log-odds (0.1151 is 20 Elo), on axes from -1 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from benchmarks.tuners import chess
from benchmarks.tuners.family import drawn
from benchmarks.tuners.problem import Problem, chance
from benchmarks.tuners.space import Category, Point, Real, Space, Whole, floats
from joute.engines.errors import Refused, unknown
from joute.results.statistics import score_of

LOG_BEST = -0.525


def at(*values: float) -> Point:
    """Return the point of such axes."""
    return {f"x{i + 1}": value for i, value in enumerate(values)}


def coordinates(point: Point) -> list[float]:
    """Return the values of such axes."""
    return [float(value) for value in point.values()]


def log_curve(x: float) -> float:
    """LOG: steep on one side of its optimum, flat on the other."""
    u = 2 * x + 1
    return 2 * math.log(2 * u + 2.1) - 2 * u - 1


def log_mean(point: Point) -> float:
    """The mean of LOG over the coordinates."""
    return sum(map(log_curve, coordinates(point))) / len(point)


def rosenbrock(point: Point) -> float:
    """A bent ridge."""
    x, y = 4 * float(point["x1"]), 10 * float(point["x2"]) + 4
    return 1 - 0.1 * ((1 - x) ** 2 + (y - x * x) ** 2)


def correlated(point: Point) -> float:
    """A ridge ten times as narrow as long, askew, and thousands of Elo below it."""

    def dip(t: float) -> float:
        return t * t * (t * (1 - t) - 1)

    a, b = coordinates(point)
    return 0.2 * (dip(10 * (a + b + 0.1)) + dip(a - b + 0.9)) + 0.1


def nothing(point: Point) -> float:
    """Nothing matters."""
    return 0.0


def weak(point: Point) -> float:
    """20 Elo between the best and the worst corner."""
    a, b = coordinates(point)
    return 0.1151 * (0.5 - ((a - 0.4) ** 2 + (b + 0.3) ** 2) / (1.4**2 + 1.3**2))


def wide(point: Point) -> float:
    """Three of twenty coordinates matter, one of them little; two go together."""
    x = coordinates(point)
    a, b, c = x[2] - 0.4, x[9] + 0.3, x[16] - 0.1
    return 0.6 - 1.2 * a * a - 0.9 * b * b - 0.8 * a * b - 0.2 * c * c


def drawn_log(point: Point) -> float:
    """Six games of ten are drawn, the others are LOG's."""
    score = 0.3 + 0.4 * chance(log_mean(point))
    return math.log(score / (1 - score))


def six_of_ten(point: Point) -> float:
    """The share of draws of DRAWS."""
    return 0.6


def drawish_at_the_top(point: Point) -> float:
    """Draws of nine tenths of what can be drawn, at LOG's optimum only: wins are most elsewhere."""
    score = chance(log_mean(point))
    return 1.8 * min(score, 1 - score) * math.exp(-(((float(point["x1"]) - LOG_BEST) / 0.3) ** 2))


def plateau(point: Point) -> float:
    """A flat top of half the half range, with slopes on both sides (of all coordinates: their mean)."""
    off = [max(0.0, abs(x - 0.35) - 0.25) for x in coordinates(point)]
    return 0.5 - 4 * sum(v * v for v in off) / len(off) - 1.0 * sum(off) / len(off)


def step(point: Point) -> float:
    """A jump of 174 Elo up to a plateau that reaches to the end."""
    return 0.5 if float(point["x1"]) >= 0.3 else -0.5


def kink(point: Point) -> float:
    """A ridge like a roof (of all coordinates: the sum)."""
    return 0.5 - 2.5 * sum(abs(x - 0.3) for x in coordinates(point))


def cliff(point: Point) -> float:
    """Better and better up to an edge at x1 = 0.45, terrible beyond; a second coordinate is smooth."""
    x, *rest = coordinates(point)
    return (0.1 + x if x <= 0.45 else -3.0) - 1.5 * sum((y + 0.2) ** 2 for y in rest)


def hills(point: Point) -> float:
    """Two hills, of which the wider one is the lower."""
    x = float(point["x1"])
    low = 0.9 * math.exp(-(((x + 0.45) / 0.4) ** 2))
    high = 1.3 * math.exp(-(((x - 0.6) / 0.12) ** 2))
    return max(low, high) - 0.6


def category(point: Point) -> float:
    """Five names, each with an optimum of its own."""
    height, place = {
        "a": (-0.3, 0.0),
        "b": (0.2, -0.6),
        "c": (0.5, 0.4),
        "d": (0.1, 0.7),
        "e": (-0.8, -0.2),
    }[str(point["c"])]
    return height - 1.5 * (float(point["x"]) - place) ** 2


def integer(point: Point) -> float:
    """A whole number and a fraction that go together, as depth and width do."""
    n, x = int(point["n"]) - 6, float(point["x"]) - 0.2
    return 0.5 - 0.06 * n * n - 1.5 * x * x - 0.3 * n * x


def made(
    name: str,
    summary: str,
    count: int,
    curve: Callable[[Point], float],
    *best: float,
    **more: object,
) -> Problem:
    """Return a problem of so many floats."""
    return Problem(name, summary, floats(count), curve, at(*best), **more)  # type: ignore[arg-type]


def log(name: str, count: int, low: float, lower: float, answer: float) -> Problem:
    """Return LOG on so many axes, with its targets after 1,000 and 10,000 games."""
    best, aims = [LOG_BEST] * count, {1000: low, 10_000: lower}
    return made(name, "lopsided hill", count, log_mean, *best, targets=aims, answer_target=answer)


WIDE_BEST = [{2: 0.4, 9: -0.3, 16: 0.1}.get(i, 0.0) for i in range(20)]
NAMED: Space = {"c": Category(tuple("abcde")), "x": Real()}
COUNTED: Space = {"n": Whole(1, 9), "x": Real()}
ALL = (
    log("LOG", 1, 0.0045, 0.0009, 0.010),
    log("LOG2", 2, 0.010, 0.0018, 0.028),
    log("LOG5", 5, 0.050, 0.014, 0.090),
    made("ROSENBROCK", "bent ridge", 2, rosenbrock, 0.25, -0.3, targets={1000: 0.010}),
    made("CORRELATED", "narrow ridge askew", 2, correlated, -0.5, 0.4, targets={1000: 0.0046}),
    made("DEAD2", "nothing matters", 2, nothing, 0.0, 0.0),
    made("WEAK", "20 Elo in all", 2, weak, 0.4, -0.3),
    made("WIDE", "3 of 20 matter", 20, wide, *WIDE_BEST),
    made("DRAWS", "LOG, 60 % draws", 1, drawn_log, LOG_BEST, draws=six_of_ten),
    made("DRAWISH", "LOG, draws at the top", 1, log_mean, LOG_BEST, draws=drawish_at_the_top),
    made("PLATEAU", "flat top", 1, plateau, 0.35, smooth=False),
    made("PLATEAU2", "flat top", 2, plateau, 0.35, 0.35, smooth=False),
    made("STEP", "one-sided plateau", 1, step, 0.65, smooth=False),
    made("KINK", "roof", 1, kink, 0.3, smooth=False),
    made("KINK2", "roof", 2, kink, 0.3, 0.3, smooth=False),
    made("CLIFF", "best at an edge", 1, cliff, 0.45, smooth=False),
    made("CLIFF2", "best at an edge", 2, cliff, 0.45, -0.2, smooth=False),
    made("HILLS", "the wider hill is lower", 1, hills, 0.6, smooth=False),
    Problem("CATEGORY", "5 names, 1 number", NAMED, category, {"c": "c", "x": 0.4}),
    Problem("INTEGER", "1 to 9, 1 number", COUNTED, integer, {"n": 6, "x": 0.2}),
)
MOST_CYCLES = 1000  # Elo
PROBLEMS = {problem.name: problem for problem in ALL}


def cyclic(problem: Problem, elo: str) -> Problem:
    """Return a problem whose duels go in circles, worth so much Elo; Refused where none fit."""
    if not elo.isdecimal() or not 0 < int(elo) <= MOST_CYCLES:
        raise Refused(f"{problem.name}~{elo}: cycles are 1 to {MOST_CYCLES} Elo")
    if len(problem.space) < 2:
        raise Refused(f"{problem.name}~{elo}: one parameter has no cycles; allowed: two or more")
    score = score_of(float(elo))
    cycles = math.log(score / (1 - score))
    return replace(problem, name=f"{problem.name}~{elo}", cycles=cycles)


def find_problem(name: str) -> Problem:
    """Return a problem by its name, drawn ones too; Refused, with the nearest name, if there is none.

    `NAME~40`: the same, but duels go in circles, worth 40 Elo between neighbouring corners.
    """
    name, _, elo = name.partition("~")
    if elo:
        return cyclic(find_problem(name), elo)
    if name.upper().startswith(f"{chess.NAME}-"):
        return chess.chess(name.upper())
    if "-" in name:
        return drawn(name.upper())
    if name.upper() not in PROBLEMS:
        raise unknown("problem", name, PROBLEMS)
    return PROBLEMS[name.upper()]
