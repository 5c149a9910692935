"""The data endpoint: a pinning, verifying, read-only mirror of a data set hub for sandboxed runs.

May import the contract and the runner's configuration; `execution` opens one endpoint a run.
"""
