"""Runs without a hub: `hub-runner try` and doctor's own environment. May import execution."""
