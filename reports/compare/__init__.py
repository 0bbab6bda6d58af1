"""`joute report A B`: what is different between two runs, and whether it is more than luck.

Run A comes first ("was"), run B second ("is now"); every difference is B less A. Values first:
`quantity` (a number with its interval), `difference` (the statistics), `pairs` and `scores` (engines
in both runs), `searches`, `study` (what was asked), `runs` (all of it). Then what is shown of them:
`answer` (words), `plot`, `page` (HTML, CSV, JSON).
"""
