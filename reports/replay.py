"""A stored game, position by position: players, moves, times.

For the terminal as text, in colours if the game draws in colours; `replay_page.py` makes a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from joute.engines.colours import paint, plain
from joute.engines.engine import parse_engine
from joute.engines.errors import Refused, nearest
from joute.engines.game import Game
from joute.engines.position import Position
from joute.engines.record import NORMAL, GameRecord, SeatRecord
from joute.engines.transcript import Played, Told, transcript_of
from joute.reports.reading.words import counted, ordinal
from joute.results.meta import CONFIRMATION, Meta
from joute.results.quantity import milliseconds
from joute.results.store import Store
from joute.studies.kinds.train.archive import BEGINS, kept_game
from joute.studies.stored import game_of

MOST_LISTED = 200
"""Games listed; those that follow have numbers, too."""
DIGITS = 9
"""Digits of a game's number; more are the beginning of an id."""
NAMED = 4
"""Games named when a beginning of an id fits several."""

MOST_PLIES = 50_000
"""Plies of a game that is shown."""


@dataclass(frozen=True)
class ReplayStep:
    """A position of a game, and the move that led to it: the seat that moved (None: the opening),
    its action, its milliseconds if known, and its failure if it failed.
    """

    number: int
    drawing: str
    seat: int | None = None
    action: str = ""
    ms: float | None = None
    failure: str = ""


@dataclass(frozen=True)
class Replay:
    """A stored game with the names of its engines by seat, and its positions from the opening on;
    with its rules and the texts of the engines (empty if unknown).
    """

    record: GameRecord
    game: str
    names: tuple[str, ...]
    steps: tuple[ReplayStep, ...]
    plugins: tuple[str, ...] = ()
    rules: Game | None = None
    specs: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [self.title(), *self.seats(), *self.result(), "", self.steps[-1].drawing]
        return plain("\n".join(lines))

    @property
    def called(self) -> tuple[str, ...]:
        """Unique names of its engines; if one plays itself, the seats."""
        return self.names if len({*self.names}) > 1 else self.seat_names

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the rules call the players, such as White and Black; else first, second."""
        return (self.rules or Game).seats[: len(self.names)]

    def title(self) -> str:
        """Return a line that identifies the game."""
        record = self.record
        place = f"stage {record.stage}, round {record.round}"
        if record.id.startswith(BEGINS):
            place = f"self-play, iteration {record.round + 1}, number {record.order}"
        return f"game {record.id} of {self.game}: {place}; opening {record.opening}"

    def seats(self) -> list[str]:
        """Return each seat's player and result, a line a seat, in the seats' colours."""
        return [
            paint(f"{self.seat_names[i]}: {name}", i)
            + f"  {ending(seat, len(self.names))}{work(seat)}"
            for i, (name, seat) in enumerate(zip(self.names, self.record.seats, strict=True))
        ]

    def result(self) -> list[str]:
        """Return the result: order or winner, what stopped it, failures with their texts."""
        lines = [f"{counted(self.record.plies, 'move')}: {self._order()}"]
        if refereed(self.rules):
            lines = [f"{self._order()}{margins_text(self.record.seats)}"]
        if self.record.conceded:
            lines.append(
                f"removed as dead, as all players agreed: {' '.join(self.record.conceded)}"
            )
        for name, seat in zip(self.called, self.record.seats, strict=True):
            if seat.failure:
                number = seat.failure_ply - len(opened(self.record)) + 1
                at = "" if refereed(self.rules) else f" at move {number}"
                line = f"{name} failed{at}: {seat.failure}"
                lines.append(f"{line}\n{seat.failure_text.strip()}".rstrip())
        return lines

    def _order(self) -> str:
        """Name the engines in finishing order; ties share a place."""
        ranked = sorted(zip((s.rank for s in self.record.seats), self.called, strict=True))
        if len({rank for rank, _ in ranked}) == 1:
            order = "a draw" if len(ranked) == 2 else "all level"
        elif len(ranked) == 2:
            order = f"{ranked[0][1]} wins"
        else:
            last: float | None = None
            order = ""
            for rank, name in ranked:
                order += ("" if not order else " = " if rank == last else " > ") + name
                last = rank
        stopped = self.record.termination
        return order if stopped == NORMAL else f"{order} (by {stopped.replace('_', ' ')})"

    def heading(self, step: ReplayStep) -> str:
        """Return the move that led to a position as text."""
        if step.seat is None:
            what = (
                "the game, as its referee wrote it down" if refereed(self.rules) else "the opening"
            )
            return f"{step.number}. {what}"
        player = paint(f"{self.seat_names[step.seat]}, {self.names[step.seat]}", step.seat)
        spent = "" if step.ms is None else f"  {milliseconds(step.ms)}"
        failed = f"  ({step.failure})" if step.failure else ""
        return f"{step.number}. {player}: {step.action}{spent}{failed}"

    def shown(self, number: int) -> str:
        """Return the text of one position, with the result under the last."""
        step = self.steps[number]
        lines = [self.heading(step), step.drawing, ""]
        if number == len(self.steps) - 1:
            lines += self.result()
        return "\n".join(lines)


def refereed(game: Game | None) -> bool:
    """Whether a referee played the games of a game, so that there are no positions."""
    return game is not None and game.refereed


def margins_text(seats: Sequence[SeatRecord]) -> str:
    """Return the margins of all seats, in a game in which a referee said points."""
    margins = [seat.margin for seat in seats]
    if None in margins:
        return ""
    return f"; margins {', '.join(f'{margin:+g}' for margin in margins)}"


def log_text(record: GameRecord) -> str:
    """Return what the referee of a game wrote, or that it wrote nothing."""
    return record.log or "(no log is kept of this game)"


def ending(seat: SeatRecord, players: int) -> str:
    """Return a seat's result as text."""
    if players == 2:
        return {1.0: "won", 0.5: "drew", 0.0: "lost"}.get(seat.returns, f"{seat.returns:g}")
    if seat.rank == int(seat.rank):
        return ordinal(int(seat.rank))
    return f"level, mean rank {seat.rank:g}"


