"""The graph that a prompt lists, edge by edge, and the routes of least cost in it."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

NAME = r"(?:[A-Z][\w']{0,30}(?: [A-Z][\w']{0,30}){0,2}|[a-z][\w']{0,30})"
ONE_WAY_SIGN = r"-->|->|=>|\u2192"
TWO_WAY_SIGN = r"<-->|<->|<=>|\u2194"
SIGN = rf"(?:{TWO_WAY_SIGN}|{ONE_WAY_SIGN}|--|[-\u2013\u2014])"
COST = r"(?: ?[:=(,] ?| )(\d{1,6}(?:\.\d{1,4})?)(?![\w.]\d)"
EDGE = re.compile(
    rf"(?<![\w'])(?P<start>{NAME}) ?(?P<sign>{SIGN}) ?(?P<end>{NAME})(?![\w'])"
    rf"(?! ?{SIGN} ?[\w.\u2026])(?:{COST})?"
)
IN_CHAIN = re.compile(rf"[\w.\u2026)] ?{SIGN} ?\Z")  # what stands before an edge of a longer chain
NUMBERED = re.compile(r"\n\s{0,8}\d{1,3}[.)]")
BOTH_WAYS = re.compile(
    r"\b(?:both|either) directions?\b|\bboth ways\b|\btwo-way\b|\bbidirectional|\bundirected"
    r"|\bback and forth\b",
    re.IGNORECASE,
)
ONE_WAY = re.compile(r"\bone[- ]way\b|(?<!un)\bdirected\b|\bin that direction\b", re.IGNORECASE)
FEWEST_EDGES, MOST_EDGES = 3, 400
LONGEST = 20_000  # characters of a prompt
LONGEST_GAP, GAP_WORDS = 60, 2  # between two edges of one listing
MOST_ROUTES = 500

Graph = dict[str, dict[str, Fraction]]


def read_graph(prompt: str) -> Graph | None:
    """What each edge costs, 1 where the prompt names no costs; None where it lists no edges, or
    where it is unclear which ones or in which directions."""
    text = prompt[:LONGEST]
    edges = [match for match in EDGE.finditer(text) if not _is_in_chain(match)]
    if not FEWEST_EDGES <= len(edges) <= MOST_EDGES:
        return None
    listed = max(_listings(text, edges), key=len)
    others = [match for match in edges if match not in listed]
    names = {match[side] for match in listed for side in ("start", "end")}
    costs = {match[4] is not None for match in listed}
    # Another edge of these names, or another cost, may be an exception.
    unclear = any(match[4] or {match["start"], match["end"]} <= names for match in others)
    if len(listed) < FEWEST_EDGES or len(costs) > 1 or unclear:
        return None
    if any(character.isdigit() for character in _rest_of_line(text, listed[-1])):
        return None
    return _joined(listed, both=bool(BOTH_WAYS.search(text)), one=bool(ONE_WAY.search(text)))


def least_routes(graph: Graph, start: str, goal: str) -> tuple[Fraction, Iterator[list[str]]]:
    """The least cost from one place to another (Dijkstra 1959), and up to MOST_ROUTES routes of
    that cost. Raises KeyError where no route leads there."""
    costs = _costs_to(graph, goal)
    return costs[start], _routes(graph, costs, start, goal)


def cost_of(graph: Graph, route: Sequence[str]) -> Fraction | None:
    """What a route costs; None where one of its edges does not exist."""
    total = Fraction(0)
    for place, following in pairwise(route):
        cost = graph.get(place, {}).get(following)
        if cost is None:
            return None
        total += cost
    return total


def _is_in_chain(match: re.Match[str]) -> bool:
    """Whether it continues a chain such as `A -> B -> C`, which is a route."""
    before = match.string[max(0, match.start() - 10) : match.start()]
    return IN_CHAIN.search(before.rpartition("\n")[2]) is not None


def _listings(text: str, edges: Sequence[re.Match[str]]) -> list[list[re.Match[str]]]:
    """The edges in groups, each of those that follow one another with a unit or a word between."""
    groups = [[edges[0]]]
    for last, match in pairwise(edges):
        gap = NUMBERED.sub("\n", text[last.end() : match.start()])
        words = re.findall(r"[^\W\d_]+", gap)
        near = len(gap) <= LONGEST_GAP and not re.search(r"\d", gap)
        if near and len(words) <= GAP_WORDS:
            groups[-1].append(match)
        else:
            groups.append([match])
    return groups


def _rest_of_line(text: str, match: re.Match[str]) -> str:
    return re.split(r"[\n.]", text[match.end() : match.end() + LONGEST_GAP], maxsplit=1)[0]


def _joined(edges: Sequence[re.Match[str]], *, both: bool, one: bool) -> Graph | None:
    """The graph of these edges; None where two of them contradict each other, or a line may lead
    one way only."""
    graph: Graph = {}
    for match in edges:
        start, end, cost = match["start"], match["end"], Fraction(match[4] or 1)
        is_arrow = re.fullmatch(ONE_WAY_SIGN, match["sign"]) is not None
        is_double = re.fullmatch(TWO_WAY_SIGN, match["sign"]) is not None
        if start == end or cost == 0 or (one and not is_arrow and not is_double):
            return None
        ways = [(start, end)] if is_arrow and not both else [(start, end), (end, start)]
        for place, following in ways:
            if graph.setdefault(place, {}).setdefault(following, cost) != cost:
                return None
    return None if one and both else graph


def _costs_to(graph: Graph, goal: str) -> dict[str, Fraction]:
    """The least cost from each place to the goal."""
    back: Graph = {}
    for place, edges in graph.items():
        for following, cost in edges.items():
            back.setdefault(following, {})[place] = cost
    costs: dict[str, Fraction] = {}
    queue = [(Fraction(0), goal)]
    while queue:
        cost, place = heapq.heappop(queue)
        if place in costs:
            continue
        costs[place] = cost
        for before, step in back.get(place, {}).items():
            heapq.heappush(queue, (cost + step, before))
    return costs


def _routes(graph: Graph, costs: dict[str, Fraction], start: str, goal: str) -> Iterator[list[str]]:
    """Each step of these lies on a route of least cost, so all lead to the goal."""
    stack, number = [[start]], 0
    while stack and number < MOST_ROUTES:
        route = stack.pop()
        if route[-1] == goal:
            number += 1
            yield route
            continue
        steps = sorted(graph.get(route[-1], {}).items(), reverse=True)
        left = costs[route[-1]]
        stack += [[*route, to] for to, cost in steps if to in costs and costs[to] + cost == left]
