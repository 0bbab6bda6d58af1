"""What all networks of a training study share, and the checks before anything is written."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.kernels.random import seed_of
from joute.engines.nets.net import Net, Note
from joute.engines.nets.network_parameter import NETWORK
from joute.engines.nets.numpy_reader import Singles
from joute.engines.parameter import LIMITS, Value
from joute.engines.registry import plugin_files
from joute.engines.view import View, view_of
from joute.harness.openings import Openings
from joute.results.database import DATABASE
from joute.studies.file.entrant import Entrant
from joute.studies.kinds.train.inference import NetOrder
from joute.studies.kinds.train.selfplay_task import tree_maker
from joute.studies.learning.architecture import Architecture, architecture_of
from joute.studies.learning.onnx_file import read_weights, write_net
from joute.studies.learning.plan import (
    GATE,
    LADDER,
    TIMED,
    SelfPlayPlan,
    called,
    selfplay_settings,
    timed_name,
    training_of,
)
from joute.studies.learning.planes import Planes
from joute.studies.learning.recorded_games import Found, games_of_folder, games_of_run
from joute.studies.learning.torch_net import needed
from joute.studies.ready_made import ready_made
from joute.studies.study import Study

ALSO_TEACH = "teach, too"


class Workshop:
    """A study's view, architecture and engines."""

    def __init__(self, study: Study) -> None:
        self.study, self.plan, self.game = study, training_of(study), study.game
        self.view: View = view_of(self.game, self.plan.view, dict(self.plan.settings))
        self.symmetries = self.view.symmetries(self.game)
        self.made: Architecture = architecture_of(self.plan.net, self.view, self.game)

    def first_weights(self) -> dict[str, Singles]:
        """Return the weights that the study starts from: another network's, or drawn by seed."""
        if self.plan.start:
            return self._given(Path(self.plan.start))
        return self.made.weights(seed_of("weights", self.study.seed))

    def _given(self, file: Path) -> dict[str, Singles]:
        """Return the weights of another network; raise Refused if its game or its view differs."""
        try:
            weights = read_weights(file, self.made)
            view = Net(file, self.game).view
        except Refused as error:
            raise Refused(f"start.net: {error}") from None
        if view.label != self.view.label:
            raise Refused(
                f"start.net: network {file} sees {self.game.name} as {view.label}, the study as "
                f"{self.view.label}"
            )
        return weights

    def note(self, **trained: Any) -> Note:
        """Return the metadata of a network's file."""
        facts = {"study": self.study.name, "seed": self.study.seed, **trained}
        return Note(self.game.label, self.view.name, self.view.values, facts)

    def order(self, net: Path, plan: SelfPlayPlan) -> NetOrder:
        """Return what tells an inference server of a network."""
        return NetOrder(
            *(str(net), self.game.label, tuple(plugin_files()), self.view.name),
            *(dict(self.view.values), self.plan.net.model_dump(), plan.batch),
            "cuda" if plan.inference == "cuda" else "cpu",
        )

    def engine(self, net: Path, selfplay: bool = False) -> Engine:
        """Return the engine that plays with a network, in matches or in self-play."""
        return Engine(self.game, {**self._settings(selfplay), NETWORK.name: str(net)})

    def timed(self, net: Path, generation: int, milliseconds: float) -> Entrant:
        """Return a generation as an entrant that has so much time per move."""
        settings = with_time(self._settings(False), milliseconds)
        engine = Engine(self.game, {**settings, NETWORK.name: str(net)})
        own_id(engine, f"{called(generation)} of {self.study.seed}", settings)
        return Entrant(timed_name(called(generation), milliseconds), engine, dict(engine.settings))

    def entrant(self, net: Path, generation: int) -> Entrant:
        """Return a generation as an entrant. Its id, which decides openings and seeds, does not
        depend on the folder of the network.
        """
        engine = self.engine(net)
        own_id(engine, f"{called(generation)} of {self.study.seed}", self._settings(False))
        return Entrant(called(generation), engine, dict(engine.settings))

    def _settings(self, selfplay: bool) -> Mapping[str, Value]:
        plan = self.plan
        usual = {} if self.view.generator == "all" else {"generator": self.view.generator}
        own = plan.selfplay.engine if selfplay and plan.selfplay is not None else {}
        return {**usual, **selfplay_settings(plan.engine, own)}

    @cached_property
    def records(self) -> Found | None:
        """The stored games that teach the first network."""
        plan = self.plan.records
        if plan is None:
            return None
        if plan.is_run:
            need_run(Path(plan.source), "run")
            return games_of_run(Path(plan.source), self.game, plan.players)
        return games_of_folder(Path(plan.source), self.game)

    @cached_property
    def tests(self) -> dict[str, Found]:
        """The games of other sources that test the first network, by path: those that do not teach."""
        games_of = dict[str, Found]()
        teaching = (
            {(one.start, one.actions) for one in self.records.games} if self.records else set()
        )
        for i, test in enumerate(self.plan.records.tests if self.plan.records else ()):
            found = self._source(Path(test), f"tests.{i}")
            fresh = tuple(one for one in found.games if (one.start, one.actions) not in teaching)
            if not fresh:
                why = "all of them teach" if found.games else "there is none"
                raise Refused(f"records.tests.{i}: no game of {test} can test anything: {why}")
            both = len(found.games) - len(fresh)
            left_out = found.left_out + Counter({ALSO_TEACH: both} if both else {})
            games_of[test] = Found(fresh, left_out, found.first)
        return games_of

    def _source(self, place: Path, key: str) -> Found:
        """Return the games of a run, or of records."""
        if place.exists() and not (place / DATABASE).is_file():
            return games_of_folder(place, self.game)
        need_run(place, key)
        return games_of_run(place, self.game)


