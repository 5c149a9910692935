"""The card of a version: pure functions from the evidence of a run to measures and findings.

Hub and command share them, so that the same rollouts give the same card on both. May import the
contract.
"""
