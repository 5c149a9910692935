"""Typed readers for settings from the process environment."""

import base64
import contextlib
import difflib
import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from envyard.card.prices import Prices
from envyard.card.prices import parse as parse_prices
from envyard.contract.git_requirements import BadRepository, Repositories

T = TypeVar("T")
READ: set[str] = set()  # every variable that a setting was read from
# Read by the runner and the command, which get the variables of `serve`.
OTHERS = {
    *("HUB_TOKEN", "HUB_RUNNER_TOKEN", "HUB_RUNNER_TOKEN_FILE"),
    *("HUB_MODEL_KEY", "HUB_MODEL_KEY_FILE", "HUB_BROKER_URL_FILE"),
}
HOST = re.compile(r"\*|\.?[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]", re.IGNORECASE)


def refuse(name: str, value: str, rule: str) -> ImproperlyConfigured:
    """The startup error for one bad value: it names the variable, the value and the rule."""
    return ImproperlyConfigured(f"{name}={value!r}: {rule}")


def text(name: str, default: str = "") -> str:
    """The variable, stripped; an empty one counts as unset."""
    READ.add(name)
    return os.environ.get(name, "").strip() or default


def _parsed(name: str, default: T, parse: Callable[[str], T], rule: str) -> T:
    raw = text(name)
    if not raw:
        return default
    try:
        return parse(raw)
    except ValueError:
        raise refuse(name, raw, rule) from None


def integer(name: str, default: int, *, low: int, high: int) -> int:
    """A whole number within [low, high]."""
    value = _parsed(name, default, int, "must be a whole number")
    if not low <= value <= high:
        raise refuse(name, str(value), f"must be between {low} and {high}")
    return value


def flag(name: str, default: bool) -> bool:
    """A switch: 1/true/yes/on or 0/false/no/off."""
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False}

    def parse(raw: str) -> bool:
        if raw.lower() not in words:
            raise ValueError
        return words[raw.lower()]

    return _parsed(name, default, parse, f"must be one of {', '.join(words)}")


def choice(name: str, default: str, *, among: tuple[str, ...]) -> str:
    """One word out of a fixed set."""
    value = text(name, default)
    if value not in among:
        raise refuse(name, value, f"must be one of {', '.join(among)}")
    return value


def words(name: str, default: tuple[str, ...], *, among: tuple[str, ...] = ()) -> tuple[str, ...]:
    """A comma-separated list, in the order written; `none` is the empty list."""
    raw = text(name)
    if not raw:
        return default
    items = () if raw == "none" else tuple(w.strip() for w in raw.split(",") if w.strip())
    for word in items:
        if among and word not in among:
            raise refuse(name, raw, f"{word!r} must be one of {', '.join(among)}")
    if len(set(items)) != len(items):
        raise refuse(name, raw, "must not contain a name twice")
    return items


