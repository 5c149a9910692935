"""The cells of a run's grid. A page has hundreds, which a template takes too long for."""

from __future__ import annotations

from uuid import UUID

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from frontend.render import charts
from frontend.templatetags.hub import num
from registry.read_models.run_overview import Scale, TaskRow

register = template.Library()
NONE = SafeString('<span class="cell none">–</span>')


@register.simple_tag
def grid_cells(row: TaskRow, run: UUID, scale: Scale, named: str = "") -> SafeString:
    """A link to each rollout of a task in the colour of its reward, a dash for one that has not
    finished; with the policy's name where `named` is not empty."""
    page = reverse("run", args=[run])
    cells = (
        NONE
        if cell is None
        else format_html(
            '<a class="cell {}" href="{}rollouts/{}/" title="{}, task {}, attempt {}">{}{}</a>',
            charts.shade(cell, scale),
            page,
            cell.pk,
            cell.policy,
            cell.task,
            cell.attempt,
            f"{cell.policy} " if named else "",
            num(cell.reward) if cell.ok else "failed",
        )
        for cell in row.cells
    )
    return format_html_join(" ", "{}", ((cell,) for cell in cells))
