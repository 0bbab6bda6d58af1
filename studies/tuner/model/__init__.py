"""The model of a search: what binomial counts say of the log-odds of winning, anywhere in a space."""
