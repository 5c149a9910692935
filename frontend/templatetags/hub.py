"""Filters and tags of the templates: pills, numbers, times and charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from envyard.card.measures import MEASURES
from frontend.documentation import links
from frontend.render import avatars, charts, difference, marks, plain
from frontend.theme import THEMES, theme_of
from registry.accounts import second_factor
from registry.accounts.models import User
from registry.card.summary import CardSummary
from registry.notifications import services as notifications
from registry.read_models.compared_sides import PairedBar
from registry.read_models.run_overview import Cell, Scale

register = template.Library()

KIB = 1024
TINY = 5e-7  # below this a number is rounding noise
SETTINGS = {  # label -> route; all below it belong to it
    "Tokens": "tokens",
    "Security": "mfa_index",
    "Password": "account_change_password",
    "Sessions": "sessions",
    "Email": "account_email",
    "Organisations": "organisations",
    "Invitations": "invitations",
    "Notifications": "notification-settings",
    "Usage": "usage",
}
OTHER_PATHS = {"Organisations": "/orgs/"}  # of pages that belong to a label too
TONES = {
    "good": ("ok", "listed", "succeeded", "pass", "present"),
    "bad": ("failing", "rejected", "failed", "fail", "quarantined", "revoked", "disabled"),
    "warn": (
        *("held", "errored", "warn", "differs", "yanked", "deprecated", "cancelled", "unlisted"),
        *("expired", "cancelling", "draining", "away", "out of service", "full"),
    ),
    "busy": ("checking", "evaluating", "sharded", "leased", "preparing", "running", "scoring"),
}


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The theme of the page, one of THEMES."""
    return theme_of(context.get("request"))


@register.inclusion_tag("parts/theme.html", takes_context=True)
def theme_switch(context: template.Context) -> dict[str, Any]:
    """The form that chooses a theme and returns to the page; without JavaScript too."""
    request = context.get("request")
    chosen = theme_of(request)
    # The answer to a form has no address to return to.
    address = request.get_full_path() if request and request.method == "GET" else "/"
    return {
        "next": address,
        "themes": [
            {"name": name, "label": label, "on": name == chosen} for name, label in THEMES.items()
        ],
    }


@register.simple_tag
def pill(word: str) -> SafeString:
    """A status as a word with colour and sign."""
    tone = next((tone for tone, words in TONES.items() if word in words), "")
    return format_html('<span class="pill {}">{}</span>', tone, word)


@register.simple_tag
def avatar(name: str) -> SafeString:
    """The pattern drawn from a name; see `avatars.avatar`."""
    return avatars.avatar(name)


@register.filter
def visible(value: object) -> str:
    """Untrusted text with a sign for each invisible character."""
    return plain.visible(str(value))


@register.filter
def marked(value: object, needle: str) -> SafeString:
    """Untrusted text with the matches of a search; see `marks.marked`."""
    return marks.marked(value, needle)


@register.filter
def ticks(value: object) -> SafeString:
    """A sentence of the hub with text in backticks as `<code>`."""
    parts = str(value).split("`")
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<code>{}</code>", part) if n % 2 else part,)
            for n, part in enumerate(parts)
        ),
    )


@register.filter
def finding_link(code: str) -> SafeString:
    """A finding code with a link to its page; the code alone where the hub does not know it."""
    return _documented(format_html("<code>{}</code>", code), links.code_address(code))


@register.filter
def measure_link(title: str, name: str) -> SafeString:
    """The title of a measure with a link to its page; the title alone for one of older rules."""
    return _documented(format_html("{}", title), links.measure_address(name))


@register.filter
def measure_rollouts(name: str, run: str) -> SafeString:
    """A link to the rollouts of the run behind a measure; empty where the hub knows none."""
    definition = MEASURES.get(name)
    if definition is None or not definition.rollouts:
        return SafeString()
    address = reverse("run", args=[run])
    return format_html('<a href="{}?{}">rollouts</a>', address, definition.rollouts)


@register.filter
def measure_code(name: str) -> SafeString:
    """The code of a measure's finding with a link to its page; empty without one."""
    code = f"card.{name}"
    return finding_link(code) if links.code_address(code) else SafeString()


DIFF_TAGS = {"+": "ins", "-": "del", "@": "b"}


@register.filter
def diff_lines(lines: Sequence[str]) -> SafeString:
    """The lines of a unified diff: added as `<ins>`, removed as `<del>`, places as `<b>`."""
    rows = []
    for line in lines:
        text, tag = plain.visible(line), DIFF_TAGS.get(line[:1])
        rows.append(format_html("<{0}>{1}</{0}>", tag, text) if tag else format_html("{}", text))
    return format_html_join("\n", "{}", ((row,) for row in rows))


