"""Fill an empty hub with that many environments and versions, straight into the database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Manager, Model

from benchmarks.registry.bulk import copying, evaluations, texts
from benchmarks.registry.bulk.evidence import EvidenceRows, Prototype, Writer, facets_of
from registry.accounts.models import Organisation, Owner, User
from registry.card.models import Card
from registry.catalog.likeness import likeness
from registry.catalog.models import Environment, Tag, Version
from registry.catalog.related_models import VersionNeed
from registry.catalog.search import documents, facets
from registry.catalog.sorting import sort_key
from registry.events import Event
from registry.read_models import hub_counts
from registry.runs.models import Rollout, Run

SEED = 1
BATCH = 1000  # environments per transaction
OWNERS = 50  # environments per owner, on average
ORGANISATIONS = 10  # one owner in ten
LONGEST = 10_000  # versions of the environment with the most
START = datetime(2025, 1, 1, tzinfo=UTC)
EVIDENCE: dict[type[Model], str] = {
    Run: "runs",
    Card: "cards",
    Rollout: "rollouts",
    VersionNeed: "needs",
    Event: "events",
}
MINUTES = 60 * 24 * 600  # over which versions are spread


def load(*, environments: int, versions: int) -> Iterator[int]:
    """Write the rows, then search's documents; yields the number of environments written so far."""
    random = Random(SEED)
    owners = _owners(max(environments // OWNERS, 1))
    names = list(texts.TAGS)
    Tag.objects.bulk_create([Tag(name=name) for name in names], ignore_conflicts=True)
    tags = dict(Tag.objects.filter(name__in=names).values_list("name", "pk"))
    generated = _environments(random, owners, _shares(random, environments, versions))
    count = 0
    while batch := list(islice(generated, BATCH)):
        _write(batch, tags)
        count += len(batch)
        yield count
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Environment, Version]):
            cursor.execute(statement)
    evaluations.write(random)
    documents.rebuild(alone=True)
    facets.recount()
    hub_counts.recount()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _owners(number: int) -> list[Owner]:
    """People and organisations that nobody can sign in as."""
    people, groups = number - number // ORGANISATIONS, number // ORGANISATIONS
    users = User.objects.bulk_create(
        User(username=f"person-{n}", email=f"person-{n}@example.com", password="!")
        for n in range(people)
    )
    organisations = Organisation.objects.bulk_create(
        Organisation(title=f"Lab {n}") for n in range(groups)
    )
    return Owner.objects.bulk_create(
        [Owner(name=user.username, user=user) for user in users]
        + [Owner(name=f"lab-{n}", organisation=o) for n, o in enumerate(organisations)]
    )


