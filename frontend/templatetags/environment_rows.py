"""The rows of a list of environments. Pages have 20, which a template takes too long for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from frontend.render import plain
from frontend.templatetags.hub import pill
from frontend.templatetags.verdict import verdict_strip
from registry.catalog.models import Environment
from registry.read_models.environments import EnvironmentSummary

register = template.Library()
ROW = (
    '<li><div class="row spread"><span class="row title"><a class="name" href="{}">{}</a>{}</span>'
    '<span class="row small muted">{}</span></div>{}</li>'
)
SUMMARY = ' <span class="summary" title="{0}">{0}</span>'


@register.simple_tag(takes_context=True)
def environment_rows(
    context: template.Context, environments: Sequence[EnvironmentSummary]
) -> SafeString:
    """A row for each environment. `statuses` of the page names the status of the newest version of
    those that list none."""
    statuses: Mapping[str, str] = context.get("statuses") or {}
    return format_html_join("\n", ROW, (_cells(row, statuses) for row in environments))


def _cells(row: EnvironmentSummary, statuses: Mapping[str, str]) -> tuple[object, ...]:
    summary = plain.visible(row.summary)
    return (
        row.url,
        row.ref,
        format_html(SUMMARY, summary) if summary else "",
        SafeString(" ".join(_facts(row, statuses))),
        verdict_strip(row),
    )


def _facts(row: EnvironmentSummary, statuses: Mapping[str, str]) -> Iterator[SafeString]:
    """What stands at the end of the first line."""
    if row.visibility == Environment.Visibility.PRIVATE:
        yield pill("private")
    if not row.latest:
        yield pill(statuses.get(row.ref, "unlisted"))
    if row.deprecated:
        yield pill("deprecated")
    if row.framework:
        yield format_html('<span class="tag">{} {}</span>', row.framework, row.api)
    if row.stars:
        yield format_html("<span>★ {}</span>", row.stars)
    if row.installs:
        yield format_html('<span title="Installs">↓ {}</span>', row.installs)
