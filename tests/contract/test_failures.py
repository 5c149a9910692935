"""Causes of failed loads are named by what exceptions and the log show, the most specific first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envyard.contract.failures import CAUSES, explain, facts_of, summary
from tests.contract.failure_cases import CASES, HOST, NOT_RESOLVED, raised


def failure(*chain: dict[str, Any], log: str = "", **error: Any) -> Any:
    return facts_of({"raised": list(chain), **error}, log=log, module="word_game")


@pytest.mark.parametrize(("cause", "chain", "sentence"), CASES)
def test_a_cause_is_recognised(cause: str, chain: dict[str, Any], sentence: str) -> None:
    explanation = explain(failure(chain))
    assert explanation is not None
    assert explanation.cause == cause
    assert sentence in explanation.message
    assert explanation.hint
    assert "Secrets tab" not in explanation.message + explanation.hint


def test_every_cause_of_the_registry_has_a_case() -> None:
    assert {cause for cause, _, _ in CASES} == {cause.name.removeprefix("log_") for cause in CAUSES}


def test_every_cause_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "writing-environments.md").read_text()
    missing = [cause.name for cause in CAUSES if f"`{cause.name.removeprefix('log_')}`" not in page]
    assert missing == []


@pytest.mark.parametrize(
    "chain",
    [
        raised("builtins.KeyError", "'ANSWER_KEY'", call="row['ANSWER_KEY']", at="a:1"),
        raised("builtins.KeyError", "'question'"),
        raised("builtins.ValueError", "the MAX_TOKENS field is required"),
        raised("builtins.ValueError", "the column ANSWER_KEY is required"),
        raised("builtins.ConnectionRefusedError", "[Errno 111] Connection refused",
               "builtins.ConnectionError", "builtins.OSError"),
        raised("requests.exceptions.ConnectionError", "HTTPConnectionPool(host='127.0.0.1', "
               "port=5000): Max retries exceeded with url: /"),
        raised("builtins.ImportError", "cannot import name 'x' from partially initialized module "
               "'verifiers' (most likely due to a circular import)"),
        raised("builtins.ValueError", "an answer was not found in the text"),
        raised("builtins.AssertionError", "the CUDAX column"),
        raised("builtins.TypeError", "score() missing 1 required positional argument: 'state'"),
        raised("builtins.AttributeError", "'NoneType' object has no attribute 'verifiers'"),
    ],
)  # fmt: skip
def test_what_only_resembles_a_cause_is_not_named_one(chain: dict[str, Any]) -> None:
    assert explain(failure(chain)) is None


def test_the_host_is_that_of_the_chain_else_of_the_log() -> None:
    outer = raised("builtins.ConnectionError", "Couldn't reach 'lab/sums' on the Hub (X)")
    inner = raised("httpx.ConnectError", f"GET https://{HOST}/a: Name or service not known")
    explanation = explain(failure(outer, inner))
    assert explanation is not None
    assert f"the data set 'lab/sums' on {HOST};" in explanation.message
    line = f"'[Errno -2] Name or service not known' thrown while requesting HEAD https://{HOST}/x"
    logged = explain(failure(outer, log=f"see https://docs.example.com\n{line}\nRetrying\n"))
    assert logged is not None
    assert f"the data set 'lab/sums' on {HOST};" in logged.message


def test_the_host_may_be_in_the_call_alone() -> None:
    call = f'urlopen("https://{HOST}/rows.json")'
    message = "<urlopen error [Errno -2] Name or service not known>"
    explanation = explain(failure(raised("urllib.error.URLError", message, call=call, at="a:1")))
    assert explanation is not None
    assert f"tried to reach {HOST};" in explanation.message


def test_a_failed_download_in_the_log_explains_what_is_missing_afterwards() -> None:
    missing = raised("builtins.OSError", "no weights were loaded")
    log = f"<urlopen error [Errno -2] Name or service not known> https://{HOST}/weights\n"
    explanation = explain(failure(missing, log=log))
    assert explanation is not None
    assert explanation.cause == "network"
    assert "no weights were loaded" in explanation.message
    assert f"The log shows a failed attempt to reach {HOST}" in explanation.message
    assert explain(failure(raised("builtins.ValueError", "bad row"), log=log)) is None


def test_the_members_of_a_group_are_named() -> None:
    group = raised("builtins.ExceptionGroup", "unhandled errors in a TaskGroup (2 sub-exceptions)",
                   group=True)  # fmt: skip
    members = (raised("builtins.KeyError", "'a'"), raised("builtins.ValueError", "no b"))
    facts = failure(group, *members)
    assert explain(facts) is None
    assert summary(facts) == (
        "ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions): KeyError: 'a'; "
        "ValueError: no b"
    )
    explanation = explain(failure(group, raised("builtins.KeyError", "'a'"), NOT_RESOLVED))
    assert explanation is not None
    assert explanation.cause == "network"


def test_a_traceback_is_enough_where_it_is_all_there_is() -> None:
    trace = """  + Exception Group Traceback (most recent call last):
  |   File "/app/env_host/harness.py", line 70, in launch
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    | httpx.ConnectError: [Errno -2] Name or service not known
    +------------------------------------
"""
    message = "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)"
    facts = facts_of({"type": "HarnessError", "message": message, "traceback": trace})
    explanation = explain(facts)
    assert explanation is not None
    assert explanation.cause == "network"
    assert "ConnectError: [Errno -2] Name or service not known" in explanation.message


@pytest.mark.parametrize(
    "error",
    [
        {},
        {"raised": 7, "type": None, "message": ["x"], "traceback": {}},
        {"raised": [{"types": [None, 3, {}], "message": 4, "name": [], "call": {}, "at": 1}]},
        {"raised": [raised("x" * 10_000, "y" * 100_000)] * 50},
        {"raised": [raised("builtins.OSError", "(" * 2_000 + "'" * 2_000)]},
        {"type": "A.B.C" * 200, "message": " " * 50_000, "traceback": "| " * 20_000},
        {"type": "E", "message": "https://" + "a." * 10_000, "traceback": "a.b." * 5_000},
    ],
)
def test_hostile_facts_are_read_within_bounds(error: dict[str, Any]) -> None:
    facts = facts_of(error, log="https://" + "a-" * 100_000, module="m")
    explanation = explain(facts)
    assert explanation is None or len(explanation.message) < 2_000
    assert len(summary(facts)) < 4_000
