"""The codes of findings and API errors, one module per subject; may import nothing but itself."""

from __future__ import annotations

from envyard.contract.codes.card import CARD
from envyard.contract.codes.code import Code, Fault, Severity
from envyard.contract.codes.data import DATA
from envyard.contract.codes.environment import ENVIRONMENT
from envyard.contract.codes.git import GIT
from envyard.contract.codes.hosts import HOSTS
from envyard.contract.codes.judge import JUDGE
from envyard.contract.codes.metadata import METADATA
from envyard.contract.codes.needs import NEEDS
from envyard.contract.codes.quota import QUOTA
from envyard.contract.codes.request import REQUEST
from envyard.contract.codes.run import RUN
from envyard.contract.codes.trusted_publishing import TRUSTED_PUBLISHING
from envyard.contract.codes.wheel_archive import WHEEL_ARCHIVE
from envyard.contract.codes.wheel_content import WHEEL_CONTENT
from envyard.contract.codes.wheel_paths import WHEEL_PATHS

__all__ = ["CODES", "Code", "Fault", "Severity"]

SUBJECTS = (
    WHEEL_ARCHIVE,
    WHEEL_PATHS,
    WHEEL_CONTENT,
    METADATA,
    ENVIRONMENT,
    RUN,
    DATA,
    GIT,
    HOSTS,
    NEEDS,
    JUDGE,
    CARD,
    REQUEST,
    QUOTA,
    TRUSTED_PUBLISHING,
)
CODES = {entry.code: entry for subject in SUBJECTS for entry in subject}
