"""Tables and printed output of the documents that follow from registries."""

import re

from envyard.card.measures import MEASURES
from envyard.contract.probes import PROBES
from tools.docs_tables import DOCS, TABLES, rewritten


def test_documents_hold_the_tables_of_the_registries() -> None:
    names = []
    for path in DOCS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert rewritten(text) == text, f"run `python -m tools.docs_tables` to rewrite {path.name}"
        names += re.findall(r"<!-- table: (\w+) -->", text)
    assert sorted(names) == sorted(TABLES)


def test_tutorial_prints_every_probe_and_measure_in_the_order_of_the_registries() -> None:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    [(scores, card)] = re.findall(
        r"^Last run .*\n((?:  .*\n)+)\nCard\n((?:  .*\n)+)", text, re.MULTILINE
    )
    hint = "record the tutorial: RECORD=1 pytest tests/flows/test_tutorial.py"
    assert re.findall(r"^  (\w+) ", scores, re.MULTILINE) == list(PROBES), hint
    titles = [measure.title for measure in MEASURES.values()]
    assert re.findall(r"^  (?!measured )\w+ +([^:]+):", card, re.MULTILINE) == titles, hint
