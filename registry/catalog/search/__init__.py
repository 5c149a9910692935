"""Catalogue search: `results.SearchResults` reads the documents that `documents.write` keeps.

May import accounts and the models of the catalog.
"""
