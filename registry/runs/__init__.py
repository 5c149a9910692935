"""Runs, their queue, leases, results and transcripts. May import the catalog and storage."""
