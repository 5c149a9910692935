"""What commits say of themselves, on disk: descriptions and file lists, by a key."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import Any

MAX_LISTINGS = 20_000
TRIM_AFTER = 100  # listings: each look at the folder takes time that other runs wait for


class ListingStore:
    """JSON values by key below `folder`: about `maximum` bytes, and `max_listings`. The least
    recently used go."""

    def __init__(self, folder: Path, maximum: int, *, max_listings: int = MAX_LISTINGS) -> None:
        self.folder, self.maximum, self.max_listings = folder, maximum, max_listings
        self._untrimmed = TRIM_AFTER  # other stores may have left more
        self._untrimmed_bytes = 0

    def get(self, key: str) -> Any:
        """What `put` stored for the key, else None."""
        path = self._path(key)
        try:
            content = path.read_bytes()
            os.utime(path)
            return json.loads(content)
        except (FileNotFoundError, ValueError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Store what never changes of a commit; a full disk loses only the cached copy."""
        draft = self.folder / f".{secrets.token_hex(8)}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._untrimmed_bytes += draft.write_text(json.dumps(value), encoding="ascii")
            draft.replace(self._path(key))
        except OSError:
            draft.unlink(missing_ok=True)
        self._untrimmed += 1
        if self._untrimmed > TRIM_AFTER or self._untrimmed_bytes > self.maximum // 10:
            self._trim()

    def _trim(self) -> None:
        self._untrimmed = self._untrimmed_bytes = 0
        entries = []
        for entry in os.scandir(self.folder):
            try:
                status = entry.stat()
            except FileNotFoundError:  # another runner trims as well
                continue
            entries.append((status.st_mtime, status.st_size, entry.path))
        over = sum(size for _, size, _ in entries) - self.maximum
        count = len(entries) - self.max_listings
        for _, size, path in sorted(entries):
            if over <= 0 and count <= 0:
                return
            Path(path).unlink(missing_ok=True)
            over, count = over - size, count - 1

    def _path(self, key: str) -> Path:
        return self.folder / hashlib.sha256(key.encode()).hexdigest()
