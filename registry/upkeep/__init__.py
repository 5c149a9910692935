"""Backup, restore, verification and deletion of stored objects. May import every slice but the
API."""
