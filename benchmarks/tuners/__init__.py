"""The tuner against its rivals on known noisy problems: `python -m benchmarks.tuners --help`.

A problem knows the chance of a win at every point, so a recommendation has a known regret. Read
`space.py`, `problem.py` and `problems.py` (the problems), `rivals/` (the tuners), `run.py` (one
simulated run), `store.py`, `play.py` (all requested runs), `table.py` and `plot.py`.
"""
