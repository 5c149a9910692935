"""No module imports itself through others, imports for type checking and in functions included."""

from __future__ import annotations

from collections.abc import Mapping, Set

import grimp

PACKAGES = ("hub", "registry", "frontend", "envyard", "envyard_runner")


def cycles(imports: Mapping[str, Set[str]]) -> list[list[str]]:
    """The strongly connected components with more than one module, or one that imports itself.

    Source: Tarjan's algorithm, with a stack of its own instead of recursion.
    """
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []
    for root in sorted(imports):
        calls = [(root, iter(sorted(imports[root])))] if root not in order else []
        while calls:
            module, children = calls[-1]
            if module not in order:
                order[module] = lowest[module] = len(order)
                stack.append(module)
            for child in children:
                if child not in order:
                    calls.append((child, iter(sorted(imports[child]))))
                    break
                if child in stack:
                    lowest[module] = min(lowest[module], order[child])
            else:
                calls.pop()
                if calls:
                    parent = calls[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[module])
                if lowest[module] == order[module]:
                    component = stack[stack.index(module) :]
                    del stack[-len(component) :]
                    if len(component) > 1 or module in imports[module]:
                        components.append(sorted(component))
    return components


def test_cycles_are_found_in_a_small_graph() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"e"}, "f": {"a", "d"}}
    assert sorted(cycles(graph)) == [["a", "b", "c"], ["e"]]


def test_no_modules_import_each_other() -> None:
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 500
    assert cycles(imports) == []
