"""The table of results, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.compatibility.catalogue import PUBLISHED_SOURCES, SOURCES, Repository
from tests.compatibility.evaluate import (
    HELD,
    LISTED,
    MEASURED,
    NOT_BUILT,
    REFUSED,
    REJECTED,
    Result,
)

SENTENCE = 420
OUTCOMES = (LISTED, MEASURED, HELD, REJECTED, REFUSED, NOT_BUILT)
MEANINGS = {
    LISTED: "the card has no failed gate",
    MEASURED: "rollouts were scored, and a gate of the card failed",
    HELD: "the hub cannot decide yet; the requirement says what is missing",
    REJECTED: "no rollout was scored, through the environment's own code",
    REFUSED: "the static checks refuse the wheel, as `hub check` does before a push",
    NOT_BUILT: "its build backend makes no wheel",
}
HEAD = """\
# Environments by other people

Written by `python -m tests.compatibility --write docs/compatibility.md`, never by hand. Each
environment is built as its authors published it, checked, and run with the probes by a real runner.
Data sets have made-up rows, and the judge is made up; five environments that search the web have a
made-up secret and their hosts. The operator keeps NLTK data, and a wheel of `langdetect`, which has
none on the index, and allows the git repository of verifiers. Real rows and a real judge give other
rewards: a row shows how far the environment gets, not how good it is.

"""


def counts(results: Sequence[Result]) -> str:
    """How many of the results have each outcome, as one line."""
    numbers = Counter(result.outcome for result in results)
    parts = [f"{numbers[outcome]} {outcome}" for outcome in OUTCOMES if numbers[outcome]]
    measured = sum(result.measured for result in results)
    return f"{measured} of {len(results)} measured: {', '.join(parts)}"


def markdown(results: Sequence[Result]) -> str:
    """The page: totals, meanings, one table for each repository."""
    published = {source.key for source in PUBLISHED_SOURCES}
    among = [result for result in results if result.environment in published]
    lines = [HEAD, f"- All: {counts(results)}.\n", f"- Published packages: {counts(among)}.\n\n"]
    lines += [f"- **{name}**: {meaning}.\n" for name, meaning in MEANINGS.items()]
    for repository in dict.fromkeys(source.repository for source in SOURCES):
        lines += _section(repository, results)
    return "".join(lines)


def row(result: Result) -> str:
    """One line of a table."""
    name = result.environment.partition("/")[2]
    codes = ", ".join(f"`{code}`" for code in result.codes)
    cells = (name, result.outcome, result.requirement or codes, _cell(result.sentence))
    return f"| {' | '.join(cells)} |\n"


def _section(repository: Repository, results: Sequence[Result]) -> list[str]:
    prefix = f"{repository.group}/"
    rows = [row(result) for result in results if result.environment.startswith(prefix)]
    if not rows:
        return []
    head = "| environment | outcome | requirement or codes | sentence |\n|---|---|---|---|\n"
    return [f"\n## {repository.name} at {repository.commit[:9]}\n\n", head, *rows]


def _cell(sentence: str) -> str:
    """The sentence on one line, cut, without what Markdown reads as a cell or as HTML."""
    words = " ".join(sentence.split())
    cut = words if len(words) <= SENTENCE else f"{words[:SENTENCE].rsplit(' ', 1)[0]} ..."
    return cut.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def outcomes(page: str) -> dict[str, str]:
    """The outcome of each environment by its key, as a page of `markdown` has them."""
    groups = {source.repository.name: source.repository.group for source in SOURCES}
    read, group = {}, ""
    for line in page.splitlines():
        if line.startswith("## "):
            group = groups.get(line.split()[1], "")
        elif line.startswith("| ") and group:
            name, outcome = (cell.strip() for cell in line.split("|")[1:3])
            if outcome in OUTCOMES:  # the other is the table's head
                read[f"{group}/{name}"] = outcome
    return read
