"""Where the registry's HTTP surface is mounted. An unknown API path is a JSON 404."""

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.decorators.csrf import csrf_exempt

from registry.api import (
    about,
    accounts,
    environments,
    evaluations,
    explained,
    files,
    integrity,
    leaderboards,
    leaks,
    moderation,
    notifications,
    oidc,
    organisations,
    provisions,
    publishers,
    quotas,
    runners,
    runs,
    signed_cards,
    simple,
    status,
    trials,
    upload,
    versions,
    webhooks,
)
from registry.api.errors import answers_errors
from registry.api.schema import document
from registry.errors import NotFound

ENV = "environments/<str:owner>/<str:name>/"
VERSION = f"{ENV}versions/<str:number>/"
RUN = "runs/<uuid:pk>/"
ORG = "organisations/<str:name>/"


@csrf_exempt  # Django refuses a form without its token in HTML
@answers_errors
def nothing(request: HttpRequest) -> HttpResponse:
    """404 in the API's own shape."""
    slash = "" if request.path.endswith("/") else ": paths end in a slash"
    raise NotFound(f"the API has no {request.path}{slash}; /api/v1/schema names what it has")


api: list[URLPattern | URLResolver] = [
    path("environments/", environments.environments, name="api-environments"),
    path(ENV, environments.environment, name="api-environment"),
    path(f"{ENV}transfer/", environments.transfer, name="api-environment-transfer"),
    path(f"{ENV}deprecate/", environments.deprecate, name="api-environment-deprecate"),
    path(f"{ENV}star/", environments.starring, name="api-environment-star"),
    path(f"{ENV}watch/", notifications.watching, name="api-environment-watch"),
    path(f"{ENV}webhooks/", webhooks.of_environment, name="api-environment-webhooks"),
    path("owners/<str:name>/webhooks/", webhooks.of_owner, name="api-owner-webhooks"),
    path("webhooks/<uuid:pk>/", webhooks.webhook, name="api-webhook"),
    path("webhooks/<uuid:pk>/enable/", webhooks.enable, name="api-webhook-enable"),
    path("webhooks/<uuid:pk>/secret/", webhooks.renew, name="api-webhook-secret"),
    path("webhooks/<uuid:pk>/deliveries/", webhooks.deliveries, name="api-webhook-deliveries"),
    path(
        "webhooks/<uuid:pk>/deliveries/<int:number>/redeliver/",
        webhooks.redeliver,
        name="api-webhook-redeliver",
    ),
    path(f"{ENV}versions/", versions.versions, name="api-versions"),
    path(f"{ENV}runs/", runs.of_environment, name="api-environment-runs"),
    path(f"{ENV}suites/", evaluations.of_environment, name="api-suites"),
    path(VERSION, versions.version, name="api-version"),
    path(f"{VERSION}evaluations/", evaluations.of_version, name="api-version-evaluations"),
    path("leaderboards/", leaderboards.across, name="api-leaderboards"),
    path("compare/", leaderboards.sides, name="api-compare"),
    path(f"{VERSION}leaderboard/", leaderboards.of_version, name="api-leaderboard"),
    path(f"{VERSION}regression/", leaderboards.regression, name="api-regression"),
    path(f"{VERSION}yank/", versions.yank, name="api-version-yank"),
    path(f"{VERSION}retry/", versions.retry, name="api-version-retry"),
    path(f"{VERSION}rejudge/", versions.rejudge, name="api-version-rejudge"),
    path(f"{VERSION}data-lock/", versions.version_data_lock, name="api-version-data-lock"),
    path(f"{VERSION}locks/", versions.version_locks, name="api-version-locks"),
    path(f"{VERSION}locks/<str:platform>/", versions.version_lock, name="api-version-lock"),
    path(RUN, runs.run, name="api-run"),
    path(f"{RUN}comparison/<uuid:other>/", leaderboards.comparison, name="api-comparison"),
    path(f"{RUN}log/", runs.log, name="api-run-log"),
    path(f"{RUN}samples/", runs.samples, name="api-run-samples"),
    path(f"{RUN}rollouts/", runs.rollouts, name="api-run-rollouts"),
    path(f"{RUN}rollouts/<int:number>/", runs.rollout, name="api-rollout"),
    path(f"{RUN}cancel/", runs.cancel, name="api-run-cancel"),
    path(f"{RUN}retry/", runs.retry, name="api-run-retry"),
    path(f"{ENV}report/", moderation.report, name="api-report"),
    path(f"{ENV}quarantine/", moderation.quarantine_environment, name="api-quarantine"),
    path(f"{VERSION}quarantine/", moderation.quarantine_version, name="api-version-quarantine"),
    path(f"{ENV}events/", moderation.of_environment, name="api-environment-events"),
    path("owners/<str:name>/events/", moderation.of_owner, name="api-owner-events"),
    path("moderation/reports/", moderation.reports, name="api-reports"),
    path("moderation/reports/<int:pk>/resolve/", moderation.resolve, name="api-report-resolve"),
    path("runners/", runners.every, name="api-runners"),
    path("runners/<int:pk>/drain/", runners.drain, name="api-runner-drain"),
    path("moderation/events/", moderation.of_all, name="api-events"),
    path("about/", about.about, name="api-about"),
    path("codes/", explained.codes, name="api-codes"),
    path("codes/<str:code>/", explained.code, name="api-code"),
    path("measures/", explained.measures, name="api-measures"),
    path("measures/<str:measure>/", explained.measure, name="api-measure"),
    path("status/", status.status, name="api-status"),
    path("check/", trials.check, name="api-check"),
    path("whoami/", accounts.whoami, name="api-whoami"),
    path("notifications/", notifications.notifications, name="api-notifications"),
    path("notifications/read/", notifications.read, name="api-notifications-read"),
    path("watched/", notifications.watched, name="api-watched"),
    path("tokens/", accounts.own_tokens, name="api-tokens"),
    path("tokens/<str:public_id>/", accounts.own_token, name="api-token"),
    path("login/", accounts.login, name="api-login"),
    path("login/poll/", accounts.poll, name="api-login-poll"),
    path("organisations/", organisations.organisations, name="api-organisations"),
    path(ORG, organisations.organisation, name="api-organisation"),
    path(f"{ORG}members/", organisations.members, name="api-members"),
    path(f"{ORG}members/<str:username>/", organisations.member, name="api-member"),
    path(f"{ORG}invitations/", organisations.invitations, name="api-organisation-invitations"),
    path(f"{ORG}invitations/<int:pk>/", organisations.invitation, name="api-invitation"),
    path("invitations/", organisations.own_invitations, name="api-invitations"),
    path("invitations/<int:pk>/accept/", organisations.accept, name="api-invitation-accept"),
    path("invitations/<int:pk>/decline/", organisations.decline, name="api-invitation-decline"),
    path(f"{ENV}variables/", provisions.variables, name="api-variables"),
    path(f"{ENV}variables/<str:variable>/", provisions.variable, name="api-variable"),
    path(f"{ENV}secrets/", provisions.secrets, name="api-secrets"),
    path(f"{ENV}secrets/<str:key>/", provisions.secret, name="api-secret"),
    path(f"{ENV}hosts/", provisions.hosts, name="api-hosts"),
    path(f"{ENV}hosts/<str:host>/", provisions.host, name="api-host"),
    path(f"{ENV}hosts/<str:host>/approval/", provisions.approval, name="api-host-approval"),
    path("moderation/hosts/", provisions.to_approve, name="api-hosts-to-approve"),
    path(f"{ENV}publishers/", publishers.of_environment, name="api-publishers"),
    path(f"{ENV}publishers/<int:pk>/", publishers.one_of_environment, name="api-publisher"),
    path("owners/<str:name>/publishers/", publishers.of_owner, name="api-pending-publishers"),
    path(
        "owners/<str:name>/publishers/<int:pk>/",
        publishers.one_of_owner,
        name="api-pending-publisher",
    ),
    path("owners/<str:name>/quota/", quotas.of_owner, name="api-owner-quota"),
    path("leaks/", leaks.leaks, name="api-leaks"),
    path("schema", document.schema, name="api-schema"),
    path("schema/", document.schema),
    path("runner/", include("registry.api.runner_protocol")),
    path("", include("registry.api.prime.urls")),
    re_path("", nothing),  # all else, with line breaks too
]
INTEGRITY = "integrity/<str:owner>/<str:name>/<str:number>/<str:filename>/"
FILE = "files/<str:shard>/<str:sha256>/<str:filename>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include(api)),
    path("legacy/<str:owner>/", upload.upload, name="upload"),
    path("_/oidc/audience", oidc.audience, name="oidc-audience"),
    path("_/oidc/mint-token", oidc.mint, name="oidc-mint"),
    path("_/oidc/github/mint-token", oidc.mint),  # requested by older publishing actions
    path("integrity/keys", signed_cards.public_keys, name="card-keys"),
    path(f"{INTEGRITY}card", signed_cards.card, name="signed-card"),
    path(f"{INTEGRITY}card/<str:sha256>", signed_cards.card, name="signed-card-by-digest"),
    path(f"{INTEGRITY}evidence/<str:sha256>", signed_cards.evidence, name="card-evidence"),
    path(
        f"{INTEGRITY}provenance",
        integrity.provenance,
        name="provenance",
    ),
    path(f"{FILE}.metadata", files.metadata, name="file-metadata"),
    path(FILE, files.wheel, name="file"),
    path("<str:owner>/simple", simple.slash),
    path("<str:owner>/simple/", simple.root, name="index"),
    path("<str:owner>/simple/<str:name>", simple.slash),
    path("<str:owner>/simple/<str:name>/", simple.environment, name="index-environment"),
]
