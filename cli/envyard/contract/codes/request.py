"""Codes of requests to the hub: API errors, accounts, tokens and uploads."""

from __future__ import annotations

from envyard.contract.codes.code import platform_fault, request_fault

REQUEST = (
    request_fault("request.invalid", "The request is not valid."),
    request_fault("request.too_large", "The request is larger than the limit."),
    request_fault("request.unauthenticated", "You are not signed in.", "Run `hub login`."),
    request_fault(
        "request.forbidden", "You may not do that.", "An owner can give you the permission."
    ),
    request_fault(
        "request.not_found", "There is nothing here, or you may not see it.", "Check the name."
    ),
    request_fault(
        "request.conflict", "Something else changed first.", "Read it again, then retry."
    ),
    request_fault(
        "request.no_secrets_key",
        "This hub has no key for secrets.",
        "Its operator creates one with `manage.py create_secrets_key` and sets HUB_SECRETS_KEYS.",
    ),
    request_fault("request.throttled", "Too many requests.", "Wait a little, then retry."),
    request_fault("request.method", "This address does not take that method."),
    request_fault(
        "account.mfa_required",
        "This hub requires a second factor for publishing.",
        "Add an authenticator app or a passkey on the hub's Security page.",
    ),
    request_fault("request.moved", "The environment has moved.", "Use its new name."),
    request_fault(
        "name.too_similar", "The name looks like another one of the owner.", "Rename it."
    ),
    request_fault(
        "name.moved", "An environment of that name moved to another owner.", "Choose another name."
    ),
    request_fault("token.invalid", "The token is unknown, expired or revoked.", "Run `hub login`."),
    request_fault(
        "token.scope", "The token's scope does not allow that.", "Create a token that may."
    ),
    request_fault(
        "token.exceeds_parent",
        "A token may not exceed the token that creates it.",
        "Request less, or create the token on the hub's Tokens page.",
    ),
    request_fault(
        "upload.version_exists",
        "This version exists with other bytes; versions are immutable.",
        "Raise the version.",
    ),
    request_fault(
        "upload.filename_taken",
        "This file name was used before and cannot be used again.",
        "Raise the version.",
    ),
    request_fault(
        "upload.owner_mismatch", "You may not publish under this owner.", "Check --owner."
    ),
    request_fault("upload.unsupported_file", "Only wheels are accepted.", "Upload the .whl file."),
    request_fault(
        "source.unreadable",
        "The source archive cannot be read.",
        "Push again with an archive of files and folders only.",
    ),
    request_fault(
        "prime.not_offered",
        "This hub does not offer that.",
        "docs/prime.md lists what works with the prime command.",
    ),
    # After this code verifiers uploads samples in place of traces.
    request_fault("service_not_enabled", "This hub keeps no traces; evaluations have samples."),
    request_fault(
        "runner.superseded", "Another attempt of this run is under way, or it has ended."
    ),
    platform_fault(
        "hub.error", "The hub failed.", "Try again; name the request id when you report it."
    ),
    platform_fault(
        "hub.full",
        "The hub has no disk space left.",
        "Try again later; its operator must free some.",
    ),
)
