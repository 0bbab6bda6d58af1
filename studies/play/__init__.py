"""Plays a study: stages, trials, scans, and what that would cost."""
