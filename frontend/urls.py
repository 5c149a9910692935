"""Routes of the pages; all of the hub's own words are reserved as owner names."""

from django.urls import path

from frontend.pages import account, browse, device, environment, home, publish, run, tokens, version

ENV = "envs/<str:owner>/<str:name>/"
VERSION = f"{ENV}<str:number>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("envs/", browse.browse, name="browse"),
    path(ENV, environment.environment, name="environment"),
    path(VERSION, version.version, name="version"),
    path(f"{VERSION}live/", version.live, name="version-live"),
    path(f"{VERSION}yank/", version.yank, name="version-yank"),
    path(f"{VERSION}unyank/", version.unyank, name="version-unyank"),
    path(f"{VERSION}retry/", version.retry, name="version-retry"),
    path("runs/<uuid:pk>/", run.run, name="run"),
    path("runs/<uuid:pk>/live/", run.live, name="run-live"),
    path("runs/<uuid:pk>/cancel/", run.cancel, name="run-cancel"),
    path("runs/<uuid:pk>/rollouts/<int:number>/", run.rollout, name="rollout"),
    path("signup/", account.signup, name="signup"),
    path("login/", account.sign_in, name="login"),
    path("logout/", account.sign_out, name="logout"),
    path("device/", device.device, name="device"),
    path("settings/tokens/", tokens.tokens, name="tokens"),
    path("settings/tokens/<str:public_id>/revoke/", tokens.revoke, name="token-revoke"),
    path("publish/", publish.publish, name="publish"),
]
