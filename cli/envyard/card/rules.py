"""The version of the rules by which cards are computed."""

RULES = 1
"""Raise it with every change by which the same evidence gets another number, status or finding:
listed versions are then measured again, and published cards are no longer recomputed by this
release (`signed_card.other_rules`)."""
