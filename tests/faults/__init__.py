"""Fault tests of a whole hub (README.md)."""
