"""Scripted policies: their replies, and the tool calls by which they look, change and overwrite.
Pure functions of a conversation. May import mutation."""
