"""The tuner for any objective: `from joute import Tuner, Float, Int, Choice`; see docs/tuning.md."""
