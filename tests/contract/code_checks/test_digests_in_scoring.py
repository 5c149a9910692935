"""Rewards that compare digests with constants are a warning."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.digests_in_scoring import digests_in_scoring

BEGIN = (
    "import hashlib\nimport zlib\nfrom hashlib import sha256\nimport verifiers.v1 as vf\n"
    'KNOWN = frozenset({"cac20cb018c9"})\nclass T(vf.Task):\n'
    "    @vf.reward\n    async def right(self, trace):\n"
    "        return score(trace.last_reply, self.data)\n"
    "def score(reply, data):\n    word = reply.encode()\n    BODY\n"
)
COMPARED = (
    "return hashlib.sha256(word).hexdigest()[:12] in KNOWN",
    "return sha256(word).hexdigest() == 'cac20cb018c9aa11'",
    "found = hashlib.md5(word).hexdigest()\n    return 1.0 if found == 'cac20cb018c9' else 0.0",
    "return zlib.crc32(word) == 2774917331",
    "return sha256(word).hexdigest() in LOADED",
)
NOT_COMPARED = (
    "return hashlib.sha256(word).hexdigest() == data.digest",
    "return hashlib.sha256(word).hexdigest() == hashlib.sha256(data.answer).hexdigest()",
    "return zlib.crc32(word) % 2 == 1",
    "known = data.digests\n    return hashlib.sha256(word).hexdigest() in known",
    "return reply == 'cac20cb018c9'",
    "return sha256(word).hexdigest() == LOADED[data.number]",
)


@pytest.mark.parametrize("line", COMPARED)
def test_a_digest_that_the_code_writes_is_a_warning(line: str) -> None:
    (item,) = digests_in_scoring({"env.py": BEGIN.replace("BODY", line).encode()})
    assert (item.code, item.severity) == ("env.compares_digest", "warning")
    assert item.where.startswith("env.py:")


@pytest.mark.parametrize("line", NOT_COMPARED)
def test_digests_of_the_task_are_none(line: str) -> None:
    assert list(digests_in_scoring({"env.py": BEGIN.replace("BODY", line).encode()})) == []


def test_a_constant_of_another_file_is_read() -> None:
    first = BEGIN.replace("BODY", "return sha256(word).hexdigest() in WORDS")
    first = first.replace("import zlib", "from .words import WORDS")
    members = {
        "env/__init__.py": first.encode(),
        "env/words.py": b"WORDS = ('cac20cb018c9', 'aa11bb22cc33')\n",
    }
    assert [item.code for item in digests_in_scoring(members)] == ["env.compares_digest"]


def test_loading_may_compare_digests() -> None:
    source = BEGIN.replace("BODY", "return float(reply == data.answer)")
    source += "def load():\n    return hashlib.sha256(b'x').hexdigest() == 'cac20cb018c9'\n"
    assert list(digests_in_scoring({"env.py": source.encode()})) == []
