"""The tuner against its rivals on known noisy problems: `python -m benchmarks.tuners --help`.

A problem tells the chance of a win at every point, so that what a tuner recommends has a known regret.
Read `space.py`, `problem.py` and `problems.py` (what is tuned), `rivals/` (by what), `run.py` (one
simulated run), `store.py`, `play.py` (all runs that are asked for), `table.py` and `plot.py`.
"""
