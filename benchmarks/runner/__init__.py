"""Measurements of the runner beside verifiers' own evaluator (README.md); may import everything,
tests included."""
