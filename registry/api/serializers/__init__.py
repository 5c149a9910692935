"""DRF serializers: what requests must hold, what responses hold, and both in the OpenAPI document.

May import what the API may, without its views.
"""
