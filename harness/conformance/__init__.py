"""Conformance: what every game, engine and view must do, checked on whatever there is.

`joute check` runs it on anything, plugins included, in a process of its own (`apart.py`); the tests
run it on every member, which is thus tested by existing. `things.py` says what is checked, `games.py`,
`engines.py` and `views.py` hold the rules, `check.py` goes through them.
"""
