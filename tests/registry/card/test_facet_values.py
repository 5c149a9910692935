"""The values of facets that a card gives its version: unknown ones are left out."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection

from envyard.contract.domains import domains_of
from envyard.contract.facets import FACETS
from envyard.contract.survey import Split, Survey
from registry import storage
from registry.accounts.models import User
from registry.card import services
from registry.card.facet_values import learnable_band, tasks_band, turns_band
from registry.catalog.models import Version
from registry.catalog.search import documents
from registry.catalog.search.criteria import CatalogSearch
from registry.catalog.search.results import SearchResults
from registry.read_models import catalog_query
from registry.runs.models import Run
from registry.runs.transcript_models import TranscriptPack
from tests.factories import make_rollout, make_run, make_version
from tests.registry.run_factories import make_facts, make_transcript

TOOL = {"type": "function", "function": {"name": "add"}}


def played(alice: User, name: str = "maze", *, tools: bool = False, **rollout: int) -> Run:
    """A listed version whose oracle played two tasks, with its card."""
    version = make_version(alice, name, keywords=["tool-use", "Algebra"])
    facts = replace(make_facts(2), survey=Survey(train=Split(tasks=40, complete=True)))
    run = make_run(version, facts=facts.to_dict())
    transcript = replace(make_transcript("add"), tools=[[TOOL]] if tools else [])
    make_rollout(run, "oracle", 0, transcript=transcript, turns=1)
    make_rollout(run, "oracle", 1, **{"turns": 1, **rollout})
    services.compute(run=run)
    return run


def names(**filters: str) -> list[str]:
    search = CatalogSearch(filters=filters)
    return sorted(row.name for row in SearchResults(search, None).rows())


@pytest.mark.django_db
def test_a_version_is_filtered_by_what_its_rollouts_show(alice: User) -> None:
    played(alice, "single")
    played(alice, "several", tools=True, turns=7, judge_calls=1)
    assert names(turns="1") == names(tools="none") == names(verifier="program") == ["single"]
    assert names(turns="6+") == names(tools="offered") == names(verifier="judge") == ["several"]
    both = ["several", "single"]
    assert names(domain="math") == names(domain="agents") == names(tasks="1-99") == both
    assert names(domain="games") == names(tasks="1000+") == names(learnable="none") == []
    assert list(documents.differing()) == []


@pytest.mark.django_db
def test_a_version_without_a_card_has_no_such_value(alice: User) -> None:
    make_version(alice, keywords=["math"])
    assert Version.objects.get().facets == {}
    assert names(tools="none") == names(turns="1") == names(verifier="program") == []


@pytest.mark.django_db
def test_the_migration_gives_listed_versions_the_values_that_rows_show(alice: User) -> None:
    run = played(alice, turns=3, judge_calls=1)
    before = Version.objects.get().facets
    assert before["tools"] == "none"
    Version.objects.update(facets={})
    migration = import_module("registry.migrations.0022_facets")
    migration.fill(apps, SimpleNamespace(connection=connection))
    expected = {name: value for name, value in before.items() if name != "tools"}
    assert Version.objects.get().facets == expected
    services.compute(run=run)
    assert Version.objects.get().facets == before


@pytest.mark.django_db
def test_a_card_does_not_depend_on_the_storage(alice: User) -> None:
    run = played(alice, tools=True)
    assert Version.objects.get().facets["tools"] == "offered"
    pack = TranscriptPack.objects.get()
    path = Path(settings.HUB_STORAGE_PATH, storage.key("transcripts", pack.sha256))
    path.write_bytes(b"x" * path.stat().st_size)
    services.compute(run=run)
    facets = Version.objects.get().facets
    assert "tools" not in facets
    assert facets["turns"] == "1"


def test_bands_leave_out_what_is_not_known() -> None:
    assert [turns_band(turns) for turns in (0, 1, 2, 5, 6)] == ["", "1", "2-5", "2-5", "6+"]
    shares = (None, 0.0, 0.1, 0.2, 0.59, 0.6, 1.0)
    bands = ["", "none", "low", "medium", "medium", "high", "high"]
    assert [learnable_band(share) for share in shares] == bands


@pytest.mark.parametrize(
    ("survey", "band"),
    [
        (None, ""),
        (Survey(tasks=500), ""),
        (Survey(train=Split(tasks=500)), ""),
        (Survey(train=Split(tasks=99, complete=True)), "1-99"),
        (
            Survey(train=Split(tasks=99, complete=True), evaluation=Split(1, complete=True)),
            "100-999",
        ),
        (Survey(train=Split(tasks=99, complete=True), evaluation=Split(tasks=9)), ""),
        (Survey(train=Split(tasks=1000, complete=True)), "1000+"),
        (Survey(train=Split(tasks=1000, endless=True)), "endless"),
    ],
)
def test_tasks_are_counted_where_every_split_ended(survey: Survey | None, band: str) -> None:
    assert tasks_band(survey) == band


def test_domains_come_from_whole_words_of_keywords() -> None:
    assert domains_of(["multi-turn games", "Math", "codec"]) == ["games", "math"]
    assert domains_of([]) == []


def test_every_facet_stands_in_the_documentation() -> None:
    text = Path("docs/environments.md").read_text()
    rows = {name: facet for name, facet in FACETS.items() if f"| `{name}` |" not in text}
    assert not rows
    for name, facet in FACETS.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        assert row.endswith(f"| {facet.source.replace('’', chr(39))} |"), name


@pytest.mark.django_db
def test_the_most_learnable_of_a_band_are_read_from_the_end_of_the_band(alice: User) -> None:
    """Else all better environments are read before the first of the band."""
    shares = {"flat": 0.0, "weak": 0.1, "fair": 0.3, "good": 0.5, "best": 0.9}
    for name, share in shares.items():
        version = make_version(alice, name)
        version.facets, version.learnability = {"learnable": learnable_band(share)}, share
        version.save()
        version.environment.learnability = share
        version.environment.save()
    documents.rebuild()
    for band, expected in (("none", ["flat"]), ("medium", ["good", "fair"]), ("high", ["best"])):
        results = SearchResults(CatalogSearch(filters={"learnable": band}), None)
        rows, _ = catalog_query.environments(results, sort="learnability", cursor="", limit=9)
        assert [row.name for row in rows] == expected
        assert "BETWEEN" in str(results.rows(sort="learnability").query)
        assert "BETWEEN" not in str(results.rows(sort="stars").query)