def work(seat: SeatRecord) -> str:
    """Return a seat's search effort and time as text, as far as known."""
    if not seat.plies:
        return ""
    nodes = f", nodes {seat.nodes / seat.plies:,.0f}" if seat.nodes else ""
    spent = f", {milliseconds(sum(seat.move_ms) / len(seat.move_ms))}" if seat.move_ms else ""
    return f"  (per move{nodes}{spent})".replace("(a move, ", "(a move: ") if nodes + spent else ""


class Stored(NamedTuple):
    """A stored game: its rules, its record, names and texts of its engines by seat (no texts if
    they are unknown), and the plugins and notes of its run.
    """

    game: Game
    record: GameRecord
    names: tuple[str, ...]
    specs: tuple[str, ...]
    plugins: tuple[str, ...]
    meta: Meta


def stored(folder: Path, name: str) -> Stored:
    """Return a stored game, by its number (its row in games.csv, from 1), its id or a unique beginning
    of it, or one of self-play by its name; raise Refused.
    """
    with Store.open(folder) as store:
        meta = store.meta()
        if name.startswith(BEGINS):
            game = game_of(meta)
            record, names = kept_game(folder, meta, game, name)
            return Stored(game, record, names, (), tuple(meta.plugins), meta)
        entry = store.game(listed_id(store, name) or full_id(store.ids(), name))
        engines = {
            key: (label(key, name), spec)
            for key, name, spec in store.rows("SELECT id, name, spec FROM engines")
        }
    assert entry is not None
    names, specs = zip(*(engines.get(s.engine, (s.engine, "")) for s in entry.seats), strict=True)
    return Stored(game_of(meta), entry, names, specs, tuple(meta.plugins), meta)


def replay(folder: Path, name: str) -> Replay:
    """Return a stored game with its positions; see `stored`."""
    game, record, names, specs, plugins, _ = stored(folder, name)
    return Replay(record, game.label, names, tuple(steps_of(game, record)), plugins, game, specs)


