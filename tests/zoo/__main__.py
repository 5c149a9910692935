"""Run the zoo and print its confusion matrix.

python -m tests.zoo --jobs 2
python -m tests.zoo --only pays-anything sums-v0 --seeds 3
python -m tests.zoo --folders environments-by-others --key key.json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.zoo import catalogue, matrix, run
from tests.zoo.entry import Entry
from tests.zoo.expected_to_fail import EXPECTED_TO_FAIL
from tests.zoo.folders import entries_of


def main() -> int:
    """Exit 0 where all entries but those of EXPECTED_TO_FAIL were judged as expected."""
    parser = _parser()
    options = parser.parse_args()
    try:
        entries = (
            entries_of(options.folders, options.key)
            if options.folders
            else catalogue.chosen(options.only)
        )
    except KeyError as error:
        parser.error(f"no environment of the zoo is named {error}; `--list` prints the names")
    if options.list:
        sys.stdout.write("".join(f"{entry.key}: {entry.title}\n" for entry in entries))
        return 0
    results = []
    how = {"jobs": options.jobs, "kept": options.kept, "forked": options.forked}
    for result in run.run(planned(entries, options.seeds, once=options.once), **how):
        results.append(result)
        sys.stderr.write(f"{matrix.line(result)}\n")
        if not result[2].is_right(result[0]) and result[2].sentence:
            sys.stderr.write(f"      {result[2].sentence[:300]}\n")
    order = {entry.key: place for place, entry in enumerate(entries)}
    results.sort(key=lambda result: (order[result[0].key], result[1]))
    if options.write:
        options.write.write_text(matrix.markdown(results), encoding="utf-8")
    if options.json:
        documents = [
            {"environment": e.key, "seed": s, "right": j.is_right(e), **j.to_dict()}
            for e, s, j in results
        ]
        sys.stdout.write(json.dumps(documents, indent=1) + "\n")
    else:
        sys.stdout.write(f"{matrix.confusion(results)}\n")
    wrong = {entry.key for entry, _, judgement in results if not judgement.is_right(entry)}
    if options.folders:
        return int(bool(wrong))
    for key in sorted(wrong - EXPECTED_TO_FAIL.keys()):
        sys.stderr.write(f"{key} is judged wrong, and is not expected to fail\n")
    passing = (EXPECTED_TO_FAIL.keys() & order.keys()) - wrong
    for key in sorted(passing):
        sys.stderr.write(f"{key} is judged right now: remove it from expected_to_fail.py\n")
    return int(bool(passing or wrong - EXPECTED_TO_FAIL.keys()))


def planned(entries: Sequence[Entry], seeds: int, *, once: bool) -> list[tuple[Entry, int]]:
    """Each entry with each seed, or once, with one of them in turn."""
    if once:
        return [(entry, place % seeds) for place, entry in enumerate(entries)]
    return [(entry, seed) for entry in entries for seed in range(seeds)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m tests.zoo",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these alone")
    parser.add_argument("--folders", type=Path, help="environments by others, each in a folder")
    parser.add_argument("--key", type=Path, metavar="FILE", help="what is planted in them (JSON)")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each, with another seed (1)")
    parser.add_argument("--once", action="store_true", help="one run of each, the seeds in turn")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (1)")
    parser.add_argument(
        "--forked",
        action="store_true",
        help="import the framework once, for trusted environments: a third of the time",
    )
    parser.add_argument("--json", action="store_true", help="the results on stdout, as JSON")
    parser.add_argument("--kept", action="store_true", help="run only what has no kept result")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table of docs/zoo.md")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    return parser


if __name__ == "__main__":
    sys.exit(main())
