"""1,500 environments: orders, facets and pages are right, and none costs more than one."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.registry.bulk.__main__ import fill
from benchmarks.registry.bulk.texts import FIRST
from registry.accounts.permissions import Actor
from registry.catalog.search.facets import CACHE_KEY, MAX_COUNTED, CountedFacet, recount
from registry.catalog.search.rank import RANKED_FIELDS, RankedFields, best_first
from registry.catalog.search.results import TIERS, SearchResults
from registry.models import Environment, SearchDocument, User, Version
from tests.factories import make_version
from tests.registry.catalog.test_search import NOBODY, search, values

LIST, PAGE = "/api/v1/environments/", "/envs/"
Pages = Callable[[str], Iterator[list[dict[str, Any]]]]


@pytest.fixture
def pages(client: Client) -> Pages:
    """The results of each page of a list, from that address on."""

    def read(url: str) -> Iterator[list[dict[str, Any]]]:
        following: str | None = url
        while following:
            answer = client.get(following).json()
            yield answer["results"]
            following = answer["next"]

    return read


@pytest.fixture
def full(db: None) -> None:
    """What `benchmarks.registry.bulk` loads."""
    fill(environments=1500, versions=3500)


def queries(client: Client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def test_a_full_hub(full: None, client: Client, pages: Pages) -> None:
    """One test, because filling the hub takes longer than all searches."""
    every_order_shows_each_environment_once(pages)
    rows_that_come_between_pages_hide_and_repeat_none(pages)
    facets_count_all_or_say_that_there_are_more()
    lower_bounds_are_kept_for_strangers(client)
    frequent_words_are_found_by_their_names_first(client)
    the_exact_name_is_first_among_many_matches(pages)
    no_page_costs_more_queries(client)
    a_long_list_of_versions_pages_to_its_end(pages)


def every_order_shows_each_environment_once(pages: Pages) -> None:
    listed = Environment.objects.listed().filter(visibility="public").select_related("owner")
    keys: dict[str, Callable[[Environment], Any]] = {
        "fresh": lambda e: (e.fresh_at, e.pk),
        "installs": lambda e: (e.installs, e.pk),
        "stars": lambda e: (e.star_count, e.pk),
        "name": lambda e: (e.name, e.pk),
    }
    for sort, key in keys.items():
        expected = [str(e) for e in sorted(listed, key=key, reverse=sort != "name")]
        shown = [row["ref"] for page in pages(f"{LIST}?sort={sort}&limit=100") for row in page]
        assert shown == expected, sort


def rows_that_come_between_pages_hide_and_repeat_none(pages: Pages) -> None:
    owner = User.objects.get(username="person-1")
    for query in ("sort=stars", "sort=fresh", "q=haystack"):
        before = [row["ref"] for page in pages(f"{LIST}?{query}&limit=100") for row in page]
        reading = pages(f"{LIST}?{query}&limit=100")
        shown = [row["ref"] for row in next(reading)]
        name = f"come-between-{query[-3:]}"
        make_version(owner, name, summary="Haystack.")
        Environment.objects.filter(name=name).update(star_count=10**6)
        shown += [row["ref"] for page in reading for row in page]
        come = f"person-1/{name}"  # may be shown, if its place is further on
        assert [ref for ref in shown if ref != come] == before, query
        assert len(set(shown)) == len(shown)


def facets_count_all_or_say_that_there_are_more() -> None:
    listed = Environment.objects.listed().filter(visibility="public")
    every = Counter(listed.values_list("latest__framework", flat=True))
    tags = Counter(listed.filter(latest__framework="ors").values_list("tags__name", flat=True))

    def facets(actor: Actor = NOBODY, **filters: str) -> dict[str, CountedFacet]:
        results = SearchResults(search(**filters), actor)
        return {facet.facet.name: facet for facet in results.facets()}

    recount()
    assert values(facets()["framework"]) == every
    hidden = Environment.objects.listed().filter(visibility="private").order_by("pk")[0]
    member = User.objects.filter(owner=hidden.owner).get()
    own = Environment.objects.listed().filter(visibility="private", owner=hidden.owner)
    visible = every + Counter(own.values_list("latest__framework", flat=True))
    assert values(facets(member)["framework"]) == visible
    of_ors = facets(framework="ors")
    assert of_ors["framework"].complete
    assert of_ors["tag"].complete
    assert sorted(values(of_ors["tag"]).items()) == sorted(
        sorted(tags.items(), key=lambda tag: (-tag[1], tag[0].encode().hex()))[:20]
    )
    of_verifiers = facets(framework="verifiers")
    rows = listed.filter(latest__framework="verifiers")
    assert of_verifiers["license"].complete
    assert values(of_verifiers["framework"]) == every
    expected = Counter(rows.exclude(latest__license="").values_list("latest__license", flat=True))
    assert values(of_verifiers["license"]) == expected
    rare = listed.filter(owner__name="person-25")
    owners = {value.value: value for value in facets(owner="person-25")["owner"].values}
    assert owners["person-25"].count == rare.count() < MAX_COUNTED
    assert owners["person-25"].chosen
    cache.delete(CACHE_KEY)
    assert not facets(framework="verifiers")["tag"].complete
    assert sum(values(facets()["framework"]).values()) == MAX_COUNTED


def lower_bounds_are_kept_for_strangers(client: Client) -> None:
    caches["local"].clear()
    url = f"{PAGE}?q=reward&tools=none"
    counted = queries(client, url)
    assert queries(client, url) < counted
    member = User.objects.get(username="person-1")
    results = SearchResults(search("reward", tools="none"), member)
    with CaptureQueriesContext(connection) as captured:
        results.facets()
    assert any("marks" in query["sql"] for query in captured)  # counted again
    caches["local"].clear()


def frequent_words_are_found_by_their_names_first(client: Client) -> None:
    keys = SearchDocument.objects.order_by("pk").values_list("pk", flat=True)
    SearchDocument.objects.update(summary="frequently named")
    SearchDocument.objects.filter(pk__in=[*keys[300:1200]]).update(tags="frequently named")
    actors: list[Actor] = [NOBODY, User.objects.get(username="person-1")]
    for words in ("frequently", "freq", "frequnetly", "named"):
        for actor in actors:
            ranked = [*SearchResults(search(words), actor).ranked()]
            assert ranked == ranked_in_full(SearchResults(search(words), actor)), words
    with CaptureQueriesContext(connection) as captured:
        client.get(f"{LIST}?q=frequently&limit=10")
    assert not any("marks" in query["sql"] for query in captured)
    check_beginnings()


def ranked_in_full(results: SearchResults) -> list[tuple[int, int]]:
    """The same with all matches read first."""
    results.facets()
    (query,) = [level.query for level in results._levels]
    rows = results._most_used(results.search, query)
    named = results._most_used(results.search, query, in_names=True)
    fields = {
        RankedFields._make(row)
        for found, count in ((rows, MAX_COUNTED + 1), (named, MAX_COUNTED))
        for row in found.values_list(*RANKED_FIELDS)[:count]
    }
    return best_first(fields, query, TIERS)


def check_beginnings() -> None:
    """The table that a trigger of PostgreSQL updates has the words of all names."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT beginning, place FROM registry_search_beginnings")
        stored = set(cursor.fetchall())
    documents = SearchDocument.objects.values_list("place", "name", "owner_name", "tags")
    assert stored == {
        (word[:letters], place)
        for place, *texts in documents
        for word in " ".join(texts).split()
        for letters in (3, 5)
    }


