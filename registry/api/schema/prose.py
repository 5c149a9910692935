"""The document's texts on the API as a whole, its groups and its credentials."""

from __future__ import annotations

ABOUT = """\
Search, install from, publish to and manage a hub of reinforcement-learning environments.

**Credentials.** `Authorization: Bearer hub_...`; the same token as the password of the user
`__token__` in Basic, which installers and `twine` speak; or the browser's session, whose changes
need the header `X-CSRFToken`. Tokens have a scope (read, publish, admin), may be bound to one
environment, and expire.

**Errors** all have one shape, `Error`: branch on `error.code`, show `message` and `hint`. What you
may not know exists is a 404, like what does not.

**Lists** come in pages: `limit` (20, at most 100) and the address of the next page in `next`.

**Rates.** Paths that take a guessable secret answer 429 with `Retry-After`.

Not documented here: the paths under `/api/v1/` that speak the `prime` command's protocol, which is
not ours to define; the guide docs/prime.md lists them.
"""

TAGS = {
    "Environments": "Search, show, make and manage environments.",
    "Versions": "The immutable wheels of an environment, and what the checks found.",
    "Runs": "Evaluations of a version: progress, log, rollouts.",
    "Evaluations": "Suites, and evaluations of a model that people request.",
    "Findings": "What finding codes and measures mean, and what to do.",
    "You": "Who you are, your tokens, signing a machine in, invitations to you.",
    "Organisations": "Names that several people publish under.",
    "Variables, secrets and hosts": "What owners and staff provide for the runs of an environment.",
    "Trusted publishers": "Workflows that publish without a stored token.",
    "Moderation": "Reports to staff, and quarantine.",
    "Webhooks": "Signed messages to services of owners, with the log of their deliveries.",
    "Journal": "What happened, when and by whom.",
    "Leaks": "Report a token that was found in public.",
    "Installing": "The simple index and files, for pip and uv, in PyPI's protocol.",
    "Publishing": "Uploads and identity tokens, for twine, uv and workflows, in PyPI's protocol.",
    "Runners": "What the machines that execute runs call. It changes with the runner's version.",
    "Meta": "The document itself.",
}

SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "hub_...",
        "description": "An API token.",
    },
    "basic": {
        "type": "http",
        "scheme": "basic",
        "description": "User `__token__`, an API token as the password.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": "The browser's session; changes need `X-CSRFToken` too.",
    },
    "runner": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "hubr_...",
        "description": "The token of a runner.",
    },
    "run": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "hubrun_...",
        "description": "The token of one attempt of one run, which dies with it.",
    },
}
