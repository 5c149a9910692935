"""Webhooks and their deliveries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rest_framework import serializers

from registry.api.serializers.base import Body, read_model
from registry.api.serializers.fields import Choice, Text
from registry.read_models.annotations import Spec
from registry.read_models.webhooks import DeliverySummary, WebhookSummary
from registry.webhooks.services import OFFERED

WebhookSerializer = read_model(WebhookSummary)
DeliverySerializer = read_model(DeliverySummary)


@dataclass(frozen=True, slots=True)
class WebhookList:
    """The webhooks of an environment or owner."""

    results: list[WebhookSummary]


@dataclass(frozen=True, slots=True)
class WebhookWithSecret:
    """A webhook with its secret, which is shown this once."""

    webhook: WebhookSummary
    secret: Annotated[str, Spec(description="Standard Webhooks form: whsec_ and base64.")]


WebhookListSerializer = read_model(WebhookList)
CreatedWebhookSerializer = read_model(WebhookWithSecret)


class NewWebhookSerializer(Body):
    """An address and the kinds of news that it gets."""

    url = Text(help_text="https:// with a host whose addresses are public.")
    kinds = serializers.ListField(
        child=Choice(OFFERED), required=False, default=list, help_text="Left out: all."
    )
    refuses_unknown = True
