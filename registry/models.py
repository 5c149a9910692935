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
from registry.card.models import Card
from registry.catalog.changes import IndexChange
from registry.catalog.models import (
    Environment,
    FormerName,
    Star,
    Tag,
    UsedFilename,
    Version,
    VersionFinding,
)
from registry.events import Event
from registry.runs.models import LogChunk, Rollout, Run

__all__ = [
    "Card",
    "DeviceLogin",
    "Environment",
    "Event",
    "FormerName",
    "IndexChange",
    "Invitation",
    "LogChunk",
    "Membership",
    "Organisation",
    "Owner",
    "Rollout",
    "Run",
    "Runner",
    "Star",
    "Tag",
    "Token",
    "UsedFilename",
    "User",
    "Version",
    "VersionFinding",
]
