"""A worker's task of self-play: some games of one generation against itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, cast

from joute.engines.engine import Engine, parse_engine
from joute.engines.nets.batches import Ask, KeptAnswers, in_batches
from joute.engines.nets.net import Net, load_net
from joute.engines.nets.network_parameter import NETWORK
from joute.harness.inflight import Doing, InFlight
from joute.harness.worker import Setting
from joute.studies.kinds.train.inference import InferenceClient
from joute.studies.learning.plan import SelfPlayPlan
from joute.studies.learning.planes import Planes
from joute.studies.learning.searching import Searching
from joute.studies.learning.selfplay import Selfplayed, play_games
from joute.studies.learning.successors import Successors


class Lost(NamedTuple):
    """A game whose worker died, and how."""

    number: int
    text: str


class SelfPlayWork(NamedTuple):
    """Games of these numbers, played by an engine against itself; `seed` is the iteration's."""

    number: int
    numbers: tuple[int, ...]
    engine: str
    plan: SelfPlayPlan
    seed: int
    server: str = ""  # the address of an inference server; none: the network runs here

    def __str__(self) -> str:
        return f"self-play of the games {self.numbers[0]} to {self.numbers[-1]}"

    def pieces(self) -> list[SelfPlayWork]:
        """Return one task per game."""
        return [self._replace(numbers=(number,)) for number in self.numbers]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return the text of the engine."""
        return {"": self.engine}

    def play(self, setting: Setting, inflight: InFlight) -> list[Selfplayed]:
        """Play the games."""
        inflight.game(self.number, 0)
        inflight.turn(0, 0)
        engine = parse_engine(self.engine)
        net = net_of(engine)
        view_planes = Planes(engine.game, net.view)
        tree = tree_maker(engine, view_planes, self.plan)
        with asking(net, self.server) as ask:
            answers = answers_of(engine, ask, self.plan)
            return play_games(self.numbers, tree, answers, view_planes, self.plan, self.seed)

    def crashed(self, setting: Setting, doing: Doing, text: str) -> Lost:
        """Return the game as lost."""
        return Lost(self.numbers[0], text)


@contextmanager
def asking(net: Net, server: str) -> Iterator[Ask]:
    """Yield what answers for a network: itself, or a server that has it, for the time of the context."""
    if not server:
        yield net.run
        return
    with InferenceClient(server, net.shape) as client:
        yield client.run


def answers_of(engine: Engine, ask: Ask, plan: SelfPlayPlan) -> Ask:
    """Return how the trees of self-play are answered: in batches of one size, from those kept if any."""
    answers = in_batches(ask, plan.batch)
    kept = int(engine.values.get("cache", 0))
    return KeptAnswers(answers, kept) if kept else answers


def net_of(engine: Engine) -> Net:
    """Return the network that an engine plays with."""
    return load_net(str(engine.values[NETWORK.name]), engine.game)


def tree_maker(engine: Engine, view_planes: Planes, plan: SelfPlayPlan) -> Callable[[], Searching]:
    """Return what makes the searches of self-play: the engine's tree, suspended at its leaves, or a
    one-ply look at all successors.
    """
    if plan.policy_target == "values":
        return lambda: Successors(view_planes, plan.spread, plan.drawn_plies)
    search, setup = engine.search, engine.setup
    return lambda: cast(Searching, search.suspended(setup))  # type: ignore[attr-defined]
