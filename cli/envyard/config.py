"""Where the hub is and who we are: environment variables first, then one 0600 file.

`HUB_URL` and `HUB_TOKEN` win over `$XDG_CONFIG_HOME/envyard/config.json`, which `hub login` writes:
{"url": "...", "tokens": {"<url>": "hub_..."}}.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from envyard.errors import UsageError

DEFAULT_URL = "http://127.0.0.1:8000"


def config_path() -> Path:
    """The file that holds urls and tokens."""
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "envyard" / "config.json"


def clean_url(url: str) -> str:
    """The hub's root without a trailing slash; raises UsageError unless it is http(s)."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is no number
        usable = False
    if not usable:
        raise UsageError(
            f"HUB_URL {url!r} is not an http:// or https:// address", f"For example: {DEFAULT_URL}"
        )
    if parts.username or parts.password:
        raise UsageError("HUB_URL must not hold a name or password", "Use `hub login`.")
    return url.rstrip("/")


@dataclass(slots=True)
class Config:
    """The hub's address and the tokens known for each hub."""

    url: str = DEFAULT_URL
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def token(self) -> str | None:
        """HUB_TOKEN, else the token saved for this hub."""
        return os.environ.get("HUB_TOKEN") or self.tokens.get(self.url)


def load(url: str | None = None) -> Config:
    """Read file and environment; `url` (from `--url`) wins over both."""
    saved: dict[str, object] = {}
    path = config_path()
    if path.exists():
        try:
            saved = dict(json.loads(path.read_text()))
        except (OSError, TypeError, ValueError) as exc:
            raise UsageError(
                f"{path} cannot be read: {exc}", f"Mend or remove it: rm {path}"
            ) from exc
    tokens = saved.get("tokens")
    chosen = url or os.environ.get("HUB_URL") or str(saved.get("url") or DEFAULT_URL)
    return Config(
        url=clean_url(chosen),
        tokens={str(k): str(v) for k, v in tokens.items()} if isinstance(tokens, dict) else {},
    )


def save(config: Config) -> Path:
    """Write the file so that only its owner can read it, in one rename."""
    path = config_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_suffix(f".{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as out:
        json.dump({"url": config.url, "tokens": config.tokens}, out, indent=2)
    draft.replace(path)
    return path
