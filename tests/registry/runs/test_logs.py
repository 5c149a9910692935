"""A run's log keeps its beginning and its end, and counts the characters removed between."""

import pytest

from registry.accounts.models import User
from registry.runs import limits, logs, queries, runner_events
from registry.runs.models import Run
from tests.registry.run_factories import make_events, make_leased_run, make_version


@pytest.fixture
def run(alice: User) -> Run:
    """In the hands of a runner."""
    return make_leased_run(make_version(alice.owner), policies=("silent",))


def flood(run: Run, batches: int) -> str:
    """Many long batches; the end of them."""
    for seq in range(1, batches + 1):
        text = f"batch {seq} begins\n{'x' * 99_000}\nbatch {seq} ends\n"
        runner_events.record(run_id=run.pk, events=make_events(seq, log=text))
    return text


def test_a_flood_keeps_head_and_tail_with_one_line_between_them(run: Run) -> None:
    last = flood(run, 40)
    text = queries.log_after(run=run, position=0).text
    assert text.startswith("batch 1 begins\n")
    assert text.endswith(last)
    assert text.count("[hub]") == text.count("characters are left out here") == 1
    kept = sum(len(chunk.text) for chunk in run.log.all())
    assert limits.LOG_CHARACTERS // 2 < kept <= limits.LOG_CHARACTERS
    left_out = int(text.partition("[hub] ")[2].partition(" ")[0])
    assert kept + left_out == sum(len(last) - 4 + 2 * len(str(n)) for n in range(1, 41))


def test_follower_of_a_long_log_misses_only_the_marked_gaps(run: Run) -> None:
    flood(run, 8)
    page = queries.log_after(run=run, position=0)
    runner_events.record(run_id=run.pk, events=make_events(9, log="next\n"))
    assert queries.log_after(run=run, position=page.next).text == "next\n"


def test_the_tail_is_read_without_the_rest(run: Run) -> None:
    last = flood(run, 12)
    assert logs.tail(run=run, characters=50) == last[-50:]
    assert "left out" in logs.tail(run=run, characters=10 << 20)
    runner_events.record(run_id=run.pk, events=make_events(13, log="short\n"))
    assert logs.tail(run=run, characters=60) == (last + "short\n")[-60:]
