"""Limits of owners and users, and the usage that slices register. May import accounts."""
