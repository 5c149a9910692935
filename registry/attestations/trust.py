"""The trusted root of sigstore's verifier: the operator's file, the bundled or a fetched one."""

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
    """The verifier of HUB_SIGSTORE_TRUST; only `tuf` uses the network."""
    source = settings.HUB_SIGSTORE_TRUST
    if source == "tuf":
        return _verifier(source, datetime.now(UTC).strftime("%Y-%m-%d"))
    return _verifier(source, "" if source == "bundled" else str(Path(source).stat().st_mtime_ns))


@lru_cache(maxsize=2)
def _verifier(source: str, as_of: str) -> Verifier:
    """`as_of` renews the cache for a changed file, or on a new day."""
    if source == "tuf":
        return Verifier(trusted_root=ClientTrustConfig.production().trusted_root)
    if source == "bundled":
        # Not `production(offline=True)`: that reads what another program of this user fetched.
        bundled = resources.files("sigstore") / "_store" / quote(PRODUCTION, safe="")
        with resources.as_file(bundled / "trusted_root.json") as file:
            return Verifier(trusted_root=TrustedRoot.from_file(str(file)))
    return Verifier(trusted_root=TrustedRoot.from_file(source))
