"""Monte Carlo tree search in parts: how to select, expand, value a leaf and back up; composed by a search.

Read `tree.py`, then `iterate.py`, the loop; `../uct.py` composes them.
"""
