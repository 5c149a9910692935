"""`hub login`, `hub whoami`, `hub logout`."""

from __future__ import annotations

import getpass
import os
import socket
import sys
import time
import webbrowser
from argparse import ArgumentParser, Namespace
from typing import Any

from envyard import config as configs
from envyard.client import Hub
from envyard.errors import ApiError, HubCliError, UsageError
from envyard.output import Output


def register(commands: Any, common: ArgumentParser) -> None:
    """Add login, whoami and logout."""
    login = commands.add_parser("login", parents=[common], help="sign in and keep a token")
    login.add_argument(
        "--token",
        nargs="?",
        const="-",
        help="use this token; without a value, read it from a prompt or standard input",
    )
    login.add_argument(
        "--no-browser", action="store_true", help="print the page's address without opening it"
    )
    login.set_defaults(run=run)
    identity = commands.add_parser(
        "whoami", parents=[common], help="show the signed-in user and the hub"
    )
    identity.set_defaults(run=whoami)
    logout = commands.add_parser(
        "logout", parents=[common], help="revoke and remove this hub's token"
    )
    logout.set_defaults(run=sign_out)


def run(args: Namespace, out: Output) -> None:
    """Take a token, or create one through the browser; check it; save it."""
    config = configs.load(args.url)
    pasted = args.token is not None
    token = read_token(args.token) if pasted else mint(Hub(config), out, not args.no_browser)
    config.tokens[config.url] = token
    hub = Hub(config)
    hub.token = token
    me = hub.get("whoami/")
    path = configs.save(config)
    if out.as_json:
        out.json(me)
        return
    out.note(f"Signed in to {config.url} as {me['user']}; token kept in {path}", "green")
    if os.environ.get("HUB_TOKEN"):
        out.note("HUB_TOKEN is set and overrides the saved token", "yellow")
    out.hint("publish something: hub init my-env, then hub push my-env")


def read_token(text: str) -> str:
    """The token as given, or from the prompt or standard input for `-`."""
    if text == "-":
        text = getpass.getpass("Token (hub_...): ") if sys.stdin.isatty() else sys.stdin.readline()
    text = text.strip()
    if not text.startswith("hub_"):
        raise UsageError(
            "that is not a hub token; tokens begin with hub_",
            "Make one on the hub's page Settings, Tokens.",
        )
    return text


def mint(hub: Hub, out: Output, browser: bool) -> str:
    """Create a device login, show its page and code, wait for the confirmation (RFC 8628)."""
    hub.token = None
    login = hub.post("login/", {"device_name": socket.gethostname()[:80] or "hub"})
    page = login["verification_url_complete"]
    out.note(f"Open this page and confirm the code {login['user_code']}:\n\n  {page}\n")
    if browser and page.startswith(("http://", "https://")):
        webbrowser.open(page)
    deadline = time.monotonic() + float(login["expires_in"])
    while time.monotonic() < deadline:
        time.sleep(float(login["interval"]))
        answer = hub.post("login/poll/", {"device_code": login["device_code"]})
        if answer.get("token"):
            return str(answer["token"])
    raise HubCliError("nobody confirmed the login in time", "Run `hub login` again.")


def whoami(args: Namespace, out: Output) -> None:
    """Print the user, the owners they are part of, and the token's reach."""
    config = configs.load(args.url)
    me = Hub(config).get("whoami/")
    if out.as_json:
        out.json({"url": config.url, "url_source": config.source, **me})
        return
    out.line(me["user"])
    out.note(f"on {config.url} ({configs.SOURCES[config.source]})")
    refusal = me["publish_refusal"]
    for owner in me["owners"]:
        may = "read" if refusal or owner["role"] == "member" else "publish as"
        out.note(f"  may {may} {owner['name']} ({owner['role']})")
    if token := me.get("token"):
        reach = token["environment"] or "all environments"
        expiry = f", until {token['expires_at'][:10]}" if token["expires_at"] else ""
        out.note(f"  token {token['name']}: {token['scope']}, {reach}{expiry}")
    if refusal:
        out.note(refusal["message"], "yellow")
        out.hint(refusal["hint"])


def sign_out(args: Namespace, out: Output) -> None:
    """Revoke the saved token where the hub can be reached, and remove it in any case."""
    config = configs.load(args.url)
    token = config.tokens.pop(config.url, None)
    if token is None:
        raise HubCliError(f"no token is saved for {config.url}", "Run `hub login` first.")
    hub = Hub(config)
    hub.token = token
    revoked = True
    try:
        hub.delete("tokens/current/")
    except HubCliError as exc:
        revoked = isinstance(exc, ApiError) and exc.status == 401
    configs.save(config)
    out.note(f"Signed out of {config.url}")
    if not revoked:
        out.note("the hub did not revoke the token; revoke it on its Tokens page", "yellow")
