"""All known rules; a subject has its own module."""

from __future__ import annotations

from envyard_runner.survey.known_rules import blood
from envyard_runner.survey.known_rules.entry import KnownRule

KNOWN_RULES: tuple[KnownRule, ...] = (*blood.RULES,)
