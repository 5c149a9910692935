"""The confusion matrix of judged entries, and the table of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.zoo.run import Result

DECISIONS = ("rejected", "warned", "listed", "held")


def confusion(results: Sequence[Result]) -> str:
    """Rows: what was planted; columns: what the hub decides; and the share judged as expected."""
    counts = Counter((group(result), result[2].decision) for result in results)
    right = Counter(group(result) for result in results if result[2].is_right(result[0]))
    lines = [f"{'':24}" + "".join(f"{name:>10}" for name in (*DECISIONS, "as wanted"))]
    for name in ("must be rejected", "at least warned", "sound"):
        row = [counts[name, decision] for decision in DECISIONS]
        wanted = f"{right[name]}/{sum(row)}"
        lines.append(f"{name:24}" + "".join(f"{n:>10}" for n in (*row, wanted)))
    flawed = [result for result in results if result[0].flawed]
    sound = [result for result in results if not result[0].flawed]
    clean = sum(result[2].decision == "listed" for result in flawed)
    wrong = sum(result[2].decision in ("rejected", "held") for result in sound)
    lines.append(f"flaws listed clean: {clean} of {len(flawed)}")
    lines.append(f"sound ones rejected or held: {wrong} of {len(sound)}")
    return "\n".join(lines)


def group(result: Result) -> str:
    """The row of an entry."""
    names = {"rejected": "must be rejected", "warned": "at least warned", "sound": "sound"}
    return names[result[0].expected]


def line(result: Result) -> str:
    """One result in one line."""
    entry, seed, judgement = result
    mark = "ok   " if judgement.is_right(entry) else "WRONG"
    codes = ", ".join((*judgement.errors, *judgement.warnings))
    name = f"{entry.key} (seed {seed}, {entry.expected})"
    return f"{mark} {judgement.seconds:5.1f} s {name}: {judgement.decision} {codes}"


def markdown(results: Sequence[Result]) -> str:
    """The table of docs/zoo.md."""
    lines = ["| environment | what it is | must be | is | findings |", "|---|---|---|---|---|"]
    for entry, _, judgement in results:
        codes = ", ".join(f"`{code}`" for code in (*judgement.errors, *judgement.warnings))
        decision = judgement.decision if judgement.is_right(entry) else f"**{judgement.decision}**"
        lines.append(f"| {entry.key} | {entry.title} | {entry.expected} | {decision} | {codes} |")
    return "\n".join(lines) + "\n"
