"""Store the pages of public environments as objects that a web server can serve itself.

    changes    a change of a page's content adds a row to the outbox, in the same transaction
    update     writes the page from the database or removes it, and deletes the row: in one
               transaction, so that a crash anywhere leaves the row, and it is done again
    rebuild    writes all pages, whether in the outbox or not; `differences` only compares

The content of a page comes from the database alone, so that the storage can be lost or late, but
not wrong for long. The hub answers for a page without an object, and hides private ones.
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


def update_pages(*, store: Storage | None = None) -> int:
    """Write the pages with waiting changes; returns the number of pages.

    Any number of these may run at once: those of one owner wait for each other, page by page.
    """
    waiting = IndexChange.objects.order_by("owner_id", "name").values_list("owner_id", "name")
    written = 0
    for owner_id, name in list(waiting.distinct()):
        try:
            _update_page(store or storage.get(), owner_id, name)
        except Exception:  # one that fails must not block the others
            log.exception("index page %s of owner %s is not updated for now", name, owner_id)
        else:
            written += 1
    return written


def rebuild(*, store: Storage | None = None) -> None:
    """Write every page, and delete objects that belong to none."""
    store = store or storage.get()
    for owner in Owner.objects.order_by("pk"):
        for name in (*owner.environments.order_by("name").values_list("name", flat=True), ""):
            with transaction.atomic():
                _write(store, _lock_owner(owner.pk), name)
    for key in list(store.keys(ROOT)):
        _remove_stray(store, key)


def differences(*, store: Storage | None = None) -> Iterator[str]:
    """The objects that differ from the database, one line each.

    While the hub runs these may be changes that `update_pages` is about to write.
    """
    store = store or storage.get()
    keys = set()
    for owner in Owner.objects.order_by("pk"):
        for key, body in _objects(owner):
            keys.add(key)
            try:
                with store.open(key) as reader:
                    if reader.read() != body.data:
                        yield f"{key}: differs from the database"
            except storage.Missing:
                yield f"{key}: missing"
    for key in sorted(set(store.keys(ROOT)) - keys):
        yield f"{key}: should not be there"


def _update_page(store: Storage, owner_id: int, name: str) -> None:
    with transaction.atomic():
        owner = _lock_owner(owner_id)
        waiting = IndexChange.objects.filter(owner=owner, name=name)
        written = list(waiting.values_list("pk", flat=True))
        _write(store, owner, name)
        waiting.filter(pk__in=written).delete()


def _lock_owner(owner_id: int) -> Owner:
    """The owner, locked, so that no other process writes its pages until the transaction ends.

    The lock ends with a killed process too. SQLite has one writing transaction at a time anyway.
    """
    return Owner.objects.select_for_update(no_key=True).get(pk=owner_id)


def _write(store: Storage, owner: Owner, name: str) -> None:
    """Write the page of the database, or delete it where it is not public.

    The lock keeps the environment unchanged until the page is stored: no page of an environment
    that became private is written.
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
    """The page of an environment, or the root page for an empty name; None where it is not
    public."""
    if not name:
        names = list(pages.names(owner.pk))
        return pages.render_forms(content.root(names)) if names else None
    public = owner.environments.filter(visibility=Environment.Visibility.PUBLIC)
    environment = public.indexed().filter(name=name).first()
    return pages.render_forms(content.environment(environment)) if environment else None


def _objects(owner: Owner) -> Iterator[tuple[str, pages.Body]]:
    """All objects of an owner."""
    for name in (*pages.names(owner.pk), ""):
        if (page := _page(owner, name)) is not None:
            folder = _folder(owner.name, name)
            yield from ((folder + form, body) for form, body in page.items())


def _remove_stray(store: Storage, key: str) -> None:
    """Delete an object that belongs to no page."""
    folder, _, form = key.rpartition("/")
    _, owner_name, *name_parts = folder.split("/")
    with transaction.atomic():
        owner = Owner.objects.select_for_update(no_key=True).filter(name=owner_name).first()
        if owner is None or form not in pages.FORMS or _page(owner, "/".join(name_parts)) is None:
            store.delete(key)


def _folder(owner: str, name: str) -> str:
    return f"{ROOT}{owner}/{name}/" if name else f"{ROOT}{owner}/"
