"""The domain: one Django app cut into slices. May import envyard.contract; pyproject.toml orders
the slices."""
