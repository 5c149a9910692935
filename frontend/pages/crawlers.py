"""What crawlers read: robots.txt and the sitemaps of pages and of public environments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap, views
from django.core.cache import cache
from django.core.paginator import Page, Paginator
from django.db.models import Max, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from frontend.documentation import links
from frontend.documentation.documents import documents
from registry.catalog.models import Environment

PAGE = 250  # addresses of one file; of more, the slowest page of a full hub
HOUR = 3600  # seconds
# Pages that only a person can use, and endless combinations of filters.
DISALLOWED = (
    *("/api/", "/admin/", "/_/", "/legacy/", "/login/", "/logout/", "/signup/", "/settings/"),
    *(
        "/moderation/",
        "/device/",
        "/email/",
        "/password/",
        "/reauthenticate/",
        "/envs/?",
        "/docs/?",
    ),
    *("/leaderboards/?", "/runs/"),
)


class HubSitemap(Sitemap):  # type: ignore[type-arg] # not subscriptable at run time
    """Addresses below HUB_URL, whatever name the request used."""

    limit = PAGE

    def __init__(self) -> None:
        self.protocol = urlsplit(settings.HUB_URL).scheme

    def get_domain(self, site: Any = None) -> str:
        """The host of HUB_URL."""
        return urlsplit(settings.HUB_URL).netloc


@dataclass(frozen=True, slots=True)
class Files:
    """The key of the first environment of each file, and when one of them all changed last."""

    firsts: list[int]
    latest: datetime | None


class EnvironmentFiles(Paginator):  # type: ignore[type-arg] # not subscriptable at run time
    """Files of consecutive keys. Django's own count all rows, and read those of earlier files."""

    @property
    def rows(self) -> QuerySet[Environment]:
        """All of them."""
        return cast("QuerySet[Environment]", self.object_list)

    @cached_property
    def files(self) -> Files:
        """As they were within the last hour; the last file also has what came since."""
        key = f"sitemap.{self.per_page}"
        return cast("Files", cache.get_or_set(key, self._divide, HOUR))

    @property
    def num_pages(self) -> int:
        """At least one, which may be empty."""
        return max(1, len(self.files.firsts))

    def page(self, number: Any) -> Page[Environment]:
        """The rows of a file, one query."""
        at = self.validate_number(number)
        first, following = (self.files.firsts[n : n + 1] for n in (at - 1, at))
        rows = self.rows.filter(pk__gte=first[0]) if first else self.rows
        return Page(rows.filter(pk__lt=following[0]) if following else rows, at, self)

    def _divide(self) -> Files:
        keys = self.rows.values_list("pk", flat=True)
        latest = self.rows.aggregate(latest=Max("updated_at"))["latest"]
        return Files(list(keys)[:: self.per_page], latest)


class EnvironmentSitemap(HubSitemap):
    """Listed public environments, the oldest first, so that full files do not change."""

    @cached_property
    def paginator(self) -> EnvironmentFiles:
        """The files."""
        return EnvironmentFiles(self.items(), self.limit)

    def items(self) -> QuerySet[Environment]:
        """Rows with their owner, in a query for each file."""
        public = Environment.objects.listed().filter(visibility=Environment.Visibility.PUBLIC)
        rows = public.select_related("owner").order_by("pk")
        return rows.only("name", "updated_at", "owner__name")

    def location(self, item: Environment) -> str:
        """Its page."""
        return reverse("environment", args=[item.owner.name, item.name])

    def lastmod(self, item: Environment) -> datetime:
        """When it changed last."""
        return item.updated_at

    def get_latest_lastmod(self) -> datetime | None:
        """When one of them changed last; Django's own reads all rows."""
        return self.paginator.files.latest


class PageSitemap(HubSitemap):
    """The pages that every hub has, with its documentation."""

    def items(self) -> list[str]:
        """Their addresses."""
        names = ("home", "browse", "leaderboards", "publish", "runner", "status", "docs")
        return [*map(reverse, names), *map(links.document_address, documents())]

    def location(self, item: str) -> str:
        """The address itself."""
        return item


SITEMAPS: dict[str, type[Sitemap[Any]] | Sitemap[Any]] = {
    "pages": PageSitemap,
    "environments": EnvironmentSitemap,
}


@require_safe
@cache_control(public=True, max_age=HOUR)
def robots(request: HttpRequest) -> HttpResponse:
    """The paths that crawlers leave out, and the address of the sitemap."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED)]
    lines += ["", f"Sitemap: {settings.HUB_URL}{reverse('sitemap')}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=HOUR)
def index(request: HttpRequest) -> HttpResponse:
    """The addresses of all sitemaps."""
    return views.index(request, sitemaps=SITEMAPS, sitemap_url_name="sitemap-section")


@require_safe
@cache_control(public=True, max_age=HOUR)
def section(request: HttpRequest, section: str) -> HttpResponse:
    """One sitemap, from its page `p` on PAGE addresses."""
    return views.sitemap(request, SITEMAPS, section, template_name="sitemap_addresses.xml")
