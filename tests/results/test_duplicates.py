import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.results.duplicates import Alike, Distinct, alike_blocks, distinct_games


def test_repeats_are_counted_within_a_pairing_alone():
    pairings = ["A - B", "A - C"]
    found, sentence = distinct_games(pairings, [0, 0, 0, 0, 1, 1], [7, 8, 7, 7, 7, 9])
    assert found == [Distinct("A - B", 4, 2), Distinct("A - C", 2, 2)]
    assert found[0].repeats == 2
    assert sentence.startswith("2 of 6 games repeat")
    assert "A - B, 2 distinct of 4" in sentence
    assert "more openings" in sentence and "more random plies" in sentence


def test_nothing_to_say_without_repeats():
    assert distinct_games([], [], []) == ([], "")
    assert distinct_games(["A - B", "A - C"], [0, 1], [5, 5])[1] == ""


def test_lists_must_match():
    with pytest.raises(ValueError):
        distinct_games(["A - B"], [0], [])


@given(st.lists(st.tuples(st.sampled_from("PQR"), st.sampled_from("wxyz"))))
def test_order_does_not_change_the_counts(games):
    def read(games):
        found, sentence = distinct_games(
            "PQR", ["PQR".index(g[0]) for g in games], ["wxyz".index(g[1]) for g in games]
        )
        return {(o.pairing, o.games, o.distinct) for o in found}, bool(sentence)

    found, said = read(games)
    assert read(games[::-1]) == (found, said)
    assert said == (len(set(games)) < len(games))
    assert sum(one[2] for one in found) == len(set(games))


def test_blocks_whose_seatings_are_the_same_game():
    """Two pairs, three blocks each; a block of one game and an engine against itself do not count."""
    pair = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, -1]
    block = [5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 11, 11]
    line = [1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 1, 1]
    assert alike_blocks(["a and b", "c and d"], pair, block, line) == [Alike("a and b", 3, 2)]
    mixed = np.random.default_rng(1).permutation(len(pair))
    columns = [np.array(column)[mixed] for column in (pair, block, line)]
    assert alike_blocks(["a and b", "c and d"], *columns) == [Alike("a and b", 3, 2)]
    assert alike_blocks([], [], [], []) == []
