"""Run tokens."""

from uuid import uuid4

import pytest

from registry.errors import HubError
from registry.runs import tokens
from registry.runs.tokens import Attempt


def test_a_run_token_reads_back_and_is_recognised_by_its_prefix() -> None:
    run = uuid4()
    token = tokens.sign_run_token(run_id=run, attempt=3)
    assert token.startswith("hubrun_")
    assert tokens.read_run_token(token) == Attempt(run, 3)


@pytest.mark.parametrize("text", ["", "x", "a:b:c", "\ud800:x:y", ":" * 50, "hubrun_" * 3, "é:é:é"])
def test_forged_texts_are_refused(text: str) -> None:
    with pytest.raises(HubError) as refused:
        tokens.read_run_token(text)
    assert (refused.value.code, refused.value.status) == ("token.invalid", 401)
