"""Reading logs by position, and the requests that a run token permits."""

import pytest

from envyard.contract.runner_events import Finish
from registry.accounts.models import Runner, User
from registry.errors import HubError
from registry.runs import queries, runner_events
from registry.runs.models import Run
from registry.runs.tokens import sign_run_token
from tests.registry.run_factories import make_events, make_leased_run, make_version


@pytest.fixture
def run(alice: User) -> Run:
    """In the hands of a runner."""
    return make_leased_run(make_version(alice.owner))


def test_a_log_is_followed_piece_by_piece_to_its_end(run: Run) -> None:
    runner_events.record(run_id=run.pk, events=make_events(1, log="one\n"))
    first = queries.log_after(run=run, position=0)
    assert (first.text, first.ended) == ("one\n", False)
    assert queries.log_after(run=run, position=first.next).text == ""
    runner_events.record(run_id=run.pk, events=make_events(2, log="two\n"))
    runner_events.finish(run_id=run.pk, finish=Finish(1, "succeeded"))
    run.refresh_from_db()
    rest = queries.log_after(run=run, position=first.next)
    assert (rest.text, rest.ended) == ("two\n", True)


def test_a_long_log_comes_in_pages_that_lose_nothing(run: Run) -> None:
    many = queries.LOG_PAGE + 50
    for seq in range(1, many + 1):
        runner_events.record(run_id=run.pk, events=make_events(seq, log=f"{seq}\n"))
    runner_events.finish(run_id=run.pk, finish=Finish(1, "succeeded"))
    run.refresh_from_db()
    first = queries.log_after(run=run, position=0)
    rest = queries.log_after(run=run, position=first.next)
    assert (first.ended, rest.ended) == (False, True)
    assert (first.text + rest.text).split() == [str(n) for n in range(1, many + 1)]


def test_a_run_token_lets_in_while_its_attempt_is_held_and_no_longer(run: Run) -> None:
    token = sign_run_token(run_id=run.pk, attempt=1)
    assert queries.leased_run(token) == run
    with pytest.raises(HubError, match="is over"):
        queries.leased_run(sign_run_token(run_id=run.pk, attempt=2))
    Runner.objects.update(enabled=False)
    with pytest.raises(HubError):
        queries.leased_run(token)
    Runner.objects.update(enabled=True)
    runner_events.finish(run_id=run.pk, finish=Finish(1, "succeeded"))
    with pytest.raises(HubError):
        queries.leased_run(token)
