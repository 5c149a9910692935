"""Whom sigstore's verifier believes: the operator's file, the bundled root, or a fetched one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from sigstore.models import ClientTrustConfig, TrustedRoot
from sigstore.verify import Verifier

PRODUCTION = "https://tuf-repo-cdn.sigstore.dev"


def verifier() -> Verifier:
    """The verifier that HUB_SIGSTORE_TRUST asks for; only `tuf` ever uses the network."""
    where = settings.HUB_SIGSTORE_TRUST
    if where == "tuf":
        return _verifier(where, datetime.now(UTC).strftime("%Y-%m-%d"))
    return _verifier(where, "" if where == "bundled" else str(Path(where).stat().st_mtime_ns))


@lru_cache(maxsize=2)
def _verifier(where: str, as_of: str) -> Verifier:
    """`as_of` makes a changed file, or a new day, count."""
    if where == "tuf":
        return Verifier(trusted_root=ClientTrustConfig.production().trusted_root)
    if where == "bundled":
        # Not `production(offline=True)`: that reads what another program of this user fetched.
        bundled = resources.files("sigstore") / "_store" / quote(PRODUCTION, safe="")
        with resources.as_file(bundled / "trusted_root.json") as file:
            return Verifier(trusted_root=TrustedRoot.from_file(str(file)))
    return Verifier(trusted_root=TrustedRoot.from_file(where))
