"""The hub's address and token, from the first source that has one.

`--url`, then `HUB_URL` and `HUB_TOKEN`, then `$XDG_CONFIG_HOME/envyard/config.json`, which
`hub login` writes: {"url": "...", "tokens": {"<url>": "hub_..."}}; then the address in the wheel
that a hub serves; then DEFAULT_URL.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from envyard.contract.names import INSTALLED_HUB
from envyard.errors import UsageError

DEFAULT_URL = "http://127.0.0.1:8000"
SOURCES = {
    "flag": "from --url",
    "environment": "from HUB_URL",
    "config": "saved by hub login",
    "installed": "the hub that this command was installed from",
    "built-in": "the built-in default",
}


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
    """The hub's address, the key of SOURCES it is from, and the tokens known for each hub."""

    url: str = DEFAULT_URL
    tokens: dict[str, str] = field(default_factory=dict)
    source: str = "built-in"

    @property
    def token(self) -> str | None:
        """HUB_TOKEN, else the token saved for this hub; raises UsageError for what no header can
        hold."""
        token = os.environ.get("HUB_TOKEN", "").strip()
        if token and not (token.isascii() and token.isprintable()):
            raise UsageError("HUB_TOKEN is not a token", "It begins with hub_ and has no spaces.")
        return token or self.tokens.get(self.url)


def load(url: str | None = None) -> Config:
    """Read file and environment; `url` (from `--url`) overrides both."""
    saved: dict[str, object] = {}
    path = config_path()
    if path.exists():
        try:
            saved = dict(json.loads(path.read_text()))
        except (OSError, TypeError, ValueError) as exc:
            raise UsageError(
                f"{path} cannot be read: {exc}", f"Correct or remove it: rm {path}"
            ) from exc
    tokens = saved.get("tokens")
    sources = {
        "flag": url,
        "environment": os.environ.get("HUB_URL"),
        "config": str(saved.get("url") or ""),
        "installed": installed_hub(),
        "built-in": DEFAULT_URL,
    }
    source, chosen = next((source, address) for source, address in sources.items() if address)
    return Config(
        source=source,
        url=clean_url(chosen),
        tokens={str(k): str(v) for k, v in tokens.items()} if isinstance(tokens, dict) else {},
    )


def installed_hub() -> str:
    """The address in the wheel that a hub serves; empty in any other `envyard`."""
    try:
        return (Path(__file__).parent / INSTALLED_HUB).read_text().strip()
    except (OSError, ValueError):
        return ""


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
