"""Environments with one planted flaw, and sound ones: the real runner runs them, the card judges.

`python -m tests.zoo --help` lists the options; docs/zoo.md has the matrix.
"""
