"""Filters and tags of the templates; may import frontend.render and registry.accounts."""
