"""Trusted publishers: OIDC workflows that publish without a stored token. May import the
catalog."""
