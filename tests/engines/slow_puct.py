"""PUCT and Gumbel in plain Python, a node an object: the twin of `puct`, written from the papers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from joute.engines.position import Position

Opinion = Callable[
    [Position], tuple[dict[int, float], float]
]  # prior of each action, return of who moves


@dataclass
class Rules:
    """The parameters of `puct` that change which way a descent goes."""

    c: float = 1.5
    growth: float = 0.0
    base: float = 19652.0
    first_play: float = 0.0
    reduction: float | None = None
    gumbel: bool = False
    visit_scale: float = 50.0
    value_scale: float = 1.0


@dataclass
class Node:
    """`total` is of who moved into it; `own` what the network said for who moves at it."""

    prior: float = 1.0
    visits: int = 0
    total: float = 0.0
    own: float = 0.0
    sure: list[float] | None = None
    children: dict[int, Node] = field(default_factory=dict)

    def mean(self, unknown: float) -> float:
        return self.total / self.visits if self.visits else unknown

    def believed(self, mover: int, unknown: float) -> float:
        return self.sure[mover] if self.sure else self.mean(unknown)


def descend(
    node: Node, position: Position, opinion: Opinion, rules: Rules, scores: dict[int, float],
    wanted: int | None, is_root: bool = True,
) -> list[float]:  # fmt: skip
    """Make one descent from a node, its position given (and played on); return the returns it ends with."""
    node.visits += 1
    if node.sure:
        return node.sure
    if position.over:
        node.sure = position.returns()
        return node.sure
    mover = position.to_move
    if not node.children:
        priors, value = opinion(position)
        node.children = {a: Node(prior) for a, prior in priors.items()}
        node.own = value
        return [value, 1 - value] if mover == 0 else [1 - value, value]
    node.visits -= 1  # of the parent, before this descent
    action = select(node, mover, rules, scores, wanted if is_root else None)
    node.visits += 1
    child = node.children[action]
    position.play(action)
    known_before = child.sure is not None
    returns = descend(child, position, opinion, rules, {}, None, is_root=False)
    child.total += returns[mover]
    if child.sure and not known_before:
        decide(node, mover)
    return returns


def decide(node: Node, mover: int) -> None:
    """Mark a node whose mover has a sure win, or all of whose children are sure."""
    sure = [(c.sure[mover], c.sure) for c in node.children.values() if c.sure]
    best = max(sure, key=lambda pair: pair[0])
    if best[0] == 1.0 or len(sure) == len(node.children):
        node.sure = best[1]


def select(
    node: Node, mover: int, rules: Rules, scores: dict[int, float], wanted: int | None
) -> int:
    children = node.children
    if not rules.gumbel:
        c = rules.c + rules.growth * math.log((node.visits + rules.base + 1) / rules.base)
        unknown = rules.first_play
        if rules.reduction is not None:
            seen = [child for child in children.values() if child.visits]
            sum_ = node.own + sum(child.total for child in seen)
            mean = sum_ / (1 + sum(child.visits for child in seen))
            unknown = 2 * mean - 1 - rules.reduction * math.sqrt(sum(s.prior for s in seen))

        def urgency(action: int) -> float:
            child = children[action]
            q = 2 * child.believed(mover, (1 + unknown) / 2) - 1
            if child.sure:
                return q
            return q + c * child.prior * math.sqrt(node.visits) / (1 + child.visits)

        open_ = [a for a, child in children.items() if child.sure is None or child.sure[mover] > 0]
        return max(open_, key=urgency)
    sigma, q = completed(node, mover, rules)
    if wanted is not None:
        able = [a for a in children if children[a].visits == wanted]
        return max(able, key=lambda a: scores[a] + sigma * q[a])
    policy = improved(node, mover, rules)
    n = sum(child.visits for child in children.values())
    return max(children, key=lambda a: policy[a] - children[a].visits / (1 + n))


def completed(node: Node, mover: int, rules: Rules) -> tuple[float, dict[int, float]]:
    """Return sigma and the completed values of a node's actions."""
    seen = [child for child in node.children.values() if child.visits]
    n, unknown = sum(child.visits for child in seen), node.own
    if seen:
        share = sum(child.prior for child in seen)
        unknown = (node.own + n * sum(s.prior * s.mean(0) for s in seen) / share) / (1 + n)
    most = max(child.visits for child in node.children.values())
    sigma = (rules.visit_scale + most) * rules.value_scale
    return sigma, {a: child.believed(mover, unknown) for a, child in node.children.items()}


def improved(node: Node, mover: int, rules: Rules) -> dict[int, float]:
    """Return Gumbel's improved policy at a node."""
    sigma, q = completed(node, mover, rules)
    highest = max(q.values())
    raw = {a: c.prior * math.exp(sigma * (q[a] - highest)) for a, c in node.children.items()}
    return {a: share / sum(raw.values()) for a, share in raw.items()}


def softmax(logits: list[float]) -> list[float]:
    shares = np.exp(np.array(logits, float) - max(logits))
    return [float(s) for s in shares / shares.sum()]
