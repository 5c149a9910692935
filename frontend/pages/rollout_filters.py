"""The filters of rollouts in an address, which their pages and links share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from registry.runs import selection
from registry.runs.models import Rollout, Run
from registry.runs.selection import OUTCOMES, SORTS, Selection, Tasks

MAX_TEXT = 200
BOUNDS = ("task", "min_reward", "max_reward", "min_seconds", "max_seconds")
ANY = ("", "any")
SORT_NAMES = {
    "task": "task",
    "finished": "order of completion",
    "reward": "lowest reward",
    "-reward": "highest reward",
    "seconds": "fastest",
    "-seconds": "slowest",
    "-tokens": "most tokens out",
    "-turns": "most turns",
}


class Filters(forms.Form):
    """The fields of a Selection; a wrong value filters nothing and is shown with its error."""

    text = forms.CharField(required=False, max_length=MAX_TEXT)
    policy = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(required=False, choices=[ANY, *((name, name) for name in OUTCOMES)])
    split = forms.ChoiceField(required=False)
    task = forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    min_reward = forms.FloatField(required=False, label="Reward from")
    max_reward = forms.FloatField(required=False, label="to")
    min_seconds = forms.FloatField(required=False, label="Seconds from")
    max_seconds = forms.FloatField(required=False, label="to")
    sort = forms.ChoiceField(
        required=False, choices=[(name, SORT_NAMES[name]) for name in SORTS], label="Sort by"
    )

    def __init__(self, data: QueryDict, *, policies: list[str], splits: list[str]) -> None:
        super().__init__(data, auto_id="filter-%s")
        for name, values in (("policy", policies), ("split", splits)):
            field = cast("forms.ChoiceField", self.fields[name])
            field.choices = [ANY, *((value, value) for value in values)]
        if not splits:
            del self.fields["split"]
        for name in ("text", *BOUNDS):
            self.fields[name].widget.attrs["autocomplete"] = "off"
        self.fields["text"].widget.input_type = "search"

    @property
    def usual(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [field for field in self if field.name not in BOUNDS]

    @property
    def bounds(self) -> list[forms.BoundField]:
        """The fields that are shown on demand, and where one of them has a value."""
        return [self[name] for name in BOUNDS]

    @property
    def has_bounds(self) -> bool:
        """Whether one of these has a value."""
        return any(self.data.get(name) for name in BOUNDS)


@dataclass
class Chosen:
    """The rollouts that an address selects among `all_rows`."""

    all_rows: QuerySet[Rollout]
    form: Filters
    tasks: Tasks

    @cached_property
    def selection(self) -> Selection:
        """The valid values."""
        self.form.is_valid()
        values = {k: v for k, v in self.form.cleaned_data.items() if v not in ("", None)}
        return Selection(**values)

    @property
    def values(self) -> list[tuple[str, Any]]:
        """The parameters of an address, without those that filter nothing."""
        default, values = asdict(Selection()), asdict(self.selection)
        return [(name, value) for name, value in values.items() if value != default[name]]

    @property
    def query(self) -> str:
        """The query string of these filters."""
        return urlencode(self.values)

    @property
    def is_filtered(self) -> bool:
        """Whether anything is left out."""
        return any(name != "sort" for name, _ in self.values)

    @property
    def rows(self) -> QuerySet[Rollout]:
        """The rollouts in order."""
        return selection.rollouts(self.all_rows, selection=self.selection, tasks=self.tasks)


def of_request(query: QueryDict, run: Run) -> Chosen:
    """What the query string selects among the run's rollouts."""
    tasks = Tasks(run)
    form = Filters(query, policies=run.policies, splits=tasks.splits)
    return Chosen(run.own_rollouts, form, tasks)


def of_runs(query: QueryDict, runs: Sequence[Run]) -> Chosen:
    """What the query string selects among the rollouts of several runs of one version."""
    tasks = Tasks(*runs)
    policies = list(dict.fromkeys(policy for run in runs for policy in run.policies))
    form = Filters(query, policies=policies, splits=tasks.splits)
    return Chosen(Rollout.objects.filter(run__in=runs), form, tasks)


def groups(rows: list[Any], chosen: Chosen) -> list[dict[str, Any]]:
    """The rows by task where that is their order, each with the task's prompt; else one group."""
    if chosen.selection.sort != "task":
        return [{"task": None, "rows": rows}]
    result: list[dict[str, Any]] = []
    for row in rows:
        if not result or result[-1]["task"] != row.task:
            known = chosen.tasks.by_index.get(row.task)
            result.append({"task": row.task, "about": known, "rows": []})
        result[-1]["rows"].append(row)
    return result
