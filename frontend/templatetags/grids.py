"""The cells of a run's grid. A page has hundreds, which a template takes too long for."""

from __future__ import annotations

from uuid import UUID

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from frontend.render import charts
from frontend.templatetags.hub import num
from registry.read_models.links import rollout_path
from registry.read_models.run_overview import Cell, Scale, TaskRow

register = template.Library()
NONE = SafeString('<span class="cell none">–</span>')


@register.simple_tag
def grid_cells(row: TaskRow, run: UUID, scale: Scale, named: str = "") -> SafeString:
    """A link to each rollout of a task in the colour of its reward, a dash for one that has not
    finished; with the policy's name where `named` is not empty."""
    cells = (NONE if cell is None else _cell(cell, run, scale, named) for cell in row.cells)
    return SafeString(" ".join(cells))


def _cell(cell: Cell, run: UUID, scale: Scale, named: str) -> str:
    """Escaped by hand, since the policy is all that is no number; `format_html` takes thrice as
    long for hundreds of cells."""
    policy = escape(cell.policy)
    return (
        f'<a class="cell {charts.shade(cell, scale)}" href="{rollout_path(run, cell.pk)}" '
        f'title="{policy}, task {cell.task}, attempt {cell.attempt}">'
        f"{policy + ' ' if named else ''}{num(cell.reward) if cell.ok else 'failed'}</a>"
    )
