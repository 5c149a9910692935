"""One module per command; may import hub and registry."""
