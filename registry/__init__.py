"""The domain of the hub: one Django app cut into slices; import-linter holds their order."""
