"""What `hub card verify` prints of the statements that it verified."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from envyard import verification
from envyard.card.run_findings import StatedFinding
from envyard.card.sources import SOURCES
from envyard.commands.show import STATUS_COLOUR, indented, local_time
from envyard.output import Output
from envyard.verification import Recomputed, Verified

EVIDENCE, HUB = "evidence", "hub"


@dataclass(frozen=True, slots=True)
class Checked:
    """A verified statement; `published` is whether the findings of its run were compared with those
    that the hub shows."""

    verified: Verified
    published: bool


def show(card: Checked, failure: Checked | None, out: Output) -> None:
    """The card, and the measurement that the listed version failed since, if there is one."""
    if out.as_json:
        later = None if failure is None else _document(failure)
        out.json(_document(card) | {"no_longer_passes": later})
        return
    for checked, heading in ((card, "verified"), (failure, "does not pass any more, verified")):
        if checked is not None:
            _show_one(checked, heading, out)
    for sentence in _not_verified(card if failure is None else failure):
        out.note(f"not verified: {sentence}")


def _document(checked: Checked) -> dict[str, Any]:
    verified = checked.verified
    statement, recomputed = verified.statement, verified.recomputed
    details = {key: asdict(statement)[key] for key in ("subject", "measurement", "rules")}
    return {
        "verified": True,
        "keyid": verified.keyid,
        "statement": verified.sha256,
        "evidence": statement.evidence_sha256,
        **details,
        "recomputed": {
            "measures": recomputed.measures,
            "sources": recomputed.sources,
            "rollouts": recomputed.rollouts,
            "findings": recomputed.findings,
        },
        "findings": statement.results["findings"],
        "run_findings": [
            *(row | {"basis": EVIDENCE} for row in recomputed.confirmed),
            *(row | {"basis": HUB} for row in recomputed.hubs_word),
        ],
        "compared_with_published": checked.published,
        "not_verified": _not_verified(checked),
    }


def _show_one(checked: Checked, heading: str, out: Output) -> None:
    verified = checked.verified
    statement, recomputed = verified.statement, verified.recomputed
    measurement = statement.measurement
    colour = STATUS_COLOUR["fail"] if measurement.failed or "not" in heading else "green"
    out.line(f"{statement.subject.version}  {heading}", colour)
    numbers = f"{recomputed.measures} measures from {recomputed.rollouts} rollouts, equal"
    rows = [
        ("wheel", f"sha256 {statement.subject.sha256}"),
        ("signed by", f"{verified.keyid} of {measurement.hub}"),
        ("measured", f"{local_time(measurement.measured_at)}, rules {statement.rules}"),
        ("run", f"{measurement.run} {measurement.run_status}"),
        ("recomputed", f"{numbers}{_sources(recomputed)}"),
        ("findings", _findings(checked)),
    ]
    for label, value in rows:
        out.line(f"  {label:<11} {value}")
    for row in (*recomputed.confirmed, *recomputed.hubs_word):
        basis = "" if row in recomputed.confirmed else ", the hub's word"
        place = f" [{row['where']}]" if row["where"] else ""
        out.line(f"    {row['severity']} {row['code']}{place}{basis}: {indented(row['message'])}")


def _sources(recomputed: Recomputed) -> str:
    """` (6 observed, 9 claimed)`; empty for statements from before measures had a source."""
    parts = [
        f"{recomputed.sources[code]} {SOURCES[code].mark}"
        for code in SOURCES
        if code in recomputed.sources
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _findings(checked: Checked) -> str:
    recomputed = checked.verified.recomputed
    text = f"{recomputed.findings} of the card, recomputed"
    if checked.verified.statement.run_findings is None:
        return f"{text}; those of the run are not in statements of this type"
    confirmed, word = len(recomputed.confirmed), len(recomputed.hubs_word)
    text += f"; {confirmed + word} of the run"
    if confirmed + word:
        text += f", {confirmed} of them confirmed by the evidence"
    return f"{text}; equal to those that the hub shows" if checked.published else text


def _not_verified(checked: Checked) -> list[str]:
    """What nobody outside the hub can verify of this statement."""
    sentences = list(verification.NOT_VERIFIED)
    if rows := checked.verified.recomputed.hubs_word:
        sentences.append(f"the findings {_codes(rows)} of the run: they are the hub's word")
    if checked.verified.statement.run_findings is not None and not checked.published:
        sentences.append("that the hub shows the findings of the run that it signed")
    return sentences


def _codes(rows: tuple[StatedFinding, ...]) -> str:
    return ", ".join(dict.fromkeys(row["code"] for row in rows))
