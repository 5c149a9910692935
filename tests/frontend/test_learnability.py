"""What a model can learn, on the pages."""

import pytest
from django.test import Client

from registry.models import User
from tests.frontend import gallery_learnability

pytestmark = [pytest.mark.once, pytest.mark.django_db]


def test_a_version_shows_measures_histograms_and_tasks(client: Client, alice: User) -> None:
    pages = gallery_learnability.pages(alice)
    page = client.get(pages["version-useful"]).content.decode()
    assert "What org/Tiny-0.1B can learn" in page
    assert "Useful groups of 8" in page
    assert "Clopper-Pearson" in page or "betting, clustered by task" in page
    assert 'aria-label="solve rates of 40 tasks, one bar each, darker is higher"' in page
    assert 'aria-label="Tasks by solve rate: ' in page
    assert 'aria-label="format_reward: ' in page
    assert "policy silent" in page


def test_a_version_and_its_environment_state_that_there_is_no_gradient(
    client: Client, alice: User
) -> None:
    pages = gallery_learnability.pages(alice)
    for name in ("version-flat", "environment-flat"):
        page = client.get(pages[name]).content.decode()
        assert "0% of 20 rollouts are solved" in page
        assert "no gradient for this model." in page


def test_lists_show_sort_and_filter_by_useful_groups(client: Client, alice: User) -> None:
    gallery_learnability.pages(alice)
    page = client.get("/envs/?sort=learnability").content.decode()
    assert page.index("/envs/alice/useful/") < page.index("/envs/alice/flat/")
    assert "<b>0 %</b>" in page
    assert "Most learnable" in page
    hard = client.get("/envs/?difficulty=unsolved").content.decode()
    assert "/envs/alice/flat/" in hard
    assert "/envs/alice/useful/" not in hard
