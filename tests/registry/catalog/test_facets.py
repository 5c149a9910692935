"""The registry of facets, and counting by it."""

from collections import Counter

import pytest

from envyard.contract.facets import FACETS, Facet, registry
from registry.catalog.search.facets import count_marks, counted, mark, marks_of
from registry.models import User
from tests.factories import make_version

TURNS = Facet(name="turns", key="n", column="latest__api", title="Turns", description="", option="")


def counts() -> Counter[str]:
    tag = mark(FACETS["tag"], "math")
    return count_marks([f"{tag} {mark(TURNS, 'multi')}", f"{tag} {mark(TURNS, 'single')}"])


def test_new_facet_with_the_first_letter_of_another_is_counted_apart() -> None:
    tags, turns = (counted(facet, counts(), complete=True) for facet in (FACETS["tag"], TURNS))
    assert {value.value: value.count for value in tags.values} == {"math": 2}
    assert {value.value: value.count for value in turns.values} == {"multi": 1, "single": 1}


@pytest.mark.parametrize(("name", "key"), [("turns", "t"), ("tag", "n"), ("turns", ""), ("x", "1")])
def test_registry_refuses_a_facet_whose_name_or_key_is_taken_or_no_letter(
    name: str, key: str
) -> None:
    facet = Facet(name=name, key=key, column="", title="", description="")
    with pytest.raises(ValueError, match=f"facet '{name}'"):
        registry((*FACETS.values(), facet))


@pytest.mark.django_db
def test_marks_hold_every_facet_of_an_environment(alice: User) -> None:
    version = make_version(alice, keywords=["b", "a"], framework="verifiers", license="MIT")
    marks = [mark(FACETS[name], value) for name, value in EXPECTED]
    assert [word for word in marks_of(version.environment) if word in marks] == marks


EXPECTED = (
    *(("framework", "verifiers"), ("tag", "a"), ("tag", "b"), ("owner", "alice")),
    *(("license", "MIT"), ("visibility", "public")),
)


@pytest.mark.parametrize(("name", "value"), [("license", "MIT"), ("tag", "mit")])
def test_facet_reads_a_typed_value_with_its_own_case(name: str, value: str) -> None:
    assert FACETS[name].parse(" MIT ") == value
