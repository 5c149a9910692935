"""Checks of the hub's parts for `/readyz`; may import registry and envyard.messaging."""
