"""Checks that read the code of a wheel's tasks, tools, rewards and turns; nothing is executed.

`registry` has all checks, `rollout_functions` finds what rollouts call, and `scoring_constants`
what scoring code compares replies with. Imports the rest of the contract.
"""
