"""The documents of `docs/`, which the wheel of the hub contains too (`frontend/documents`)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "documents"
DECISIONS = "decisions/"
# The navigation; a document without a group, unless it is a decision, stands under OTHERS.
GROUPS = {
    "Begin": ("tutorial", "cli", "compatibility", "gpu"),
    "Write an environment": ("writing-environments", "wheels", "needs", "environments", "card"),
    "Publish": ("accounts", "trusted-publishing", "attestations", "prime", "notifications"),
    "Train and evaluate": ("evaluations", "models", "index", "api"),
    "Run a hub": ("operations", "settings", "runners", "security", "moderation", "faults", "zoo"),
}
OTHERS = "More"


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown file; `name` is its path in the folder without `.md`."""

    name: str
    title: str
    text: str

    @property
    def is_decision(self) -> bool:
        """Whether it gives the reasons of a choice, for those who change the hub."""
        return self.name.startswith(DECISIONS)


@functools.cache
def documents() -> dict[str, Document]:
    """All documents by name, read once in the life of the process."""
    files = (*sorted(FOLDER.glob("*.md")), *sorted(FOLDER.glob(f"{DECISIONS}*.md")))
    rows = (_read(file) for file in files)
    return {row.name: row for row in rows}


def groups() -> list[tuple[str, list[Document]]]:
    """The navigation: every document but the decisions, by group."""
    rows = documents()
    named = {name for names in GROUPS.values() for name in names}
    others = [row for row in rows.values() if row.name not in named and not row.is_decision]
    grouped = [(title, [rows[name] for name in names]) for title, names in GROUPS.items()]
    return [*grouped, (OTHERS, others)] if others else grouped


def decisions() -> list[Document]:
    """The decisions in the order of their numbers."""
    return [row for row in documents().values() if row.is_decision]


def _read(file: Path) -> Document:
    text = file.read_text(encoding="utf-8")
    name = file.relative_to(FOLDER).with_suffix("").as_posix()
    title = text.partition("\n")[0].removeprefix("# ").strip()
    return Document(name, title, text)
