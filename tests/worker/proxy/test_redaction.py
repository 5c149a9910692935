"""The value of a secret is found in parts of a stream, in every spelling and in bounded time."""

from __future__ import annotations

import html
import json
import time
from urllib.parse import quote

import pytest

from envyard.contract.job import BoundSecret
from envyard_runner.proxy.secrets import Secrets
from tests.worker.proxy.intercepting import SECRETS, VALUE, VALUES

PLACEHOLDER = "envyard-secret-EXA_KEY"


@pytest.mark.parametrize("size", [1, 2, 7, 19])
def test_a_value_in_many_parts_is_redacted(size: int) -> None:
    text = f"a{VALUE[:5]}{VALUE}b{VALUE}{VALUE[:9]}c".encode()
    redactor = Secrets(SECRETS, VALUES).redactor()
    parts = [redactor.feed(text[at : at + size]) for at in range(0, len(text), size)]
    whole = b"".join([*parts, redactor.finish()])
    assert whole == text.replace(VALUE.encode(), PLACEHOLDER.encode())


@pytest.mark.parametrize("size", [1, 2, 7, 19])
def test_a_spelled_value_in_many_parts_is_redacted(size: int) -> None:
    spelled = VALUE.replace("/", "\\u002f").replace("+", "&plus;").replace("=", "%3d")
    text = f"a{spelled[:13]}{spelled}b&pl{VALUE[:7]}\\u00".encode()
    redactor = Secrets(SECRETS, VALUES).redactor()
    parts = [redactor.feed(text[at : at + size]) for at in range(0, len(text), size)]
    whole = b"".join([*parts, redactor.finish()])
    assert whole == text.replace(spelled.encode(), PLACEHOLDER.encode())


def test_a_value_that_begins_like_another_is_redacted_whole() -> None:
    bound = tuple(BoundSecret(name, ("api.exa.ai",)) for name in ("A_KEY", "B_KEY"))
    values = {"A_KEY": "sk-live-0001", "B_KEY": "sk-live-0001-and-more"}
    assert Secrets(bound, values).without("k=sk-live-0001-and-more") == "k=envyard-secret-B_KEY"
    assert Secrets(bound, values).without("k=sk-live-0001-") == "k=envyard-secret-A_KEY-"


@pytest.mark.slow
def test_long_values_are_searched_in_bounded_time() -> None:
    values = {f"K{n}": f"{n}" + "/=" * 2_000 for n in range(5)}
    start = time.process_time()
    secrets = Secrets([BoundSecret(name, ("api.exa.ai",)) for name in values], values)
    redactor = secrets.redactor()
    for _ in range(4):
        redactor.feed(b"0/=" * 20_000 + b"&#" * 2_000)
    written = quote(values["K4"], safe="")
    assert secrets.without(f"{values['K3']} {written}") == "envyard-secret-K3 envyard-secret-K4"
    assert time.process_time() - start < 10


@pytest.mark.parametrize("piece", ["\\/", "\\", "%25", "&amp;", "/", "a", "\\u005c"])
def test_no_value_makes_the_search_slow(piece: str) -> None:
    value = piece * 60 + "X"
    secrets = Secrets([BoundSecret("A_KEY", ("api.exa.ai",))], {"A_KEY": value})
    start = time.process_time()
    redactor = secrets.redactor()
    for spelled in (piece, json.dumps(piece)[1:-1], quote(piece), html.escape(piece)):
        redactor.feed(spelled.encode() * 61 + b"Y")
        assert secrets.without(f"({spelled * 60}X)") == "(envyard-secret-A_KEY)"
    assert time.process_time() - start < 10


def test_what_is_no_value_is_not_held_back() -> None:
    redactor = Secrets(SECRETS, VALUES).redactor()
    assert redactor.feed(b"data: hello\n\n") == b"data: hello\n\n"
    assert redactor.feed(b"data: sk-li") == b"data: "
    assert redactor.feed(b"on") == b"sk-lion"
