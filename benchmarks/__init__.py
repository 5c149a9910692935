"""Measured comparisons, run by `python -m`; may import everything, tests included."""
