"""The results of a run, in numbers and words, without HTML."""
