"""The search of a study: points as engines, samplers ours and Optuna's, trials, and what is made of them."""
