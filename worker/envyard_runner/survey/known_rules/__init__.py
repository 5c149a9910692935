"""Solvers for well-known subjects, whose answers are compared with those of the tasks.

docs/decisions/0110 gives the reasons. Imports nothing of the runner but the survey's templates
and the readers of `mutation`.
"""
