"""What is told of environments, versions and their publishers."""

from __future__ import annotations

from envyard.contract.facets import FACETS
from registry.api.schema import bodies
from registry.api.schema.base import All, Page
from registry.api.schema.environments import (
    EnvironmentDetail,
    EnvironmentPage,
    EnvironmentSummary,
    Starred,
    VersionDetail,
    VersionSummary,
)
from registry.api.schema.operation import PAGED, Operation, query
from registry.api.schema.people import Publisher
from registry.catalog.search.results import SORTS

ENV = "environments/{owner}/{name}/"
VERSION = f"{ENV}versions/{{number}}/"
OWNER = "owners/{name}/publishers/"
FILTERS = (
    query("q", "Words; all must be found, misspelled ones are forgiven."),
    *(
        query(name, facet.description, **({"enum": list(facet.choices)} if facet.choices else {}))
        for name, facet in FACETS.items()
    ),
    query("mine", "1: what you belong to, listed or not.", enum=["1"]),
    query("facets", "1: count what the filters would leave.", enum=["1"]),
    query("sort", "`relevance` needs `q`, and is then the usual order.", enum=SORTS),
)

OPERATIONS = {
    "GET environments/": Operation(
        "listEnvironments",
        "Environments",
        "Search the catalogue",
        "Listed environments that you may see, with words and filters; all filters must hold.",
        {200: EnvironmentPage},
        query=(*FILTERS, *PAGED),
        free=True,
    ),
    "POST environments/": Operation(
        "createEnvironment",
        "Environments",
        "Get or create an environment",
        "An empty environment under a name of yours; uploading its first version makes one too, "
        "so this is for those that shall be private from the start.",
        {200: EnvironmentSummary, 201: EnvironmentSummary},
        bodies.NewEnvironment,
        said={200: "It was there already."},
        refusals=(404, 409, 429),
    ),
    f"GET {ENV}": Operation(
        "getEnvironment",
        "Environments",
        "Show an environment",
        "With its latest version, or the newest that you may see where none is listed.",
        {200: EnvironmentDetail},
        free=True,
    ),
    f"PATCH {ENV}": Operation(
        "changeEnvironment",
        "Environments",
        "Change the visibility",
        "For maintainers and owners.",
        {200: EnvironmentDetail},
        bodies.ChangedEnvironment,
    ),
    f"DELETE {ENV}": Operation(
        "deleteEnvironment",
        "Environments",
        "Delete an environment",
        "For good: its versions and file names never return.",
        {204: None},
    ),
    f"POST {ENV}transfer/": Operation(
        "transferEnvironment",
        "Environments",
        "Give an environment to another owner",
        "You must publish under both names. The old address leads to the new one.",
        {200: EnvironmentDetail},
        bodies.NewOwner,
    ),
    f"POST {ENV}deprecate/": Operation(
        "deprecateEnvironment",
        "Environments",
        "Deprecate an environment",
        "It stays installable; pages and the index show the reason and the successor.",
        {200: EnvironmentDetail},
        bodies.NewDeprecation,
    ),
    f"DELETE {ENV}deprecate/": Operation(
        "undeprecateEnvironment",
        "Environments",
        "Take a deprecation back",
        "409 where there is none.",
        {200: EnvironmentDetail},
    ),
    f"PUT {ENV}star/": Operation(
        "starEnvironment",
        "Environments",
        "Star an environment",
        "May be said twice.",
        {200: Starred},
    ),
    f"DELETE {ENV}star/": Operation(
        "unstarEnvironment",
        "Environments",
        "Take a star away",
        "May be said twice.",
        {200: Starred},
    ),
    f"GET {ENV}versions/": Operation(
        "listVersions",
        "Versions",
        "List versions",
        "Those that you may see, newest first; owners see unlisted ones too.",
        {200: Page[VersionSummary]},
        query=PAGED,
        free=True,
    ),
    f"GET {VERSION}": Operation(
        "getVersion",
        "Versions",
        "Show a version",
        "With metadata, file, findings, its place in the pipeline, last run and card.",
        {200: VersionDetail},
        free=True,
    ),
    f"DELETE {VERSION}": Operation(
        "deleteVersion",
        "Versions",
        "Delete a version",
        "For good: neither the version nor its file name ever returns. Yank it where people may "
        "have pinned it.",
        {204: None},
    ),
    f"POST {VERSION}yank/": Operation(
        "yankVersion",
        "Versions",
        "Yank a version",
        "Installers no longer pick it; exact pins still find it (PEP 592).",
        {200: VersionSummary},
        bodies.Reason,
    ),
    f"DELETE {VERSION}yank/": Operation(
        "unyankVersion",
        "Versions",
        "Take a yank back",
        "409 where it is not yanked.",
        {200: VersionSummary},
    ),
    f"POST {VERSION}retry/": Operation(
        "retryVersion",
        "Versions",
        "Evaluate a held version again",
        "For who may publish it, and staff. 409 where it is not held: one that is under way is not "
        "retried. From the second retry within a day 429 until a minute after it was held, then "
        "two, four, up to an hour; not for staff.",
        {200: VersionDetail},
        refusals=(409, 429),
    ),
    f"POST {VERSION}rejudge/": Operation(
        "rejudgeVersion",
        "Versions",
        "Judge a rejected version again",
        "For staff, after a rule was changed or a fault of the hub mended. It goes back to the "
        "step that rejected it: the check, the verdict on its last run, or a new run. The journal "
        "keeps the reason. 409 where it is not rejected.",
        {200: VersionDetail},
        bodies.Reason,
        refusals=(409,),
    ),
    f"GET {ENV}publishers/": Operation(
        "listPublishers",
        "Trusted publishers",
        "List the publishers of an environment",
        "Workflows that may publish it without a stored token.",
        {200: All[Publisher]},
    ),
    f"POST {ENV}publishers/": Operation(
        "addPublisher",
        "Trusted publishers",
        "Trust a publisher",
        "For owners. Which claims a kind needs stands in docs/trusted-publishing.md.",
        {201: Publisher},
        bodies.NewPublisher,
    ),
    f"DELETE {ENV}publishers/{{id}}/": Operation(
        "removePublisher",
        "Trusted publishers",
        "Remove a publisher",
        "The tokens that it holds end now.",
        {204: None},
    ),
    f"GET {OWNER}": Operation(
        "listPendingPublishers",
        "Trusted publishers",
        "List the pending publishers of an owner",
        "Those whose environment their first upload will make.",
        {200: All[Publisher]},
    ),
    f"POST {OWNER}": Operation(
        "addPendingPublisher",
        "Trusted publishers",
        "Trust a publisher of an environment to come",
        "Its first upload makes the environment `name`.",
        {201: Publisher},
        bodies.NewPendingPublisher,
        refusals=(409,),
    ),
    f"DELETE {OWNER}{{id}}/": Operation(
        "removePendingPublisher",
        "Trusted publishers",
        "Remove a pending publisher",
        "The environment is then not made.",
        {204: None},
    ),
}
