"""Numbers to inline SVG: no script, no style attribute, readable by screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class Cell(Protocol):
    """The fields of a rollout that the barcode uses."""

    pk: int
    policy: str
    task: int
    ok: bool
    reward: float | None


def barcode(rollouts: Sequence[Cell], total: int) -> SafeString:
    """One bar per rollout: failed ones red, others darker with a higher reward."""
    slots = max(total, len(rollouts), 1)
    width = 1000 / slots
    bars = format_html_join(
        "",
        '<rect class="{}" x="{}" y="0" width="{}" height="40"><title>{}</title></rect>',
        (
            (
                shade(r),
                f"{i * width:.2f}",
                f"{width * 0.86:.2f}",
                f"{r.policy} task {r.task}: " + ("failed" if not r.ok else f"{r.reward:.3g}"),
            )
            for i, r in enumerate(rollouts)
            if not r.ok or r.reward is not None
        ),
    )
    return format_html(
        '<svg class="barcode" viewBox="0 0 1000 40" preserveAspectRatio="none" role="img" '
        'aria-label="{} of {} rollouts, one bar each, darker is a higher reward">'
        '<rect x="0" y="0" width="1000" height="40"/>{}</svg>',
        len(rollouts),
        slots,
        bars,
    )


def shade(rollout: Cell) -> str:
    """The CSS class of a bar: failed, or one of four steps of the reward."""
    if not rollout.ok or rollout.reward is None:
        return "failed"
    return f"r{min(3, max(0, int(rollout.reward * 3.999)))}"


def interval(score: dict[str, Any]) -> SafeString:
    """A mean and its interval on an axis that contains 0, 1 and all values."""
    mean, low, high = score["mean"], score["low"], score["high"]
    if mean is None:
        return SafeString("")
    low, high = (mean if low is None else low), (mean if high is None else high)
    left, right = min(0.0, low), max(1.0, high)
    x = [round(6 + 108 * (value - left) / (right - left), 1) for value in (low, mean, high)]
    return format_html(
        '<svg class="interval" viewBox="0 0 120 14" role="img" aria-label="{} from {} to {}">'
        '<line class="track" x1="6" y1="7" x2="114" y2="7"/>'
        '<line class="range" x1="{}" y1="7" x2="{}" y2="7"/>'
        '<circle class="point" cx="{}" cy="7" r="3.5"/></svg>',
        *(f"{value:.3g}" for value in (mean, low, high)),
        x[0],
        x[2],
        x[1],
    )
