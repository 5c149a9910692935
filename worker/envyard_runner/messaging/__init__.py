"""Lease runs from the hub and send their events: HTTP, Celery queues, polling.

May import execution and state; execution in turn imports hub_client and event_outbox alone.
"""
