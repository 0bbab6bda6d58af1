"""Vamperouge's question: does its avoidance of humans go away when the fault of its symmetries is mended
(`unturned.py`), when it learns on maps with few and weak humans (`random:tame`), or with both?

    python -m benchmarks.vamperouge --out runs/vamperouge-table [--set selfplay.iterations=10 ...]

Trains `vamperouge` in the four ways, two at once, one worker each; then each network meets two opponents on
the tournament's maps, on those of Langorou's tournament and on those that Vamperouge learnt on. Those that
learnt with the fault play with it, as Vamperouge did, and without. Of each is told: its score; in how many
turns that had a group of humans next to a group of its own and no stronger it took such a group; in how
many it attacked stronger humans; and how many of all humans it converted. The same command goes on where
it stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

from benchmarks import joute
from joute.engines.engine import parse_game
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.position import Position
from joute.results.statistics import wilson
from joute.results.store import Store
from joute.studies.kinds.train.history import History
from joute.studies.learning.recorded_games import RecordedGame, games_of_run

PLUGIN = Path(__file__).with_name("unturned.py")
WAYS = {  # search of training, maps of training
    "fault": ("unturned", "random:vamperouge"),
    "turned-back": ("puct", "random:vamperouge"),
    "fault-tame": ("unturned", "random:tame"),
    "turned-back-tame": ("puct", "random:tame"),
}
MAPS = {
    "tournament": "testmap+thetrap+splitiskey+all_in+humans_everywhere+map8",  # up to 16 x 16
    "langorou": "random:langorou",
    "vamperouge": "random:vamperouge",
}
OPPONENTS = ("random", "expectiminimax:evaluation=langorou,depth=1")
PLIES = 120


@dataclass
class Deeds:
    """What a player did in games."""

    turns: int = 0
    chances: int = 0  # turns in which humans could be converted for certain
    taken: int = 0
    weak: int = 0  # attacks on stronger humans
    humans: int = 0  # of all games, at their start
    eaten: int = 0
    points: float = 0.0
    games: int = 0

    def add(self, other: Deeds) -> None:
        """Add what was done in other games."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def told(self) -> str:
        """Return it as a line, with Wilson's 95 % intervals of the shares."""
        low, high = wilson(self.taken, max(self.chances, 1))
        return (
            f"{100 * self.points / self.games:.1f} % of the points of {self.games} games; took "
            f"{100 * self.taken / max(self.chances, 1):.1f} % ({100 * low:.1f} to {100 * high:.1f}) of "
            f"{self.chances} chances; {100 * self.weak / self.turns:.1f} % of its turns attack stronger "
            f"humans; converts {100 * self.eaten / max(self.humans, 1):.1f} % of all humans"
        )


class Match(NamedTuple):
    """Who plays, with which search and network, on which maps, against whom."""

    name: str
    search: str
    net: Path
    where: str
    opponent: str

    @property
    def label(self) -> str:
        """A name for it."""
        return f"{self.name}, {self.where}, {self.against}"

    @property
    def against(self) -> str:
        """The opponent's search."""
        return self.opponent.partition(":")[0]


