"""DATABASE_URL to Django's DATABASES entry."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from hub import env

# The connection to a server that vanished is closed after half a minute; the system's own timeouts
# are a quarter of an hour for sent data, and two hours for a response.
ALIVE = {
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
# Pages read few rows: compiling a query (JIT) or starting workers takes longer than the query. A
# pooler must pass `options` on, or ignore it.
PLANNER = {"options": "-c jit=off -c max_parallel_workers_per_gather=0"}


def from_url(url: str, *, default_file: Path) -> dict[str, Any]:
    """One DATABASES entry for `postgresql://user:password@host:port/name?option=value`,
    `sqlite:///absolute/file`, or, when `url` is empty, SQLite in `default_file`."""
    if not url:
        return _sqlite(default_file)
    try:
        parts = urlsplit(url)
        port = str(parts.port or "")
    except ValueError as error:  # an invalid port, possibly a part of a password
        raise env.refuse("DATABASE_URL", "…", f"is no URL: {str(error).partition(' cast')[0]}; "
            "write / : @ of a password as %2F %3A %40") from None  # fmt: skip
    if parts.scheme == "sqlite":
        return _sqlite(Path("/", unquote(parts.path).lstrip("/")))
    if parts.scheme in ("postgresql", "postgres"):
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.lstrip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": port,
            "CONN_HEALTH_CHECKS": True,
            # libpq's own options (sslmode, host=/socket/folder, ...) pass through.
            "OPTIONS": {"pool": {"min_size": 1, "max_size": 16, "timeout": 10}}
            | ALIVE
            | PLANNER
            | dict(parse_qsl(parts.query)),
        }
    visible = url if "@" not in url else f"{parts.scheme}://…"
    raise env.refuse("DATABASE_URL", visible, "must start with postgresql:// or sqlite://")


def _sqlite(file: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": file,
        "CONN_MAX_AGE": None,  # kept by each thread: opening one costs more than most requests
        "OPTIONS": {
            # Write locks are taken at BEGIN and waited for, so that two writers queue up
            # instead of one failing with "database is locked" half way.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
