"""Codes of the limits on owners and users."""

from __future__ import annotations

from envyard.contract.codes.code import request_fault

QUOTA = (
    request_fault(
        "quota.rate", "Too many uploads within an hour.", "Wait for the time in Retry-After."
    ),
    request_fault(
        "quota.storage", "The owner's storage is full.", "Delete versions that are not needed."
    ),
    request_fault(
        "quota.organisations",
        "The limit of organisations per person is reached.",
        "Use one of them.",
    ),
    request_fault(
        "quota.provisions",
        "The environment has too many variables, secrets or hosts.",
        "Delete those that no version needs.",
    ),
    request_fault(
        "quota.evaluations",
        "Too many evaluations of the person are active.",
        "Wait until one has ended, or cancel one.",
    ),
    request_fault(
        "quota.suites", "The environment has too many suites.", "Use one of those that it has."
    ),
    request_fault(
        "quota.queue",
        "Too many versions of the owner wait for their evaluation.",
        "Wait until some have been decided.",
    ),
)
