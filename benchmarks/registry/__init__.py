"""Measurements of the registry, one module per comparison (README.md); may import hub and tests."""
