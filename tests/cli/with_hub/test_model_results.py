"""What a model can learn, read from the command line against a real hub."""

import json
from typing import Any

import pytest
from django.core.cache import caches
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from envyard.card.prices import Prices
from envyard.commands.model_results import sparkline
from registry.accounts import tokens
from registry.card import services as cards
from registry.models import Rollout, Run, User, Version
from registry.runs import suites
from tests.factories import make_rollout, make_run, make_version
from tests.registry.runs.measured_models import earlier, evaluated

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hub(live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two environments: alice/even, half of whose groups are useful, and alice/flat with none."""
    for name, rewards in (("flat", ([0, 0, 0, 0],) * 2), ("even", ([1, 0, 1, 0], [0, 0, 0, 0]))):
        version = make_version(alice, name)
        run = make_run(version, policies=["silent", "model"], model="org/tiny", attempts=4)
        make_rollout(run, "silent", 0, reward=0.0)
        for task, attempts in enumerate(rewards):
            for attempt, reward in enumerate(attempts):
                make_rollout(run, "model", task, attempt=attempt, reward=float(reward))
        cards.compute(run=run)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="read")[1])


def json_of(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_info_shows_what_a_model_can_learn(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "alice/even"]) == 0
    out = capsys.readouterr().out
    assert "Model org/tiny, suite smoke, 8 rollouts of 2 tasks" in out
    assert "25% of 8 rollouts are solved; rewards differ within 1 of 2 tasks." in out
    line = next(line for line in out.splitlines() if "Useful groups of 4 " in line)
    assert "50 % [" in line
    assert "n=8, Clopper-Pearson, claimed" in line
    assert "pass@8" not in out
    assert "0 % |█    █    | 100 % solved" in out
    [results] = json_of(capsys, "info", "alice/even")["card"]["models"]
    assert results["learnability"] == 0.5
    assert len(results["task_results"]) == 2


def test_info_shows_what_rollouts_cost_by_named_prices(
    hub: None, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    Rollout.objects.filter(policy="model").update(prompt_tokens=4000, completion_tokens=500)
    for run in Run.objects.all():
        cards.compute(run=run)
    assert main(["info", "alice/even"]) == 0
    out = capsys.readouterr().out
    assert "Cost" not in out
    assert "Prompt tokens of 1,000 rollouts" in out
    assert main(["info", "alice/even", "--prices", "0.15/0.60"]) == 0
    line = next(row for row in capsys.readouterr().out.splitlines() if "Cost of 1,000" in row)
    assert "0.9 (0.15 a million prompt tokens, 0.6 a million completion tokens)" in line
    settings.HUB_TOKEN_PRICES, settings.HUB_PRICE_CURRENCY = {"org/tiny": Prices(1, 2)}, "EUR"
    assert main(["info", "alice/even"]) == 0
    assert " 5 EUR (1 a million prompt tokens, 2 a million completion" in capsys.readouterr().out
    [cost] = json_of(capsys, "info", "alice/even")["card"]["costs"]
    assert (cost["per_1000_rollouts"], cost["currency"]) == (5.0, "EUR")
    [own] = json_of(capsys, "info", "alice/even", "--prices", "0.15/0.60")["card"]["costs"]
    assert own["per_1000_rollouts"] == pytest.approx(0.9)
    assert main(["info", "alice/even", "--prices", "cheap"]) == 2


def test_info_states_that_there_is_no_gradient(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", "alice/flat"]) == 0
    out = capsys.readouterr().out
    assert "0% of 8 rollouts are solved" in out
    assert "no gradient for this model." in out


def test_an_evaluation_shows_the_results_of_its_own_model(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    version = Version.objects.get(environment__name="even")
    run = make_run(version, policies=["model"], model="org/other", attempts=2)
    for attempt in range(2):
        make_rollout(run, "model", 0, attempt=attempt, reward=float(attempt))
    assert main(["runs", "show", str(run.pk)]) == 0
    out = capsys.readouterr().out
    assert "Model org/other, suite smoke, 2 rollouts of 1 task" in out
    assert "rewards differ within 1 of 1 tasks" in out
    [results] = json_of(capsys, "runs", "show", str(run.pk))["models"]
    assert results["model"] == "org/other"
    [decided] = json_of(capsys, "info", "alice/even")["card"]["models"]
    assert decided["model"] == "org/tiny"


def test_search_sorts_and_filters_by_what_can_be_learned(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = json_of(capsys, "search", "--sort", "learnability")
    assert [(row["ref"], row["learnability"]) for row in rows] == [
        ("alice/even", 0.5),
        ("alice/flat", 0.0),
    ]
    [row] = json_of(capsys, "search", "--difficulty", "unsolved")
    assert row["ref"] == "alice/flat"
    main(["search", "even"])
    out = capsys.readouterr().out
    assert "50 %" in out
    assert "org/tiny 0.25 [" in out
    main(["runs", "list", "alice/even"])
    assert "org/tiny 0.25 [" in capsys.readouterr().out


def test_bars_that_are_not_empty_are_visible() -> None:
    assert sparkline([0, 1, 500, 1000]) == " ▁▄█"
    assert sparkline([0, 0]) == "  "
    assert sparkline([]) == ""


def test_the_constant_answer_stands_next_to_the_mean(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    version = Version.objects.get(environment__name="even")
    version.status = Version.Status.LISTED
    version.save()
    suite = suites.built_in("full")
    run = make_run(
        version, purpose="evaluation", suite=suite, model="org/tiny", policies=["model"], attempts=4
    )
    for attempt in range(4):
        make_rollout(run, "model", attempt=attempt, reward=float(attempt % 2))
    assert main(["runs", "show", str(run.pk)]) == 0
    out = capsys.readouterr().out
    assert "Constant answer is unknown: the version's probe 'constant' was not rewarded" in out
    assert "Baseline reward" in out
    listing = Run.objects.get(purpose="listing", version=version)
    listing.policies = [*listing.policies, "constant"]
    listing.save()
    make_rollout(listing, "constant", reward=0.25)
    caches["local"].clear()
    assert main(["leaderboard", "alice/even==0.1.0"]) == 0
    err = capsys.readouterr().err
    assert "One answer to every task would earn: 0.25 [" in err
    assert "(probe constant; the share of the most common answer is unknown)" in err
    assert json_of(capsys, "leaderboard", "alice/even==0.1.0")["constant"]["value"] == 0.25


def test_results_by_earlier_rules_are_named_and_shown_by_their_digest(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    version = Version.objects.get(environment__name="even")
    version.status = Version.Status.LISTED
    version.save()
    before = earlier(suites.built_in("full"))
    evaluated(version, "org/tiny", before, rate=0.5)
    for refs in (["alice/even==0.1.0"], []):
        assert main(["leaderboard", *refs]) == 0
        err = capsys.readouterr().err
        assert (
            f"results by rules version {before.frozen.rules}: --digest {before.digest[:12]}" in err
        )
        assert main(["leaderboard", *refs, "--digest", before.digest[:12]]) == 0
        assert "org/tiny" in capsys.readouterr().out


def test_the_leaderboard_names_labels_that_models_dispute(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    version = Version.objects.get(environment__name="even")
    version.status = Version.Status.LISTED
    version.save()
    caches["local"].clear()
    for model in ("one", "other"):
        run = evaluated(version, model, suites.built_in("full"), rate=1.0)
        run.rollouts.update(answer=Concat(Value("a"), Cast("task", CharField())))
        run.rollouts.filter(task__lt=3).update(reward=0.0)
    assert main(["leaderboard", "alice/even==0.1.0"]) == 0
    err = capsys.readouterr().err
    assert "card.disputed_labels: At 3 tasks 2 models agree on an answer that earns nothing" in err
    assert "task 2: 4 of 4 rollouts answer 'a2', none is paid" in err
