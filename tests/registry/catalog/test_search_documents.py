"""Search's documents stay what the environments are, whatever happens to these."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.catalog import overlays, services
from registry.catalog.deletion import delete_environment, delete_version
from registry.catalog.search import documents
from registry.catalog.search.models import SearchDocument, SearchWord
from registry.catalog.stars import star
from registry.catalog.transfer import transfer
from registry.models import Environment, Organisation, User
from tests.factories import make_version
from tests.registry.catalog.test_search import NOBODY, names_of


def test_every_change_reaches_search_in_its_transaction(
    lab: Organisation, alice: User, carol: User, root: User
) -> None:
    def right() -> bool:
        return list(documents.differing()) == []

    empty, _ = services.get_or_create_environment(owner=alice.owner, name="new-maze", by=alice)
    assert right()
    version = make_version(alice, "maze", summary="Find out.", keywords=["walk"])
    environment = version.environment
    assert names_of("walk") == ["maze"]
    overlays.yank(version=version, by=alice, reason="broken")
    assert right()
    assert names_of("maze") == []
    overlays.unyank(version=version, by=alice)
    assert names_of("maze") == ["maze"]
    services.set_visibility(environment=environment, visibility="private", by=alice)
    assert right()
    assert names_of("maze") == []
    assert names_of("maze", alice) == ["maze"]
    services.set_visibility(environment=environment, visibility="public", by=alice)
    transfer(environment=environment, to=lab.owner, by=alice)
    assert right()
    assert names_of("lab maze") == ["maze"]
    star(environment=environment, by=carol)
    overlays.quarantine(version=version, by=root, reason="bad")
    assert right()
    assert names_of("maze") == []
    overlays.release(version=version, by=root)
    delete_version(version=version, by=alice)
    assert right()
    make_version(lab, "maze", "0.2.0")
    assert names_of("maze") == ["maze"]
    delete_environment(environment=environment, by=alice)
    delete_environment(environment=empty, by=alice)
    assert right()
    assert names_of("maze", alice) == names_of("maze", alice, mine=True) == []


def test_rebuild_writes_documents_by_usage(alice: User) -> None:
    for name, installs in (("plenty", 900), ("never", 0), ("seldom", 9), ("unused", 0)):
        version = make_version(alice, name)
        Environment.objects.filter(pk=version.environment_id).update(installs=installs)
    with CaptureQueriesContext(connection) as queries:
        documents.rebuild()
    (insert,) = (
        query["sql"]
        for query in queries
        if query["sql"].startswith('INSERT INTO "registry_searchdocument"')
    )
    names = ("never", "plenty", "seldom", "unused")
    assert sorted(names, key=insert.index) == ["never", "unused", "seldom", "plenty"]


def test_rebuild_search_repairs_the_differences_of_check(
    alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    make_version(alice, "maze", keywords=["walk"])
    make_version(alice, "sums")
    call_command("rebuild_search", "--check")
    Environment.objects.filter(name="maze").update(summary="Changed behind its back.")
    SearchDocument.objects.filter(environment__name="sums").delete()
    SearchWord.objects.all().delete()
    with pytest.raises(CommandError, match="documents differ"):
        call_command("rebuild_search", "--check")
    output = capsys.readouterr().out
    assert "alice/maze: summary" in output
    assert "alice/sums: no document" in output
    assert names_of("behind") == []
    call_command("rebuild_search")
    call_command("rebuild_search", "--check")
    assert names_of("behind", NOBODY) == ["maze"]
    assert names_of("szms") == ["sums"]


def test_rebuild_updates_the_place_of_more_used_environments(alice: User) -> None:
    for name in ("aa-maze", "bb-maze"):
        make_version(alice, name)
    assert names_of("maze") == ["bb-maze", "aa-maze"]
    Environment.objects.filter(name="aa-maze").update(installs=100)
    call_command("rebuild_search")
    assert names_of("maze") == ["aa-maze", "bb-maze"]
