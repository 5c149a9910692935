"""Celery and process helpers that hub and runner share.

Imports celery and kombu, so the `hub` command must not import it.
"""
