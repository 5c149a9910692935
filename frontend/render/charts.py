"""Numbers to inline SVG: no script, no style attribute, readable by screen readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from registry.read_models.compared_sides import PairedBar
from registry.read_models.rollouts import RolloutSummary
from registry.read_models.run_overview import Cell, Scale


def barcode(cells: Sequence[Cell], total: int, scale: Scale) -> SafeString:
    """One bar per rollout: failed ones red, others darker with a higher reward."""
    slots = max(total, len(cells), 1)
    width = 1000 / slots
    bars = SafeString(
        "".join(
            f'<rect class="{shade(cell, scale)}" x="{i * width:.2f}" y="0" '
            f'width="{width * 0.86:.2f}" height="40"><title>{escape(_label(cell))}</title></rect>'
            for i, cell in enumerate(cells)
            if not cell.ok or cell.reward is not None
        )
    )
    return format_html(
        '<svg class="barcode" viewBox="0 0 1000 40" preserveAspectRatio="none" role="img" '
        'aria-label="{} of {} rollouts, one bar each, darker is a higher reward">'
        '<rect x="0" y="0" width="1000" height="40"/>{}</svg>',
        len(cells),
        slots,
        bars,
    )


def _label(cell: Cell) -> str:
    reward = "failed" if cell.reward is None else f"{cell.reward:.3g}"
    return f"{cell.policy} task {cell.task}: {reward}"


def shade(cell: Cell | RolloutSummary, scale: Scale) -> str:
    """The CSS class of a rollout: failed, or a step of the run's scale of rewards."""
    if not cell.ok or cell.reward is None:
        return "failed"
    return f"r{scale.step(cell.reward)}"


def spread(rewards: Sequence[float], scale: Scale) -> SafeString:
    """The rewards of a group as dots on the run's axis, with their range and their mean."""
    if not rewards:
        return SafeString("")
    low, high, mean = min(rewards), max(rewards), fmean(rewards)
    x = [f"{6 + 148 * scale.position(value):.1f}" for value in (low, high, mean)]
    dots = SafeString(
        "".join(
            f'<circle cx="{6 + 148 * scale.position(value):.1f}" cy="10" r="3"/>'
            for value in sorted(set(rewards))
        )
    )
    return format_html(
        '<svg class="dots" viewBox="0 0 160 20" role="img" '
        'aria-label="rewards from {} to {}, mean {}"><line class="track" x1="6" y1="10" x2="154" '
        'y2="10"/><line class="range" x1="{}" y1="10" x2="{}" y2="10"/>{}'
        '<line class="mean" x1="{}" y1="2" x2="{}" y2="18"/></svg>',
        *(f"{value:.3g}" for value in (low, high, mean)),
        x[0],
        x[1],
        dots,
        x[2],
        x[2],
    )


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


def histogram(bars: Sequence[dict[str, Any]], label: str) -> SafeString:
    """The counts of a histogram as bars, relative to the largest."""
    most = max((bar["count"] for bar in bars), default=0) or 1
    width = 200 / max(1, len(bars))
    columns = format_html_join(
        "",
        '<rect x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>',
        (
            (
                f"{i * width:.2f}",
                f"{60 - height:.2f}",
                f"{width * 0.86:.2f}",
                f"{height:.2f}",
                f"{bar['low']:.3g} to {bar['high']:.3g}: {bar['count']}",
            )
            for i, bar in enumerate(bars)
            if (height := _visible_height(bar["count"], most))
        ),
    )
    counts = ", ".join(str(bar["count"]) for bar in bars)
    return format_html(
        '<svg class="histogram" viewBox="0 0 200 61" preserveAspectRatio="none" role="img" '
        'aria-label="{}: {}">{}<line x1="0" y1="60.5" x2="200" y2="60.5"/></svg>',
        label,
        counts,
        columns,
    )


def paired_histogram(bars: Sequence[PairedBar], first: str, second: str) -> SafeString:
    """Two histograms over each other on one axis, the first above it and the second below, each
    relative to the largest share of either side."""
    totals = [sum(counts) or 1 for counts in ([b.first for b in bars], [b.second for b in bars])]
    shares = [(bar.first / totals[0], bar.second / totals[1]) for bar in bars]
    most = max((share for pair in shares for share in pair), default=0.0) or 1.0
    width = 200 / max(1, len(bars))

    def columns(side: int) -> SafeString:
        counts = [(bar.first, bar.second)[side] for bar in bars]
        return format_html_join(
            "",
            '<rect class="{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>',
            (
                (
                    ("first", "second")[side],
                    f"{i * width:.2f}",
                    f"{(60 - height if side == 0 else 61):.2f}",
                    f"{width * 0.86:.2f}",
                    f"{height:.2f}",
                    f"{(first, second)[side]}: {bar.low:.3g} to {bar.high:.3g}: {counts[i]}",
                )
                for i, bar in enumerate(bars)
                if (height := max(2.0, 60 * shares[i][side] / most) if counts[i] else 0.0)
            ),
        )

    return format_html(
        '<svg class="histogram paired" viewBox="0 0 200 121" preserveAspectRatio="none" role="img" '
        'aria-label="rewards of {}: {}; of {}: {}">{}{}<line x1="0" y1="60.5" x2="200" y2="60.5"/>'
        "</svg>",
        first,
        ", ".join(str(bar.first) for bar in bars),
        second,
        ", ".join(str(bar.second) for bar in bars),
        columns(0),
        columns(1),
    )


def reward_bars(card: Mapping[str, Any]) -> SafeString:
    """The rewards of a card's model as a histogram of 60 by 16; empty without rewards."""
    counts = card["reward_bars"]
    if not counts:
        return SafeString("")
    width, most = 60 / len(counts), max(counts) or 1
    bars = SafeString(
        "".join(
            f'<rect x="{i * width:.1f}" y="{15 - height:.1f}" width="{width * 0.8:.1f}" '
            f'height="{height:.1f}"/>'
            for i, count in enumerate(counts)
            if (height := max(1.0, 15 * count / most) if count else 0.0)
        )
    )
    return format_html(
        '<svg class="bars" viewBox="0 0 60 16" role="img" aria-label="rewards from {} to {}: {}">'
        '{}<line x1="0" y1="15.5" x2="60" y2="15.5"/></svg>',
        f"{card['reward_low']:.3g}",
        f"{card['reward_high']:.3g}",
        ", ".join(map(str, counts)),
        bars,
    )


def task_strip(tasks: Sequence[dict[str, Any]]) -> SafeString:
    """One bar per task, darker with a higher solve rate."""
    width = 1000 / max(1, len(tasks))
    bars = format_html_join(
        "",
        '<rect class="{}" x="{}" y="0" width="{}" height="40"><title>{}</title></rect>',
        (
            (
                f"r{min(3, int(task['solved'] / task['n'] * 3.999))}",
                f"{i * width:.2f}",
                f"{width * 0.86:.2f}",
                "task {task}: {solved} of {n} solved, mean reward {mean:.3g}".format_map(task),
            )
            for i, task in enumerate(tasks)
        ),
    )
    return format_html(
        '<svg class="barcode" viewBox="0 0 1000 40" preserveAspectRatio="none" role="img" '
        'aria-label="solve rates of {} tasks, one bar each, darker is higher">{}</svg>',
        len(tasks),
        bars,
    )


def _visible_height(count: int, most: int) -> float:
    """Of 60 units; a bar that is not empty has at least two."""
    return max(2.0, 60 * count / most) if count else 0.0
