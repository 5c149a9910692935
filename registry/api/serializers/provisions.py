"""Variables, secrets and hosts of environments, and what a runner receives of secrets."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from envyard.contract.needs.declarations import MAX_VALUE
from registry.api.serializers.base import Body, ReadModelSerializer
from registry.api.serializers.fields import Text, Whole
from registry.provisions.models import EnvironmentHost
from registry.read_models import provisions


class AttemptSerializer(Body):
    """The attempt that the run token is for."""

    attempt = Whole(min_value=1)


class SecretValuesSerializer(serializers.Serializer[Any]):
    """The secrets that this attempt may use: name and value."""

    secrets = serializers.DictField(child=serializers.CharField())


class VariableSerializer(ReadModelSerializer):
    """A public variable."""

    model = provisions.Variable


class VariablesSerializer(serializers.Serializer[Any]):
    """The variables of an environment, by name."""

    results = VariableSerializer(many=True)


class NewVariableSerializer(Body):
    """The value of a variable."""

    value = Text(max_length=MAX_VALUE, allow_blank=True)


class SecretSerializer(ReadModelSerializer):
    """A secret without its value, which nobody can read again."""

    model = provisions.Secret


class SecretsSerializer(serializers.Serializer[Any]):
    """The secrets of an environment, by name."""

    available = serializers.BooleanField(help_text="Whether this hub has a key for secrets.")
    results = SecretSerializer(many=True)


class NewSecretSerializer(Body):
    """The value of a secret, and the hosts that may receive it."""

    value = Text(max_length=MAX_VALUE)
    hosts = serializers.ListField(child=Text(max_length=253), max_length=20)


class HostSerializer(ReadModelSerializer):
    """A declared host."""

    model = provisions.Host


class HostsSerializer(serializers.Serializer[Any]):
    """The hosts that an environment declares, by name."""

    results = HostSerializer(many=True)


class HostToApproveSerializer(serializers.Serializer[EnvironmentHost]):
    """A declared host that nobody has approved, and its environment."""

    environment = serializers.CharField()
    host = serializers.CharField()
    declared_at = serializers.DateTimeField()
