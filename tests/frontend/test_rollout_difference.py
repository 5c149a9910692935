"""The difference between two rollouts of a task."""

import random
import time
from typing import Any

import pytest
from django.test import Client

from envyard.contract.transcript import Exchange, Node, Transcript
from frontend.render import difference
from registry.models import Rollout, Run, User
from tests.factories import make_rollout, make_run, make_version
from tests.frontend import xss
from tests.frontend.people import text

pytestmark = pytest.mark.once


def reply(*lines: str, prompt: str = "Sort them.") -> Transcript:
    """A long prompt and one reply."""
    question = "\n".join(f"word {n}" for n in range(20)) + f"\n{prompt}"
    nodes = [
        Node(-1, {"role": "user", "content": question}),
        Node(0, {"role": "assistant", "content": "\n".join(lines)}),
    ]
    return Transcript(nodes, [Exchange(asked=0, reply=1)])


@pytest.fixture
def run(alice: User) -> Run:
    """Three attempts at a task, one of them failed, a probe at it, and one attempt at another."""
    run = make_run(make_version(alice), policies=["silent", "model"], model="m", attempts=3)
    make_rollout(run, "silent", reward=0.0)
    make_rollout(run, "model", transcript=reply("first", "fig", "the end"), reward=1.0)
    make_rollout(run, "model", attempt=1, transcript=reply("first", "fog", "more", "the end"))
    make_rollout(run, "model", attempt=2, reward=None)
    make_rollout(run, "model", 1, transcript=reply("first"))
    return run


def attempt(run: Run, number: int) -> Rollout:
    """An attempt of the model at task 0."""
    return run.rollouts.get(policy="model", task=0, attempt=number)


def address(run: Run, number: int) -> str:
    """The page of the difference from that attempt."""
    return f"/runs/{run.pk}/rollouts/{attempt(run, number).pk}/difference/"


def test_two_attempts_are_compared_line_by_line(client: Client, run: Run) -> None:
    page = text(client, address(run, 0))
    assert '<div class="removed">− f<mark>i</mark>g</div>' in page
    assert '<div class="added">+ f<mark>o</mark>g</div>' in page
    assert '<div class="pair"><div></div><div class="added">+ more</div></div>' in page
    assert '<div class="pair equal"><div>the end</div><div>the end</div></div>' in page
    assert '<summary class="small">21 equal lines</summary>' in page  # the same prompt is folded
    assert f"{address(run, 0)}" in text(client, f"/runs/{run.pk}/rollouts/{attempt(run, 0).pk}/")


def test_another_rollout_of_the_task_is_chosen(client: Client, run: Run) -> None:
    page = text(client, f"{address(run, 1)}?sort=-reward")
    options = [option.partition("</option>")[0] for option in page.split("<option ")[1:]]
    assert ["m · attempt 0" in options[0], "failed" in options[1]] == [True, True]
    assert "silent · attempt 0 · reward 0" in options[2]  # probes after attempts of the policy
    assert '<input type="hidden" name="sort" value="-reward">' in page
    failed = attempt(run, 2)
    page = text(client, f"{address(run, 1)}?against={failed.pk}")
    assert "− fog" in page
    for other in (run.rollouts.get(task=1).pk, 999_999, "x"):
        text(client, f"{address(run, 1)}?against={other}", 404)


def test_what_cannot_be_compared_is_stated(client: Client, run: Run) -> None:
    alone = run.rollouts.get(task=1)
    page = text(client, f"/runs/{run.pk}/rollouts/{alone.pk}/difference/")
    assert "No other rollout of this task has finished in this run." in page
    silent = run.rollouts.get(policy="silent")
    page = text(
        client, f"/runs/{run.pk}/rollouts/{silent.pk}/difference/?against={attempt(run, 2).pk}"
    )
    assert "Neither rollout has a stored transcript." in page
    twin = make_rollout(run, "model", 1, attempt=1, transcript=reply("first"))
    page = text(client, f"/runs/{run.pk}/rollouts/{twin.pk}/difference/")
    assert "The conversations are equal." in page
    assert "25 equal lines" not in page  # the ends are shown, or there would be nothing


def test_hostile_text_in_a_difference_is_inert(client: Client, run: Run) -> None:
    for at, evil in enumerate((xss.ALL, xss.ALL.replace("owned", "0wned"))):
        make_rollout(
            run, "model", 5, attempt=at, transcript=reply(evil, prompt=evil), stop=xss.CORPUS[0],
            rewards={xss.ALL: {"score": 1.0, "weight": 1.0}},
        )  # fmt: skip
    row = run.rollouts.get(task=5, attempt=0)
    page = client.get(f"/runs/{run.pk}/rollouts/{row.pk}/difference/").content.decode()
    assert "0wned" in page or "<mark>0</mark>wned" in page
    assert not xss.problems(page)


def test_a_difference_of_many_attempts_costs_a_fixed_number_of_queries(
    client: Client, run: Run, django_assert_max_num_queries: Any
) -> None:
    for number in range(3, 40):
        make_rollout(run, "model", attempt=number, transcript=reply(str(number)))
    with django_assert_max_num_queries(10):
        text(client, address(run, 0))


def test_rows_contain_every_line_of_both_sides_in_order() -> None:
    draw = random.Random(1)
    for size in (0, 1, 5, 40, 300):
        for letters in ("ab", "abcdefgh", [f"line {n}" for n in range(200)]):
            left, right = (draw.choices(letters, k=draw.randint(0, size)) for _ in range(2))
            rows = [row for block in difference.blocks(left, right) for row in block.rows]
            assert [row.left for row in rows if row.left is not None] == left
            assert [row.right for row in rows if row.right is not None] == right
            for row in rows:
                for line in (row.left, row.right):
                    assert line is None or "".join(row.parts(line)) == line


def test_a_moved_or_inserted_paragraph_leaves_the_rest_matched() -> None:
    lines = [f"line {n}" for n in range(100)]
    assert len(difference.matches(lines, [*lines[:50], "new", *lines[50:]])) == 100
    assert len(difference.matches(lines, [*lines[10:], *lines[:10]])) == 90


@pytest.mark.parametrize("letters", [1, 2, 50, 2500, 5000])
def test_no_text_makes_the_comparison_slow(letters: int) -> None:
    draw = random.Random(2)
    left, right = ([str(draw.randrange(letters)) for _ in range(5000)] for _ in range(2))
    begin = time.process_time()
    difference.blocks(left, right)
    assert time.process_time() - begin < 2  # seconds, a hundred times what it takes


def test_long_transcripts_are_cut() -> None:
    cut = difference.text_of(reply(*["x" * 5000] * 6000))
    assert cut.is_cut
    assert len(cut.lines) == difference.MAX_LINES
    assert max(map(len, cut.lines)) == difference.MAX_LINE
