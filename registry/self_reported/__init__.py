"""Evaluations that users ran themselves and pushed: claims, never evidence. May import the
catalog, quotas and storage."""
