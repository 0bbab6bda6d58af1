"""`joute report A B`: the differences between two runs, and whether they are more than luck.

Run A comes first ("was"), run B second ("is now"); every difference is B less A. First the values:
`quantity` (a number with its interval), `difference` (the statistics), `pairs` and `scores`
(engines in both runs), `searches`, `study_differences`, `run_pair` (all of it). Then how they are
shown: `answer` (words), `plots/differences`, `comparison_page` (HTML, CSV, JSON).
"""
