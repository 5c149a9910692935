"""Whatever an address holds, the answer is never the hub's own failure."""

from itertools import product
from typing import Any

import pytest
from django.test import Client

from registry.models import User
from tests.factories import bearer, make_rollout, make_run, make_version
from tests.wheels import make_wheel

ODD = {
    "a NUL": "a%00b",
    "a byte that is no UTF-8": "%FF",
    "half a surrogate pair": "%ED%A0%80",
    "a negative number": "-1",
    "a number beyond any column": "9" * 30,
    "more digits than Python reads": "9" * 5000,
    "a very long word": "a" * 3000,
    "signs alone": "%25_%27%22%5C",
    "a digit of another script": "%D9%A3",
    "a step up": "..",
}
FILTERS = ("q", "tag", "owner", "framework", "sort", "mine")
Get = Any


@pytest.fixture
def get(client: Client) -> Get:
    """Ask as a browser would and read the answer to its end; the status."""

    def fetch(address: str, query: str = "", method: str = "GET", **headers: str) -> int:
        answer: Any = client.generic(method, address, QUERY_STRING=query, headers=headers)
        b"".join(answer)
        return int(answer.status_code)

    return fetch


@pytest.fixture
def addresses(alice: User, client: Client) -> dict[str, tuple[str, ...]]:
    """Addresses of one listed environment, and the parameters each takes; alice is signed in."""
    version = make_version(alice, wheel=make_wheel())
    run = make_run(version)
    rollout = make_rollout(run)
    client.force_login(alice)
    env, api, pages = "alice/demo-env/", "/api/v1/", ("limit", "cursor", "format")
    return {
        "/": (),
        "/envs/": (*FILTERS, "page"),
        f"/envs/{env}": ("tab", "page"),
        f"/envs/{env}0.1.0/live/": (),
        f"/runs/{run.pk}/": ("policy",),
        f"/runs/{run.pk}/rollouts/{rollout.pk}/": (),
        "/login/": ("next",),
        "/device/": ("code",),
        "/settings/tokens/": (),
        f"{api}environments/": (*FILTERS, *pages),
        f"{api}environments/{env}versions/": pages,
        f"{api}environments/{env}versions/0.1.0/": ("format",),
        f"{api}environments/{env}runs/": pages,
        f"{api}runs/{run.pk}/log/": ("after",),
        f"{api}runs/{run.pk}/rollouts/": (*pages, "policy"),
        f"{api}runs/{run.pk}/rollouts/{rollout.pk}/": (),
        f"{api}tokens/": pages,
        "/alice/simple/": ("format",),
        "/alice/simple/demo-env/": ("format",),
        f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}": (),
    }


@pytest.mark.parametrize("odd", ODD)
def test_odd_parameters_are_answered(
    get: Get, addresses: dict[str, tuple[str, ...]], odd: str
) -> None:
    for address, names in addresses.items():
        for name in names:
            assert get(address, f"{name}={ODD[odd]}") < 500, (address, name)


@pytest.mark.parametrize("odd", ODD)
def test_odd_names_in_an_address_are_answered(
    get: Get, addresses: dict[str, tuple[str, ...]], odd: str
) -> None:
    for address in addresses:
        parts = address.split("/")
        for place in range(1, len(parts) - address.endswith("/")):
            odd_address = "/".join([*parts[:place], ODD[odd], *parts[place + 1 :]])
            assert get(odd_address) < 500, (address, place)


def test_odd_methods_and_ranges_are_answered(
    get: Get, addresses: dict[str, tuple[str, ...]]
) -> None:
    for address, method in product(addresses, ("HEAD", "OPTIONS", "PUT", "DELETE", "TRACE")):
        assert get(address, method=method) < 500, (method, address)
    (file,) = (address for address in addresses if address.startswith("/files/"))
    assert get(file, Range=f"bytes={'9' * 5000}-") < 500


def test_a_nul_in_an_address_is_refused_in_words(client: Client, db: None) -> None:
    answer = client.get("/api/v1/environments/?q=a%00b")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "the URL contains a NUL (%00)"


def test_a_search_without_words_finds_nothing(client: Client, alice: User) -> None:
    make_version(alice)
    assert client.get("/api/v1/environments/?q=%3F%3F").json() == {"results": [], "next": None}


@pytest.mark.parametrize("text", [r"a\u0000b", r"a\ud800b"])
def test_text_that_no_database_takes_is_refused(client: Client, alice: User, text: str) -> None:
    admin = bearer(alice, "admin")
    fields = {"tokens": "name", "login": "device_name", "login/poll": "device_code"}
    for address, field in fields.items():
        body = f'{{"{field}": "{text}"}}'
        answer = client.post(
            f"/api/v1/{address}/", body, content_type="application/json", headers=admin
        )
        assert answer.status_code == 400, (address, answer.content)
        message = answer.json()["error"]["message"]
        assert message.startswith(field)
        assert "must hold no NUL and no lone surrogate" in message
