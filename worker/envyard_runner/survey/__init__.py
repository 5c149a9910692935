"""Checks of a whole task set by texts alone: repeated prompts, and answers that prompts name.

Imports nothing of the runner.
"""