def the_exact_name_is_first_among_many_matches(pages: Pages) -> None:
    unused = Environment.objects.listed().filter(visibility="public", installs=0).earliest("pk")
    name = unused.name
    SearchDocument.objects.exclude(pk=unused.pk).update(summary=name.replace("-", " "))
    first = next(pages(f"{LIST}?q={name}&limit=1"))
    assert [row["name"] for row in first] == [name]
    assert sum(len(page) for page in pages(f"{LIST}?q={name}&limit=100")) > MAX_COUNTED


def no_page_costs_more_queries(client: Client) -> None:
    owner = User.objects.get(username="person-1")
    make_version(owner, "only-zebra", keywords=["zebra"], framework="zebra", license="zebra")
    for query in ("", "q={}", "tag={}", "framework={}", "q={}&sort=stars", "owner={}"):
        few = queries(client, f"{PAGE}?{query.format('zebra')}")
        many = queries(client, f"{PAGE}?{query.format('reward' if 'q=' in query else 'math')}")
        assert many <= few + 1 <= 16, query
    first = client.get(LIST).json()["next"]
    assert queries(client, first) == queries(client, LIST) <= 4
    recount()
    assert queries(client, PAGE) == 3  # environments, their tags, what `recount` counted
    # environments, their tags, matches, and what `recount` counted of all and of `verifiers`
    assert queries(client, f"{PAGE}?framework=verifiers&tag=math") == 6
    assert queries(client, f"{PAGE}?framework=verifiers") == 4


def a_long_list_of_versions_pages_to_its_end(pages: Pages) -> None:
    url = f"{LIST}person-0/{FIRST}/versions/?limit=100"
    shown = [row["version"] for page in pages(url) for row in page]
    listed = Version.objects.filter(environment__name=FIRST, status="listed")
    assert shown == [version.version for version in listed.newest_first()]
    assert len(shown) > 900


def test_the_browse_page_narrows_without_javascript(
    client: Client, alice: User, carol: User
) -> None:
    make_version(alice, "sums", keywords=["math"], license="MIT")
    make_version(carol, "maze", keywords=["math", "walk"], framework="gymnasium")

    def shown(url: str) -> tuple[list[str], dict[str, str]]:
        text = client.get(url).content.decode()
        links = dict(re.findall(r'<a href="(\?[^"]*)" rel="nofollow"[^>]*><span[^>]*>(.)', text))
        return re.findall(r'class="name" href="[^"]*">([^<]*)', text), links

    names, links = shown(f"{PAGE}?sort=name")
    assert names == ["carol/maze", "alice/sums"]
    assert links["?sort=name&amp;framework=gymnasium"] == "☐"
    names, links = shown(f"{PAGE}?sort=name&framework=gymnasium")
    assert names == ["carol/maze"]
    assert links["?sort=name"] == "☑"
    assert shown(f"{PAGE}?license=MIT")[0] == ["alice/sums"]
    assert shown(f"{PAGE}?q=math&tag=walk&owner=carol")[0] == ["carol/maze"]


def test_bulk_leaves_a_hub_with_people_alone(alice: User) -> None:
    with pytest.raises(ValueError, match="this hub has people"):
        fill(environments=1, versions=1)
    with pytest.raises(ValueError, match="--versions 1 must be at least --environments 2"):
        fill(environments=2, versions=1, force=True)
    assert not Environment.objects.exists()
