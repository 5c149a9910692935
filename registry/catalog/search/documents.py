"""Keep the documents of search equal to the environments they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db import connections, transaction

from registry.catalog.models import Environment
from registry.catalog.search.engine import rebuilding
from registry.catalog.search.facets import mark
from registry.catalog.search.models import SearchDocument, SearchWord
from registry.catalog.search.text import with_joined, words

README = 20_000  # characters of a README that are read
README_WORDS = 600  # different words of it that can be found
BATCH = 2000
PLACES = 40  # bits of a place that hold the environment's number
COLUMNS = [field.attname for field in SearchDocument._meta.concrete_fields]  # noqa: SLF001


class Models(NamedTuple):
    """Today's models, or a migration's."""

    environment: type[Any] = Environment
    document: type[Any] = SearchDocument
    word: type[Any] = SearchWord


def write(environment: Environment) -> None:
    """Make its document say what it is now; call it in the transaction of every change."""
    made = document(_sources(Environment).get(pk=environment.pk))
    SearchDocument.objects.update_or_create(
        environment_id=made.pk, defaults={name: getattr(made, name) for name in COLUMNS[1:]}
    )
    names = _names(made)
    _learn(names - set(SearchWord.objects.filter(word__in=names).values_list("word", flat=True)))


def rebuild(models: Models = Models(), *, alone: bool = False) -> int:  # noqa: B008 - immutable
    """Make all documents and the database's indexes anew; how many documents there are.

    It is quicker `alone`, but then nobody can search meanwhile.
    """
    number = 0
    connection = connections[models.document.objects.db]
    with transaction.atomic(), rebuilding(connection, alone=alone):
        models.document.objects.all().delete()
        models.word.objects.all().delete()
        for batch in _batches(models):
            number += len(models.document.objects.bulk_create(batch))
            _learn({word for made in batch for word in _names(made)}, models.word)
    return number


def differing() -> Iterator[str]:
    """What of the documents is not as `rebuild` would make it, a sentence each."""
    for batch in _batches(Models()):
        kept = SearchDocument.objects.in_bulk([made.pk for made in batch])
        for made in batch:
            found = kept.get(made.pk)
            wrong = [
                name
                for name in COLUMNS
                if name != "place" and getattr(found, name, None) != getattr(made, name)
            ]
            if wrong:
                yield f"{made.environment}: {', '.join(wrong) if found else 'no document'}"


def document(environment: Any, model: type[Any] = SearchDocument) -> Any:
    """Its document, not saved; it comes with owner, latest version and tags."""
    latest, labels = environment.latest, sorted(tag.name for tag in environment.tags.all())
    readme = words(latest.readme[:README]) if latest else []
    return model(
        environment=environment,
        owner=environment.owner,
        place=place(environment),
        listed=latest is not None and environment.quarantined_at is None,
        visibility=environment.visibility,
        marks=" ".join(_marks(environment, labels)),
        name=with_joined([environment.name]),
        owner_name=with_joined([environment.owner.name]),
        tags=with_joined(labels),
        summary=" ".join(words(environment.summary)),
        readme=" ".join(list(dict.fromkeys(readme))[:README_WORDS]),
    )


def _marks(environment: Any, labels: list[str]) -> Iterator[str]:
    latest = environment.latest
    if latest and latest.framework:
        yield mark("framework", latest.framework)
    if latest and latest.license:
        yield mark("license", latest.license)
    yield from (mark("tag", label) for label in labels)
    yield mark("owner", environment.owner.name)
    yield mark("visibility", environment.visibility)


def place(environment: Any) -> int:
    """Greater for the more used: in steps of two by installs and ten times the stars, then newer.

    It is as old as the environment's last change: what people do every day would else write the
    indexes anew every time. `rebuild` brings all up to date.
    """
    used = environment.installs + 10 * environment.star_count
    return (int(used).bit_length() << PLACES) + int(environment.pk)


def steps(place: int) -> int:
    """How many steps of use up a place stands."""
    return place >> PLACES


def _names(made: Any) -> set[str]:
    return set(f"{made.name} {made.owner_name} {made.tags}".split())


def _learn(new: Iterable[str], model: type[Any] = SearchWord) -> None:
    rows = [model(word=word) for word in sorted(new)]
    model.objects.bulk_create(rows, ignore_conflicts=True, batch_size=BATCH)


def _sources(model: type[Any]) -> Any:
    return model.objects.select_related("owner", "latest").prefetch_related("tags")


def _batches(models: Models) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for environment in _sources(models.environment).order_by("pk").iterator(chunk_size=BATCH):
        batch.append(document(environment, models.document))
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch
