"""Stored objects by sha256, in a local folder or an S3 bucket. May import only errors."""

from __future__ import annotations

from registry.storage.base import Corrupt, Missing, Storage, Stored, check, digest, key
from registry.storage.choice import get

__all__ = ["Corrupt", "Missing", "Storage", "Stored", "check", "digest", "get", "key"]
