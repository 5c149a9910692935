"""Who gets what from every route: the expected answers, one letter for each role.

A rule is a string with a letter for each of ROLES (of PAGE_ROLES, for pages), blanks aside:

    +  allowed: neither refused nor unknown. A 400 about the body counts, and a 409: both come
       after the question of permission.
    .  404, to the byte the one for a name that does not exist
    0  404 about a part of what the role may know exists
    ?  401
    x  403
    >  to the sign-in page

`About` holds two rules: for what everybody may know exists, and for what is private or unlisted.
"""

from __future__ import annotations

from dataclasses import dataclass

# `read`, `publish` and `admin` are tokens of alice, `elsewhere` is her admin token for another
# environment; `runner` is a runner's token, `run` that of the run of the requested environment.
ROLES = (
    *("anonymous", "carol", "bob", "mia", "alice", "root"),
    *("read", "publish", "admin", "elsewhere"),
    *("runner", "run"),
)
# On a page a token is worth nothing: `token` is alice's admin token, sent without a session.
PAGE_ROLES = ("anonymous", "carol", "bob", "mia", "alice", "root", "token")


@dataclass(frozen=True, slots=True)
class About:
    """What each role gets about something that is known to all, and that is not."""

    known: str
    hidden: str
    unlisted: str = ""  # where it differs


Rule = str | About
Row = dict[str, Rule]

EVERYBODY = "++++++ ++++ ++"
EVERYBODY_ELSE = "++++++ ++++ ??"  # who sends a token sends one of a person
PEOPLE = "?+++++ ++++ ??"
NOBODY = "xxxxxx xxxx ??"
NOTHING = "...... .... .."

SEES = About("++++++ ++++ ??", "..++++ +++. ??")
STARS = About("?+++++ x++x ??", "..++++ x++. ??")
MANAGES = About("?xx+++ xx+x ??", "..x+++ xx+. ??")
DEPRECATES = About("?xx+++ x++x ??", "..x+++ x++. ??")
OWNS = About("?xxx++ xx+x ??", "..xx++ xx+. ??")
STAFF = About("?xxxx+ xxxx ??", "..xxx+ xxx. ??")
PUBLISHES = About("?xx++x x++x ??", "..x++x x++. ??")
# Only the uploader that announced a file may complete it.
SENDS = About("?xx0+x x++x ??", "..x0+x x++. ??")
TRUSTS = About("?xx++x xx+x ??", "..x++x xx+. ??")
PUSHES = About("?+++++ x++x ??", "?.++++ x++. ??")
# The index has what is listed, and no page for a browser's session.
INDEX = About("++++++ ++++ ++", "...... +++. ??", "...... .... ??")
FILES = About("++++++ ++++ ++", "..++++ +++. ?+")

ENV = "api/v1/environments/<owner>/<name>/"
VERSION = f"{ENV}versions/<number>/"
RUN = "api/v1/runs/<pk>/"
ORG = "api/v1/organisations/<name>/"
HUB = "api/v1/environmentshub/"
FILE = "files/<shard>/<sha256>/<filename>"
ALL = ("GET", "POST", "PUT", "PATCH", "DELETE")

OF_ORGANISATION = "00++++ +++0 ??"
MANAGES_OWNER = "00xx++ xx+0 ??"
MODERATES = "?xxxx+ xxxx ??"
OWN_ADMIN = "?+++++ xx+x ??"
WEBHOOK = "?..++. xx+x ??"
OWN_READ = "?+++++ +++x ??"

