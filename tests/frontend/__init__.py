"""Tests of the pages, with Django's client and in a browser; may import tests.factories."""
