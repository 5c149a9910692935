"""Routes of the pages; all of the hub's own words are reserved as owner names."""

from django.urls import include, path
from django.views.generic import RedirectView

from frontend.pages import (
    browse,
    device,
    environment,
    environment_settings,
    evaluation,
    home,
    invitations,
    organisations,
    owner,
    publish,
    publishers,
    run,
    tokens,
    version,
)

ENV = "envs/<str:owner>/<str:name>/"
VERSION = f"{ENV}<str:number>/"
ORG = "orgs/<str:name>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("envs/", browse.browse, name="browse"),
    path(ENV, environment.environment, name="environment"),
    path(f"{ENV}star/", environment.star, name="environment-star"),
    path(f"{ENV}settings/", environment_settings.settings, name="environment-settings"),
    path(
        f"{ENV}settings/visibility/",
        environment_settings.set_visibility,
        name="environment-visibility",
    ),
    path(f"{ENV}settings/deprecate/", environment_settings.deprecate, name="environment-deprecate"),
    path(
        f"{ENV}settings/undeprecate/",
        environment_settings.undeprecate,
        name="environment-undeprecate",
    ),
    path(f"{ENV}settings/transfer/", environment_settings.transfer, name="environment-transfer"),
    path(f"{ENV}settings/delete/", environment_settings.delete, name="environment-delete"),
    path(f"{ENV}settings/publishers/", publishers.of_environment, name="environment-publishers"),
    path(
        f"{ENV}settings/publishers/<int:pk>/remove/",
        publishers.remove,
        name="environment-publisher-remove",
    ),
    path(f"{ENV}evaluations/<uuid:pk>/", evaluation.evaluation, name="evaluation"),
    path(f"{ENV}evaluations/<uuid:pk>/delete/", evaluation.delete, name="evaluation-delete"),
    path(VERSION, version.version, name="version"),
    path(f"{VERSION}live/", version.live, name="version-live"),
    path(f"{VERSION}yank/", version.yank, name="version-yank"),
    path(f"{VERSION}unyank/", version.unyank, name="version-unyank"),
    path(f"{VERSION}delete/", version.delete, name="version-delete"),
    path(f"{VERSION}retry/", version.retry, name="version-retry"),
    path("runs/<uuid:pk>/", run.run, name="run"),
    path("runs/<uuid:pk>/live/", run.live, name="run-live"),
    path("runs/<uuid:pk>/cancel/", run.cancel, name="run-cancel"),
    path("runs/<uuid:pk>/rollouts/<int:number>/", run.rollout, name="rollout"),
    path("", include("allauth.account.urls")),  # signup/ login/ logout/ email/ password/...
    path("settings/", RedirectView.as_view(pattern_name="tokens"), name="settings"),
    path("settings/security/", include("allauth.mfa.urls")),
    path("settings/organisations/", organisations.organisations, name="organisations"),
    path("settings/invitations/", invitations.invitations, name="invitations"),
    path("settings/invitations/<int:pk>/", invitations.answer, name="invitation-answer"),
    path("invitations/<str:secret>/", invitations.invitation, name="invitation"),
    path("owners/<str:name>/", owner.owner, name="owner"),
    path("owners/<str:name>/publishers/", publishers.of_owner, name="owner-publishers"),
    path(
        "owners/<str:name>/publishers/<int:pk>/remove/",
        publishers.remove_pending,
        name="owner-publisher-remove",
    ),
    path(ORG, organisations.organisation, name="organisation"),
    path(f"{ORG}title/", organisations.rename, name="organisation-title"),
    path(f"{ORG}leave/", organisations.leave, name="organisation-leave"),
    path(f"{ORG}invite/", organisations.invite, name="organisation-invite"),
    path(f"{ORG}invitations/<int:pk>/", organisations.withdraw, name="invitation-withdraw"),
    path(f"{ORG}members/<str:username>/", organisations.member, name="member"),
    path("device/", device.device, name="device"),
    path("settings/tokens/", tokens.tokens, name="tokens"),
    path("settings/tokens/<str:public_id>/revoke/", tokens.revoke, name="token-revoke"),
    path("publish/", publish.publish, name="publish"),
]
