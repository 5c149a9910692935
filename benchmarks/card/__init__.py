"""Measurements of computing cards (README.md); may import everything, tests included."""