def _documented(label: SafeString, address: str) -> SafeString:
    return format_html('<a href="{}">{}</a>', address, label) if address else label


@register.filter
def sentence(value: object) -> str:
    """What a person typed, with a full stop where it ends without a mark."""
    text = str(value).rstrip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


@register.filter
def num(value: object) -> str:
    """Three significant digits, from 1,000 on all before the point; a dash for no number."""
    if not isinstance(value, int | float):
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return "0" if abs(value) < TINY else f"{value:.3g}"


@register.filter
def amount(value: object, unit: str) -> str:
    """A measure's number with its unit, a share in percent; a dash for no number."""
    if not isinstance(value, int | float):
        return "–"
    return f"{num(100 * value)} %" if unit == "share" else f"{num(value)} {unit}"


@register.filter
def size(value: int) -> str:
    """`3.6 KiB`, in the units of the command and the settings; below 1024 in bytes."""
    number, unit = float(value), "byte" if value == 1 else "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if number < KIB:
            break
        number, unit = number / KIB, larger
    return f"{value} {unit}" if value < KIB else f"{number:.1f} {unit}"


def moment(value: object) -> datetime | None:
    """The time, from a datetime or its ISO text."""
    return (
        value
        if isinstance(value, datetime)
        else parse_datetime(value)
        if isinstance(value, str)
        else None
    )


@register.filter
def ago(value: object) -> SafeString | str:
    """`3 hours ago` with the exact time as its title."""
    at = moment(value)
    if at is None:
        return "–"
    words = timesince(at, timezone.now(), depth=1)
    label = "just now" if words.startswith("0") else f"{words} ago"
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), clock(at), label)


@register.filter
def clock(value: object) -> str:
    """`2026-11-21 10:15 UTC`."""
    at = moment(value)
    return at.strftime("%Y-%m-%d %H:%M UTC") if at else ""


@register.simple_tag
def barcode(cells: Sequence[Cell], total: int, scale: Scale) -> SafeString:
    """The chart of rollouts, one bar each."""
    return charts.barcode(cells, total, scale)


@register.simple_tag
def spread(rewards: Sequence[float], scale: Scale) -> SafeString:
    """The rewards of a group on the run's axis; see `charts.spread`."""
    return charts.spread(rewards, scale)


@register.simple_tag
def interval(score: dict[str, Any]) -> SafeString:
    """A mean with its interval."""
    return charts.interval(score)


@register.simple_tag
def histogram(bars: Sequence[dict[str, Any]], label: str) -> SafeString:
    """The bars of a histogram; see `charts.histogram`."""
    return charts.histogram(bars, plain.visible(label))


@register.simple_tag
def paired_histogram(bars: Sequence[PairedBar], first: str, second: str) -> SafeString:
    """Two histograms over each other; see `charts.paired_histogram`."""
    return charts.paired_histogram(bars, plain.visible(first), plain.visible(second))


@register.simple_tag
def reward_bars(card: dict[str, Any]) -> SafeString:
    """The rewards of a card's model as a small histogram; see `charts.reward_bars`."""
    return charts.reward_bars(card)


@register.simple_tag
def diff_row(row: difference.Row) -> SafeString:
    """Both sides of a line; see `difference.pair`."""
    return difference.pair(row)


@register.filter
def measures(card: dict[str, Any]) -> int:
    """The number of measures of a card's summary, unknown ones included."""
    return CardSummary(**card).measures


@register.simple_tag
def task_strip(tasks: Sequence[dict[str, Any]]) -> SafeString:
    """The solve rates of tasks; see `charts.task_strip`."""
    return charts.task_strip(tasks)


@register.inclusion_tag("parts/settings.html", takes_context=True)
def settings_pages(context: template.Context) -> dict[str, Any]:
    """The tabs above all pages about the reader's account."""
    request = context["request"]
    pages = [(label, reverse(route)) for label, route in SETTINGS.items()]
    return {
        "pages": [
            {
                "label": label,
                "url": url,
                "on": request.path.startswith((url, OTHER_PATHS.get(label, url))),
            }
            for label, url in pages
        ],
        "unproven": second_factor.missing(request.user),
    }


@register.simple_tag
def unread(user: object) -> str:
    """How many unread notifications the person has, `100+` from 100 on, empty for none."""
    count = notifications.unread_count(user) if isinstance(user, User) else 0
    most = notifications.MAX_UNREAD
    return f"{most}+" if count >= most else str(count or "")
