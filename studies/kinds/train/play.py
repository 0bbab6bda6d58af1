"""A training run: self-play, learning, gate, repeated; at the end the ladder.

The run folder holds `samples/NNNN.npz` of each iteration, `nets/NNNN.onnx` of each generation (0 is
the first network), and in `run.db` the games of all matches and one entry a generation. Finished
parts are never made again: the same command resumes the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from joute.engines.errors import JouteError
from joute.engines.kernels.compile import Ints
from joute.engines.kernels.random import seed_of
from joute.engines.nets.net import Note, content_of, digest_of
from joute.results.own_networks import NETWORKS
from joute.results.quantity import percent
from joute.studies.file.entrant import Entrant
from joute.studies.kinds.train.archive import SAMPLES
from joute.studies.kinds.train.dispatch import SelfPlayGames
from joute.studies.kinds.train.gate import verdict
from joute.studies.kinds.train.history import History
from joute.studies.kinds.train.inference import InferenceServer
from joute.studies.kinds.train.prepare import Workshop, timed_anchors
from joute.studies.learning.learn import Diverged, learn
from joute.studies.learning.measures import PHASES, Measures, measure
from joute.studies.learning.onnx_file import read_weights
from joute.studies.learning.optimizer import (
    Optimizer,
    rate_factor,
    read_state,
    state_beside,
    write_state,
)
from joute.studies.learning.plan import GATE, LADDER, TIMED, LearnPlan, SelfPlayPlan
from joute.studies.learning.recorded_games import RecordedGame, parted, samples_on_disk
from joute.studies.learning.sample_file import SampleFile, Window
from joute.studies.learning.samples import SampleSource
from joute.studies.learning.torch_net import Network
from joute.studies.learning.write_network import export
from joute.studies.play.stage_run import play_stage
from joute.studies.study import StagePlan

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

FRESH = 4096  # new samples on which the previous network is measured


class Stopped(Exception):
    """A stop was requested while a network learnt; what it had learnt is discarded."""


class Replaced(JouteError):
    """A network in the run folder is not the one that its generation wrote."""


class Training:
    """One training run."""

    def __init__(self, run: StudyRun) -> None:
        self.run, self.shop = run, Workshop(run.study)
        self.plan = self.shop.plan
        folder = run.outcome.folder
        self.nets, self.samples = folder / NETWORKS, folder / SAMPLES
        self.history = History(run.store)
        self._opened = dict[int, SampleFile]()
        self._server: InferenceServer | None = None
        self._left = False  # an error has ended what is played while a network learns
        self.say = run.progress.say

    def play(self) -> None:
        """Train until the study, its budget or a stop request ends it; then play the ladder."""
        self._check_nets()
        with self.run.interruptible(self.run.runner):
            try:
                self._first()
                if self.plan.selfplay is not None:
                    for iteration in range(1, self.plan.selfplay.iterations + 1):
                        if self._spent() or not self._iterate(iteration, self.plan.selfplay):
                            break
                if not self.run.outcome.stopped:
                    self._timed(0, "ladder", self._ladder)
            except Stopped:
                self.run.outcome.stopped = "interrupted"
            finally:
                if self._server is not None:
                    self._server.close()

    def net(self, generation: int) -> Path:
        """Return the file of a generation's network."""
        return self.nets / f"{generation:04}.onnx"

    def _check_nets(self) -> None:
        """Raise Replaced for a network in the run folder that this run did not write."""
        for generation, entry in self.history.entries.items():
            if not (file := self.net(generation)).exists():
                continue  # reported when it is needed
            digest = digest_of(content_of(file))
            if "net" in entry and entry["net"] != digest:
                raise Replaced(
                    f"{file} is not the network that generation {generation} wrote (digest "
                    f"{entry['net']}, now {digest}): put it back, or begin a new run with it as "
                    "start.net"
                )
            beside = state_beside(file)
            if "state" in entry and not (
                beside.is_file() and digest_of(beside.read_bytes()) == entry["state"]
            ):
                raise Replaced(
                    f"{beside} is not the state of the optimizer that generation {generation} left "
                    f"(digest {entry['state']}): put it back, or begin a new run with {file} as "
                    "start.net"
                )

    def _export(self, generation: int, network: Network, note: Note, optimizer: Optimizer) -> None:
        """Write the network of a generation; this is the last step of making it."""
        if self._keeps:
            beside = state_beside(self.net(generation))
            write_state(beside, optimizer.state())
            self.history.note(generation, state=digest_of(beside.read_bytes()))
        off = export(self.net(generation), network, note, self.shop.game)
        self.history.note(generation, off=off, net=digest_of(content_of(self.net(generation))))

    # --- the first network -------------------------------------------------------------------

    def _first(self) -> None:
        """Make generation 0: drawn at random, given, or taught by stored games."""
        if self.history.entries.get(0, {}).get("accepted"):
            return
        network = Network(self.shop.made, self.shop.first_weights(), self.plan.learn.device)
        facts: dict[str, Any] = {"accepted": True, "from": self.plan.start or "drawn"}
        optimizer = self._optimizer(network, Path(self.plan.start) if self.plan.start else None)
        if self.plan.records is not None:
            facts |= self._teach(network, optimizer)
        self._export(0, network, self.shop.note(generation=0), optimizer)
        self.history.note(0, **facts)

    @property
    def _keeps(self) -> bool:
        """Whether the optimiser goes on from its state."""
        return self.plan.learn.optimizer_state == "kept"

    def _optimizer(self, network: Network, parent: Path | None, factor: float = 1.0) -> Optimizer:
        """Return the optimiser of a network, with the state that its parent's file has beside it."""
        optimizer = Optimizer(network, self.plan.learn, factor)
        if self._keeps and parent is not None:
            beside = state_beside(parent)
            if beside.exists():
                optimizer.resume(read_state(beside), str(beside))
            else:
                self.say(f"no state of the optimizer lies beside {parent}: it begins anew")
        return optimizer

    def _teach(self, network: Network, kept: Optimizer) -> dict[str, Any]:
        plan, records = self.plan.records, self.shop.records
        assert plan is not None and records is not None
        seed = self.run.study.seed
        teaching, tests = parted(records.games, plan.held_out, seed)
        samples, lost = self._recorded(teaching, plan.players)
        test, _ = self._recorded(tests, plan.players)
        left_out = {**records.left_out, **({"moves the view does not know": lost} if lost else {})}
        without = left_out_words(left_out)
        self.say(
            f"records: {len(teaching)} games ({len(samples)} positions) teach, {len(tests)} "
            f"({len(test)}) test{without}{f' ({records.first})' if records.first else ''}"
        )
        begun, curve, own = (
            time.monotonic(),
            list[dict[str, Any]](),
            self.plan.learn.model_copy(update={"epochs": 1}),
        )
        held_out: dict[str, Any] = {}
        for epoch in range(plan.epochs):
            title, drawn = f"records, epoch {epoch + 1}", seed_of(seed, "records", epoch)
            optimizer = kept if self._keeps else Optimizer(network, own)
            learnt = self._learn(network, samples, own, drawn, title, optimizer)
            curve.append({"learnt": learnt.table()})
            if test.teaches.any():
                tested = measure(network.answer, test)
                held_out = {phase: m.table() for phase, m in tested.items()}
                curve[-1]["held_out"] = held_out["all"]
        self.say(f"records: {found_out(held_out)}")
        others = {source: self._tested(network, source) for source in plan.tests}
        return {
            "from": "records",
            "games": {"teaching": len(teaching), "held_out": len(tests), "left_out": left_out},
            "positions": len(samples),
            "epochs": curve,
            **({"held_out": held_out} if held_out else {}),
            **({"tests": others} if others else {}),
            "seconds": {"learning": time.monotonic() - begun},
        }

    def _recorded(
        self, games: Sequence[RecordedGame], players: Sequence[str] = ()
    ) -> tuple[SampleFile, int]:
        """Return the samples of stored games, and how many moves the view does not know."""
        path = self.samples.with_name("records.npz")
        return samples_on_disk(path, games, self.shop.game, self.shop.view, players)

    def _tested(self, network: Network, source: str) -> dict[str, Any]:
        """Return the measures of a network on the games of another source, by phase."""
        found = self.shop.tests[source]
        samples, _ = self._recorded(found.games)
        by_phase = {phase: m.table() for phase, m in measure(network.answer, samples).items()}
        self.say(
            f"games of {source}: {len(np.unique(samples.game))} ({len(samples)} positions), the policy finds "
            f"{percent(by_phase['all']['accuracy'])} of the moves, the value errs by "
            f"{by_phase['all']['error']:.2f}{left_out_words(found.left_out)}"
        )
        return by_phase

    # --- iterations --------------------------------------------------------------------------

    def _iterate(self, iteration: int, plan: SelfPlayPlan) -> bool:
        """Make the generation of an iteration; return whether the run continues."""
        if "accepted" in self.history.entries.get(iteration, {}):
            return True
        champion = self.history.champion
        if not self._play_games(iteration, plan):
            return False
        if not self.net(iteration).exists():
            self._improve(iteration, champion, plan)
        return self._timed(iteration, "gate", lambda: self._gate(iteration, champion))

    def _play_games(self, iteration: int, plan: SelfPlayPlan) -> bool:
        """Play an iteration's games of self-play; return whether all are there."""
        games = SelfPlayGames(self.samples, iteration, plan, self.shop.made.shape)
        last = iteration - (2 if plan.overlap else 1)
        player = max([0, *(k for k in self.history.accepted if k <= last)])

        def play() -> bool:
            if games.file.exists():
                return True
            engine = self.shop.engine(self.net(player), selfplay=True).text
            return games.play(self.run, engine, self._serve(player, plan))

        if not self._timed(iteration, "self-play", play):
            self.run.outcome.stopped = "interrupted"
            return False
        return True

    def _serve(self, generation: int, plan: SelfPlayPlan) -> str:
        """Return the address at which a generation's network answers; "" where each worker has it."""
        if plan.inference == "worker":
            return ""
        self._server = self._server or InferenceServer()
        self._server.load(self.shop.order(self.net(generation), plan))
        return self._server.address

    def _improve(self, iteration: int, champion: int, games: SelfPlayPlan) -> None:
        """Train the previous network on the window and write the new one; with `games.overlap` the next
        iteration's games are played meanwhile.
        """
        plan, go_back = self.plan.learn, self.plan.gate.rejected == "go back"
        parent = champion if go_back else iteration - 1
        weights = read_weights(self.net(parent), self.shop.made)
        network = Network(self.shop.made, weights, plan.device)
        optimizer = self._optimizer(network, self.net(parent), rate_factor(plan, iteration))
        new = self._samples_of(iteration)
        facts = new.about
        fresh = measure(network.answer, new.take(spread(len(new), FRESH)))["all"]
        window = self._window(iteration)
        seed = seed_of(self.run.study.seed, "iteration", iteration)
        title = f"iteration {iteration}: learning"
        another = games.overlap and iteration < games.iterations
        begun = time.monotonic()
        try:
            if another and not self._spent(len(facts)):
                learnt, seconds = self._learn_meanwhile(
                    lambda: learn(
                        *(network, window, self.shop.symmetries, plan, seed),
                        *(self._only_stops, optimizer),
                    ),
                    lambda: self._play_games(iteration + 1, games),
                )
            else:
                learnt = self._learn(network, window, plan, seed, title, optimizer)
                seconds = time.monotonic() - begun
        except Diverged as error:
            self.history.note(iteration, diverged=str(error))
            raise Diverged(
                f"iteration {iteration}: {error}; nothing was written, the champion stays "
                f"generation {champion} ({self.net(champion)})"
            ) from None
        entry = self.history.note(
            iteration,
            parent=parent,
            games=len(facts),
            positions=len(new),
            plies=sum(game["plies"] for game in facts),
            calls=sum(game["calls"] for game in facts),
            cut=sum(game["termination"] != "normal" for game in facts),
            distinct=len({game["line"] for game in facts}),
            window=len(window),
            fresh=fresh.table(),
            learnt=learnt.table(),
            diverged="",
        )
        note = self.shop.note(generation=iteration, parent=parent, positions=len(window))
        self._export(iteration, network, note, optimizer)
        self._spend(iteration, "learning", seconds)
        self.say(
            f"iteration {iteration}: {entry['games']} games, {len(window)} positions in the window; "
            f"loss {learnt.loss:.3f} (policy {learnt.policy_loss:.3f}, value "
            f"{learnt.value_loss:.3f}), on games not seen before {fresh.loss:.3f}"
        )

    def _learn_meanwhile(
        self, learning: Callable[[], Measures], play: Callable[[], bool]
    ) -> tuple[Measures, float]:
        """Learn in a thread while something is played; return what was learnt, and its seconds."""
        begun = time.monotonic()

        def timed() -> tuple[Measures, float]:
            return learning(), time.monotonic() - begun

        with ThreadPoolExecutor(1) as pool:
            learnt = pool.submit(timed)
            try:
                played = play()
            except BaseException:
                self._left = True
                raise
            if not played:
                raise Stopped
            return learnt.result()

    def _only_stops(self, seen: int, loss: float) -> None:
        if self.run.stop_asked or self._left:
            raise Stopped

    def _window(self, iteration: int) -> Window:
        first = max(1, iteration - self.plan.learn.window + 1)
        window = {k: self._samples_of(k) for k in range(first, iteration + 1)}
        self._opened = window
        return Window([*window.values()])

    def _samples_of(self, iteration: int) -> SampleFile:
        """Return an iteration's samples, whose file is checked once."""
        if iteration not in self._opened:
            self._opened[iteration] = SampleFile(self.samples / f"{iteration:04}.npz")
        return self._opened[iteration]

    def _learn(
        self,
        network: Network,
        samples: SampleSource,
        plan: LearnPlan,
        seed: int,
        title: str,
        optimizer: Optimizer,
    ) -> Measures:
        progress = self.run.progress
        progress.begin(title, plan.epochs * len(samples), 0, "position")

        def heard(seen: int, loss: float) -> None:
            if self.run.stop_asked:
                raise Stopped
            progress.advance(seen)
            progress.tell(f"loss {loss:.3f}")

        try:
            return learn(network, samples, self.shop.symmetries, plan, seed, heard, optimizer)
        finally:
            progress.end()

    def _gate(self, iteration: int, champion: int) -> bool:
        """Play the new generation against the champion; note the outcome."""
        run, plan = self.run, self.plan.gate
        pair = [self._entrant(iteration), self._entrant(champion)]
        stage = GATE.format(iteration)
        play_stage(run, StagePlan(stage, "all", None, plan.most, "round_robin"), pair, plan.sprt)
        decided, run.outcome.decided = run.outcome.decided, ""
        if run.outcome.stopped:
            return False
        outcome = verdict(plan, run.store.scores(stage, pair[0].engine.id), decided)
        accepted = outcome.pop("accepted")
        self.history.note(iteration, accepted=accepted, champion=champion, gate=outcome)
        self.say(f"iteration {iteration}: {outcome['text']}")
        return True

    def _entrant(self, generation: int) -> Entrant:
        """Return a generation as an entrant that may play from now on."""
        return self.run.enlist(self.shop.entrant(self.net(generation), generation))

    # --- the end -----------------------------------------------------------------------------

    def _ladder(self) -> None:
        """Play some generations and the anchors against each other, all pairs."""
        chosen = rungs(self.history.accepted, self.plan.ladder.generations)
        entrants = [*map(self._entrant, chosen), *self.run.study.entrants]
        if not chosen or len(entrants) < 2:
            return
        blocks, milliseconds = self.plan.ladder.blocks, self.plan.ladder.milliseconds
        if milliseconds is not None and (
            anchors := timed_anchors(self.run.study.entrants, milliseconds)
        ):
            last = self.shop.timed(self.net(chosen[-1]), chosen[-1], milliseconds)
            members = [self.run.enlist(one) for one in (last, *anchors)]
            stage = StagePlan(TIMED, "all", None, blocks, "gauntlet", (last.name,))
            play_stage(self.run, stage, members)
        play_stage(self.run, StagePlan(LADDER, "all", None, blocks, "round_robin"), entrants)

    def _spent(self, more: int = 0) -> bool:
        """Whether the budget, less so many games that are not noted yet, ends the iterations."""
        budget = self.run.study.budget
        if budget is None or budget.seconds is not None:
            return self.run.late(1.0)
        games = budget.in_games(2)
        played = sum(entry.get("games", 0) for k, entry in self.history.entries.items() if k)
        return games is not None and played + more + self.run.store.count() >= games

    def _timed(self, iteration: int, what: str, do: Callable[[], bool | None]) -> bool:
        begun = time.monotonic()
        done = do()
        self._spend(iteration, what, time.monotonic() - begun)
        return bool(done)

    def _spend(self, iteration: int, what: str, seconds: float) -> None:
        spent = dict(self.history.entries.get(iteration, {}).get("seconds", {}))
        spent[what] = spent.get(what, 0.0) + seconds
        self.history.note(iteration, seconds=spent)