def transcript(folder: Path, name: str, written: str) -> str:
    """Return a stored game in a format of its game; raise Refused if the game lacks it."""
    game, record, names, specs, _, meta = stored(folder, name)
    kinds = tuple(map(kind_of_values, specs))
    return written_as(written, game, record, names, kinds, meta.study, meta.begun)


def transcripts(folder: Path, written: str) -> Iterator[str]:
    """Yield the games of a run, in the order of games.csv, in a format of their game; raise Refused if
    the game lacks it, or if no game is stored.
    """
    with Store.open(folder) as store:
        meta = store.meta()
        game, study = game_of(meta), meta.study
        known = {
            key: (label(key, name), kind_of_values(spec))
            for key, name, spec in store.rows("SELECT id, name, spec FROM engines")
        }
        some = False
        for record in store.rows_of_csv():
            some = True
            seats = [known.get(seat.engine, (seat.engine, "")) for seat in record.seats]
            names, kinds = zip(*seats, strict=True)
            yield written_as(written, game, record, names, kinds, study, meta.begun)
    if not some:
        raise Refused(f"{folder}: no game is stored yet")


def kind_of_values(spec: str) -> str:
    """Return which kind of values an engine tells, as `Search.tells`; "" for one that is not known here."""
    try:
        return parse_engine(spec).search.tells
    except Refused:
        return ""


def clock_of(study: Mapping[str, Any], stage: str) -> str:
    """Return each player's clock in a stage of a resolved study; "" if there is none."""
    longer = study.get("final", {}) if stage == CONFIRMATION else {}
    return str(longer.get("clock") or study.get("time", {}).get("clock") or "")


def written_as(
    written: str,
    game: Game,
    record: GameRecord,
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    study: Mapping[str, Any],
    date: str,
) -> str:
    """Return a game in a format; `names` and `kinds` of values by seat, `study` as resolved, `date` on
    which its run began.
    """
    words = [*opened(record), *record.actions.split()]
    played = Played(
        game,
        record.id,
        record.opening.partition("moves")[0].strip() or "startpos",
        tuple(action_of(game, text) for text in words),
        names,
        tuple(seat.returns for seat in record.seats),
        record.termination,
        next((seat.failure for seat in record.seats if seat.failure), ""),
        record.conceded,
        (Told(),) * len(opened(record)) + tuple(told_of(game, record, kinds)),
        str(study.get("name", "")),
        clock_of(study, record.stage),
        date,
    )
    return transcript_of(written, game.name).write(played)


def told_of(game: Game, record: GameRecord, kinds: tuple[str, ...]) -> Iterator[Told]:
    """Yield of each move after the opening what its player told of it. `kinds`: of values, by seat; none:
    unknown.
    """
    told = [
        zip_longest(seat.values, seat.move_depths, seat.move_ms, fillvalue=None)
        for seat in record.seats
    ]
    mover: int | None = None
    for position, _ in line_of(game, record):
        if mover is not None:
            value, depth, ms = next(told[mover], (None, None, None))
            yield Told(value, kinds[mover] if kinds else "", depth or 0, ms)
        mover = None if position.over else position.to_move


def label(key: str, name: str) -> str:
    """Return an engine's name: one that gave it up to a later engine has its id, and is an earlier one."""
    return name if name != key else f"earlier-{key[:6]}"


def listed_id(store: Store, name: str) -> str:
    """Return the id of the game with this number, from 1; "" for what is no such number."""
    if not (name.isascii() and name.isdigit() and len(name) <= DIGITS):
        return ""
    if not 0 < int(name) <= store.count():
        return ""
    return next(store.rows_of_csv(int(name) - 1, 1)).id


