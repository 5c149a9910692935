"""Variables, secrets and hosts of an environment."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import lookup
from registry.api.auth import person
from registry.api.pagination import PageQuery, page
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import provisions as serializers
from registry.api.serializers.base import validated
from registry.api.throttles import rate_scope
from registry.provisions import cipher, services
from registry.provisions import hosts as host_services
from registry.read_models import provisions as read_models

TAG = ["Variables, secrets and hosts"]
Rate = rate_scope("provision", per_person=True, method="PUT")


@extend_schema(operation_id="listVariables", tags=TAG, responses=serializers.VariablesSerializer)
@api_view(["GET"])
@permission_classes([requires(GET="environment.see")])
def variables(request: Request, owner: str, name: str) -> Response:
    """List the public variables. Those that owners set; a version's wheel may declare others."""
    rows = lookup.environment(request, owner, name).variables.select_related("set_by")
    results = [read_models.variable(row) for row in rows]
    return Response(serializers.VariablesSerializer({"results": results}).data)


@extend_schema(
    methods=["PUT"],
    operation_id="setVariable",
    tags=TAG,
    summary="Set a variable",
    description="Public: later runs get it, and show it.",
    request=serializers.NewVariableSerializer,
    responses={200: serializers.VariableSerializer, **refusals(409)},
)
@extend_schema(
    methods=["DELETE"],
    operation_id="deleteVariable",
    tags=TAG,
    summary="Delete a variable",
    responses={204: None},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="environment.manage", DELETE="environment.manage")])
@throttle_classes([Rate])
def variable(request: Request, owner: str, name: str, variable: str) -> Response:
    """PUT: set it. DELETE: delete it."""
    environment, user = lookup.environment(request, owner, name), person(request)
    if request.method == "DELETE":
        services.delete_variable(environment=environment, name=variable, by=user)
        return Response(status=204)
    fields = validated(serializers.NewVariableSerializer, request)
    row = services.set_variable(environment=environment, name=variable, **fields, by=user)
    return Response(serializers.VariableSerializer(read_models.variable(row)).data)


@extend_schema(operation_id="listSecrets", tags=TAG, responses=serializers.SecretsSerializer)
@api_view(["GET"])
@permission_classes([requires(GET="environment.set_secrets")])
def secrets(request: Request, owner: str, name: str) -> Response:
    """List the secrets. Names and hosts; nobody can read a value again."""
    rows = lookup.environment(request, owner, name).secrets.select_related("set_by")
    values = {
        "available": cipher.is_available(),
        "results": [read_models.secret(row) for row in rows],
    }
    return Response(serializers.SecretsSerializer(values).data)


@extend_schema(
    methods=["PUT"],
    operation_id="setSecret",
    tags=TAG,
    summary="Set a secret",
    description="Encrypted, and never shown. The hosts alone receive it, each declared by the "
    "environment and approved by the hub's staff.",
    request=serializers.NewSecretSerializer,
    responses={200: serializers.SecretSerializer, **refusals(409)},
)
@extend_schema(
    methods=["DELETE"],
    operation_id="deleteSecret",
    tags=TAG,
    summary="Delete a secret",
    responses={204: None},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="environment.set_secrets", DELETE="environment.set_secrets")])
@throttle_classes([Rate])
def secret(request: Request, owner: str, name: str, key: str) -> Response:
    """PUT: set it. DELETE: delete it."""
    environment, user = lookup.environment(request, owner, name), person(request)
    if request.method == "DELETE":
        services.delete_secret(environment=environment, name=key, by=user)
        return Response(status=204)
    fields = validated(serializers.NewSecretSerializer, request)
    row = services.set_secret(
        environment=environment,
        name=key,
        value=fields["value"],
        to_hosts=fields["hosts"],
        by=user,
    )
    return Response(serializers.SecretSerializer(read_models.secret(row)).data)


@extend_schema(operation_id="listHosts", tags=TAG, responses=serializers.HostsSerializer)
@api_view(["GET"])
@permission_classes([requires(GET="environment.see")])
def hosts(request: Request, owner: str, name: str) -> Response:
    """List the declared hosts. Runs reach those that the hub's staff have approved."""
    environment = lookup.environment(request, owner, name)
    rows = host_services.of(environment).select_related("approved_by")
    results = [read_models.host(row) for row in rows]
    return Response(serializers.HostsSerializer({"results": results}).data)


@extend_schema(
    methods=["PUT"],
    operation_id="declareHost",
    tags=TAG,
    summary="Declare a host",
    description="For every version of the environment; `*.example.org` stands for one label.",
    request=None,
    responses={200: serializers.HostSerializer, **refusals(409)},
)
@extend_schema(
    methods=["DELETE"],
    operation_id="removeHost",
    tags=TAG,
    summary="Remove a host",
    description="Where an owner declared it; versions whose wheels declare it keep it.",
    responses={204: None},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="environment.manage", DELETE="environment.manage")])
@throttle_classes([Rate])
def host(request: Request, owner: str, name: str, host: str) -> Response:
    """PUT: declare it. DELETE: remove it."""
    environment, user = lookup.environment(request, owner, name), person(request)
    if request.method == "DELETE":
        host_services.remove(environment=environment, host=host, by=user)
        return Response(status=204)
    row = host_services.add(environment=environment, host=host, by=user)
    return Response(serializers.HostSerializer(read_models.host(row)).data)


@extend_schema(
    methods=["PUT"],
    operation_id="approveHost",
    tags=TAG,
    summary="Approve a host",
    description="For staff. Runs of the environment may then reach it.",
    request=None,
    responses=serializers.HostSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="refuseHost",
    tags=TAG,
    summary="End the approval of a host",
    description="For staff; holds for runs that are leased later.",
    responses={200: serializers.HostSerializer},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="environment.approve_hosts", DELETE="environment.approve_hosts")])
def approval(request: Request, owner: str, name: str, host: str) -> Response:
    """PUT: approve it. DELETE: end the approval."""
    environment, user = lookup.environment(request, owner, name), person(request)
    decide = host_services.approve if request.method == "PUT" else host_services.refuse
    row = decide(environment=environment, host=host, by=user)
    return Response(serializers.HostSerializer(read_models.host(row)).data)


@extend_schema(
    operation_id="listHostsToApprove",
    tags=TAG,
    parameters=[PageQuery],
    responses=serializers.HostToApproveSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="hub.moderate")])
def to_approve(request: Request) -> Response:
    """List the hosts to approve. For staff; the oldest first, as environments declared them."""
    rows = host_services.to_approve()
    return page(request, rows, serializers.HostToApproveSerializer, by=("declared_at", "pk"))
