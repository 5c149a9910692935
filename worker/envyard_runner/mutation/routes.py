"""Another route of the same cost, where a prompt lists a graph and says that any such route is
right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.graphs import cost_of, least_routes, read_graph

FEWEST, MOST = 3, 60  # places of a route
LONGEST = 2_000  # characters of a route
SEPARATOR = re.compile(
    r"\s{0,3}(?:-->|->|=>|\u2192|,|;|>|\n)\s{0,3}|\s{1,3}(?:-|--|\u2013|\u2014)\s{1,3}"
)
LEAST_WANTED = re.compile(
    r"\b(?:short|cheap|quick|fast)est\b|\b(?:equally|as) (?:short|cheap|quick|fast)\b"
    r"|\bleast\b|\bfewest\b|\bas few\b|\blowest\b|\bminim",
    re.IGNORECASE,
)
FEWEST_WANTED = re.compile(r"\bfewest\b|\bas few\b", re.IGNORECASE)
ANY_RIGHT = re.compile(
    r"\bany (?:one\b|of (?:them|these|those|the)\b|(?:\w+ )?(?:shortest|cheapest|quickest|fastest"
    r"|route|path|way)\b|such\b|will do\b|is (?:fine|right|ok|accepted)\b)"
    r"|\b(?:a|an|one|either) (?:shortest|cheapest|quickest|fastest|optimal)\b"
    r"|\bone of (?:them|the (?:shortest|cheapest|quickest|fastest))\b"
    r"|\b(?:several|ties|a tie)\b[^.\n]{0,60}\b(?:any|either|one|all)\b",
    re.IGNORECASE,
)
# Words by which a prompt may want more of a route, or choose between two.
MORE_WANTED = re.compile(
    r"\balphabet|\blexicograph|\bavoid|\bexcept\b|\bvia\b|\bpass(?:es|ing)? (?:through|by)\b"
    r"|\bvisit(?:s|ing)? (?:all|each|every|both|one of|at least)\b"
    r"|\b(?:must|should|may|can|do) not (?:use|take|go|pass|enter|cross|drive|ride|visit|stop)\b"
    r"|\bmust (?:use|take|go|pass|cross|visit|stop|call)\b|\bcannot\b|\bnever\b|\bclosed\b"
    r"|\bblocked\b|\bunless\b|\bat most\b|\bno more than\b|\blongest\b|\bcapacity\b|\btolls?\b"
    r"|\bevery (?:town|place|city|node|station)\b|\bfuel\b|\bthen the\b|\bprefer(?:red)?\b"
    r"|\breturn(?:s|ing)? (?:to|home)\b|\bround trip\b|\bchang(?:e|es|ing)\b|\btransfers?\b"
    r"|\bcomes first\b",
    re.IGNORECASE,
)
# A change that costs nothing is no wish.
FREE_CHANGE = re.compile(
    r"\b(?:chang|transfer|switch)\w*(?: \w+){0,2} (?:takes?|costs?|needs?|requires?) (?:no|zero)\b",
    re.IGNORECASE,
)


def other_route(answer: str, prompt: str) -> str | None:
    """Another route of least cost; None where the prompt wants more of it, or lists no graph in
    which the answer is such a route."""
    if not LEAST_WANTED.search(prompt) or not ANY_RIGHT.search(prompt):
        return None
    if (
        MORE_WANTED.search(FREE_CHANGE.sub("", prompt))
        or (read := places_of(answer.strip())) is None
    ):
        return None
    (route, written), graph = read, read_graph(prompt)
    if graph is None or len({*route}) < len(route):
        return None
    cost = cost_of(graph, route)
    if cost is None:
        return None
    least, routes = least_routes(graph, route[0], route[-1])
    if cost != least:
        return None
    as_many = FEWEST_WANTED.search(prompt) is not None
    others = (each for each in routes if not as_many or len(each) == len(route))
    other = next((each for each in others if each != route), None)
    return None if other is None else written(other)


def places_of(
    answer: str, fewest: int = FEWEST
) -> tuple[list[str], Callable[[list[str]], str]] | None:
    """The places of a route, and what writes others as it does; None where it is none."""
    listed = parsed(answer)
    if isinstance(listed, list) and all(isinstance(each, str) for each in listed):
        places, write = listed, lambda route: json.dumps(route, ensure_ascii=False)
    else:
        separators = {match[0] for match in SEPARATOR.finditer(answer[:LONGEST])} or {" "}
        if len(separators) > 1 or len(answer) > LONGEST:
            return None
        (separator,) = separators
        places, write = answer.split(separator), separator.join
    return (places, write) if fewest <= len(places) <= MOST else None
