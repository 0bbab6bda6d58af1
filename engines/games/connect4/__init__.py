"""Connect 4: rules and evaluations."""
