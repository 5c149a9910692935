"""The side of a comparison that a text names, and the sides that compare with one."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from envyard.contract.names import BadName, parse_ref
from registry.accounts.models import Token
from registry.accounts.permissions import Actor, require
from registry.catalog.models import Version
from registry.errors import HubError, NotFound
from registry.read_models.comparable_sides import Row, digest_of, model_of
from registry.runs.models import Run
from registry.self_reported.models import Evaluation

MAX_CHOICES = 30  # of each kind
LABELLED = ("model", "created_at", "version__version")  # columns of the label of a run
RUNS = Run.objects.select_related("version__environment__owner", "runner", "suite")


@dataclass(frozen=True, slots=True)
class Choice:
    """A side that compares with another one, as a text for the address and one for people."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Choices:
    """Those with the same suite: other models on the version, other versions with the model."""

    models: list[Choice]
    versions: list[Choice]
    pushed: list[Choice]


def pair(first: str, second: str, *, actor: Actor, token: Token | None = None) -> tuple[Row, Row]:
    """Both sides: a version is looked up after the other side, whose suite and model it needs."""
    if "/" in first and "/" not in second:
        other = named(second, actor=actor, token=token)
        return named(first, actor=actor, token=token, other=other), other
    one = named(first, actor=actor, token=token)
    return one, named(second, actor=actor, token=token, other=one)


def named(text: str, *, actor: Actor, token: Token | None = None, other: Row | None = None) -> Row:
    """The run or pushed evaluation with that id, or the newest run of a version: of the suite and
    model of the `other` side where there is one. Raises NotFound, or request.invalid with the rule.
    """
    try:
        return _with_id(UUID(text.strip()), actor, token)
    except ValueError:
        pass
    try:
        ref = parse_ref(text)
    except BadName as error:
        raise HubError(
            "request.invalid",
            f"{text[:60]!r} must be the id of a run or a pushed evaluation, or a version",
            "For example: alice/reverse-text==0.1.0",
        ) from error
    if ref.version is None:
        raise HubError("request.invalid", f"{ref} names no version", f"For example: {ref}==0.1.0")
    rows = Version.objects.select_related("environment__owner")
    version = rows.filter(
        environment__owner__name=ref.owner, environment__name=ref.name, version=ref.version
    ).first()
    if version is None:
        raise NotFound
    require(actor, "version.see", version, token)
    return _newest(version, actor, token, other)


def _with_id(pk: UUID, actor: Actor, token: Token | None) -> Row:
    run = RUNS.filter(pk=pk).first()
    if run is not None:
        require(actor, "run.see", run, token)
        return run
    claim = Evaluation.objects.for_summary().filter(pk=pk).first()
    if claim is None:
        raise NotFound
    require(actor, "evaluation.see", claim, token)
    return claim


def _newest(version: Version, actor: Actor, token: Token | None, other: Row | None) -> Run:
    rows = _results().filter(version=version)
    if other is not None:
        rows = rows.filter(model=model_of(other))
        if digest := digest_of(other):
            rows = rows.filter(suite__digest=digest)
    run = rows.first()
    if run is None:
        of = f" of {model_of(other)} by the suite of the other side" if other is not None else ""
        raise NotFound(f"{version} has no run{of}", "Request one: hub eval --model MODEL")
    require(actor, "run.see", run, token)
    return run


def choices(row: Row, *, actor: Actor) -> Choices:
    """The newest sides that compare with the row and that the actor may see; three queries."""
    version, digest = row.version, digest_of(row)
    if version is None or not digest:
        return Choices([], [], [])
    visible = Version.objects.visible_to(actor).filter(environment=version.environment_id)
    alike = Q(version=version) | Q(version__in=visible, model=model_of(row))
    visible = visible.filter(quarantined_at=None)
    runs = _results().filter(alike, suite__digest=digest, version__in=visible).exclude(pk=row.pk)
    pushed = (
        Evaluation.objects.visible_to(actor)
        .filter(
            Q(version=version) | Q(version__in=visible, model_name=model_of(row)),
            status=Evaluation.Status.COMPLETED,
            rewarded__gt=0,
            metadata__suite_digest=digest,
        )
        .exclude(pk=row.pk)
        .select_related("version", "owner")
        .order_by("-created_at")
    )
    labelled = runs.select_related(None).select_related("version").only(*LABELLED)
    newest = list(labelled[: 2 * MAX_CHOICES])
    here = [run for run in newest if run.version_id == version.pk]
    elsewhere = [run for run in newest if run.version_id != version.pk]
    return Choices(
        models=[Choice(str(run.pk), _label(run)) for run in here[:MAX_CHOICES]],
        versions=[Choice(str(run.pk), _label(run)) for run in elsewhere[:MAX_CHOICES]],
        pushed=[Choice(str(claim.pk), _label(claim)) for claim in pushed[:MAX_CHOICES]],
    )


def _label(row: Row) -> str:
    """`org/model on 0.1.0, 2026-11-21`, of a pushed one with who pushed it."""
    number = row.version.version if row.version else "?"
    text = f"{model_of(row)} on {number}, {row.created_at:%Y-%m-%d %H:%M}"
    return text if isinstance(row, Run) else f"{text}, pushed by {row.owner.name}"


def _results() -> QuerySet[Run]:
    """Runs that succeeded with a model, the newest first."""
    rows = RUNS.filter(status=Run.Status.SUCCEEDED, suite__isnull=False)
    return rows.exclude(model="").order_by("-created_at", "pk")
