"""The card of a version: pure functions from the evidence of a run to measures and findings.

Hub and command share them, so that whoever has the rollouts computes the same card. May import the
contract.
"""