def need_run(folder: Path, key: str) -> None:
    """Refuse a folder without a run; say how it is made, if a ready-made study makes it."""
    if (folder / DATABASE).is_file():
        return
    how = f"; first: joute run {folder.name}" if folder.name in ready_made() else ""
    raise Refused(f"records.{key}: there is no run in {folder} (no {DATABASE}){how}")


def check_all(study: Study) -> None:
    """Refuse a study if a library or a device is missing, its engine cannot play with such a
    network, or openings or stored games are too few.
    """
    plan = training_of(study)
    needed(plan.learn.device)
    if plan.selfplay is not None and plan.selfplay.inference == "cuda":
        needed("cuda", "selfplay.inference", "'worker', 'server'")
    shop = Workshop(study)
    if shop.records is not None and len(shop.records.games) < 2:
        raise Refused(f"records: {len(shop.records.games)} games can teach; allowed: 2 or more")
    _ = shop.tests  # are there
    with TemporaryDirectory(prefix="joute-") as folder:
        net = Path(folder) / "first.onnx"
        write_net(net, shop.made, shop.first_weights(), shop.note())
        engine = shop.engine(net)
        engine.player().close()
        if plan.selfplay is not None:
            own = shop.engine(net, selfplay=True)
            tree_maker(own, Planes(shop.game, shop.view), plan.selfplay)()
    last = (TIMED, LADDER) if plan.ladder.generations else ()
    stages = [(stage, "ladder.blocks", plan.ladder.blocks) for stage in last]
    if plan.selfplay is not None:
        stages.append((GATE.format(1), "gate", plan.gate.most))
    check_openings(study, stages)


def own_id(engine: Engine, name: str, settings: Mapping[str, Value]) -> None:
    """Give an engine an id that does not depend on the folder of its network."""
    text = f"{engine.game.label} {name}: {sorted(settings.items())}"
    engine.__dict__["id"] = hashlib.sha256(text.encode()).hexdigest()[:12]


def with_time(settings: Mapping[str, Value], milliseconds: float) -> dict[str, Value]:
    """Return an engine's settings with so much time per move instead of its own limits."""
    others = {k: v for k, v in settings.items() if k not in (*LIMITS, "depth")}
    return {**others, "milliseconds": milliseconds}


def timed_anchors(anchors: Sequence[Entrant], milliseconds: float) -> list[Entrant]:
    """Return the anchors whose search can be given a time, with so much of it per move: those that
    differed in their work alone once.
    """
    timed: dict[str, Entrant] = {}
    for anchor in anchors:
        engine = anchor.engine
        if "milliseconds" in engine.search.limits:
            engine = Engine(engine.game, with_time(engine.settings, milliseconds))
            name = timed_name(without_work(anchor.name), milliseconds)
            timed.setdefault(engine.text, Entrant(name, engine, dict(engine.settings)))
    return [*timed.values()]


def without_work(name: str) -> str:
    """Return an engine's text without what says how much it works for a move."""
    member, _, settings = name.partition(":")
    kept = [one for one in settings.split(",") if one.partition("=")[0] not in (*LIMITS, "depth")]
    return f"{member}{':' if kept else ''}{','.join(kept)}" if settings else name


def need_programs(study: Study) -> None:
    """Refuse a study if a program among its anchors is not on this machine."""
    for i, anchor in enumerate(study.entrants):
        for name, digest in anchor.engine.search.needs(anchor.engine.setup).items():
            if not digest:
                raise Refused(f"anchors.{i}: {name} is not found: {anchor.engine.text}")


def check_openings(study: Study, stages: Sequence[tuple[str, str, int]]) -> None:
    """Refuse a study whose matches need more distinct openings than the game has. `stages`: name,
    the key that sets the blocks, and their number.
    """
    for stage, where, blocks in stages:
        openings = Openings(study.game, study.seed, study.openings)
        try:
            openings.foresee(stage, blocks)
        except Refused as error:
            raise Refused(f"{where}: {error}") from None
