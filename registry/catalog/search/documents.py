"""Keep the search documents equal to the environments that they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db import connections, transaction
from django.db.models import F
from django.db.models.functions import Floor, Log

from registry.catalog.models import Environment
from registry.catalog.search.engine import rebuilding
from registry.catalog.search.facets import marks_of
from registry.catalog.search.models import SearchDocument, SearchWord
from registry.catalog.search.text import with_joined, words

README_CHARACTERS = 20_000  # of a README that are indexed
README_WORDS = 600  # different words of it that are indexed
BATCH = 2000
KEY_BITS = 40  # of a place, that hold the primary key of the environment
COLUMNS = [field.attname for field in SearchDocument._meta.concrete_fields]  # noqa: SLF001


class Models(NamedTuple):
    """The current models, or those of a migration."""

    environment: type[Any] = Environment
    document: type[Any] = SearchDocument
    word: type[Any] = SearchWord


def write(environment: Environment) -> None:
    """Update the document of the environment; call it in the transaction of every change."""
    current = document(_sources(Environment).get(pk=environment.pk))
    SearchDocument.objects.update_or_create(
        environment_id=current.pk, defaults={name: getattr(current, name) for name in COLUMNS[1:]}
    )
    names = _names(current)
    _add_words(
        names - set(SearchWord.objects.filter(word__in=names).values_list("word", flat=True))
    )


def rebuild(models: Models = Models(), *, alone: bool = False) -> int:  # noqa: B008 - immutable
    """Rebuild all documents and the database's indexes, and return the number of documents.

    It is quicker `alone`, but then nobody can search meanwhile.
    """
    count = 0
    connection = connections[models.document.objects.db]
    with transaction.atomic(), rebuilding(connection, alone=alone):
        models.document.objects.all().delete()
        models.word.objects.all().delete()
        for batch in _batches(models):
            count += len(models.document.objects.bulk_create(batch))
            _add_words({word for row in batch for word in _names(row)}, models.word)
    return count


def differing() -> Iterator[str]:
    """The documents that `rebuild` would change, one sentence each with the columns that differ."""
    for batch in _batches(Models()):
        stored = SearchDocument.objects.in_bulk([row.pk for row in batch])
        for expected in batch:
            document = stored.get(expected.pk)
            if document is None:
                yield f"{expected.environment}: no document"
            elif columns := _differing_columns(document, expected):
                yield f"{expected.environment}: {', '.join(columns)}"


def _differing_columns(document: SearchDocument, expected: SearchDocument) -> list[str]:
    """Without the place, which is only as recent as the last change; marks are in any order."""
    rows = []
    for row in (document, expected):
        values = {name: getattr(row, name) for name in COLUMNS if name != "place"}
        rows.append(values | {"marks": set(row.marks.split())})
    return [name for name, value in rows[0].items() if rows[1][name] != value]


def document(environment: Any, model: type[Any] = SearchDocument) -> Any:
    """The unsaved document of an environment with owner, latest version and tags loaded."""
    latest, labels = environment.latest, sorted(tag.name for tag in environment.tags.all())
    readme = words(latest.readme[:README_CHARACTERS]) if latest else []
    return model(
        environment=environment,
        owner=environment.owner,
        place=place(environment),
        listed=latest is not None and environment.quarantined_at is None,
        visibility=environment.visibility,
        marks=" ".join(marks_of(environment)),
        name=with_joined([environment.name]),
        owner_name=with_joined([environment.owner.name]),
        tags=with_joined(labels),
        summary=" ".join(words(environment.summary)),
        readme=" ".join(list(dict.fromkeys(readme))[:README_WORDS]),
    )


def place(environment: Any) -> int:
    """A number that is greater for more used environments: the binary logarithm of installs plus
    ten times the stars, then the primary key.

    It is only as recent as the environment's last change: every install and star would otherwise
    update the indexes. `rebuild` updates all.
    """
    usage = environment.installs + 10 * environment.star_count
    return (int(usage).bit_length() << KEY_BITS) + int(environment.pk)


def steps(rank_key: int) -> int:
    """The logarithm of the usage that a place holds."""
    return rank_key >> KEY_BITS


def _names(row: Any) -> set[str]:
    return set(f"{row.name} {row.owner_name} {row.tags}".split())


def _add_words(new: Iterable[str], model: type[Any] = SearchWord) -> None:
    rows = [model(word=word) for word in sorted(new)]
    model.objects.bulk_create(rows, ignore_conflicts=True, batch_size=BATCH)


def _sources(model: type[Any]) -> Any:
    return model.objects.select_related("owner", "latest").prefetch_related("tags", "latest__needs")


def _batches(models: Models) -> Iterator[list[Any]]:
    """All documents by usage, as `place` sorts them: neighbours in that order, in which searches
    read them, then share pages of the table."""
    rows, usage = models.environment.objects, F("installs") + 10 * F("star_count")
    by_usage = rows.order_by(Floor(Log(2, usage + 1)), "pk")
    keys = list(by_usage.values_list("pk", flat=True))
    for at in range(0, len(keys), BATCH):
        batch = _sources(models.environment).in_bulk(keys[at : at + BATCH])
        yield [document(batch[pk], models.document) for pk in keys[at : at + BATCH] if pk in batch]
