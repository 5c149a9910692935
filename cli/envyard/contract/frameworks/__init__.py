"""Which release of its framework a wheel can run with: a table of releases, and a choice."""
