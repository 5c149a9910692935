"""Hostile environments that the flows push: data, never imported by the tests."""
