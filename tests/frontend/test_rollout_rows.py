"""The rows of rollouts and the cells of grids, which functions write in place of templates."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from frontend.render import charts
from frontend.templatetags.grids import grid_cells
from frontend.templatetags.rollout_rows import rollout_rows
from registry.accounts.models import User
from registry.read_models import links, rollouts, runs
from registry.read_models.run_overview import Scale, of_run
from registry.runs.models import Run
from tests.factories import make_rollout, make_run, make_version

HOSTILE = "<script>alert('x')</script>"
ESCAPED = "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;"


@pytest.fixture
def run(alice: User) -> Run:
    return make_run(
        make_version(alice), policies=["oracle", "model"], model=HOSTILE, attempts=2, tasks=1
    )


def text(html: str) -> str:
    """Without tags, white space as one space."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def rows_of(run: Run, query: str = "") -> str:
    return rollout_rows(rollouts.summaries(run.rollouts.all()), Scale(), query, runs.detail(run))


def test_rows_show_rewards_and_their_parts(run: Run) -> None:
    row = make_rollout(
        run, "model", attempt=1, reward=0.5, turns=2, stop="done", seconds=1.5, completion_tokens=7,
        rewards={"b": {"score": 1, "weight": 1}, HOSTILE: {"score": 0.25, "weight": 1}},
    )  # fmt: skip
    html = rows_of(run, "task=0&amp;sort=-reward")
    assert text(html) == (f"{ESCAPED} · task 0 · attempt 1 0.5 b 1, {ESCAPED} 0.25 2 7 done 1.5")
    assert f'id="rollout-{row.pk}"' in html
    assert 'class="cell r2"' in html
    make_rollout(run, "oracle", replay={"error": "no"}, rescored=None)
    make_rollout(run, "oracle", 1, replay={"left_out": "time"})
    make_rollout(run, "oracle", 2, replay={"seed": 1}, rescored=0.75)
    lines = rows_of(run).split("\n")
    assert [re.findall(r"replay (\w[\w.]*)", line) for line in lines] == [
        [], ["failed"], [], ["0.75"],
    ]  # fmt: skip


def test_rows_of_failed_rollouts_show_the_error_cut_and_escaped(run: Run) -> None:
    make_rollout(run, reward=None, error={"type": HOSTILE, "message": "long " * 40})
    html = rows_of(run)
    assert HOSTILE not in html
    assert "attempt" not in text(html)
    shown = re.search(r"&lt;/script&gt;: (.*?)</td>", html)
    assert shown is not None
    assert len(shown[1]) == 90
    assert "failed" in text(html)


def test_rows_across_runs_name_their_run_and_its_model(run: Run) -> None:
    row = make_rollout(run, "model")
    html = rollout_rows([rollouts.summary_of_run(row, run)], Scale(), "")
    assert HOSTILE not in html
    assert f'href="/runs/{run.pk}/"' in html
    assert "&lt;script&gt;" in html
    assert "attempt 0" in text(html)


def test_the_address_of_a_rollout_is_that_of_its_page(run: Run) -> None:
    row = make_rollout(run)
    assert links.rollout_path(run.pk, row.pk) == reverse("rollout", args=[run.pk, row.pk])


def test_cells_and_bars_escape_the_policy(run: Run) -> None:
    make_rollout(run, HOSTILE[:40], reward=0.5)
    make_rollout(run, HOSTILE[:40], 1, reward=None)
    overview = of_run(run)
    cells = [grid_cells(row, run.pk, overview.scale, "named") for row in overview.probes]
    assert [text(html).rpartition(" ")[2] for html in cells] == ["0.5", "failed"]
    for html in (*cells, charts.barcode(overview.cells, 2, overview.scale)):
        assert "<script" not in html
        assert "&lt;script&gt;" in html
