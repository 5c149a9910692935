"""The pages of public environments as objects, so that a web server serves them by itself.

    changes    whoever changes what a page says leaves a row in the outbox, in the same transaction
    publish    writes the page from the database or removes it, and deletes the row: in one
               transaction, so that a crash anywhere leaves the row, and it is done again
    rebuild    writes all pages, whatever the outbox says; `differences` only compares

What a page says is the database's alone, so the storage can be lost or behind, never wrong for
long. A page that is not there is answered by the hub, which hides what is private.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.db import transaction

from registry import storage
from registry.accounts.models import Owner
from registry.catalog.changes import IndexChange
from registry.catalog.models import Environment
from registry.index import content, negotiate, pages
from registry.storage import Storage

ROOT = "index/"
TYPES = {"json": negotiate.JSON, "html": f"{negotiate.PLAIN}; charset=utf-8"}

log = logging.getLogger(__name__)


def publish(*, store: Storage | None = None) -> int:
    """Bring the stored pages up to the changes that wait; returns how many pages that were.

    Any number of these may run at once: those of one owner take turns, a page at a time.
    """
    waiting = IndexChange.objects.order_by("owner_id", "name").values_list("owner_id", "name")
    done = 0
    for owner_id, name in list(waiting.distinct()):
        try:
            _bring_up(store or storage.get(), owner_id, name)
        except Exception:  # one that breaks must not keep the others waiting
            log.exception("index page %s of owner %s stays behind for now", name, owner_id)
        else:
            done += 1
    return done


def rebuild(*, store: Storage | None = None) -> None:
    """Write every page anew and remove what is none."""
    store = store or storage.get()
    for owner in Owner.objects.order_by("pk"):
        for name in (*owner.environments.order_by("name").values_list("name", flat=True), ""):
            with transaction.atomic():
                _write(store, _in_turn(owner.pk), name)
    for key in list(store.keys(ROOT)):
        _remove_stray(store, key)


def differences(*, store: Storage | None = None) -> Iterator[str]:
    """What the storage holds otherwise than the database, a line an object.

    While the hub is at work these may be changes that `publish` is about to write.
    """
    store = store or storage.get()
    known = set()
    for owner in Owner.objects.order_by("pk"):
        for key, body in _objects(owner):
            known.add(key)
            try:
                with store.open(key) as reader:
                    if reader.read() != body.data:
                        yield f"{key}: not what the database says"
            except storage.Missing:
                yield f"{key}: missing"
    for key in sorted(set(store.keys(ROOT)) - known):
        yield f"{key}: should not be there"


def _bring_up(store: Storage, owner_id: int, name: str) -> None:
    with transaction.atomic():
        owner = _in_turn(owner_id)
        waiting = IndexChange.objects.filter(owner=owner, name=name)
        seen = list(waiting.values_list("pk", flat=True))
        _write(store, owner, name)
        waiting.filter(pk__in=seen).delete()


def _in_turn(owner_id: int) -> Owner:
    """The owner, whose pages nobody else writes until the transaction ends.

    It ends with a killed process too. SQLite has one writing transaction at a time anyway.
    """
    return Owner.objects.select_for_update(no_key=True).get(pk=owner_id)


def _write(store: Storage, owner: Owner, name: str) -> None:
    """Write the page as the database has it, or remove it where it is not for everybody.

    The lock keeps the environment as it is until the page is in its place: none that is private
    by now is written.
    """
    list(owner.environments.select_for_update(no_key=True).filter(name=name).values("pk"))
    page = _page(owner, name)
    for form in pages.FORMS:
        key = f"{_folder(owner.name, name)}{form}"
        if page is None:
            store.delete(key)
        else:
            body = page[form]
            kind = TYPES[form.split(".")[1]]
            store.write(key, body.data, content_type=kind, stamp=body.stamp)


def _page(owner: Owner, name: str) -> pages.Page | None:
    """What is to be stored of an environment, of the root where the name is empty."""
    if not name:
        named = list(pages.names(owner.pk))
        return pages.made(content.root(named)) if named else None
    public = owner.environments.filter(visibility=Environment.Visibility.PUBLIC)
    found = public.indexed().filter(name=name).first()
    return pages.made(content.environment(found)) if found else None


def _objects(owner: Owner) -> Iterator[tuple[str, pages.Body]]:
    """All that is to be stored of an owner."""
    for name in (*pages.names(owner.pk), ""):
        if (page := _page(owner, name)) is not None:
            folder = _folder(owner.name, name)
            yield from ((folder + form, body) for form, body in page.items())


def _remove_stray(store: Storage, key: str) -> None:
    """Delete an object that belongs to no page."""
    folder, _, form = key.rpartition("/")
    _, owner_name, *rest = folder.split("/")
    with transaction.atomic():
        owner = Owner.objects.select_for_update(no_key=True).filter(name=owner_name).first()
        if owner is None or form not in pages.FORMS or _page(owner, "/".join(rest)) is None:
            store.delete(key)


def _folder(owner: str, name: str) -> str:
    return f"{ROOT}{owner}/{name}/" if name else f"{ROOT}{owner}/"
