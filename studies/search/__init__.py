"""The search of a study: points as engines, samplers (ours, Optuna's), trials, recommendation."""
