"""Data locks: the one that stands, and what a runner offers."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from envyard.contract.data_lock import DataLock
from registry.api.serializers.base import Body, ContractSerializer, ReadModelSerializer
from registry.api.serializers.fields import Whole
from registry.read_models.data_locks import DataLockDetail


class DataLockSerializer(ContractSerializer):
    """The repositories, commits and files of a data set hub."""

    model = DataLock


class OfferedDataLockSerializer(Body):
    """What the run has read up to now."""

    attempt = Whole(min_value=1)
    lock = DataLockSerializer()


class StandingDataLockSerializer(serializers.Serializer[Any]):
    """The lock that holds for all runs of the version."""

    lock = DataLockSerializer()


class DataLockDetailSerializer(ReadModelSerializer):
    """The data lock of a version."""

    model = DataLockDetail
