"""Conformance: what every game, engine and view must do, checked on whatever there is.

`joute check` runs it on anything, plugins included, in a subprocess (`subprocess_check.py`); the
tests run it on every game, engine and view, which are thus tested by existing. `subjects.py` lists what is
checked, the files `..._rules.py` hold the rules, `check.py` runs them.
"""
