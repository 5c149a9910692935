"""Environments and versions: lifecycle, overlays, locks, transfer, deletion, search. May import
accounts and quotas.
"""
