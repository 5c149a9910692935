"""The OpenAPI document: its prose, the paths outside REST, and hooks of drf-spectacular.

Operations are described beside their views. May import what the API may.
"""
