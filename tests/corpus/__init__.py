"""Wheels that must be refused, each with its code, and odd ones that must pass; built by code."""

from tests.corpus import content, documents, framing, legal, paths

BAD = (*framing.BAD, *paths.BAD, *content.BAD, *documents.BAD)
GOOD = tuple(legal.GOOD)
