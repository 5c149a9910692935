"""The public keys of hubs, kept on this machine since they were first used."""

from __future__ import annotations

import json
import os
from pathlib import Path

from envyard.config import config_path
from envyard.contract.values import record, text
from envyard.errors import UsageError

MAX_PEM = 2000


def path() -> Path:
    """The file, beside that of addresses and tokens."""
    return config_path().with_name("card-keys.json")


def of(url: str) -> dict[str, str]:
    """The pinned keys of the hub in PEM by id; empty before the first use."""
    keys = record(_load().get(url))
    return {text(keyid, 64): text(pem, MAX_PEM) for keyid, pem in keys.items()}


def pin(url: str, keys: dict[str, str]) -> None:
    """Keep the keys as those of the hub, in place of earlier ones."""
    pinned = _load() | {url: keys}
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(pinned, indent=2))
    draft.replace(file)


def _load() -> dict[str, object]:
    try:
        return dict(json.loads(path().read_text()))
    except FileNotFoundError:
        return {}
    except (OSError, TypeError, ValueError) as error:
        raise UsageError(
            f"{path()} cannot be read: {error}",
            f"It has the keys of hubs. Correct or remove it: rm {path()}",
        ) from error
