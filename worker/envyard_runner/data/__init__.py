"""The data endpoint: a pinning, verifying, read-only mirror of a data set hub for sandboxed runs.

May import the contract only: the runner's configuration reads `source`. `execution` opens one
endpoint a run.
"""
