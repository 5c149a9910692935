"""The statement of a card: what the hub measured on a wheel, as an in-toto attestation.

https://github.com/in-toto/attestation, spec/v1: a Statement with one subject, the wheel, and a
predicate of our own type, which docs/card.md describes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card import document, run_findings
from envyard.card.earlier_form import first_form
from envyard.card.evidence import Evidence
from envyard.card.learnability import model_results
from envyard.card.measures import all_measures
from envyard.card.run_findings import Reported, StatedFinding
from envyard.card.scores import by_policy
from envyard.card.verdict import findings_of
from envyard.contract.rules import RULES
from envyard.contract.suite import SMOKE

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
FIRST_TYPE = "urn:envyard:card:v1"  # of earlier releases
PREDICATE_TYPE = "urn:envyard:card:v2"
FAILED = "failed"
RESULTS = ("measures", "scores", "model_results", "findings")


class BadStatement(ValueError):
    """The payload is no statement of a card; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured: the reference owner/name==version, file name and sha256 of the wheel."""

    version: str
    filename: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """Where, when and how it was measured: the hub's address, the run, its end as an ISO time, the
    name of its suite with the sha256 of what that freezes (empty for runs without one), and the
    status in which the run ended."""

    hub: str
    run: str
    measured_at: str
    suite: str
    run_status: str = "succeeded"

    @property
    def failed(self) -> bool:
        """Whether the environment failed the run, which then has no card of its own."""
        return self.run_status == FAILED


@dataclass(frozen=True, slots=True)
class Statement:
    """The parts of a statement that are compared; `results` is what `compute` returns for its
    type. `run_findings` are None in statements of FIRST_TYPE, which hold none."""

    predicate_type: str
    subject: Subject
    measurement: Measurement
    rules: int
    software: str
    evidence_sha256: str
    required_policies: tuple[str, ...]
    results: dict[str, Any]
    run_findings: tuple[StatedFinding, ...] | None


def compute(
    evidence: Evidence,
    required: Sequence[str],
    measurement: Measurement,
    predicate_type: str = PREDICATE_TYPE,
) -> dict[str, Any]:
    """Measures, scores, model results and findings of the evidence, as a statement of that type
    holds them.

    A run that failed is judged by its own findings, so the card's are empty: measures of a run that
    broke off say little.
    """
    name = measurement.suite.partition(" ")[0] or SMOKE
    judged = [] if measurement.failed else findings_of(evidence, required)
    results = {
        "model_results": [result.to_dict() for result in model_results(evidence, suite=name)],
        "measures": [measure.to_dict() for measure in all_measures(evidence)],
        "scores": [score.to_dict() for score in by_policy(evidence)],
        "findings": [
            {"code": finding.code, "severity": finding.severity, "where": finding.where}
            for finding in judged
        ],
    }
    return first_form(results) if predicate_type == FIRST_TYPE else results


def write(
    *,
    subject: Subject,
    measurement: Measurement,
    evidence: bytes,
    required: Sequence[str],
    software: str,
    reported: Iterable[Reported] = (),
) -> bytes:
    """The payload about the evidence document; the results are computed from its bytes. `reported`
    are the findings of the run."""
    return document.encode(
        {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": subject.filename, "digest": {"sha256": subject.sha256}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "version": subject.version,
                **asdict(measurement),
                "rules": RULES,
                "software": software,
                "evidence": {"sha256": document.digest(evidence), "size": len(evidence)},
                "required_policies": list(required),
                **compute(document.read(evidence), required, measurement),
                "run_findings": run_findings.stated(reported),
            },
        }
    )


def read(payload_type: str, payload: bytes) -> Statement:
    """The statement in an envelope's payload; raises BadStatement."""
    try:
        content = json.loads(payload)
        predicate, [wheel] = content["predicate"], content["subject"]
        kinds = (payload_type, content["_type"], content["predicateType"])
        is_first = kinds[2] == FIRST_TYPE
        if kinds[:2] != (PAYLOAD_TYPE, STATEMENT_TYPE) or not (
            is_first or kinds[2] == PREDICATE_TYPE
        ):
            raise BadStatement(f"its types are {', '.join(map(repr, kinds))}")
        return Statement(
            predicate_type=kinds[2],
            subject=Subject(
                str(predicate["version"]), str(wheel["name"]), str(wheel["digest"]["sha256"])
            ),
            measurement=Measurement(
                str(predicate["hub"]),
                str(predicate["run"]),
                str(predicate["measured_at"]),
                str(predicate["suite"]),
                **({} if is_first else {"run_status": str(predicate["run_status"])}),
            ),
            rules=int(predicate["rules"]),
            software=str(predicate["software"]),
            evidence_sha256=str(predicate["evidence"]["sha256"]),
            required_policies=tuple(map(str, predicate["required_policies"])),
            results={key: predicate[key] for key in RESULTS},
            run_findings=None if is_first else run_findings.read(predicate["run_findings"]),
        )
    except BadStatement:
        raise
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise BadStatement("a field is missing or has another type") from error
