"""Sign the card of a run and keep it with the evidence that it was computed from."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction

from envyard import __version__
from envyard.card import document, dsse, statement
from registry.card import keys
from registry.card.models import Card, SignedCard
from registry.card.services import compute, evidence_of
from registry.catalog.related_models import VersionFinding
from registry.runs.models import Run


def sign(*, run: Run, required_policies: Sequence[str]) -> SignedCard:
    """Sign the card of an ended run, or what a failed one shows, with the first key.

    The same evidence, rules, policies and findings of the run give the same statement, whose
    signature is then replaced.
    """
    version = run.version
    evidence = document.write(evidence_of(run))
    ended, suite = run.ended_at or run.created_at, run.suite
    measurement = statement.Measurement(
        hub=settings.HUB_URL,
        run=str(run.pk),
        measured_at=ended.isoformat(),
        suite=f"{suite.name} sha256:{suite.digest}" if suite else "",
        run_status=run.status,
    )
    payload = statement.write(
        subject=statement.Subject(str(version), version.filename, version.sha256),
        measurement=measurement,
        evidence=evidence,
        required=required_policies,
        software=f"envyard {__version__}",
        reported=run.findings.filter(stage=VersionFinding.Stage.RUN),
    )
    signed, _ = SignedCard.objects.update_or_create(
        version=version,
        sha256=document.digest(payload),
        defaults={
            "run": run,
            "payload": payload.decode(),
            "evidence": gzip.compress(evidence, mtime=0),
            "evidence_sha256": document.digest(evidence),
            **_signature(payload),
        },
    )
    return signed


def sign_again() -> int:
    """Sign every statement whose key the hub has no longer; returns how many."""
    kept = [key.keyid for key in keys.public_keys()]
    count = 0
    for row in SignedCard.objects.exclude(keyid__in=kept).defer("evidence").iterator():
        SignedCard.objects.filter(pk=row.pk).update(**_signature(row.payload.encode()))
        count += 1
    return count


def sign_unsigned(*, required_policies: Sequence[str]) -> int:
    """Compute and sign the cards of which there is no statement; returns how many."""
    unsigned = Card.objects.exclude(run__in=SignedCard.objects.values("run"))
    rows = list(unsigned.select_related("run__version__environment__owner"))
    for card in rows:
        with transaction.atomic():
            compute(run=card.run)
            sign(run=card.run, required_policies=required_policies)
    return len(rows)


def envelope(signed: SignedCard) -> bytes:
    """The DSSE envelope as it is served."""
    signature = bytes.fromhex(signed.signature)
    content = dsse.Envelope(
        statement.PAYLOAD_TYPE, signed.payload.encode(), {signed.keyid: signature}
    )
    return json.dumps(content.to_dict(), separators=(",", ":")).encode()


def evidence(signed: SignedCard) -> bytes:
    """The evidence document, whose sha256 the statement contains."""
    return gzip.decompress(bytes(signed.evidence))


def _signature(payload: bytes) -> dict[str, str]:
    keyid, signature = keys.sign(dsse.signed_bytes(statement.PAYLOAD_TYPE, payload))
    return {"keyid": keyid, "signature": signature.hex()}
