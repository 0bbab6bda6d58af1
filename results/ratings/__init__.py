"""Ratings with intervals from the results of many games."""
