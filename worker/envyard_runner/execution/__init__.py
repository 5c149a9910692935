"""One run on this machine: its sandboxes, the collected rollouts, the replay and the verdict.

May import every package but doctor and messaging.
"""
