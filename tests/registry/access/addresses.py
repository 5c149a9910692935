"""The address of a route for one environment and the people around it."""

from __future__ import annotations

from tests.registry.access.fixtures import Place

# The meaning of a name in a path, by the address that it is in; the first match counts.
MEANINGS: tuple[tuple[str, dict[str, str]], ...] = (
    ("notifications/", {"pk": "notification"}),
    ("sessions/", {"pk": "browser"}),
    ("owners/<name>/webhooks/", {"name": "owner"}),
    ("webhooks/", {"pk": "webhook", "number": "delivery"}),
    ("runners/", {"pk": "machine"}),
    ("moderation/", {"pk": "report"}),
    ("rollouts/", {"pk": "run", "number": "rollout"}),
    ("runs/", {"pk": "run"}),
    ("evaluations/", {"pk": "evaluation"}),
    ("owners/<name>/publishers/", {"name": "owner", "pk": "pending"}),
    ("owners/", {"name": "owner"}),
    ("publishers/", {"pk": "publisher"}),
    ("organisations/", {"name": "organisation", "pk": "invitation"}),
    ("orgs/", {"name": "organisation", "pk": "invitation"}),
    ("invitations/", {"pk": "invitation"}),
    ("wheels", {"pk": "id", "delivery": "wheel"}),
    ("versions/<delivery>", {"pk": "id", "delivery": "source"}),
)
EXAMPLES = {
    r"api/v1/^environmentshub/(?P<pk>env_[0-9]+)/versions$": "api/v1/environmentshub/<id>/versions",
    r"api/v1/^environmentshub/(?P<pk>env_[0-9]+)/(?:secrets|variables)(?:/.*)?$": (
        "api/v1/environmentshub/<id>/secrets/"
    ),
    r"api/v1/^environmentshub/(?P<pk>env_[0-9]+)$": "api/v1/environmentshub/<id>",
    "api/v1/^auth_challenge/": "api/v1/auth_challenge/x",
    r"api/v1/^(?:traces|episodes)(?:/.*)?$": "api/v1/traces",
    "api/v1/": "api/v1/nothing/",
    "<name>/": "<owner>/",
    "envs/<owner>/<name>/<number>/files/<tree>/": "envs/<owner>/<name>/<number>/files/source/",
    "envs/<owner>/<name>/<number>/files/<tree>/<path>": (
        "envs/<owner>/<name>/<number>/files/source/README.md"
    ),
    "envs/<owner>/<name>/<number>/raw/<tree>/<path>": (
        "envs/<owner>/<name>/<number>/raw/source/README.md"
    ),
    "envs/<owner>/<name>/evaluations/<pk>/samples/<sample>/": (
        "envs/<owner>/<name>/evaluations/<pk>/samples/1/"
    ),
    "runs/<pk>/comparison/<other>/tasks/<task>/": "runs/<pk>/comparison/<other>/tasks/0/",
    "sitemap-<section>.xml": "sitemap-environments.xml",
    "api/v1/codes/<code>/": "api/v1/codes/card.floor/",
    "api/v1/measures/<measure>/": "api/v1/measures/floor/",
    "docs/findings/<code>/": "docs/findings/card.floor/",
    "docs/measures/<measure>/": "docs/measures/floor/",
    "docs/<name>/": "docs/card/",
    r"^confirm-email/(?P<key>[-:\w]+)/$": "confirm-email/key/",
    "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": "password/reset/key/1-key/",
    "settings/security/webauthn/keys/<pk>/remove/": "settings/security/webauthn/keys/1/remove/",
    "settings/security/webauthn/keys/<pk>/edit/": "settings/security/webauthn/keys/1/edit/",
}


def address(path: str, place: Place) -> str:
    """The route's address there."""
    shown = EXAMPLES.get(path) or (
        "api/v1/pods" if path.startswith("api/v1/^(?:availability") else path
    )
    more = next((means for part, means in MEANINGS if part in shown), {})
    return "/" + place.fill(shown, more)
