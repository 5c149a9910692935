"""The version of the rules by which rollouts are made and cards are computed from them."""

RULES = 7
"""Raise it with every change of driver, gateway, scores or card by which the same version gets
another number, status or finding: listed versions are then measured again, published cards are no
longer recomputed by this release (`cli.card_other_rules`), and suites frozen under other rules are
refused."""