API: dict[str, Row] = {
    "healthz": {"GET": EVERYBODY},
    "readyz": {"GET": EVERYBODY},
    "api/v1/schema": {"GET": EVERYBODY},
    "api/v1/schema/": {"GET": EVERYBODY},
    "api/v1/leaderboards/": {"GET": EVERYBODY_ELSE},
    "api/v1/compare/": {"GET": EVERYBODY_ELSE},
    "api/v1/environments/": {"GET": EVERYBODY_ELSE, "POST": "?xx++x x++x ??"},
    ENV: {"GET": SEES, "PATCH": MANAGES, "DELETE": OWNS},
    f"{ENV}transfer/": {"POST": OWNS},
    f"{ENV}deprecate/": {"POST": DEPRECATES, "DELETE": DEPRECATES},
    f"{ENV}star/": {"PUT": STARS, "DELETE": STARS},
    f"{ENV}watch/": {"PUT": STARS, "DELETE": STARS},
    f"{ENV}webhooks/": {"GET": TRUSTS, "POST": TRUSTS},
    "api/v1/owners/<name>/webhooks/": {"GET": "?xx++x xx+x ??", "POST": "?xx++x xx+x ??"},
    "api/v1/webhooks/<pk>/": {"GET": WEBHOOK, "DELETE": WEBHOOK},
    "api/v1/webhooks/<pk>/enable/": {"POST": WEBHOOK},
    "api/v1/webhooks/<pk>/secret/": {"POST": WEBHOOK},
    "api/v1/webhooks/<pk>/deliveries/": {"GET": WEBHOOK, "POST": WEBHOOK},
    "api/v1/webhooks/<pk>/deliveries/<number>/redeliver/": {"POST": WEBHOOK},
    f"{ENV}versions/": {"GET": SEES},
    f"{ENV}runs/": {"GET": SEES},
    f"{ENV}suites/": {"GET": SEES, "POST": DEPRECATES},
    VERSION: {"GET": SEES, "DELETE": OWNS},
    f"{VERSION}evaluations/": {"GET": SEES, "POST": STARS},
    f"{VERSION}yank/": {"POST": DEPRECATES, "DELETE": DEPRECATES},
    f"{VERSION}retry/": {"POST": DEPRECATES},
    f"{VERSION}rejudge/": {"POST": STAFF},
    f"{VERSION}locks/": {"GET": SEES},
    f"{VERSION}locks/<platform>/": {"GET": SEES},
    f"{VERSION}data-lock/": {"GET": SEES},
    f"{VERSION}leaderboard/": {"GET": SEES},
    f"{VERSION}regression/": {"GET": SEES},
    RUN: {"GET": SEES},
    f"{RUN}comparison/<other>/": {"GET": SEES},
    f"{RUN}log/": {"GET": SEES},
    f"{RUN}rollouts/": {"GET": SEES},
    f"{RUN}samples/": {"GET": SEES},
    f"{RUN}rollouts/<number>/": {"GET": SEES},
    f"{RUN}cancel/": {"POST": DEPRECATES},
    f"{RUN}retry/": {"POST": DEPRECATES},
    f"{ENV}report/": {"POST": STARS},
    f"{ENV}quarantine/": {"POST": STAFF, "DELETE": STAFF},
    f"{VERSION}quarantine/": {"POST": STAFF, "DELETE": STAFF},
    f"{ENV}events/": {"GET": MANAGES},
    "api/v1/owners/<name>/events/": {"GET": "?xx+++ xx+x ??"},
    "api/v1/owners/<name>/quota/": {"GET": "?x++++ +++x ??", "PATCH": MODERATES},
    "api/v1/moderation/reports/": {"GET": MODERATES},
    "api/v1/moderation/reports/<pk>/resolve/": {"POST": MODERATES},
    "api/v1/moderation/events/": {"GET": MODERATES},
    "api/v1/runners/": {"GET": MODERATES},
    "api/v1/runners/<pk>/drain/": {"POST": MODERATES, "DELETE": MODERATES},
    "api/v1/whoami/": {"GET": PEOPLE},
    "api/v1/notifications/": {"GET": OWN_READ},
    "api/v1/notifications/read/": {"POST": "?+++++ x++x ??"},
    "api/v1/watched/": {"GET": OWN_READ},
    "api/v1/about/": {"GET": EVERYBODY},
    "api/v1/codes/": {"GET": EVERYBODY},
    "api/v1/codes/<code>/": {"GET": EVERYBODY},
    "api/v1/measures/": {"GET": EVERYBODY},
    "api/v1/measures/<measure>/": {"GET": EVERYBODY},
    "api/v1/status/": {"GET": EVERYBODY},
    "api/v1/check/": {"POST": PEOPLE},
    # A browser's session makes tokens on the page alone, which requires the password.
    "api/v1/tokens/": {"GET": OWN_ADMIN, "POST": "?xxxxx xx+x ??"},
    "api/v1/tokens/<public_id>/": {"DELETE": "?...+. xx+x ??"},
    "api/v1/login/": {"POST": EVERYBODY},
    "api/v1/login/poll/": {"POST": EVERYBODY},
    "api/v1/organisations/": {"GET": PEOPLE, "POST": OWN_ADMIN},
    ORG: {"GET": EVERYBODY_ELSE, "PATCH": MANAGES_OWNER},
    f"{ORG}members/": {"GET": OF_ORGANISATION},
    # A browser's session gives rights on the pages alone, which ask for the password.
    f"{ORG}members/<username>/": {"PUT": "00xxxx xx+0 ??", "DELETE": "?0+xxx xx+0 ??"},
    f"{ORG}invitations/": {"GET": MANAGES_OWNER, "POST": "00xxxx xx+0 ??"},
    f"{ORG}invitations/<pk>/": {"DELETE": MANAGES_OWNER},
    "api/v1/invitations/": {"GET": OWN_ADMIN},
    "api/v1/invitations/<pk>/accept/": {"POST": "?+.... xx.x ??"},
    "api/v1/invitations/<pk>/decline/": {"POST": "?+.... xx.x ??"},
    f"{ENV}variables/": {"GET": SEES},
    f"{ENV}variables/<variable>/": {"PUT": MANAGES, "DELETE": MANAGES},
    f"{ENV}secrets/": {"GET": TRUSTS},
    f"{ENV}secrets/<key>/": {"PUT": TRUSTS, "DELETE": TRUSTS},
    f"{ENV}hosts/": {"GET": SEES},
    f"{ENV}hosts/<host>/": {"PUT": MANAGES, "DELETE": MANAGES},
    f"{ENV}hosts/<host>/approval/": {"PUT": STAFF, "DELETE": STAFF},
    "api/v1/moderation/hosts/": {"GET": MODERATES},
    f"{ENV}publishers/": {"GET": TRUSTS, "POST": About("?xxxxx xx+x ??", "..xxxx xx+. ??")},
    f"{ENV}publishers/<pk>/": {"DELETE": TRUSTS},
    "api/v1/owners/<name>/publishers/": {"GET": "?xx++x xx+x ??", "POST": "?xxxxx xx+x ??"},
    "api/v1/owners/<name>/publishers/<pk>/": {"DELETE": "?xx++x xx+x ??"},
    "api/v1/leaks/": {"POST": EVERYBODY},
    "api/v1/runner/whoami/": {"GET": "?????? ???? +?"},
    "api/v1/runner/present/": {"POST": "?????? ???? +?"},
    "api/v1/runner/poll/": {"POST": "?????? ???? +?"},
    "api/v1/runner/runs/<pk>/events/": {"POST": "?????? ???? ?+"},
    "api/v1/runner/runs/<pk>/lock/": {"POST": "?????? ???? ?+"},
    "api/v1/runner/runs/<pk>/data-lock/": {"POST": "?????? ???? ?+"},
    "api/v1/runner/runs/<pk>/secrets/": {"POST": "?????? ???? ?+"},
    "api/v1/runner/runs/<pk>/finish/": {"POST": "?????? ???? ?+"},
    "api/v1/": dict.fromkeys(ALL, NOTHING),
    # -- what the stock prime command calls
    HUB: {"GET": EVERYBODY_ELSE},
    f"{HUB}resolve": {"POST": "?xx++x x++x ??"},
    f"{HUB}lookup": {"POST": SEES},
    f"{HUB}uploads/<signed>": {"PUT": EVERYBODY},  # the address is the credential
    f"{HUB}<pk>/wheels": {"POST": PUBLISHES},
    f"{HUB}<pk>/wheels/<delivery>/finalize": {"POST": SENDS},
    r"api/v1/^environmentshub/(?P<pk>env_[0-9]+)/versions$": {"POST": PUBLISHES},
    f"{HUB}<pk>/versions/<delivery>/finalize": {"POST": SENDS},
    r"api/v1/^environmentshub/(?P<pk>env_[0-9]+)/(?:secrets|variables)(?:/.*)?$": dict.fromkeys(
        ALL, NOBODY
    ),
    r"api/v1/^environmentshub/(?P<pk>env_[0-9]+)$": {"DELETE": OWNS},
    f"{HUB}<owner>/<name>/fork": dict.fromkeys(ALL, NOBODY),
    f"{HUB}<owner>/<name>/status": {"GET": SEES},
    f"{HUB}<owner>/<name>/versions": {"GET": SEES},
    f"{HUB}<owner>/<name>/@<number>": {"GET": SEES, "DELETE": OWNS},
    f"{HUB}<owner>/<name>/@<number>/inspect": {"GET": SEES},
    f"{HUB}<owner>/<name>/@<number>/source": {"GET": SEES},
    f"{HUB}<owner>/<name>": {"DELETE": OWNS},
    "api/v1/evaluations/": {"GET": PEOPLE, "POST": PUSHES},
    "api/v1/evaluations/<pk>": {"GET": SEES, "PUT": DEPRECATES, "DELETE": DEPRECATES},
    "api/v1/evaluations/<pk>/samples": {"GET": SEES, "POST": DEPRECATES},
    "api/v1/evaluations/<pk>/finalize": {"POST": DEPRECATES},
    "api/v1/user/whoami": {"GET": PEOPLE},
    "api/v1/user/teams": {"GET": PEOPLE},
    "api/v1/teams/<team>/members": {"GET": OF_ORGANISATION},
    "api/v1/^auth_challenge/": {"GET": NOBODY, "POST": NOBODY},
    r"api/v1/^(?:traces|episodes)(?:/.*)?$": dict.fromkeys(ALL, NOBODY),
    "api/v1/^(?:availability|billing|disks|feedback|hosted-evaluations|images|info|pods|rft|sandbox"
    "|sandboxes|secrets|slurm-clusters|training|tunnel|wallet)(?:/.*)?$": dict.fromkeys(
        ALL, NOBODY
    ),
    # -- what installers and uploaders call
    "legacy/<owner>/": {"POST": "?????? x++x ??"},
    "_/oidc/audience": {"GET": EVERYBODY},
    "_/oidc/mint-token": {"POST": EVERYBODY},
    "_/oidc/github/mint-token": {"POST": EVERYBODY},
    "integrity/keys": {"GET": EVERYBODY},
    "integrity/<owner>/<name>/<number>/<filename>/card": {"GET": SEES},
    "integrity/<owner>/<name>/<number>/<filename>/card/<sha256>": {"GET": SEES},
    "integrity/<owner>/<name>/<number>/<filename>/evidence/<sha256>": {"GET": SEES},
    "integrity/<owner>/<name>/<number>/<filename>/provenance": {"GET": SEES},
    f"{FILE}.metadata": {"GET": FILES},
    FILE: {"GET": FILES},
    "<owner>/simple": {"GET": EVERYBODY},
    "<owner>/simple/": {"GET": EVERYBODY_ELSE},
    "<owner>/simple/<name>": {"GET": EVERYBODY},
    "<owner>/simple/<name>/": {"GET": INDEX},
}

