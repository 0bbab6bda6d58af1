"""Random games of one game and size: each is played to its end, looked at on one random ply and at its
end, and played again in all images at once.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from joute.engines.games.hexagons import HexagonGame
from joute.engines.kernels.compile import Ints, Kernel, U, config, kernel
from joute.engines.kernels.random import seed_of, stream
from joute.engines.position import Position, parse_position
from tests.random_games.images import Exchange, images_of, maps_of
from tests.random_games.twins import along_with_the_twin


@dataclass
class Found:
    """What was played, and the faults; `checks` are comparisons that might have failed."""

    label: str
    maps: int
    games: int = 0
    plies: int = 0
    fewest: int = 1 << 60
    most: int = 0
    twins: int = 0  # games that were played along with the slow twin
    checks: int = 0
    seconds: float = 0.0
    lines: set[int] = field(default_factory=set)  # digests of the games' moves
    faults: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the line of a game."""
        return (
            f"{self.label}: {self.games:,} games ({len(self.lines):,} different), {self.plies:,} plies "
            f"({self.fewest} to {self.most} a game), {self.maps} maps, {self.twins:,} beside the slow "
            f"twin, {self.checks:,} checks, bounds {'' if config.BOUNDSCHECK else 'not '}checked, "
            f"{self.seconds:.0f} s, {len(self.faults)} faults"
        )


class Wrong(Exception):
    """Two things differ that must be the same."""


