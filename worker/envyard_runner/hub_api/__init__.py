"""The hub as a run uses it: the HTTP client, the outbox of a run's events, and a hub in memory for
runs without one. May import nothing else of the runner."""
