"""Credentials of a request: a token as Bearer or as Basic password (twine, uv, pip), a session."""

from __future__ import annotations

import base64

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from registry.accounts import index_credentials, runners
from registry.accounts.models import Runner, Token, User
from registry.accounts.permissions import Actor
from registry.errors import Forbidden, HubError
from registry.publishers import exchange
from registry.runs.tokens import Attempt, read_run_token

BASIC_USER = "__token__"
CHALLENGE = 'Bearer realm="hub", Basic realm="hub"'


def identify(request: HttpRequest) -> tuple[Actor, Token | None]:
    """The person and, where one was sent, the token; raises 401 on a token that is not good.

    For views that only read: the session counts here without a CSRF token.
    """
    token = token_of(request)
    if token is not None:
        return token.user, token
    user = getattr(request, "user", None)
    return (user if isinstance(user, User) else AnonymousUser()), None


def token_of(request: HttpRequest) -> Token | None:
    """The usable token of the Authorization header, None where there is no such header."""
    text = credentials(request)
    if text is None:
        return None
    token = exchange.verify(text) or _index_credential(request, text)
    if token is None:
        raise HubError("token.invalid", status=401)
    return token


def _index_credential(request: HttpRequest, text: str) -> Token | None:
    """A short-lived credential, which opens the index and its files and nothing of the API."""
    return None if request.path.startswith("/api/") else index_credentials.verify(text)


def credentials(request: HttpRequest) -> str | None:
    """The secret in the Authorization header, whichever scheme carries it."""
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    match scheme.lower():
        case "":
            return None
        case "bearer":
            return value.strip()
        case "basic":
            return _password(value)
    raise HubError(
        "token.invalid",
        f"the hub does not know the scheme {scheme[:20]!r}",
        "Send `Authorization: Bearer hub_...`.",
        401,
    )


def _password(value: str) -> str:
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:  # no base64, or of something that is no text
        raise HubError(
            "token.invalid", "the Basic credentials cannot be decoded", status=401
        ) from None
    if user != BASIC_USER:
        raise HubError(
            "token.invalid",
            f"the user name must be {BASIC_USER}, not {user[:40]!r}",
            "Give an API token as the password; account passwords are for the browser.",
            401,
        )
    return password.strip()


class TokenAuthentication(BaseAuthentication):
    """The same for REST framework, which then puts the token into `request.auth`."""

    schemes = ("bearer", "basic")  # in the OpenAPI document

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The pair, or None so that the session is tried next."""
        token = token_of(request._request)  # noqa: SLF001 - REST framework has no public name for it
        return None if token is None else (token.user, token)

    def authenticate_header(self, request: Request) -> str:
        """What a 401 carries."""
        return CHALLENGE


class RunnerAuthentication(BaseAuthentication):
    """A runner's token (`hubr_`), which only leases runs; the Runner is `request.auth`."""

    schemes = ("runner",)

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Runner]:
        """The runner; raises 401."""
        runner = runners.verify(credentials(request._request) or "")  # noqa: SLF001 - as above
        if runner is None:
            raise HubError(
                "token.invalid",
                "this is not the token of an enabled runner",
                "Make one on the hub with `manage.py create_runner NAME`.",
                401,
            )
        return AnonymousUser(), runner


class RunAuthentication(BaseAuthentication):
    """The token of one attempt of a run (`hubrun_`), which is `request.auth`."""

    schemes = ("run",)

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Attempt]:
        """The run and attempt of the token; raises 401."""
        return AnonymousUser(), read_run_token(credentials(request._request) or "")  # noqa: SLF001


def get_actor(request: Request) -> tuple[Actor, Token | None]:
    """Person and token of a REST framework request."""
    user = request.user if isinstance(request.user, User) else AnonymousUser()
    return user, request.auth if isinstance(request.auth, Token) else None


def by_token(request: Request) -> None:
    """Raise 403 for a browser session: the page that gives rights requires the password."""
    if get_actor(request)[1] is None:
        raise Forbidden(
            "a browser session gives no rights over the API",
            "Do it on the hub's page, which asks for the password, or send an admin token.",
        )


def person(request: Request) -> User:
    """The signed-in person; raises 401 where there is none."""
    if not isinstance(request.user, User):
        raise HubError("request.unauthenticated", status=401)
    return request.user


def sole_person(request: Request) -> User:
    """The person, where it matters who: a workflow's token may act for strangers too, each in an
    environment of their own; raises 409 for such a one."""
    _, token = get_actor(request)
    if token is not None and exchange.is_shared(token):
        raise HubError(
            "request.conflict",
            "this trusted publisher's token acts for several people, who all named its workflow",
            "Say the owner: hub push --owner NAME.",
            409,
        )
    return person(request)
