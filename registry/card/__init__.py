"""The card of a version: pure functions from the evidence of a run to measures and findings.

May import runs, catalog and what lies below them, and the contract.
"""
