"""Asks samplers for points and reads all their results; alone imports optuna."""
