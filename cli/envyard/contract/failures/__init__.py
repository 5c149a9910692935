"""Causes of failed loads, rollouts and resolutions, with evidence and a next step.

Pure functions over facts, shared by the runner and the command line. May import `contract` only.
"""

from envyard.contract.failures.facts import Facts, Raised, facts_of
from envyard.contract.failures.registry import CAUSES, Cause, Explanation, explain, summary

__all__ = ["CAUSES", "Cause", "Explanation", "Facts", "Raised", "explain", "facts_of", "summary"]
