"""The stored card of a version, computed from the rows of a run by `envyard.card`.

May import runs, catalog and what lies below them, `envyard.card` and the contract.
"""
