"""What is stored of moves."""

from __future__ import annotations

import pytest

from joute.engines.record import FURTHEST, WIN
from joute.results.moves import packed_values, unpacked_values


@pytest.mark.parametrize("plies", [0, 1, 7, 300, FURTHEST])
def test_the_distance_of_a_win_is_kept(plies: int) -> None:
    values = (WIN - plies, plies - WIN, None, 0.0, -0.25, 1e30, None)
    back = unpacked_values(packed_values(values))
    assert back[:2] == values[:2] and back[2:5] == values[2:5] and back[6] is None
    assert back[5] == pytest.approx(1e30)
