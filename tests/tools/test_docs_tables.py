"""Tables of the documents that registries hold."""

import re

from tools.docs_tables import DOCS, TABLES, rewritten


def test_documents_hold_the_tables_of_the_registries() -> None:
    names = []
    for path in DOCS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert rewritten(text) == text, f"run `python -m tools.docs_tables` to rewrite {path.name}"
        names += re.findall(r"<!-- table: (\w+) -->", text)
    assert sorted(names) == sorted(TABLES)
