"""What happened to environments, for feeds, notifications and webhooks; reads the journal.

May import accounts, catalog, events and errors.
"""
