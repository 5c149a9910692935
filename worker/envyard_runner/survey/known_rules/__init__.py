"""Solvers for well-known subjects, whose answers are compared with those of the tasks.

docs/decisions/0110 gives the reasons.
"""
