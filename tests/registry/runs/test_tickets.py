"""Tickets and run tokens."""

from uuid import uuid4

import pytest

from registry.errors import HubError
from registry.runs import tickets
from registry.runs.tickets import Ticket


def test_a_ticket_reads_back_as_what_was_signed() -> None:
    run = uuid4()
    assert tickets.read_ticket(tickets.sign_ticket(run_id=run, attempt=2)) == Ticket(run, 2)


def test_a_run_token_reads_back_and_is_recognised_by_its_prefix() -> None:
    run = uuid4()
    token = tickets.sign_run_token(run_id=run, attempt=3)
    assert token.startswith("hubrun_")
    assert tickets.read_run_token(token) == Ticket(run, 3)


def test_a_ticket_is_no_run_token_and_a_run_token_no_ticket() -> None:
    run = uuid4()
    with pytest.raises(HubError):
        tickets.read_run_token("hubrun_" + tickets.sign_ticket(run_id=run, attempt=1))
    token = tickets.sign_run_token(run_id=run, attempt=1)
    with pytest.raises(HubError):
        tickets.read_ticket(token.removeprefix("hubrun_"))


@pytest.mark.parametrize("text", ["", "x", "a:b:c", "\ud800:x:y", ":" * 50, "hubrun_" * 3, "é:é:é"])
def test_forged_texts_are_refused(text: str) -> None:
    with pytest.raises(HubError) as refused:
        tickets.read_ticket(text)
    assert refused.value.code == "runner.bad_ticket"
    with pytest.raises(HubError) as refused:
        tickets.read_run_token(text)
    assert (refused.value.code, refused.value.status) == ("token.invalid", 401)
