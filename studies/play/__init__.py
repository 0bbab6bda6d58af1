"""Plays a study (stages, trials, scans) and estimates its cost."""
