"""One run on this machine: its sandboxes, the collected rollouts, the replay and the verdict.

May import every package but doctor and local, and of messaging hub_client and event_outbox alone.
"""