class Walk:
    """Plays random games of a game, numbered by seeds, and compares."""

    def __init__(self, game: Any, seed: int, twins: int) -> None:
        maps = maps_of(game)
        self.found = Found(game.label, len(maps))
        self._game, self._seed, self._twins = game, seed, twins
        self._images = images_of(game, maps)
        self._exchange = Exchange(game) if isinstance(game, HexagonGame) else None
        self._replay, self._legal = replay_kernel(game), legal_kernel(game)
        self._W = game.room((game.max_plies + 2) * game.words)
        self._L = np.zeros(max(map(len, self._images)) + 2, np.int64)
        self._R = np.zeros(2, np.float64)

    def games(self, numbers: Iterable[int]) -> Found:
        """Play the games of these numbers."""
        for n in numbers:
            try:
                self.one(n)
            except Wrong as wrong:
                self.found.faults.append(f"game {n}: {wrong}")
            except Exception as error:  # an index out of bounds is a finding, too
                self.found.faults.append(f"game {n}: raised {error!r}")
        return self.found

    def one(self, number: int) -> None:
        """Play a game, by its number, and check all there is to check."""
        seed, game, found = seed_of(self._seed, number), self._game, self.found
        ended = Position(game)
        ended.wander(stream(seed), game.max_plies)
        plies = ended.ply
        found.games, found.plies = found.games + 1, found.plies + plies
        found.fewest, found.most = min(found.fewest, plies), max(found.most, plies)
        moves = np.array(ended.moves, np.int64)
        found.lines.add(hash(moves.tobytes()))
        self.same("over", ended.over, True, ended)
        self.same("returns sum to", sum(ended.returns()), 1.0, ended)
        rng = random.Random(seed)
        chosen = Position(game)
        chosen.wander(stream(seed), rng.randrange(plies))
        self.same("the same stream, other moves", ended.moves[: chosen.ply], chosen.moves, ended)
        self.same("over before its end", chosen.over, False, chosen)
        self._lists_what_is_legal(chosen)
        for image in self._images:
            self._goes_as_its_image(chosen, ended, moves, image)
        if self._exchange is not None:
            self._goes_as_exchanged(chosen, self._exchange)
        for position in (chosen, ended):
            self._reads_back(position)
        if number % self._twins == 0:
            found.twins += 1
            along_with_the_twin(game, ended.moves, self.same)

    def same(self, what: str, found: object, wanted: object, position: Position) -> None:
        """Compare; raise Wrong with what repeats the position."""
        self.found.checks += 1
        if found != wanted:
            raise Wrong(f"{what}: {found}, not {wanted}, in {position.line()}")

    def _lists_what_is_legal(self, position: Position) -> None:
        listed, most = position.legal_actions(), len(self._L) - 2
        count = int(self._legal(position.W, position.at, -1, most + 1, self._L))
        self.same("legal by themselves", self._L[:count].tolist(), sorted(listed), position)

    def _goes_as_its_image(
        self, chosen: Position, ended: Position, moves: Ints, image: Ints
    ) -> None:
        """Play all in the image; the key, the legal actions and the status are those of the position,
        and so is the end.
        """
        k, W = self._game.rules, self._W
        at = self._replay(W, 0, moves, 0, chosen.ply, image)
        seen = (int(k.key(W, at)), int(k.status(W, at)), int(k.to_move(W, at)))
        wanted = (chosen.key(), chosen.status, chosen.to_move)
        self.same("key, status and mover of an image", seen, wanted, chosen)
        listed = sorted(self._game.list_actions(W, at))
        actions = np.sort(image[chosen.legal_actions()]).tolist()
        self.same("legal actions of an image", listed, actions, chosen)
        at = self._replay(W, at, moves, chosen.ply, ended.ply, image)
        k.returns(W, at, self._R, 0)
        seen = (int(k.key(W, at)), int(k.status(W, at)))
        self.same("the end of an image", seen, (ended.key(), ended.status), ended)
        self.same("returns of an image", self._R.tolist(), ended.returns(), ended)

    def _goes_as_exchanged(self, position: Position, exchange: Exchange) -> None:
        other = exchange.of(position)
        actions = sorted(exchange.actions[position.legal_actions()].tolist())
        self.same("legal with colours exchanged", sorted(other.legal_actions()), actions, position)
        self.same("status with colours exchanged", other.status, 0, position)
        twice = exchange.of(other)
        self.same("key, exchanged twice", twice.key(), position.key(), position)

    def _reads_back(self, position: Position) -> None:
        """The text is the same position's, but for the boards that superko looks back on."""
        text = str(position.text())
        again = parse_position(self._game, text)
        seen = (again.text(), again.key(), again.status)
        self.same("its text", seen, (text, position.key(), position.status), position)
        if position.over:
            self.same("returns by its text", again.returns(), position.returns(), position)
            return
        known, read = position.legal_actions(), again.legal_actions()
        if self._game.path_dependent:
            read = [action for action in read if action in known]
        self.same("legal by its text", read, known, position)


def replay_kernel(game: Any) -> Kernel:
    """Return `replay(W, at, M, first, last, I)`: play the images I of the moves M[first..last-1] from the
    state at W[at], or from the start, which is made where `first` is 0; return where it ends.
    """
    k, step, lasting = game.rules, U(game.words), game.path_dependent
    start, apply = k.start, k.apply

    @kernel("u8(u8[::1], u8, i8[::1], i8, i8, i8[::1])", inline=False)
    def replay(W, at, M, first, last, I):
        if first == 0:
            at = U(0)
            for i in range(step):
                W[U(i)] = U(0)
            start(W, at)
        for i in range(first, last):
            to = at + step
            if not lasting and at != U(0):
                to = U(0)
            apply(W, at, to, I[U(M[U(i)])], np.int64(0))
            at = to
        return at

    return replay


def legal_kernel(game: Any) -> Kernel:
    """Return `legal(W, at, low, high, L)`: write the numbers from low to high - 1 that are legal by
    themselves at L[0..]; return how many.
    """
    is_legal = game.rules.is_legal

    @kernel("i8(u8[::1], u8, i8, i8, i8[::1])", inline=False)
    def legal(W, at, low, high, L):
        n = U(0)
        for action in range(low, high):
            if is_legal(W, at, action):
                L[n] = action
                n += U(1)
        return np.int64(n)

    return legal