def left_out_words(left_out: Mapping[str, int]) -> str:
    """Return in words how many games or moves were left out, and why; "" for none."""
    return "".join(f"; left out: {number} {why}" for why, number in left_out.items())


def found_out(held_out: Mapping[str, Any]) -> str:
    """Return the measures on held-out games, by phase, as text."""
    if not held_out:
        return "no game was held out that could tell what was learnt: there are too few"
    every = held_out["all"]
    phases = ", ".join(
        f"{name} {percent(held_out[name]['accuracy'])} and {held_out[name]['error']:.2f}"
        for name in PHASES
        if held_out[name]["samples"]
    )
    return (
        f"of the games held out the policy finds {percent(every['accuracy'])} of the moves, the "
        f"value errs by {every['error']:.2f} ({phases})"
    )


def spread(count: int, most: int) -> Ints:
    """Return at most so many numbers below `count`, evenly spread."""
    return np.unique(np.linspace(0, max(count - 1, 0), min(count, most)).astype(np.int64))


def rungs(accepted: list[int], most: int) -> list[int]:
    """Return at most so many generations: the first, the last (up to three), and others evenly
    between.
    """
    if len(accepted) <= most or not most:
        return accepted[:most]
    last = accepted[-max(1, min(3, most - 1)) :]
    rest, free = accepted[: -len(last)], most - len(last)
    return [rest[round(i * len(rest) / free)] for i in range(free)] + last
