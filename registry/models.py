"""Re-exports the slices' models, where Django looks for them."""

from registry.accounts.models import (
    DeviceLogin,
    Invitation,
    Membership,
    Organisation,
    Owner,
    Runner,
    Token,
    User,
)
from registry.accounts.session_models import SignedInBrowser
from registry.attestations.models import Provenance
from registry.cache import CacheRow
from registry.card.models import Card, SignedCard
from registry.card.remeasurement_models import Remeasurement
from registry.catalog.changes import IndexChange
from registry.catalog.data_locks import VersionDataLock
from registry.catalog.locks import VersionLock
from registry.catalog.models import Environment, Tag, Version
from registry.catalog.related_models import (
    FormerName,
    Star,
    UsedFilename,
    VersionFinding,
    VersionNeed,
)
from registry.catalog.search.models import SearchDocument, SearchWord
from registry.events import Event, PendingEvent
from registry.git_sources.models import GitSource
from registry.moderation.models import Report
from registry.notifications.models import MailChoice, Notification, Watch
from registry.provisions.models import EnvironmentHost, EnvironmentSecret, EnvironmentVariable
from registry.publishers.models import TrustedPublisher, UsedJti
from registry.quotas.models import Quota
from registry.runs.log_models import LogChunk
from registry.runs.lost_attempt_models import LostAttempt
from registry.runs.models import Rollout, Run
from registry.runs.suite_models import Suite
from registry.runs.transcript_models import TranscriptPack
from registry.self_reported.models import Evaluation, SampleBatch
from registry.sources.models import Delivery, Source
from registry.uploads.readmes import RenderedReadme
from registry.webhooks.models import Webhook, WebhookDelivery

__all__ = [
    "CacheRow",
    "Card",
    "Delivery",
    "DeviceLogin",
    "Environment",
    "EnvironmentHost",
    "EnvironmentSecret",
    "EnvironmentVariable",
    "Evaluation",
    "Event",
    "FormerName",
    "GitSource",
    "IndexChange",
    "Invitation",
    "LogChunk",
    "LostAttempt",
    "MailChoice",
    "Membership",
    "Notification",
    "Organisation",
    "Owner",
    "PendingEvent",
    "Provenance",
    "Quota",
    "Remeasurement",
    "RenderedReadme",
    "Report",
    "Rollout",
    "Run",
    "Runner",
    "SampleBatch",
    "SearchDocument",
    "SearchWord",
    "SignedCard",
    "SignedInBrowser",
    "Source",
    "Star",
    "Suite",
    "Tag",
    "Token",
    "TranscriptPack",
    "TrustedPublisher",
    "UsedFilename",
    "UsedJti",
    "User",
    "Version",
    "VersionDataLock",
    "VersionFinding",
    "VersionLock",
    "VersionNeed",
    "Watch",
    "Webhook",
    "WebhookDelivery",
]
