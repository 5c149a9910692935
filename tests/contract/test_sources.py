"""Source for a newer Python than the one that reads it."""

from __future__ import annotations

import time

from envyard.contract.detect import detect
from tests.contract.detect_wheels import codes, same, wheel


def test_type_parameters_of_python_3_12_are_read_by_any_python() -> None:
    source = """
        import verifiers.v1 as vf

        type Domain = Literal["simple", "hard"]
        type Pair[T: (int, str)] = dict[str, list[T]]

        def first[T](rows: list[T]) -> T:
            return rows[0]

        class Rows[K, V: Sequence[str]](dict[K, V]):
            async def take[T](self, row: T) -> T: ...

        class WordTaskset(vf.Taskset[vf.Task, vf.TasksetConfig]): ...

        __all__ = ["WordTaskset"]
    """
    assert same(detect(wheel("grid", grid=source)), "v1", "grid", "WordTaskset")


def test_brackets_behind_a_definition_are_read_in_bounded_time() -> None:
    source = "def f(:\nclass C" + "[" * 400_000 + "]" * 400_000 + "\n" + "def f[a" * 20_000
    start = time.process_time()
    assert codes(detect(wheel("grid", grid=source))) == ["env.framework_unknown"]
    assert time.process_time() - start < 5