def _shares(random: Random, environments: int, versions: int) -> list[int]:
    """How many versions each environment has: most have few, the first has LONGEST."""
    first = min(LONGEST, max(versions - environments, 0) // 2 + 1)
    mean = max((versions - first) / max(environments - 1, 1), 1)
    shares = [1 + int(random.expovariate(1 / (mean - 0.5))) for _ in range(environments - 1)]
    missing = versions - first - sum(shares)
    step = 1 if missing > 0 else -1
    while missing:
        position = random.randrange(len(shares))
        if shares[position] + step > 0:
            shares[position] += step
            missing -= step
    return [first, *shares]


class GeneratedEnvironment(NamedTuple):
    """One environment with its tags, the rows of its versions and what is known of the latest."""

    environment: Environment
    tags: list[str]
    versions: list[copying.Row]
    evidence: EvidenceRows | None


def _environments(
    random: Random, owners: list[Owner], shares: list[int]
) -> Iterator[GeneratedEnvironment]:
    """All of them, numbered, so that they can be written in any order."""
    pk, version_pk = _next(Environment.objects), _next(Version.objects)
    used: set[tuple[int, str]] = set()
    writer = Writer(random)
    for number, share in enumerate(shares):
        owner = owners[int(len(owners) * random.random() ** 2)] if number else owners[0]
        name = texts.name(random) if number else texts.FIRST
        while (owner.pk, likeness(name)) in used:
            name = f"{name}-{texts.coined(random)}"
        used.add((owner.pk, likeness(name)))
        environment = Environment(
            pk=pk,
            owner=owner,
            name=name,
            visibility="private" if number and random.random() < 0.02 else "public",
            installs=int(10 ** (random.random() * 5) - 1) if random.random() < 0.6 else 0,
            star_count=int(10 ** (random.random() * 3) - 1) if random.random() < 0.2 else 0,
        )
        first = _version(random, environment)
        versions = list(_versions(random, first, version_pk, share, environment))
        tags, evidence = [], None
        if environment.latest_id is not None:
            tags, prototype = first.keywords, writer.prototype()
            row = next(row for row in versions if row["id"] == environment.latest_id)
            _give(random, environment, row, prototype, tags)
            evidence = writer.rows(environment, prototype, actor=owner.user_id)
        yield GeneratedEnvironment(environment, tags, versions, evidence)
        pk, version_pk = pk + 1, version_pk + share


def _version(random: Random, environment: Environment) -> Version:
    """The fields that all its versions share."""
    name = environment.name
    return Version(
        environment=environment,
        summary=texts.summary(random, name),
        readme=texts.readme(random, name),
        readme_type="text/markdown",
        license=texts.LICENSES[int(len(texts.LICENSES) * random.random() ** 2)],
        requires_python=">=3.11",
        requires_dist=["verifiers>=0.4"],
        keywords=texts.tags(random, name),
        framework=texts.FRAMEWORKS[int(len(texts.FRAMEWORKS) * random.random() ** 3)],
        api="v1",
        module=name.replace("-", "_"),
        size=20_000,
    )


def _versions(
    random: Random, like: Version, pk: int, share: int, environment: Environment
) -> Iterator[copying.Row]:
    """The rows, oldest first; sets the environment's latest version."""
    row, adapt = copying.row(like), connection.ops.adapt_datetimefield_value
    at = START + timedelta(minutes=random.random() * MINUTES)
    for n in range(share):
        number = f"{n // 100}.{n // 10 % 10}.{n % 10}"
        listed = random.random() < 0.97
        yanked = listed and random.random() < 0.01
        digest = hashlib.sha256(f"{pk + n}".encode()).hexdigest()
        yield row | {
            "id": pk + n,
            "version": number,
            "sort_key": sort_key(number),
            "status": "listed" if listed else "rejected",
            "listed_at": adapt(at) if listed else None,
            "yanked_at": adapt(at) if yanked else None,
            "yanked_reason": "superseded" if yanked else "",
            "filename": f"{like.module}-{number}-py3-none-any.whl",
            "sha256": digest,
            "metadata_sha256": digest,
        }
        if listed and not yanked:
            environment.latest_id, environment.fresh_at = pk + n, at
            environment.summary = like.summary
        at += timedelta(hours=1)


def _give(
    random: Random,
    environment: Environment,
    row: copying.Row,
    prototype: Prototype | None,
    tags: list[str],
) -> None:
    """Store with the environment and its latest version what their card says."""
    if prototype is None:
        return
    if prototype.learnability is not None:
        environment.learnability = prototype.learnability
    row["learnability"], row["difficulty"] = prototype.learnability, prototype.difficulty
    facets = Version._meta.get_field("facets")  # noqa: SLF001 - Django's own documented API
    values = facets_of(random, prototype, tags)
    row["facets"] = facets.get_db_prep_save(values, connection)


def _write(batch: list[GeneratedEnvironment], tags: dict[str, int]) -> None:
    through = Environment.tags.through
    with transaction.atomic():  # the foreign key to `latest` is checked at its end
        copying.write(Environment, (copying.row(generated.environment) for generated in batch))
        copying.write(Version, (row for generated in batch for row in generated.versions))
        through.objects.bulk_create(
            through(environment_id=generated.environment.pk, tag_id=tags[tag])
            for generated in batch
            for tag in generated.tags
        )
        known = [generated.evidence for generated in batch if generated.evidence]
        for model, name in EVIDENCE.items():
            copying.write(model, (row for evidence in known for row in getattr(evidence, name)))


def _next(rows: Manager[Any]) -> int:
    last = rows.order_by("-pk").values_list("pk", flat=True).first()
    return (last or 0) + 1
