"""Pairs each engine of run A with one of run B."""

from __future__ import annotations

from dataclasses import dataclass

from joute.results.frames import Results

SAME, CODE, CHANGED, INSTEAD = "same", "code changed", "parameters changed", "another engine"


@dataclass(frozen=True)
class Pair:
    """An engine of run A and its counterpart in run B, by their names there.

    `how`: SAME in text and code, CODE when only the text is, CHANGED when only the name is, INSTEAD
    when each is the only engine (or the finalist of a search) that the other run lacks.
    """

    a: str
    b: str
    how: str

    @property
    def fixed(self) -> bool:
        """Whether both have the same canonical text, so that it can measure others."""
        return self.how in (SAME, CODE)

    @property
    def label(self) -> str:
        """A name for both."""
        if self.a == self.b:
            return self.a
        return f"{self.a} (in B: {self.b})" if self.fixed else f"{self.a} → {self.b}"


def matched(a: Results, b: Results) -> list[Pair]:
    """Return the pairs of engines to be compared, in the order of A."""
    known = {spec: (name, digest) for name, spec, digest in _engines(b)}
    pairs, rest = [], []
    for name, spec, digest in _engines(a):
        other, code = known.pop(spec, ("", ""))
        if other:
            pairs.append(Pair(name, other, SAME if code == digest else CODE))
        else:
            rest.append(name)
    left = [name for name, _ in known.values()]
    # The candidates of a search have names by their places: equal ones mean nothing.
    placed = {entry["name"] for entry in a.meta.candidates or []}
    named = ({*rest} & {*left}) - placed
    pairs += [Pair(name, name, CHANGED) for name in rest if name in named]
    rest, left = ([name for name in names if name not in named] for names in (rest, left))
    heads = a.meta.finalist, b.meta.finalist
    if heads[0] in rest and heads[1] in left:
        pairs.append(Pair(*heads, INSTEAD))
    elif a.search is None and b.search is None and len(rest) == len(left) == 1:
        pairs.append(Pair(rest[0], left[0], INSTEAD))
    place = {name: i for i, (name, _, _) in enumerate(_engines(a))}
    return sorted(pairs, key=lambda pair: place[pair.a])


def _engines(run: Results) -> list[tuple[str, str, str]]:
    """Name, canonical text and digest of the code of every engine."""
    return list(run.engines[["name", "spec", "digest"]].itertuples(index=False, name=None))
