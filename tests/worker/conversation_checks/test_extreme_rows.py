"""A column of a listing that is extreme in the row of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envyard_runner.conversation_checks.extreme_rows import ExtremeRows
from envyard_runner.execution.shown_answers import extreme_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

ROOMS = ("CEL", "HAL", "ATT", "DOC", "LAB", "KIL")
PROMPT = "Which sensor drifts? Read them with the tools."


def as_lines(rows: Sequence[tuple[str, int]]) -> str:
    return "\n".join(f"{name}  model=T40  serviced={months} months ago" for name, months in rows)


def with_roles(rows: Sequence[tuple[str, int]]) -> str:
    """The months of service as a word: `target` where they are many."""
    return "\n".join(
        f"name={name}, colour={'red' if at % 2 else 'blue'}, role={'target' if n > 20 else 'field'}"
        for at, (name, n) in enumerate(rows)
    )


def as_json(rows: Sequence[tuple[str, int]]) -> str:
    return json.dumps({"sensors": [{"id": name, "serviced": months} for name, months in rows]})


def played(
    task: int, form: Callable[[Any], str], *, marked: bool, reads: int, prompt: str
) -> Record:
    """A reference that lists six sensors, reads some of them and names one."""
    names = [f"S{task}-{room}" for room in ROOMS]
    answer = names[(task * 5 + 2) % len(names)]
    months = [40 if marked and name == answer else 3 + at for at, name in enumerate(names)]
    calls = [("list_sensors", {"site": f"S{task}"}, form([*zip(names, months, strict=True)]))]
    calls += [("read_sensor", {"sensor": name}, "17.1 C") for name in names[:reads]]
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for at, (name, arguments, result) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"call_{at}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{at}", "content": result})
    record = Record(f"oracle/{task}/0", "oracle")
    record.add(Call(messages, [], False, False, {}), Reply(content=[f"Sensor: {answer}"]), 0.1)
    return record


def messages(
    form: Callable[[Any], str] = as_lines,
    *,
    marked: bool = True,
    reads: int = 4,
    prompt: str = PROMPT,
    tasks: int = 6,
) -> list[str]:
    rows = ExtremeRows()
    for task in range(tasks):
        rows.add(played(task, form, marked=marked, reads=reads, prompt=prompt))
    return [each.message for each in extreme_findings(rows)]


@pytest.mark.parametrize("form", [as_lines, as_json])
def test_a_column_that_is_largest_in_the_row_of_each_answer_is_a_leak(
    form: Callable[[Any], str],
) -> None:
    (message,) = messages(form)
    assert "'serviced' is largest in the answer's row alone" in message
    assert "in all 6 rollouts" in message


def test_a_word_that_the_row_of_each_answer_alone_has_is_a_leak() -> None:
    (message,) = messages(with_roles)
    assert "'role' is target in the answer's row alone" in message
    assert messages(with_roles, marked=False) == []
    assert messages(with_roles, prompt="Which sensor has the role of a target? Read them.") == []


def test_other_columns_and_what_the_prompt_asks_for_are_none() -> None:
    assert messages(marked=False) == []
    assert messages(prompt="Which sensor was serviced longest ago? List them.") == []
    assert messages(prompt="Which sensor is the oldest? Read them with the tools.") == []
    assert messages(prompt="Which sensor drifts? Make at most 9 calls.") != []
    assert messages(with_roles, prompt="Which sensor is the target? Read them.") == []
    assert messages(reads=0) == []
    assert messages(reads=1) == []
    assert messages(tasks=2) == []


def with_prices(rows: Sequence[tuple[str, int]]) -> str:
    """The months of service as prices."""
    return json.dumps([{"name": name, "price_eur": months} for name, months in rows])


def test_a_column_by_which_a_superlative_of_the_prompt_orders_the_rows_is_asked_for() -> None:
    assert messages(with_prices, prompt="Which of the sensors is the dearest? Read them.") == []
    assert messages(with_prices, prompt="Which is the most expensive sensor? Read them.") == []
    assert messages(with_prices) != []


@pytest.mark.parametrize("content", ["[" * 10_000, "7", "null", '[{"a": NaN}]', "a=1\nb=2\nc=3"])
def test_listings_of_any_form_are_read(content: str) -> None:
    assert messages(lambda _: content) == []
