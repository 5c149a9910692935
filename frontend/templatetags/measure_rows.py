"""The rows of tables of measures. A card has dozens, which a template takes too long for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from frontend.render import plain
from frontend.templatetags.hub import (
    amount,
    measure_code,
    measure_link,
    measure_rollouts,
    num,
    pill,
)
from frontend.templatetags.sources import source_mark

register = template.Library()
Measure = Mapping[str, Any]  # as cards store it, those of earlier rules with fewer fields
OF_CARD = (
    '<tr class="has-detail"><td class="wide">{}</td><td>{}</td><td>{}</td>'
    '<td class="muted" data-label="Threshold">{}</td>'
    '<td class="small" data-label="Source">{}</td><td class="muted" data-label="n">{}</td></tr>'
    '<tr><td colspan="6" class="wide muted small">{} <span class="links">{} {}</span></td></tr>'
)
OF_MODEL = (
    '<tr><td class="wide">{}{}</td><td data-label="Value">{}</td>'
    '<td class="small" data-label="Source">{}</td><td class="muted" data-label="n">{}</td>'
    '<td class="muted small"{}>{}</td></tr>'
)
INTERVAL = ' <span class="muted small nowrap"{}>[{}, {}]</span>'


@register.simple_tag
def card_measures(measures: Sequence[Measure], run: str) -> SafeString:
    """Two rows for each measure of the card that was computed from the run."""
    return format_html_join("\n", OF_CARD, (_of_card(measure, run) for measure in measures))


@register.simple_tag
def model_measures(measures: Sequence[Measure]) -> SafeString:
    """A row for each known measure of a model."""
    return format_html_join("\n", OF_MODEL, _of_model(measures))


def _of_card(measure: Measure, run: str) -> tuple[object, ...]:
    method = format_html(' title="95 % interval: {}"', measure.get("method", ""))
    return (
        measure_link(measure.get("title", ""), measure["code"]),
        pill(measure.get("status", "")),
        _value(measure, method),
        amount(measure.get("threshold"), measure.get("unit", "")),
        source_mark(measure.get("source", "")),
        "" if measure.get("n") is None else measure.get("n"),
        plain.visible(measure.get("detail", "")),
        measure_rollouts(measure["code"], run),
        measure_code(measure["code"]),
    )


def _of_model(measures: Sequence[Measure]) -> Iterator[tuple[object, ...]]:
    for measure in measures:
        if measure.get("value") is None:
            continue
        detail = plain.visible(measure.get("detail", ""))
        yield (
            measure_link(measure.get("title", ""), measure["code"]),
            format_html(' <span class="muted small">{}</span>', detail) if detail else "",
            _value(measure, SafeString()),
            source_mark(measure.get("source", "")),
            measure.get("n"),
            SafeString(' data-label="Method"' if measure.get("method", "") else ""),
            measure.get("method", ""),
        )


def _value(measure: Measure, title: SafeString) -> SafeString:
    """The number with its unit and interval."""
    unit, low, high = measure.get("unit", ""), measure.get("low"), measure.get("high")
    value = format_html("{}", amount(measure.get("value"), unit))
    if low is None:
        return value
    ends = (amount(low, unit), amount(high, unit)) if unit == "share" else (num(low), num(high))
    return value + format_html(INTERVAL, title, *ends)