P_EVERYBODY = "+++++++"
P_PEOPLE = ">+++++>"
P_SEES = About("+++++++", "..++++.")
P_INSTALLS = P_SEES
P_STARS = About(">+++++>", ">.++++>")
P_MANAGES = About(">xx+++>", ">.x+++>")
P_OWNS = About(">xxx++>", ">.xx++>")
P_TRUSTS = About(">xx++x>", ">.x++x>")
P_STAFF = About(">xxxx+>", ">.xxx+>")
P_MODERATES = ">xxxx+>"
P_ORG = ">.++++>"
P_ORG_OWNS = ">.xx++>"

P_ENV = "envs/<owner>/<name>/"
P_VERSION = f"{P_ENV}<number>/"
P_RUN = "runs/<pk>/"
P_OF_ORG = "orgs/<name>/"

PAGES: dict[str, Row] = {
    "": {"GET": P_EVERYBODY},
    "envs/": {"GET": P_EVERYBODY},
    "patterns/": {"GET": P_EVERYBODY},
    "envs/atom.xml": {"GET": P_EVERYBODY},
    "owners/<name>/atom.xml": {"GET": P_EVERYBODY},
    # For every reader what an anonymous one may see.
    f"{P_ENV}atom.xml": {"GET": About("+++++++", "..0000.")},
    "leaderboards/": {"GET": P_EVERYBODY},
    "compare/": {"GET": P_EVERYBODY},
    P_ENV: {"GET": P_SEES},
    f"{P_ENV}preview.png": {"GET": P_SEES},
    f"{P_ENV}compare/": {"GET": P_SEES},
    f"{P_ENV}star/": {"POST": P_STARS},
    f"{P_ENV}watch/": {"POST": P_STARS},
    f"{P_ENV}report/": {"GET": P_STARS, "POST": P_STARS},
    f"{P_ENV}quarantine/": {"POST": P_STAFF},
    f"{P_ENV}release/": {"POST": P_STAFF},
    f"{P_ENV}journal/": {"GET": P_MANAGES},
    f"{P_ENV}settings/": {"GET": P_MANAGES},
    f"{P_ENV}settings/visibility/": {"POST": P_MANAGES},
    f"{P_ENV}settings/deprecate/": {"POST": P_MANAGES},
    f"{P_ENV}settings/undeprecate/": {"POST": P_MANAGES},
    f"{P_ENV}settings/transfer/": {"POST": P_OWNS},
    f"{P_ENV}settings/delete/": {"POST": P_OWNS},
    f"{P_ENV}settings/provisions/": {"GET": P_MANAGES},
    f"{P_ENV}settings/provisions/variables/": {"POST": P_MANAGES},
    f"{P_ENV}settings/provisions/variables/<variable>/delete/": {"POST": P_MANAGES},
    f"{P_ENV}settings/provisions/secrets/": {"POST": P_TRUSTS},
    f"{P_ENV}settings/provisions/secrets/<key>/delete/": {"POST": P_TRUSTS},
    f"{P_ENV}settings/provisions/hosts/": {"POST": P_MANAGES},
    f"{P_ENV}settings/provisions/hosts/<host>/remove/": {"POST": P_MANAGES},
    f"{P_ENV}settings/provisions/hosts/<host>/approve/": {"POST": P_STAFF},
    f"{P_ENV}settings/provisions/hosts/<host>/refuse/": {"POST": P_STAFF},
    f"{P_ENV}settings/publishers/": {"GET": P_TRUSTS, "POST": P_TRUSTS},
    f"{P_ENV}settings/publishers/<pk>/remove/": {"POST": P_TRUSTS},
    f"{P_ENV}settings/webhooks/": {"GET": P_TRUSTS, "POST": P_TRUSTS},
    "owners/<name>/webhooks/": {"GET": ">xx++x>", "POST": ">xx++x>"},
    "webhooks/<pk>/": {"GET": ">..++.>", "POST": ">..++.>"},
    f"{P_ENV}evaluations/<pk>/": {"GET": P_SEES},
    f"{P_ENV}evaluations/<pk>/samples/": {"GET": P_SEES},
    f"{P_ENV}evaluations/<pk>/samples/<sample>/": {"GET": P_SEES},
    f"{P_ENV}evaluations/<pk>/delete/": {"POST": P_MANAGES},
    P_VERSION: {"GET": P_SEES},
    f"{P_VERSION}leaderboard/": {"GET": P_SEES},
    f"{P_VERSION}live/": {"GET": P_SEES},
    f"{P_VERSION}locks/<platform>.txt": {"GET": P_SEES},
    f"{P_VERSION}files/": {"GET": P_INSTALLS},
    f"{P_VERSION}files/<tree>/": {"GET": P_INSTALLS},
    f"{P_VERSION}files/<tree>/<path>": {"GET": P_INSTALLS},
    f"{P_VERSION}raw/<tree>/<path>": {"GET": P_INSTALLS},
    f"{P_VERSION}yank/": {"POST": P_MANAGES},
    f"{P_VERSION}unyank/": {"POST": P_MANAGES},
    f"{P_VERSION}delete/": {"POST": P_OWNS},
    f"{P_VERSION}retry/": {"POST": P_MANAGES},
    f"{P_VERSION}evaluate/": {"GET": P_STARS, "POST": P_STARS},
    f"{P_VERSION}rejudge/": {"POST": P_STAFF},
    f"{P_VERSION}quarantine/": {"POST": P_STAFF},
    f"{P_VERSION}release/": {"POST": P_STAFF},
    P_RUN: {"GET": P_SEES},
    f"{P_RUN}comparison/<other>/": {"GET": P_SEES},
    f"{P_RUN}comparison/<other>/tasks/<task>/": {"GET": P_SEES},
    f"{P_RUN}live/": {"GET": P_SEES},
    f"{P_RUN}queue/": {"GET": P_SEES},
    f"{P_RUN}queue/live/": {"GET": P_SEES},
    f"{P_RUN}cancel/": {"GET": P_MANAGES, "POST": P_MANAGES},
    f"{P_RUN}retry/": {"POST": P_MANAGES},
    f"{P_RUN}rollouts/<number>/": {"GET": P_SEES},
    f"{P_RUN}rollouts/<number>/difference/": {"GET": P_SEES},
    "settings/": {"GET": P_EVERYBODY},  # leads to the tokens
    "notifications/": {"GET": P_PEOPLE},
    "notifications/read/": {"POST": P_PEOPLE},
    "notifications/<pk>/read/": {"POST": ">...+.>"},
    "settings/notifications/": {"GET": P_PEOPLE, "POST": P_PEOPLE},
    "settings/organisations/": {"GET": P_PEOPLE, "POST": P_PEOPLE},
    "settings/invitations/": {"GET": P_PEOPLE},
    "settings/invitations/<pk>/": {"POST": ">+....>"},
    # Its link is secret: who is signed out reads what it is about, and signs in to answer.
    "invitations/<secret>/": {"GET": "++....+", "POST": ">+....>"},
    "owners/<name>/": {"GET": P_EVERYBODY},
    "owners/<name>/publishers/": {"GET": ">xx++x>", "POST": ">xx++x>"},
    "owners/<name>/publishers/<pk>/remove/": {"POST": ">xx++x>"},
    "owners/<name>/journal/": {"GET": ">xx+++>"},
    "owners/<name>/quota/": {"GET": ">x++++>", "POST": P_MODERATES},
    "settings/usage/": {"GET": P_PEOPLE},
    "settings/sessions/": {"GET": P_PEOPLE},
    "settings/sessions/end-others/": {"POST": P_PEOPLE},
    "settings/sessions/<pk>/end/": {"POST": ">...+.>"},
    "settings/theme/": {"POST": P_EVERYBODY},
    "moderation/": {"GET": P_MODERATES},
    "moderation/hosts/": {"GET": P_MODERATES},
    "moderation/journal/": {"GET": P_MODERATES},
    "moderation/runners/<pk>/drain/": {"POST": P_MODERATES},
    "moderation/runners/<pk>/resume/": {"POST": P_MODERATES},
    "moderation/reports/<pk>/resolve/": {"POST": P_MODERATES},
    P_OF_ORG: {"GET": P_ORG},
    f"{P_OF_ORG}title/": {"POST": P_ORG_OWNS},
    f"{P_OF_ORG}leave/": {"POST": ">.+++x>"},
    f"{P_OF_ORG}invite/": {"POST": P_ORG_OWNS},
    f"{P_OF_ORG}invitations/<pk>/": {"POST": P_ORG_OWNS},
    f"{P_OF_ORG}members/<username>/": {"POST": P_ORG_OWNS},
    "device/": {"GET": P_PEOPLE, "POST": P_PEOPLE},
    "settings/tokens/": {"GET": P_PEOPLE, "POST": P_PEOPLE},
    "settings/tokens/<public_id>/revoke/": {"GET": ">...+.>", "POST": ">...+.>"},
    "publish/": {"GET": P_EVERYBODY},
    "runner/": {"GET": P_EVERYBODY},
    "publish/<filename>": {"GET": "......."},  # the one file there has another name
    "status/": {"GET": P_EVERYBODY},
    "robots.txt": {"GET": P_EVERYBODY},
    "sitemap.xml": {"GET": P_EVERYBODY},
    "sitemap-<section>.xml": {"GET": P_EVERYBODY},
    "docs/": {"GET": P_EVERYBODY},
    "docs/decisions/": {"GET": P_EVERYBODY},
    "docs/findings/": {"GET": P_EVERYBODY},
    "docs/findings/<code>/": {"GET": P_EVERYBODY},
    "docs/measures/": {"GET": P_EVERYBODY},
    "docs/measures/<measure>/": {"GET": P_EVERYBODY},
    "docs/<name>/": {"GET": P_EVERYBODY},
    "<name>/": {"GET": P_EVERYBODY},
    "<owner>/<name>/": {"GET": P_SEES},
}

