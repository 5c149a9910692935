"""The OpenAPI document describes what the API does: all of it, and nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from registry.api import urls
from registry.api.schema.generator import Generator
from registry.models import Organisation, User
from tests.registry.api.hub import Hub, build
from tools.compare_openapi import differences

pytestmark = pytest.mark.once

SCHEMA = "/api/v1/schema"
Document = dict[str, Any]
SIDE = "alice/demo-env==0.1.0"
QUERIES = {  # of paths that end so
    "/environments/": {"facets": "1"},
    "/compare/": {"first": SIDE, "second": SIDE},
}


@pytest.fixture(scope="module")
def document() -> Document:
    return Generator().get_schema(public=True)


@pytest.fixture
def hub(alice: User, lab: Organisation, root: User) -> Hub:
    return build(alice, lab, root)


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Path, method and operation of each."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


@pytest.mark.slow
def test_the_document_is_valid_and_made_without_a_warning(document: Document) -> None:
    validate_schema(document)
    assert document["openapi"] == "3.1.0"
    assert not GENERATOR_STATS


def test_wire_format_is_that_of_the_kept_document(document: Document) -> None:
    kept = json.loads(Path(__file__).with_name("openapi.json").read_text())
    lines = differences(kept, json.loads(json.dumps(document)))
    assert not lines, "store an intended change by `make openapi UPDATE=1`:\n" + "\n".join(lines)


def test_every_route_is_documented(document: Document) -> None:
    assert {path for path, *_ in operations(document)} >= set(routes(urls.api, "/api/v1/"))


def routes(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[str]:
    """The named routes as the document writes them; those without a name repeat or refuse."""
    for pattern in patterns:
        place = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if "prime" not in str(pattern.urlconf_name):
                yield from routes(pattern.url_patterns, place)
        elif pattern.name:
            plain = place.replace("<uuid:pk>", "{id}").replace("<int:pk>", "{id}")
            yield re.sub(r"<(?:str|int|uuid):(\w+)>", r"{\1}", plain)


def test_every_operation_has_texts_and_security(document: Document) -> None:
    named = []
    groups = {tag["name"] for tag in document["tags"]}
    schemes = set(document["components"]["securitySchemes"])
    for path, method, operation in operations(document):
        named.append(operation["operationId"])
        assert operation["summary"], (method, path)
        assert operation["description"].endswith("."), (method, path)
        assert set(operation["tags"]) < groups
        assert {scheme for way in operation.get("security", ()) for scheme in way} <= schemes
        assert all(answer["description"] for answer in operation["responses"].values()), path
        if method in ("post", "put", "patch") and "requestBody" not in operation:
            assert path.endswith(
                (
                    *("/star/", "/retry/", "/cancel/", "/drain/", "/accept/", "/decline/"),
                    *("/hosts/{host}/", "/approval/", "/watch/"),
                    *("/enable/", "/secret/", "/deliveries/", "/redeliver/"),
                )
            ), path
    assert len(named) == len(set(named))


def test_no_shape_is_left_over(document: Document) -> None:
    text = json.dumps(document)
    for name in document["components"]["schemas"]:
        assert f"#/components/schemas/{name}" in text or name == "Ending", name


def test_it_comes_as_json_and_as_yaml(client: Client, document: Document) -> None:
    plain = client.get(SCHEMA)
    assert plain.status_code == 200
    assert plain.headers["Content-Type"] == "application/json"
    assert plain.json() == json.loads(json.dumps(document))
    packed = client.get(f"{SCHEMA}/", HTTP_ACCEPT="application/yaml")
    assert packed.headers["Content-Type"] == "application/yaml"
    assert packed.content == OpenApiYamlRenderer().render(document, renderer_context={})
    assert client.get(SCHEMA, {"format": "yaml"}).content == packed.content
    assert client.get(SCHEMA, {"format": "json"}).content == plain.content


def test_it_is_not_sent_again_to_who_has_it(client: Client) -> None:
    etag = client.get(SCHEMA).headers["ETag"]
    assert client.get(SCHEMA, HTTP_IF_NONE_MATCH=etag).status_code == 304
    yaml = client.get(SCHEMA, {"format": "yaml"}, HTTP_IF_NONE_MATCH=etag)
    assert yaml.status_code == 200


def test_another_form_is_refused_in_words(client: Client) -> None:
    for answer, status in (
        (client.get(SCHEMA, {"format": "xml"}), 400),
        (client.get(SCHEMA, HTTP_ACCEPT="text/html"), 406),
    ):
        assert answer.status_code == status
        assert answer.json()["error"]["message"] == "the document comes as JSON or YAML"


def test_responses_match_the_document(client: Client, hub: Hub, document: Document) -> None:
    checked = 0
    for path, method, operation in operations(document):
        if method != "get":
            continue
        address = path.format(**hub.place(path))
        needed = operation["security"][0] if operation.get("security") else {}
        staff = "root" if re.search("/(moderation|runners)/", path) else "admin"
        token = next(iter({"runner", "run"} & set(needed)), staff)
        query = next((each for end, each in QUERIES.items() if path.endswith(end)), {})
        accept = {"Accept": "application/json"}
        answer: Any = client.get(address, query, headers=hub.bearer(token) | accept)
        body = b"".join(answer)
        assert answer.status_code == 200, (path, body)
        kind = answer.headers["Content-Type"].partition(";")[0]
        described = operation["responses"]["200"]["content"][kind]["schema"]
        if kind.endswith("json"):
            parsed = json.loads(body)
            assert list(strict(document, described).iter_errors(parsed)) == [], path
            assert parsed.get("results", True), (
                f"{path} answers an empty list, which checks nothing"
            )
            checked += 1
    assert checked > 20


def test_an_unknown_address_is_refused_in_json_whatever_the_method() -> None:
    careful = Client(enforce_csrf_checks=True)
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        for address in ("/api/v1/runs/0.5/", "/api/v1/a%0Ab/c/"):
            answer = careful.generic(method, address)
            assert answer.status_code == 404, (method, address)
            assert answer.json()["error"]["code"] == "request.not_found"


def strict(document: Document, described: Document) -> Draft202012Validator:
    """A validator that lets no field pass that the document does not have."""
    shapes = {
        name: {"additionalProperties": False, **shape} if "properties" in shape else shape
        for name, shape in document["components"]["schemas"].items()
    }
    return Draft202012Validator({**described, "components": {"schemas": shapes}})


def test_refusal_matches_the_document(client: Client, document: Document, db: None) -> None:
    refused = client.get("/api/v1/environments/alice/nothing/")
    fields = {"$ref": "#/components/schemas/Error"}
    assert refused.status_code == 404
    assert list(strict(document, fields).iter_errors(refused.json())) == []
    assert list(strict(document, fields).iter_errors({"error": "no"})) != []
