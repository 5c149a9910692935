"""Where the bytes of wheels are kept."""

from __future__ import annotations

from registry.storage.base import Corrupt, Missing, Storage, Stored, check, digest, key
from registry.storage.choice import get

__all__ = ["Corrupt", "Missing", "Storage", "Stored", "check", "digest", "get", "key"]
