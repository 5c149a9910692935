"""Overlap of tasks with lists of benchmarks that the operator installed, by word n-grams.

Brown et al. 2020 ("Language models are few-shot learners", appendix C) look for shared 13-grams
of words, without punctuation and case, in shorter items for all of their words but no fewer than 8,
and ignore n-grams that occur in more than 10 documents.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envyard.contract.survey import MAX_BENCHMARKS, BenchmarkOverlap
from envyard_runner.survey.listing import Listed

GRAM, SHORTEST = 13, 8  # words
COMMON = 10  # tasks that share an n-gram, beyond which it is a template's
MAX_BYTES = 64 << 20  # of one list
MAX_GRAMS = 2_000_000  # of all lists; of larger ones every second, third, ... n-gram is compared
LONGEST_LINE = 1 << 20
FIELDS = ("text", "question", "prompt", "problem", "input")
ENDINGS = (".txt", ".jsonl")
EXAMPLES = 5
WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class BenchmarkList:
    """One list: its file's name without its ending, how many items of at least SHORTEST words it
    has, and the hashes of their n-grams by length."""

    name: str
    items: int
    grams: dict[int, frozenset[int]]


def read_lists(folder: Path, *, max_bytes: int = MAX_BYTES) -> list[BenchmarkList]:
    """The lists of the folder, by name, each read once for its time and size.

    A file is read up to `max_bytes`. Raises OSError where the folder or a file cannot be read.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS)[:MAX_BENCHMARKS]
    statuses = [path.stat() for path in paths]
    total = sum(min(status.st_size, max_bytes) for status in statuses)
    stride = 1 + total // (8 * MAX_GRAMS)  # a word takes some six bytes
    return [
        _read(path, max_bytes, stride, (status.st_mtime_ns, status.st_size))
        for path, status in zip(paths, statuses, strict=True)
    ]


@functools.lru_cache(maxsize=MAX_BENCHMARKS)
def _read(path: Path, max_bytes: int, stride: int, _version: tuple[int, int]) -> BenchmarkList:
    items, size, grams = 0, 0, defaultdict[int, set[int]](set)
    with path.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            words = _words(_text_of(line.decode("utf-8", "replace")))
            if len(words) >= SHORTEST:
                items += 1
                length = min(GRAM, len(words))
                grams[length].update(list(_hashes(words, length))[::stride])
            if (size := size + len(line)) > max_bytes:
                break
    return BenchmarkList(path.stem, items, {n: frozenset(each) for n, each in grams.items()})


def overlapping(tasks: Sequence[Listed], lists: Sequence[BenchmarkList]) -> list[BenchmarkOverlap]:
    """For each list the tasks whose prompt shares an n-gram with one of its items.

    N-grams of more than COMMON different prompts are a template's words and are ignored.
    """
    lengths = sorted({length for each in lists for length in each.grams})
    known = {n: frozenset().union(*(each.grams.get(n, ()) for each in lists)) for n in lengths}
    hits: dict[int, set[tuple[int, int]]] = {}
    seen: dict[str, int] = {}
    counts: Counter[tuple[int, int]] = Counter()
    for place, task in enumerate(tasks):
        if task.prompt in seen:
            hits[place] = hits.get(seen[task.prompt], set())
            continue
        seen[task.prompt] = place
        words = _words(task.prompt)
        found = {(n, gram) for n in lengths for gram in _hashes(words, n) if gram in known[n]}
        counts.update(found)
        if found:
            hits[place] = found
    rows = []
    for each in lists:
        shared = [
            tasks[place].index
            for place, found in sorted(hits.items())
            if any(counts[key] <= COMMON and key[1] in each.grams.get(key[0], ()) for key in found)
        ]
        rows.append(BenchmarkOverlap(each.name, each.items, len(shared), shared[:EXAMPLES]))
    return rows


def _words(text: str) -> list[str]:
    return WORDS.findall(text.casefold())


def _hashes(words: Sequence[str], n: int) -> Iterator[int]:
    """The hashes of the n-grams of this process."""
    return (hash(tuple(words[at : at + n])) for at in range(len(words) - n + 1))


def _text_of(line: str) -> str:
    """The text of a line, which is the text itself, a JSON text, or a JSON object with one of
    FIELDS."""
    if line.lstrip()[:1] not in ("{", '"'):
        return line
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if isinstance(value, dict):
        value = next((value[name] for name in FIELDS if isinstance(value.get(name), str)), "")
    return value if isinstance(value, str) else line
