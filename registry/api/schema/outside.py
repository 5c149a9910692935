"""Addresses outside the REST API that installers and publishing tools use.

Their protocols are PyPI's, and their views plain ones, which drf-spectacular does not read.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from registry.api import integrity, signed_cards, upload
from registry.api.schema.media_types import TYPES
from registry.index import negotiate

Spec = dict[str, Any]
TEXT: Spec = {"type": "string"}
OBJECT: Spec = {"type": "object"}
BYTES: Spec = {"type": "string", "format": "binary"}
REFUSED: Spec = {"$ref": "#/components/schemas/Error"}
TOKEN: list[Spec] = [{"bearer": []}, {"basic": []}]
OR_NOBODY = [*TOKEN, {}]
EXAMPLES = {"owner": "alice", "name": "demo-env", "number": "0.1.0"}
MEANINGS = {
    301: "The address with the normal spelling of the name.",
    302: "It moved to another owner, or lies in the object store.",
    304: "The client has it already.",
    400: "The request is invalid.",
    401: "The token is invalid or missing.",
    403: "The token may not do that.",
    404: "There is nothing here, or you may not see it.",
    406: "None of the accepted media types is available.",
    409: "The version or its file name was used before, or the name is taken.",
    411: "Content-Length is required.",
    413: "The body is too large.",
    416: "There are no such bytes; `Content-Range` has the length.",
    422: "The identity token is not valid, or no trusted publisher matches it.",
    429: "Too many requests; `Retry-After` is the number of seconds to wait.",
    503: "The issuer's keys cannot be fetched now.",
}


def _body(schema: Spec, *types: str) -> Spec:
    return {"content": {kind: {"schema": schema} for kind in types}}


def _operation(
    path: str, name: str, tag: str, summary: str, text: str, good: dict[int, Spec], **more: Any
) -> Spec:
    """An operation with its path's parameters; `refusals` and `bare` are statuses with the error
    shape and without a body, all else goes in as it is."""
    places = [part[1:].partition("}")[0] for part in path.split("/") if part.startswith("{")]
    refusals, types = more.pop("refusals", ()), more.pop("types", ("application/json",))
    responses: Spec = {
        str(s): {"description": HTTPStatus(s).phrase, **body} for s, body in good.items()
    }
    responses |= {str(s): {"description": MEANINGS[s]} for s in more.pop("bare", ())}
    responses |= {str(s): {"description": MEANINGS[s], **_body(REFUSED, *types)} for s in refusals}
    return {
        "operationId": name,
        "summary": summary,
        "description": text,
        "tags": [tag],
        "parameters": [_place(place) for place in places] + more.pop("parameters", []),
        "responses": responses,
        **more,
    }


def _place(name: str) -> Spec:
    example = {"example": EXAMPLES[name]} if name in EXAMPLES else {}
    return {"in": "path", "name": name, "required": True, "schema": TEXT, **example}


def _format(words: list[str]) -> Spec:
    text = "The form, for clients that cannot set Accept."
    return {"in": "query", "name": "format", "description": text, "schema": TEXT | {"enum": words}}


FORM: Spec = {
    "type": "object",
    "required": ["content"],
    "properties": {"content": BYTES, "attestations": TEXT},
    "additionalProperties": True,
}
INDEX: Spec = {
    "content": {
        negotiate.JSON: {"schema": OBJECT},
        negotiate.HTML: {"schema": TEXT},
        negotiate.PLAIN: {"schema": TEXT},
    },
}
SIMPLE, FILE = "/{owner}/simple/", "/files/{shard}/{sha256}/{filename}"
WHEEL = "/integrity/{owner}/{name}/{number}/{filename}/"
PROVENANCE, CARD, CARD_BY_DIGEST = f"{WHEEL}provenance", f"{WHEEL}card", f"{WHEEL}card/{{sha256}}"
EVIDENCE, KEYS = f"{WHEEL}evidence/{{sha256}}", "/integrity/keys"
UPLOAD, AUDIENCE, MINT = "/legacy/{owner}/", "/_/oidc/audience", "/_/oidc/mint-token"
SCHEMA, HEALTH, READY = "/api/v1/schema", "/healthz", "/readyz"
FORMS = {"parameters": [_format([negotiate.JSON, negotiate.HTML])]}
RANGE: Spec = {"in": "header", "name": "Range", "schema": TEXT, "example": "bytes=0-99"}

PATHS: dict[str, Spec] = {
    SIMPLE: {
        "get": _operation(
            SIMPLE,
            "indexRoot",
            "Installing",
            "List what installers find under an owner",
            "PEP 503 and 691: HTML, or JSON where it is accepted. Give pip or uv this address.",
            {200: INDEX},
            bare=(304,),
            refusals=(400, 401, 404),
            security=OR_NOBODY,
            **FORMS,
        )
    },
    f"{SIMPLE}{{name}}/": {
        "get": _operation(
            f"{SIMPLE}{{name}}/",
            "indexEnvironment",
            "Installing",
            "List the files of an environment",
            "With hashes, sizes, times, yanks and METADATA (PEP 503, 592, 658, 691, 700, 714).",
            {200: INDEX},
            bare=(301, 302, 304),
            refusals=(400, 401, 404),
            security=OR_NOBODY,
            **FORMS,
        )
    },
    FILE: {
        "get": _operation(
            FILE,
            "downloadFile",
            "Installing",
            "Download a wheel",
            "Immutable; HEAD and ranges work. `.metadata` behind the address is its METADATA "
            "(PEP 658).",
            {
                200: _body(BYTES, "application/octet-stream", "text/plain"),
                206: _body(BYTES, "application/octet-stream"),
            },
            bare=(302, 304, 416),
            refusals=(400, 401, 404),
            security=[*OR_NOBODY, {"session": []}, {"run": []}],
            parameters=[RANGE],
        )
    },
    PROVENANCE: {
        "get": _operation(
            PROVENANCE,
            "getProvenance",
            "Installing",
            "Show where a wheel was built",
            "The provenance object of PEP 740, where the upload carried attestations.",
            {200: _body(OBJECT, integrity.V1, integrity.JSON)},
            bare=(304,),
            refusals=(400, 401, 404, 406),
            security=[*OR_NOBODY, {"session": []}],
        )
    },
    CARD: {
        "get": _operation(
            CARD,
            "getSignedCard",
            "Installing",
            "Get the signed card of a wheel",
            "The newest in-toto statement about the wheel, in a DSSE envelope.",
            {200: _body(OBJECT, signed_cards.ENVELOPE, integrity.JSON)},
            bare=(304,),
            refusals=(400, 401, 404, 406),
            security=[*OR_NOBODY, {"session": []}],
        )
    },
    CARD_BY_DIGEST: {
        "get": _operation(
            CARD_BY_DIGEST,
            "getSignedCardByDigest",
            "Installing",
            "Get the signed card that a lock names",
            "The statement with that sha256, in a DSSE envelope.",
            {200: _body(OBJECT, signed_cards.ENVELOPE, integrity.JSON)},
            bare=(304,),
            refusals=(400, 401, 404, 406),
            security=[*OR_NOBODY, {"session": []}],
        )
    },
    EVIDENCE: {
        "get": _operation(
            EVIDENCE,
            "getCardEvidence",
            "Installing",
            "Get the evidence of a signed card",
            "The plan, facts and rollouts from which the card is recomputed; its sha256 is in the "
            "statement.",
            {200: _body(OBJECT, integrity.JSON)},
            bare=(304,),
            refusals=(400, 401, 404, 406),
            security=[*OR_NOBODY, {"session": []}],
        )
    },
    KEYS: {
        "get": _operation(
            KEYS,
            "getCardKeys",
            "Installing",
            "List the public keys of signed cards",
            "Ed25519 keys in PEM with their ids; the first signs, the others are older.",
            {200: _body(OBJECT, integrity.JSON)},
            refusals=(400,),
            security=[],
        )
    },
    UPLOAD: {
        "post": _operation(
            UPLOAD,
            "uploadWheel",
            "Publishing",
            "Upload a wheel",
            "The form that `twine upload` and `uv publish` send. METADATA inside the wheel is the "
            "only truth; a form that disagrees is refused.",
            {200: _body(TEXT, "text/plain")},
            refusals=(400, 401, 403, 404, 409, 411, 413, 429),
            types=(upload.PROBLEM, "text/plain"),
            requestBody={"required": True, **_body(FORM, "multipart/form-data")},
            security=TOKEN,
        )
    },
    AUDIENCE: {
        "get": _operation(
            AUDIENCE,
            "getAudience",
            "Publishing",
            "Name the audience of identity tokens",
            "A workflow requests a token with this audience from its issuer.",
            {200: _body(OBJECT, "application/json")},
            refusals=(400,),
            security=[],
        )
    },
    MINT: {
        "post": _operation(
            MINT,
            "mintToken",
            "Publishing",
            "Change an identity token for an upload token",
            "For trusted publishers; the token is good for minutes and for what they may publish.",
            {200: _body(OBJECT, "application/json")},
            refusals=(400, 422, 429, 503),
            requestBody={
                "required": True,
                **_body(
                    {**OBJECT, "required": ["token"], "properties": {"token": TEXT}},
                    "application/json",
                ),
            },
            security=[],
        )
    },
    SCHEMA: {
        "get": _operation(
            SCHEMA,
            "getSchema",
            "Meta",
            "Get this document",
            "As JSON or YAML.",
            {200: _body(OBJECT, *TYPES)},
            bare=(304,),
            refusals=(400, 406),
            security=[],
            parameters=[_format(sorted(set(TYPES.values())))],
        )
    },
    HEALTH: {
        "get": _operation(
            HEALTH,
            "getHealth",
            "Meta",
            "Check that a web process answers",
            "For load balancers and supervisors. It reads no database and no storage.",
            {200: _body(OBJECT, "application/json")},
            security=[],
        )
    },
    READY: {
        "get": _operation(
            READY,
            "getReadiness",
            "Meta",
            "Check that the hub can do its work",
            "Database, storage, broker, queue and disk space, each with its state; staff and "
            "requests from the hub's own machine also get messages and hints.",
            {200: _body(OBJECT, "application/json"), 503: _body(OBJECT, "application/json")},
            security=OR_NOBODY,
        )
    },
}
