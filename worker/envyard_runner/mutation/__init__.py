"""Replies made from right ones: the answer in a reply, and changes of it. Pure functions of text.

Imports nothing of the runner.
"""