def full_id(known: list[str], name: str) -> str:
    """Return the only id with this beginning; raise Refused with the nearest, or all that fit."""
    if name in known:
        return name
    matching = [key for key in known if name and key.startswith(name.lower())]
    if len(matching) == 1:
        return matching[0]
    if matching:
        more = f" and {len(matching) - NAMED} more" if len(matching) > NAMED else ""
        numbers = f"; numbers go from 1 to {len(known)}" if name.isdigit() else ""
        raise Refused(f"{counted(len(matching), 'game')} begin with {name!r}: "
                      f"{', '.join(matching[:NAMED])}{more}{numbers}")  # fmt: skip
    if not known:
        raise Refused("this run has no stored game")
    numbers = f"a number from 1 to {len(known)}, the game's row in games.csv"
    near = nearest(name, known) or (
        f"; allowed: {numbers}, or an id or its beginning, such as {known[0]}"
    )
    what = f"has the number {name}, or an id that" if name.isdigit() else "has an id that"
    raise Refused(f"no game of this run {what} begins with {name!r}{near}")


def action_of(game: Game, text: str) -> int:
    """Return the action of a stored text, including one that replaces a failed turn."""
    failed = {game.action_text(action): action for action in game.on_failure.values()}
    return failed[text] if text in failed else game.action_of(text)


def opened(record: GameRecord) -> list[str]:
    """Return the moves of the opening."""
    return record.opening.partition("moves")[2].split()


def line_of(game: Game, record: GameRecord) -> Iterator[tuple[Position, str]]:
    """Yield the position after the opening and after every move, each with that move (first "")."""
    if (plies := record.actions.count(" ")) > MOST_PLIES:
        raise Refused(
            f"game {record.id} has {plies:,} plies; shown are games of up to {MOST_PLIES:,}"
        )
    before, after = opened(record), record.actions.split()
    start = record.opening.partition("moves")[0]
    outcomes = [int(word) for word in record.outcomes.split()]
    position = Position(game, start.strip() or "startpos")
    for number, text in enumerate([*before, *after]):
        if number == len(before):
            yield position, ""
        position.play(action_of(game, text), outcomes[number] if outcomes else 0)
        if number >= len(before):
            yield position, text
    if not after:
        yield position, ""


def named(position: Position) -> str:
    """Return a text that names a position: its line of play, or where chance took part its own."""
    if not position.game.chance:
        return position.line()
    known = position.game.fen(position.W, position.at)
    if known is None:
        raise Refused(
            f"{position.game.name}: chance moves take part, so moves alone do not describe a position"
        )
    return known


def steps_of(game: Game, record: GameRecord) -> Iterator[ReplayStep]:
    """Yield the positions of a game as they are shown; of one that a referee played, its log alone."""
    if game.refereed:
        yield ReplayStep(0, log_text(record))
        return
    spent = [iter(seat.move_ms) for seat in record.seats]
    mover: int | None = None
    for number, (position, action) in enumerate(line_of(game, record)):
        ms, failure = None, ""
        if mover is not None:
            ms, mover_seat = next(spent[mover], None), record.seats[mover]
            failure = mover_seat.failure if mover_seat.failure_ply == position.ply - 1 else ""
        yield ReplayStep(number, position.draw(), mover, action, ms, failure)
        mover = None if position.over else position.to_move


def moved(number: int, answer: str, last: int) -> int | None:
    """Return the position to show after an answer at the prompt, None to stop: Enter is on, b back,
    a number jumps, q quits. Other answers change nothing.
    """
    word = answer.strip().lower()
    if word in ("q", "quit"):
        return None
    if not word:
        return number + 1 if number < last else None
    if word in ("b", "back"):
        return max(0, number - 1)
    return min(int(word), last) if word.isascii() and word.isdigit() else number


def data(replayed: Replay) -> dict[str, Any]:
    """Return the game as JSON data, drawings without colours."""
    steps = [asdict(step) | {"drawing": plain(step.drawing)} for step in replayed.steps]
    margins = [seat.margin for seat in replayed.record.seats]
    return {
        "id": replayed.record.id,
        "game": replayed.game,
        "engines": list(replayed.names),
        "returns": [seat.returns for seat in replayed.record.seats],
        "ranks": [seat.rank for seat in replayed.record.seats],
        "termination": replayed.record.termination,
        "opening": replayed.record.opening,
        **({"margins": margins} if refereed(replayed.rules) else {}),
        **({"conceded": list(conceded)} if (conceded := replayed.record.conceded) else {}),
        "steps": steps,
    }
