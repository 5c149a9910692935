"""Fill a hub with rows to measure, whose wheels do not exist; may import registry."""
