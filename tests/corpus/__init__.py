"""Wheels that must be refused, each with its code, and odd ones that must pass; built by code."""

from tests.corpus import content, documents, framing, inner, layout, legal, paths, texts

BAD = (*framing.BAD, *paths.BAD, *content.BAD, *documents.BAD,
       *layout.BAD, *inner.BAD, *texts.BAD)  # fmt: skip
GOOD = tuple(legal.GOOD)
