"""Write the tables of docs/ that registries hold: `python -m tools.docs_tables`.

Each table is between `<!-- table: NAME -->` and `<!-- end of table -->`; NAME is a key of TABLES.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from envyard.card.learnability import MODEL_MEASURES
from envyard.card.measures import MEASURES
from envyard.card.sources import SOURCES
from envyard.contract.probes import PROBES

DOCS = Path(__file__).resolve().parents[1] / "docs"
TABLE = re.compile(r"(<!-- table: (\w+) -->\n\n).*?(\n<!-- end of table -->)", re.DOTALL)


def probes() -> list[tuple[str, ...]]:
    """The scripted policies and the rewards that their replies must earn."""
    header = ("probe", "replies with", "must earn")
    return [header, *((f"`{p.name}`", p.reply, p.required_reward) for p in PROBES.values())]


def measures() -> list[tuple[str, ...]]:
    """The measures of a card."""
    header = ("measure", "source", "question", "what to do when it fails")
    rows = ((f"`{m.code}`", m.source, m.question, m.advice) for m in MEASURES.values())
    return [header, *rows]


def model_measures() -> list[tuple[str, ...]]:
    """The measures of a model."""
    header = ("measure", "unit", "source", "is")
    rows = ((f"`{m.code}`", m.unit, m.source, m.meaning) for m in MODEL_MEASURES.values())
    return [header, *rows]


def sources() -> list[tuple[str, ...]]:
    """Whose word the numbers of a card are."""
    header = ("source", "what stands behind the number")
    return [header, *((f"`{s.mark}`", s.meaning) for s in SOURCES.values())]


TABLES: dict[str, Callable[[], list[tuple[str, ...]]]] = {
    "probes": probes,
    "measures": measures,
    "model_measures": model_measures,
    "sources": sources,
}


def rewritten(text: str) -> str:
    """The document with every table as the registries have it now; raises KeyError for a name
    that TABLES does not have."""
    return TABLE.sub(lambda match: match[1] + _markdown(TABLES[match[2]]()) + match[3], text)


def _markdown(rows: list[tuple[str, ...]]) -> str:
    header, *body = (f"| {' | '.join(row)} |\n" for row in rows)
    return f"{header}|{'---|' * len(rows[0])}\n{''.join(body)}"


def main() -> None:
    """Rewrite the documents whose tables differ."""
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (new := rewritten(text)) != text:
            path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
