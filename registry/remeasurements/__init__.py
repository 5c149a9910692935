"""Measuring listed versions again: what is due, the run, and its conclusion.

May import the pipeline and what lies below it.
"""
