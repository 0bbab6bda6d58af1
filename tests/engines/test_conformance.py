"""Every member of the registry, and the toy games, keep what the rooms expect of them."""

from __future__ import annotations

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.game import games_with_rules
from joute.engines.kernels.random import next_word, stream
from joute.engines.position import Position, parse_position
from joute.engines.registry import find, names
from joute.harness.conformance.check import check_engine, check_game, check_thing
from joute.harness.conformance.subjects import engines_of
from tests.support.marks import quick, slow
from tests.support.plugins import plugged
from tests.support.runs import TOYS

pytestmark = pytest.mark.usefixtures("toys")
with plugged(TOYS):
    GAMES = [*games_with_rules(), "connect4[columns=12,rows=6]", "connect4[columns=16,rows=10]"]

APART = ("dodo", "gopher", "go")  # have tests of their own


@pytest.mark.parametrize("game", quick(GAMES, lambda game: game not in APART))
def test_game_conforms(game: str) -> None:
    assert [c for c in check_game(parse_game(game)) if c.fault] == []


@pytest.mark.parametrize("game", quick(GAMES, lambda game: game in ("switches", GAMES[-2])))
def test_wandering_is_playing_one_random_action_after_the_other(game: str) -> None:
    rules = parse_game(game)
    for seed in range(20):
        quick_one, slow_one = (Position(rules, rules.start_text(seed)) for _ in range(2))
        S, T = stream(seed), stream(seed)
        for plies in (seed % 7, 2, 40):  # the last one ends many games
            quick_one.wander(S, plies)
            for _ in range(plies):
                if slow_one.over:
                    break
                action = slow_one.sample_action(T)
                slow_one.play(action, slow_one.draw_outcome(action, int(next_word(T))))
            assert quick_one.moves == slow_one.moves
            assert quick_one.outcomes == slow_one.outcomes
            assert (quick_one.status, quick_one.at) == (slow_one.status, slow_one.at)
            assert list(quick_one.words()) == list(slow_one.words()) and list(S) == list(T)


SIZES = (  # of games that are seen, and what may be said of the views
    *(f"stones[marks=playable] of gopher[side={side}]" for side in range(2, 8)),
    *(f"checkers[marks=board] of dodo[side={side}]" for side in range(2, 8)),
    "checkers of dodo[side=5,threshold=1]",
    "discs of connect4[columns=16,rows=10]",
    "goban[history=8] of go[columns=5,rows=3]",
    "goban[history=1] of go[size=5,rules=japanese]",
    "goban[history=3] of go[size=2]",
    "ribbons of tron[width=6,height=6]",
    "ribbons of tron[width=31,height=40,starts=mirrored]",
    *(
        f"units[unit=10,edge=seen] of vampires[map={one},plies=80]"
        for one in (
            "random:vamperouge", "random:twilight:7x7:10:8", "testmap+map8",
            "random:twilight:16x16:30:250",
        )
    ),
    *(
        f"units[edge=seen,corner=any] of vampires[map={one},plies=80]"
        for one in ("random:vamperouge", "random:twilight:5x9:6:5")
    ),
)  # fmt: skip


@pytest.mark.parametrize("view", [*names("view"), *map(slow, SIZES)])
def test_view_conforms(view: str) -> None:
    assert [c for c in check_thing(view) if c.fault] == []


DEAR = ("dodo", "connect4[columns=16,rows=10]")  # most kernels
MADE = [game for game in GAMES if game != "connect4[columns=12,rows=6]"]  # one word, or many


@pytest.mark.parametrize("game", quick(MADE, "race".__eq__, dear=DEAR.__contains__))
def test_engines_conform(game: str) -> None:
    """All of a game in one test: naming them makes their kernels, too much for collecting tests.

    Every search with some evaluation, every evaluation with some searches: each pair is compiled.
    """
    engines, tried = [], set[str]()
    for text in engines_of(parse_game(game)):
        search = parse_engine(text).search.name
        if search in ("alphabeta", "uct") or search not in tried:
            engines.append(text)
        tried.add(search)
    assert [c for text in engines for c in check_engine(parse_engine(text)) if c.fault] == []


@pytest.mark.slow
def test_every_search_is_tried_on_some_game() -> None:
    every = [*GAMES, "gopher[side=3]"]  # a search of its own is for odd sides
    engines = [parse_engine(text) for game in every for text in engines_of(parse_game(game))]
    tried = {engine.search.name for engine in engines}
    guided = {name for name in names("search") if find("search", name).guided}  # need a file
    assert tried | guided == set(names("search")) - {"bot", "human", "process"}  # wait for somebody


def test_a_wrong_game_is_found_out() -> None:
    from joute.engines.games.connect4.connect4 import Connect4

    class Endless(Connect4):
        """Claims to end sooner than it does."""

        name = "endless"

        def setup(self) -> None:
            super().setup()
            self.max_plies = 3

    faults = [c.rule for c in check_game(Endless()) if c.fault]
    assert "games end with fair returns" in faults


@pytest.mark.parametrize(
    "search",
    [
        "alphabeta:evaluation=lines,depth=5",
        "uct:iterations=300",
        slow("uct:evaluation=static,iterations=99"),
    ],
)
def test_a_search_considers_only_what_its_generator_lists(search: str) -> None:
    game = "connect4[columns=7,rows=6]"
    position = parse_position(parse_game(game), "startpos moves 1 7 1 7 1 6")  # 1 wins at once
    plain, narrow = (parse_engine(f"{game}/{search}{extra}") for extra in ("", ",generator=first"))
    assert plain.player().choose(position).action == 0
    assert narrow.player().choose(position).action == position.legal_actions()[0] != 0
    assert plain.digest != narrow.digest
