"""A hub as full as it may become, for measuring: no wheel of it can be installed."""