def hosts(name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """Host names without scheme and port; one that starts with a dot includes all names below."""
    names = words(name, default)
    for host in names:
        if not HOST.fullmatch(host):
            rule = f"{host!r} must be a host name, without scheme or port, or .example.org"
            raise refuse(name, text(name), rule)
    return names


def git_repositories(name: str) -> Repositories:
    """Git repositories by their https addresses, each with its mirror if it has one."""
    texts = words(name, ())
    try:
        return Repositories.of(texts)
    except BadRepository as error:
        raise refuse(name, text(name), str(error)) from None


def unknown() -> dict[str, str]:
    """Variables that start with HUB_ but are no setting, each with the most similar setting."""
    names_read = READ | OTHERS
    names = [name for name in os.environ if name.startswith("HUB_") and name not in names_read]
    return {name: "".join(difflib.get_close_matches(name, names_read, 1)) for name in sorted(names)}


def url(name: str, default: str = "", *, schemes: tuple[str, ...] = ("http", "https")) -> str:
    """An absolute URL without its trailing slash."""
    value = text(name, default).rstrip("/")
    if value:
        try:
            parts = urlsplit(value)
            valid = parts.scheme in schemes and parts.hostname and (parts.port or 1)
        except ValueError:
            valid = False
        if not valid:
            raise refuse(name, value, f"must be a URL that starts with {'://, '.join(schemes)}://")
    return value


def public_url(name: str) -> str:
    """An absolute URL that is shown publicly: a user name or password is refused."""
    if "@" in text(name).partition("://")[2].partition("/")[0]:
        rule = "is public and must not contain a user name or password"
        raise refuse(name, "…", rule)
    return url(name)


def labelled_urls(name: str, default: str, *, labels: tuple[str, ...]) -> dict[str, str]:
    """`label=URL,...` as URL -> label; plain http only for this machine's own addresses."""
    labels_by_url = {}
    for word in words(name, tuple(default.split(","))):
        label, _, value = word.partition("=")
        parts = urlsplit(value)
        local = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")
        if label not in labels or not parts.netloc or not (parts.scheme == "https" or local):
            rule = f"{word!r} must be {', '.join(labels)}, then = and an https:// URL"
            raise refuse(name, text(name), rule)
        labels_by_url[value.rstrip("/")] = label
    return labels_by_url


def token_prices(name: str) -> dict[str, Prices]:
    """`model=PROMPT/COMPLETION,...` as model -> prices of a million tokens; none by default."""
    prices = {}
    for word in words(name, ()):
        model, _, value = word.rpartition("=")
        try:
            prices[model] = parse_prices(value)
        except ValueError as error:
            raise refuse(name, text(name), f"{word!r}: {error}") from None
        if not model:
            raise refuse(name, text(name), f"{word!r} must be a model, then = and its prices")
    return prices


def path(name: str, default: Path) -> Path:
    """An absolute path; a relative one starts at the working directory."""
    return Path(text(name) or default).expanduser().absolute()


def folder(name: str, default: Path) -> Path:
    """A folder that this user can write; created if it does not exist.

    Others can traverse but not list it, because sandboxes of other users use folders below it.
    """
    value = path(name, default)
    try:
        value.mkdir(mode=0o711, parents=True, exist_ok=True)
        reason = "" if os.access(value, os.W_OK | os.X_OK) else "no permission"
    except OSError as error:
        reason = str(error.strerror)
    if reason:
        raise refuse(name, str(value), f"cannot be written ({reason}), choose another folder")
    return value


def secret(name: str, default: str = "") -> str:
    """The value of NAME, or the content of the file in NAME_FILE; both is an error."""
    value, file = text(name), text(f"{name}_FILE")
    if value and file:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: keep one of them")
    if not file:
        return value or default
    try:
        return Path(file).read_text().strip() or default
    except OSError as error:
        raise refuse(f"{name}_FILE", file, f"cannot be read ({error.strerror})") from None


def fernet_keys(name: str) -> tuple[str, ...]:
    """A comma-separated list of keys, as `secret` reads it; the value is never shown."""
    keys = tuple(key.strip() for key in secret(name).split(",") if key.strip())
    for key in keys:
        try:
            Fernet(key)
        except ValueError:
            rule = "each key must be 32 bytes in URL-safe base64; manage.py create_secrets_key"
            raise refuse(name, "…", rule) from None
    return keys


def card_keys(name: str, file: Path) -> tuple[str, ...]:
    """A comma-separated list of private keys of 32 bytes, as `secret` reads it; without any, one
    that the first start stores in `file`. The value is never shown."""
    value = generated_secret(name, file, make=lambda: Fernet.generate_key().decode())
    keys = tuple(key.strip() for key in value.split(",") if key.strip())
    for key in keys:
        try:
            size = len(base64.urlsafe_b64decode(key))
        except ValueError:
            size = 0
        if size != 32:
            rule = "each key must be 32 bytes in URL-safe base64; manage.py create_card_key"
            raise refuse(name, "…", rule)
    return keys


def generated_secret(
    name: str, file: Path, *, make: Callable[[], str] = lambda: secrets.token_urlsafe(50)
) -> str:
    """`secret(name)`, or what `make` returns, which the first start stores in `file` (mode 0600).

    Several processes may start at once: a hard link creates the file, so that all read one value.
    """
    if value := secret(name):
        return value
    if not file.exists():
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(make())
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
        draft.unlink()
    return file.read_text().strip()
