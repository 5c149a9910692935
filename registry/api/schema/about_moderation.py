"""What is told of reports, quarantine and the journal."""

from __future__ import annotations

from registry.api.schema.base import Page
from registry.api.schema.bodies import Reason
from registry.api.schema.environments import EnvironmentSummary, VersionSummary
from registry.api.schema.moderation import JournalEntry, NewReport, Report, Resolution
from registry.api.schema.operation import PAGED, Operation, query

ENV = "environments/{owner}/{name}/"
VERSION = f"{ENV}versions/{{number}}/"
STATE = query("state", "Those that wait, or those that are done.", enum=["open", "resolved"])

OPERATIONS = {
    f"POST {ENV}report/": Operation(
        "reportEnvironment",
        "Moderation",
        "Report an environment",
        "Tells staff what is wrong with it, or with one version.",
        {201: Report},
        NewReport,
        refusals=(429,),
    ),
    f"POST {ENV}quarantine/": Operation(
        "quarantineEnvironment",
        "Moderation",
        "Quarantine an environment",
        "For staff: nobody can install it until it is released (PEP 792).",
        {200: EnvironmentSummary},
        Reason,
    ),
    f"DELETE {ENV}quarantine/": Operation(
        "releaseEnvironment",
        "Moderation",
        "Release an environment from quarantine",
        "For staff.",
        {200: EnvironmentSummary},
    ),
    f"POST {VERSION}quarantine/": Operation(
        "quarantineVersion",
        "Moderation",
        "Quarantine a version",
        "For staff: nobody can install it until it is released.",
        {200: VersionSummary},
        Reason,
    ),
    f"DELETE {VERSION}quarantine/": Operation(
        "releaseVersion",
        "Moderation",
        "Release a version from quarantine",
        "For staff.",
        {200: VersionSummary},
    ),
    f"GET {ENV}events/": Operation(
        "listEnvironmentEvents",
        "Journal",
        "Read the journal of an environment",
        "What happened to it, the newest first.",
        {200: Page[JournalEntry]},
        query=PAGED,
    ),
    "GET owners/{name}/events/": Operation(
        "listOwnerEvents",
        "Journal",
        "Read the journal of an owner",
        "What happened under that name, the newest first.",
        {200: Page[JournalEntry]},
        query=PAGED,
    ),
    "GET moderation/events/": Operation(
        "listEvents",
        "Journal",
        "Read the whole journal",
        "For staff; the newest first.",
        {200: Page[JournalEntry]},
        query=PAGED,
    ),
    "GET moderation/reports/": Operation(
        "listReports",
        "Moderation",
        "List reports",
        "For staff; the oldest first.",
        {200: Page[Report]},
        query=(STATE, *PAGED),
    ),
    "POST moderation/reports/{id}/resolve/": Operation(
        "resolveReport",
        "Moderation",
        "Close a report",
        "For staff, with a sentence on what was done.",
        {200: Report},
        Resolution,
        refusals=(409,),
    ),
}
