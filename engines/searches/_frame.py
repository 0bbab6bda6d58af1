"""The layout of a tabled search's frames: see `_tabled.py`."""

from __future__ import annotations

from joute.engines.kernels.compile import U
from joute.engines.searches._stack import FRAMES, STACK

ONE = U(1)
# In I: depths finished at this move, moves begun; then per frame: children tried, children (-1: not yet
# listed), the best one, the position's key, whether the child now tried has the narrow window.
DONE, AGE, OWN = STACK, STACK + ONE, STACK + U(2)
TRIED, MANY, CHOSEN, KEY, NARROW, INTS = (U(k) for k in range(6))
# In F behind the scores, per frame: best value, window now, lower end of the window at first.
VALUE, ALPHA, BETA, FLOOR, FLOATS = (U(k) for k in range(5))
# The last frame is never searched: the root's bounds and the action that is worth the lower one.
SPARE = U(FRAMES - 1)
# A narrow window is the least one: from alpha to the next number, or the next but one.
STEP, LEAST = 2.0**-52, 1e-300
