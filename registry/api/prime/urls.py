"""The addresses that prime 0.18 calls under /api/v1/; an environment's id never looks like an
owner's name."""

from django.urls import URLPattern, path, re_path

from registry.api.prime import account, environments, evaluations, files, push

HUB = "environmentshub/"
ID = f"{HUB}<str:pk>/"
ENV = f"{HUB}<str:owner>/<str:name>"
VERSION = f"{ENV}/@<str:number>"
NOT_OFFERED = (
    "availability|billing|disks|feedback|hosted-evaluations|images|info|pods|rft|sandbox|sandboxes"
    "|secrets|slurm-clusters|training|tunnel|wallet"
)

urlpatterns: list[URLPattern] = [
    path(HUB, environments.environments),
    path(f"{HUB}resolve", environments.resolve),
    path(f"{HUB}lookup", environments.environment_by_id),
    path(f"{HUB}uploads/<str:signed>", push.upload, name="prime-upload"),
    path(f"{ID}wheels", push.announce_wheel),
    path(f"{ID}wheels/<uuid:delivery>/finalize", push.finish_wheel),
    re_path(rf"^{HUB}(?P<pk>env_[0-9]+)/versions$", push.announce_source),
    path(f"{ID}versions/<uuid:delivery>/finalize", push.finish_source),
    re_path(rf"^{HUB}(?P<pk>env_[0-9]+)/(?:secrets|variables)(?:/.*)?$", account.refuse),
    re_path(rf"^{HUB}(?P<pk>env_[0-9]+)$", environments.delete_by_id),
    path(f"{ENV}/fork", account.refuse),
    path(f"{ENV}/status", environments.status),
    path(f"{ENV}/versions", environments.versions),
    path(VERSION, environments.version),
    path(f"{VERSION}/inspect", files.inspect),
    path(f"{VERSION}/source", files.source, name="prime-source"),
    path(ENV, environments.delete),
    path("evaluations/", evaluations.evaluations),
    path("evaluations/<uuid:pk>", evaluations.evaluation, name="api-evaluation"),
    path("evaluations/<uuid:pk>/samples", evaluations.samples_of, name="api-evaluation-samples"),
    path("evaluations/<uuid:pk>/finalize", evaluations.finalize),
    path("user/whoami", account.whoami),
    path("user/teams", account.teams),
    path("teams/<str:team>/members", account.members),
    re_path(r"^auth_challenge/", account.login),
    re_path(r"^(?:traces|episodes)(?:/.*)?$", account.no_traces),
    re_path(rf"^(?:{NOT_OFFERED})(?:/.*)?$", account.refuse),
]
