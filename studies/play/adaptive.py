"""Playing a stage with adaptive pairings: its parts are planned while it is played, and noted, so that a
run goes on with just these.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections import deque
from collections.abc import Iterator, Sequence

from joute.engines.kernels.random import seed_of
from joute.engines.record import GameRecord
from joute.harness.adaptive import Pairings
from joute.harness.schedule import Block, Table, block_id, seatings
from joute.harness.worker import Task
from joute.results.database import damaged
from joute.results.store import Returns
from joute.studies.play.stages import groups_of
from joute.studies.play.study_run import StudyRun
from joute.studies.study import Entrant, StagePlan
from joute.studies.tuner.threads import one_thread

Part = Sequence[tuple[str, Table]]  # the group and table of each block
PART = "part {:06} of {}"  # key of a part among the notes of a run: number, stage


def play_adaptive(run: StudyRun, stage: StagePlan, entrants: Sequence[Entrant]) -> None:
    """Play the missing games of a stage with adaptive pairings; mark the games that count."""
    blocks = AdaptiveBlocks(run, stage, entrants)
    run.progress.begin(stage.name, blocks.games, blocks.have)
    for records in run.stream(blocks):
        blocks.add(records)
    run.progress.end()
    run.store.count_only(stage.name, blocks.that_count())
    run.falls_short(blocks.games - blocks.have)


class AdaptiveBlocks(Iterator[Task]):
    """The missing blocks of a stage that are known for now; more follow results.

    `total`: blocks of the whole stage; `have`: its games that are stored.
    """

    def __init__(self, run: StudyRun, stage: StagePlan, entrants: Sequence[Entrant]) -> None:
        self._run, self._stage = run, stage
        players = run.study.game.players
        self._each = len(seatings(players))
        lines = run.study.openings.lines
        self._pairings = {
            group: Pairings(
                [entrant.engine.id for entrant in members],
                players,
                stage.blocks,
                seed_of(run.study.seed, stage.name, group),
                most=len(lines) if lines else None,
            )
            for group, members in groups_of(stage, entrants)
        }
        self.total = sum(pairings.total for pairings in self._pairings.values())
        self._blocks: list[Block] = []
        self._ends: list[int] = []  # where parts end among the blocks
        self._results = list[dict[int, Returns]]()  # of each block by seating
        self._stored = run.stored_returns(stage.name)  # by block, of those that are not planned yet
        self._learnt = 0  # parts whose results the pairings know
        self._queue = deque[Block]()
        self._handed_out = run.store.count()  # games, with those that are stored
        self.have = 0
        self._take_up()
        self._advance()

    @property
    def games(self) -> int:
        """Games of the whole stage."""
        return self.total * self._each

    def that_count(self) -> dict[str, tuple[str, int]]:
        """Return the blocks of the stage by id: group and place."""
        return {block.id: (block.group, block.order) for block in self._blocks[: self.total]}

    @property
    def _size(self) -> int:
        return len(self._blocks)

    def __len__(self) -> int:
        return len(self._queue)

    def __next__(self) -> Task:
        run = self._run
        if not self._queue or run.stop_asked or run.is_spent(self._handed_out, self._each):
            raise StopIteration
        block = self._queue.popleft()
        missing = self._missing(block)
        self._handed_out += len(missing)
        return Task(block.order, block, run.openings.of(block, self._stage.shared), missing)

    def add(self, records: Sequence[GameRecord]) -> None:
        """Take finished games, and plan what follows them."""
        for record in records:
            self._results[record.order][record.seating] = tuple(s.returns for s in record.seats)
        self.have += len(records)
        self._advance()

    def _missing(self, block: Block) -> tuple[int, ...]:
        """Return the seatings of a block without a result."""
        known = self._results[block.order]
        return tuple(seating for seating in range(self._each) if seating not in known)

    def _noted(self) -> Iterator[Part]:
        """Yield the parts that were planned before. Where the field has changed, as that of a later stage
        may, those from the first one on that it cannot play are forgotten.
        """
        store, number = self._run.store, 0
        meta = store.meta()
        left = set(meta.left)
        while text := meta.get(key := PART.format(number, self._stage.name)):
            try:
                part = [(str(group), tuple(map(str, table))) for group, table in json.loads(text)]
            except (ValueError, TypeError, RecursionError):
                raise damaged(store.path, f"the note {key!r} holds no pairings") from None
            part = [(group, table) for group, table in part if not left.intersection(table)]
            if not all(self._can_meet(group, table) for group, table in part):
                rest = [PART.format(i, self._stage.name) for i in range(number, len(meta))]
                store.set_meta({key: "" for key in rest if key in meta})
                return
            yield part
            number += 1

    def _can_meet(self, group: str, table: Table) -> bool:
        return group in self._pairings and self._pairings[group].can_meet(table)

    def _append(self, part: Part) -> None:
        """Add the blocks of a part, with their games that are stored."""
        study, stage = self._run.study, self._stage.name
        for group, table in part:
            number, place = self._pairings[group].take(table), self._size
            name = block_id(study.seed, study.game.label, stage, number, table)
            block = Block(name, stage, group, number, place, table)
            self._blocks.append(block)
            self._results.append(self._stored.pop(name, {}))
            if place < self.total:
                self.have += len(self._results[place])
                if self._missing(block):
                    self._queue.append(block)
        self._ends.append(self._size)

    @one_thread
    def _advance(self) -> None:
        """Plan parts while all games are there but those of the last part."""
        while self._size < self.total and self._finished() >= len(self._ends) - 1:
            self._learn(len(self._ends) - 1)
            part = self._next_part()
            if not part:
                self._run.progress.say("everybody has met on all positions of the book")
                self.total = self._size
                return
            self._note(part)
            self._append(part)

    def _next_part(self) -> Part:
        """Return the next part, as far as the blocks of the stage go."""
        return [
            (group, table)
            for group, pairings in self._pairings.items()
            for table in pairings.next_part()[: pairings.total - pairings.planned]
        ]

    def _note(self, part: Part) -> None:
        """Note a part that follows those there are, before any of it is played."""
        key = PART.format(len(self._ends), self._stage.name)
        self._run.store.set_meta({key: json.dumps(part, separators=(",", ":"))})

    @one_thread
    def _take_up(self) -> None:
        """Append the parts that were planned before. If there are to be more blocks now, the last of them
        goes on as it would have, unless the field has grown.
        """
        *parts, last = [*self._noted()] or [[]]
        for part in parts:
            self._append(part)
        if last and self._size + len(last) < self.total:
            self._learn(len(self._ends) - 1)
            longer = self._next_part()
            if [*longer[: len(last)]] == [*last] and len(longer) > len(last):
                last = longer
                self._note(last)
        if last:
            self._append(last)

    def _finished(self) -> int:
        """Return how many parts, from the first one on, have all their games."""
        for place in range(self._ends[self._learnt - 1] if self._learnt else 0, self._size):
            if len(self._results[place]) < self._each:
                return bisect(self._ends, place)
        return len(self._ends)

    def _learn(self, parts: int) -> None:
        """Let the pairings know the results of so many parts, and of no others."""
        first = self._ends[self._learnt - 1] if self._learnt else 0
        last = self._ends[parts - 1] if parts > 0 else 0
        for block in self._blocks[first:last]:
            for seating, returns in self._results[block.order].items():
                self._pairings[block.group].learn(block.table, seating, returns)
        self._learnt = max(self._learnt, parts)
