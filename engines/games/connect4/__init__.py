"""Connect 4: rules, evaluations, what a long study found."""
