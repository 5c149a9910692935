"""The evidence of a card as a document: JSON that is published, hashed and read again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, replace
from typing import Any

from envyard.card.evidence import Evidence
from envyard.contract.facts import Facts
from envyard.contract.replay import Replay
from envyard.contract.runner_events import RolloutResult
from envyard.contract.values import count, record, records, text

MAX_ROLLOUTS = 1_000_000
MAX_POLICIES = 1000
KEYS = tuple(field.name for field in fields(Evidence))


class BadDocument(ValueError):
    """The bytes are no evidence of a card; the message says what is wrong."""


def encode(document: dict[str, Any]) -> bytes:
    """Canonical JSON: equal documents give equal bytes on every machine."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def digest(data: bytes) -> str:
    """The sha256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def write(evidence: Evidence) -> bytes:
    """The evidence without the transcripts, which no measure reads."""
    rollouts = [_without_transcript(rollout) for rollout in evidence.rollouts]
    plain = {key: getattr(evidence, key) for key in KEYS}
    return encode(
        plain
        | {
            "policies": list(evidence.policies),
            "facts": evidence.facts.to_dict(),
            "rollouts": rollouts,
        }
    )


def read(data: bytes) -> Evidence:
    """The evidence that `write` wrote; raises BadDocument for what has other fields.

    A hub with a later release may write fields that this one would ignore: no card is computed
    from a part of the evidence.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadDocument("it is not JSON") from error
    if not isinstance(document, dict) or set(document) != set(KEYS):
        raise BadDocument(f"its fields are not {', '.join(KEYS)}")
    policies = document["policies"]
    if not isinstance(policies, list):
        raise BadDocument("policies is not a list")
    return Evidence(
        policies=tuple(text(name, 40) for name in policies[:MAX_POLICIES]),
        tasks=count(document["tasks"]),
        attempts=count(document["attempts"]),
        facts=Facts.from_dict(record(document["facts"])),
        rollouts=tuple(map(_rollout, records(document["rollouts"], MAX_ROLLOUTS))),
        model=text(document["model"], 200),
    )


def _without_transcript(rollout: RolloutResult) -> dict[str, Any]:
    return {key: value for key, value in rollout.to_dict().items() if key != "transcript"}


def _rollout(data: dict[str, Any]) -> RolloutResult:
    replay = data.get("replay")
    return replace(
        RolloutResult.from_dict(data),
        replay=Replay.from_dict(replay) if isinstance(replay, dict) else None,
    )
