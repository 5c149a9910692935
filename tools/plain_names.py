"""List names and sentences that are not plain: `python -m tools.plain_names [PATH...]`.

Prints `file:line: kind: word` for each local name, identifier and word of a docstring or comment
on the lists below, then a count for each folder. Options: --summary prints the counts alone,
--strict exits 1 where anything is listed. It catches the crude cases only.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LOCALS = {
    *("found", "said", "told", "asked", "one", "what", "least", "most", "given", "made"),
    *("whole", "them", "who", "whom", "thing", "things", "heard", "got", "ours", "theirs"),
}
# Fields of a wire format or of Python's file protocol, and words of generated sentences.
EXEMPT = {
    "cli/envyard/contract/replay.py": {"asked"},
    "cli/envyard/contract/transcript.py": {"asked"},
    "registry/api/serializers/catalog.py": {"whole"},
    "registry/sources/archive.py": {"tell"},
    "examples/reverse-text/reverse_text/texts.py": {"who", "what"},
}
# Parts of identifiers (split at underscores and capitals).
PARTS = {
    *("bell", "bells", "doorbell", "ring", "rung", "knock", "knocks", "door", "deaf", "hear"),
    *("heard", "hearing", "listen", "asker", "asking", "loan", "loans", "lent", "lend", "story"),
    *("crowd", "silence", "tape", "station", "told", "said", "tell", "tells", "says", "farewell"),
    *("greet", "newcomer", "misdeed", "misdeeds", "denounce", "unfit", "unheard", "volley"),
    *("heal", "lender"),
}
PROSE = re.compile(
    r"\b(tells?|told|says|said|asks|asked|hears?|heard|anew|deaf|knows|knew|wants|believes?|believed"
    r"|speaks|spoke|lends?|lent|whoever|whom|at most so many|doorbells?|bells?|knock(?:s|ed)?"
    r"|greets?|farewell|learns|forgets|remembers|stands|lies in)\b",
    re.IGNORECASE,
)
SPLIT = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])")
STRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
Hit = tuple[int, str, str]


def names(tree: ast.AST) -> Iterator[Hit]:
    """Names that this file binds: locals, arguments, functions, classes."""
    for node in ast.walk(tree):
        bound = ""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound = node.id
        elif isinstance(node, ast.arg):
            bound = node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound = node.name
        if bound.strip("_") in LOCALS:
            yield node.lineno, "local", bound  # type: ignore[attr-defined]
        elif not bound.startswith("test_"):
            hits = PARTS.intersection(part.lower() for part in SPLIT.split(bound))
            yield from ((node.lineno, "name", bound) for _ in hits)  # type: ignore[attr-defined]


def prose(tree: ast.AST, text: str) -> Iterator[Hit]:
    """Words of docstrings, comments and test names."""
    for node in ast.walk(tree):
        if isinstance(node, STRINGS) and (doc := ast.get_docstring(node, clean=False)):
            line = node.body[0].lineno
            yield from ((line, "docstring", word) for word in PROSE.findall(doc))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[:5] == "test_":
            words = PROSE.findall(node.name.replace("_", " "))
            yield from ((node.lineno, "test name", word) for word in words)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from ((token.start[0], "comment", word) for word in PROSE.findall(token.string))


def tracked(paths: list[str]) -> list[Path]:
    """Python files under `paths` that git tracks, without templates and migrations."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *paths], capture_output=True, text=True, check=True
    )
    files = [Path(name) for name in listed.stdout.splitlines() if name.endswith(".py")]
    return [
        file
        for file in files
        if file.exists()
        and file != Path("tools/plain_names.py")
        and not {"migrations", "env_template"} & set(file.parts)
    ]


def main(arguments: list[str]) -> int:
    """0, or 1 with --strict where something is listed."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    for file in tracked(options.paths):
        text = file.read_text(encoding="utf-8")
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        exempt = EXEMPT.get(str(file), set())
        for line, kind, word in sorted({*names(tree), *prose(tree, text)}):
            if word in exempt:
                continue
            counts["/".join(file.parts[:2]), kind] += 1
            if not options.summary:
                print(f"{file}:{line}: {kind}: {word}")
    folders = sorted({folder for folder, _ in counts})
    kinds = ("local", "name", "docstring", "comment", "test name")
    print(f"{'folder':<28}" + "".join(f"{kind:>11}" for kind in kinds))
    for folder in folders:
        print(f"{folder:<28}" + "".join(f"{counts[folder, kind]:>11}" for kind in kinds))
    print(
        f"{'all':<28}"
        + "".join(f"{sum(n for (_, k), n in counts.items() if k == kind):>11}" for kind in kinds)
    )
    return int(options.strict and bool(counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
