"""Conformance: what every game, engine and view must do, checked on whatever there is.

`joute check` runs it on anything, plugins included, in a subprocess (`subprocess_check.py`); the
tests run it on every member, which is thus tested by existing. `subjects.py` lists what is checked,
`game_rules.py`, `engine_rules.py` and `view_rules.py` hold the rules, `check.py` runs them.
"""
