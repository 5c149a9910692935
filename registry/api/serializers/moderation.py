"""Reports and the journal."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from registry.api.serializers.base import Body, SharedFieldsSerializer
from registry.api.serializers.fields import Choice, Text
from registry.events import Event
from registry.moderation import journal
from registry.moderation.models import Report

REASONS = Report.Reason.values
OPEN = "open"


class ReportSerializer(SharedFieldsSerializer):
    """A report about an environment, and how staff resolved it."""

    id = serializers.IntegerField()
    environment = serializers.CharField()
    version = serializers.CharField(source="version.version", allow_null=True)
    reporter = serializers.CharField(source="reporter.username")
    reason = serializers.ChoiceField(REASONS)
    text = serializers.CharField()
    created_at = serializers.DateTimeField()
    resolved_at = serializers.DateTimeField(allow_null=True)
    resolved_by = serializers.CharField(source="resolved_by.username", allow_null=True)
    resolution = serializers.CharField()


class ReportQuery(SharedFieldsSerializer):
    """Which reports."""

    state = Choice([OPEN, "resolved"], required=False, help_text="Open or resolved ones.")


class NewReportSerializer(Body):
    """What is wrong, with all of it or with one version."""

    reason = Choice(REASONS)
    text = Text()
    version = Text(required=False)


class ResolutionSerializer(Body):
    """What was done about it."""

    resolution = Text()


class JournalEntrySerializer(SharedFieldsSerializer):
    """One thing that happened; `text` is a sentence about it."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(
        source="actor.username", allow_null=True, help_text="Null: the hub itself."
    )
    verb = serializers.CharField()
    text = serializers.SerializerMethodField()
    owner = serializers.CharField(source="owner.name", allow_null=True)
    environment = serializers.SerializerMethodField()
    version = serializers.CharField(source="version.version", allow_null=True)
    run = serializers.CharField(source="run_id", allow_null=True)
    data = serializers.SerializerMethodField()  # type: ignore[assignment] # not the request's

    def get_text(self, event: Event) -> str:
        """The sentence, with the data that the actor in the context may see."""
        return journal.sentence(event, data=self.get_data(event))

    def get_environment(self, event: Event) -> str | None:
        """Its name at that time."""
        return journal.environment_then(event)

    def get_data(self, event: Event) -> dict[str, Any]:
        """What the actor in the context may see of the entry's data."""
        return journal.data_for(event, *self.context["actor"])