def main() -> None:
    """Train what is missing, play what is missing, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="PATH=VALUE")
    parser.add_argument("--blocks", type=int, default=25)
    asked = parser.parse_args()
    with ThreadPoolExecutor(2) as pool:
        nets = dict(
            zip(
                WAYS,
                pool.map(lambda way: trained(way, asked.out, asked.settings), WAYS),
                strict=True,
            )
        )
        matches = [
            Match(*player, where, opponent)
            for player in players(nets)
            for where in MAPS
            for opponent in OPPONENTS
        ]
        played = pool.map(lambda match: play(match, asked.out, asked.blocks), matches)
        totals: dict[str, Deeds] = {}
        for match, folder in zip(matches, played, strict=True):
            print(f"{match.label}:")
            for who, deeds in deeds_of(folder, match.where).items():
                print(f"    {who}: {deeds.told()}", flush=True)
                name = match.name if f"search={match.search}" in who else match.opponent
                totals.setdefault(f"{name}, {match.against}", Deeds()).add(deeds)
    print("\nall maps together:")
    for name, deeds in totals.items():
        print(f"{name}: {deeds.told()}")


def players(nets: dict[str, Path]) -> Iterator[tuple[str, str, Path]]:
    """Yield who plays: name, search, network."""
    for way, (search, _) in WAYS.items():
        yield way, search, nets[way]
        if search != "puct":
            yield f"{way}-undone-in-play", "puct", nets[way]


def trained(way: str, out: Path, settings: Sequence[str]) -> Path:
    """Train in one of the ways, if it is not done; return the champion."""
    search, where = WAYS[way]
    folder = out / way
    command = ["run", "vamperouge", "--out", str(folder), "-j", "1"]
    for setting in (
        f'plugins=["{PLUGIN}"]', f'name="{way}"', f'game="vampires[map={where},plies={PLIES}]"',
        f'engine.search="{search}"', *settings,
    ):  # fmt: skip
        command += ["--set", setting]
    joute(*command)
    with Store.open(folder) as store:
        champion = History(store).champion
    return folder / "nets" / f"{champion:04}.onnx"


def play(match: Match, out: Path, blocks: int) -> Path:
    """Play a match, if it is not played; return its folder."""
    folder = out / "matches" / match.label
    settings = "generator=vamperouge,iterations=25,c=1,symmetry=random,max_nodes=20000"
    spec = f"{game_of(match.where)}/{match.search}:network={match.net},{settings}"
    command = ["--plugin", str(PLUGIN), "match", spec, match.opponent, "--blocks", str(blocks)]
    joute(*command, "--out", str(folder), "-j", "1", "--no-report")
    return folder


def game_of(where: str) -> str:
    """Return the game that is played on some maps."""
    return f"vampires[map={MAPS[where]},plies={PLIES}]"


def deeds_of(folder: Path, where: str) -> dict[str, Deeds]:
    """Return what each player of a match did."""
    game = parse_game(game_of(where))
    assert isinstance(game, Vampires)
    deeds_by_player: dict[str, Deeds] = {}
    for game_record in games_of_run(folder, game).games:
        count(game, game_record, deeds_by_player)
    return deeds_by_player


def count(game: Vampires, recorded: RecordedGame, by_name: dict[str, Deeds]) -> None:
    """Add what was done in a game."""
    position = Position(game, recorded.start)
    by_seat = [by_name.setdefault(name, Deeds()) for name in recorded.seats]
    humans = sum(game.board(position.W, position.at).humans.values())
    for deeds, returns in zip(by_seat, recorded.returns, strict=True):
        deeds.games, deeds.points = deeds.games + 1, deeds.points + returns
        deeds.humans += humans
    for ply, text in enumerate(recorded.actions):
        before = game.board(position.W, position.at)
        own = (before.vampires, before.werewolves)[before.turn]
        moved = [(to, units) for _, to, units in moves_of(text)]
        near = {
            house
            for (x, y), units in own.items()
            for house in neighbours(x, y)
            if 0 < before.humans.get(house, 0) <= units
        }
        deeds = by_seat[position.to_move]
        position.play(game.action_of(text), recorded.outcomes[ply] if recorded.outcomes else 0)
        after = game.board(position.W, position.at)
        ours = (after.vampires, after.werewolves)[before.turn]
        deeds.turns += 1
        deeds.chances += bool(near)
        deeds.taken += any(before.humans.get(to, units + 1) <= units for to, units in moved)
        deeds.weak += any(before.humans.get(to, 0) > units for to, units in moved)
        deeds.eaten += sum(before.humans.get(to, 0) for to in {to for to, _ in moved} & {*ours})


def moves_of(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int], int]]:
    """Yield from where, to where and how many of a turn, `(4,3)>(5,4):3+(4,3)>(3,3):1`."""
    for part in text.split("+"):
        cells, _, units = part.partition(":")
        origin, to = (tuple(map(int, cell.strip("()").split(","))) for cell in cells.split(">"))
        yield (origin[0], origin[1]), (to[0], to[1]), int(units)


def neighbours(x: int, y: int) -> Iterator[tuple[int, int]]:
    """Yield the cells around a cell."""
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if dx or dy:
                yield x + dx, y + dy


if __name__ == "__main__":
    main()