# The library that signs people in: who may look at each of its pages. What they do is its own.
SIGNING_IN: dict[str, Row] = {
    "login/": {"GET": P_EVERYBODY},
    "logout/": {"GET": P_EVERYBODY},
    "inactive/": {"GET": P_EVERYBODY},
    "signup/": {"GET": P_EVERYBODY},
    "reauthenticate/": {"GET": P_PEOPLE},
    "email/": {"GET": P_PEOPLE, "POST": P_PEOPLE},
    "confirm-email/": {"GET": P_EVERYBODY},
    "confirm-email/<key>/": {"GET": P_EVERYBODY, "POST": "......."},
    r"^confirm-email/(?P<key>[-:\w]+)/$": {"GET": P_EVERYBODY},
    "password/change/": {"GET": P_PEOPLE},
    "password/set/": {"GET": P_PEOPLE},
    "password/reset/": {"GET": P_EVERYBODY},
    "password/reset/done/": {"GET": P_EVERYBODY},
    "password/reset/key/done/": {"GET": P_EVERYBODY},
    "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": {"GET": P_EVERYBODY},
    "login/code/confirm/": {"GET": P_EVERYBODY},
    "settings/security/": {"GET": P_PEOPLE},
    "settings/security/authenticate/": {"GET": P_EVERYBODY},
    "settings/security/reauthenticate/": {"GET": P_PEOPLE},
    "settings/security/totp/activate/": {"GET": P_PEOPLE},
    "settings/security/totp/deactivate/": {"GET": ">00000>"},
    "settings/security/recovery-codes/": {"GET": ">00000>"},
    "settings/security/recovery-codes/generate/": {"GET": P_PEOPLE},
    "settings/security/recovery-codes/download/": {"GET": ">00000>"},
    "settings/security/webauthn/": {"GET": P_PEOPLE},
    "settings/security/webauthn/add/": {"GET": P_PEOPLE},
    "settings/security/webauthn/reauthenticate/": {"GET": P_PEOPLE},
    "settings/security/webauthn/keys/<pk>/remove/": {"GET": ">00000>"},
    "settings/security/webauthn/keys/<pk>/edit/": {"GET": ">00000>"},
    "settings/security/webauthn/login/": {"GET": P_EVERYBODY},
}

# They take no session, so no page elsewhere can make a browser act for its person there.
WITHOUT_SESSION = {
    "legacy/<owner>/",
    "_/oidc/mint-token",
    "_/oidc/github/mint-token",
    "api/v1/leaks/",
    "api/v1/login/",
    "api/v1/login/poll/",
    f"{HUB}uploads/<signed>",
    "settings/theme/",  # it changes colours alone
}
