"""Signed webhooks: addresses of owners that the hub sends news to, and the log of deliveries.

May import notifications, catalog, accounts, events and errors.
"""
