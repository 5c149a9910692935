"""Lease runs from the hub and perform them: Celery queues, polling, heartbeats.

May import every package but doctor.
"""
