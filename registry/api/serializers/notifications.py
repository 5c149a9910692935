"""Notifications and watches."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from registry.api.serializers.base import Body, SharedFieldsSerializer, read_model
from registry.api.serializers.fields import Choice, Whole
from registry.read_models.notifications import NotificationSummary

NotificationSerializer = read_model(NotificationSummary)


class NotificationQuery(SharedFieldsSerializer):
    """Which notifications."""

    state = Choice(["all", "unread"], required=False, help_text="All, or those that are unread.")


class MarkReadSerializer(Body):
    """Which one; all without it."""

    id = Whole(required=False, allow_null=True, default=None, min_value=1)
    refuses_unknown = True


class MarkedReadSerializer(Serializer[Any]):
    """How many were unread."""

    marked = serializers.IntegerField()


class WatchingSerializer(Serializer[Any]):
    """Whether you watch it now."""

    watching = serializers.BooleanField()


class WatchSerializer(SharedFieldsSerializer):
    """An environment that you watch."""

    environment = serializers.CharField(help_text="owner/name")
    since = serializers.DateTimeField(source="at")
