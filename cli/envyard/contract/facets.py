"""The registry of facets: the values by which the catalogue is narrowed and counted.

An entry holds all data about one facet. The search index, the API and its document, the pages and
`hub search` iterate over FACETS.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from envyard.contract.domains import DOMAINS
from envyard.contract.needs.kinds import KINDS

# By the solve rate of the hub's model: 0 %, below 20 %, to 80 %, above, 100 %.
DIFFICULTIES = ("unsolved", "hard", "medium", "easy", "solved")

# Shares of groups of 4 rollouts whose rewards differ, from and to which a band reaches. The upper
# end belongs to the next band; 0 is `none` alone.
LEARNABLE_BANDS = {"none": (0.0, 0.0), "low": (0.0, 0.2), "medium": (0.2, 0.6), "high": (0.6, 1.0)}

# Sources of values, as pages and docs word them.
METADATA = "the wheel’s metadata"
ROLLOUTS = "recorded rollouts"
CARD = "the card"
HUB = "the hub"


@dataclass(frozen=True, slots=True)
class Facet:
    """One facet.

    `key` is the letter with which its values begin in the search index: a value that was indexed
    is read back by it, so it never changes. `column` is the path of the values from an environment,
    written as a Django lookup; the index reads one attribute after the other, so it takes no
    transforms. Environments without a value are not counted. `manage.py rebuild_search` indexes the
    values of a new facet. `title` heads the values on a page, `description` documents the parameter
    of the API, and `option` the option of `hub search`, which has none where it is empty. `choices`
    are the only values where not empty. `source` says where the values come from. Values of a
    facet that is not `case_sensitive` have no capitals. A facet with `mine_only` is counted only
    among the environments that the actor belongs to.
    """

    name: str
    key: str
    column: str
    title: str
    description: str
    option: str = ""
    choices: tuple[str, ...] = ()
    source: str = METADATA
    case_sensitive: bool = False
    mine_only: bool = False

    def parse(self, text: str) -> str:
        """The value that a person typed; empty for no filter."""
        value = text.strip()
        return value if self.case_sensitive else value.lower()


def registry(entries: Iterable[Facet]) -> dict[str, Facet]:
    """The entries by name; raises ValueError for a name or key that is used twice."""
    facets: dict[str, Facet] = {}
    keys: set[str] = set()
    for facet in entries:
        if facet.name in facets or facet.key in keys:
            raise ValueError(f"facet {facet.name!r}: its name or its key {facet.key!r} is taken")
        if len(facet.key) != 1 or not facet.key.isalpha():
            raise ValueError(f"facet {facet.name!r}: key {facet.key!r} must be one letter")
        facets[facet.name] = facet
        keys.add(facet.key)
    return facets


FACETS = registry(
    (
        Facet(
            name="framework",
            key="f",
            column="latest__framework",
            title="Framework",
            description="Of that framework only.",
            option="only environments of this framework",
        ),
        Facet(
            name="tag",
            key="t",
            column="tags__name",
            title="Tag",
            description="With that tag only.",
            option="only environments with this tag",
        ),
        Facet(
            name="owner",
            key="o",
            column="owner__name",
            title="Owner",
            description="Of that owner only.",
            source=HUB,
            option="only environments of this owner",
        ),
        Facet(
            name="license",
            key="l",
            column="latest__license",
            title="Licence",
            description="Under that licence only, as SPDX writes it.",
            case_sensitive=True,
        ),
        Facet(
            name="needs",
            key="d",
            column="latest__needs__kind",
            title="Needs",
            description="Those alone that declare, or by their code probably have, such a need.",
            option="only environments that need this from outside",
            choices=KINDS,
            source="the wheel’s metadata and code",
        ),
        Facet(
            name="difficulty",
            key="y",
            column="latest__difficulty",
            title="Difficulty",
            description="Of that difficulty for the hub's model only, by its solve rate.",
            option="only environments of this difficulty for the hub's model",
            choices=DIFFICULTIES,
            source=CARD,
        ),
        Facet(
            name="learnable",
            key="e",
            column="latest__facets__learnable",
            title="Learnable",
            description="By the share of groups of 4 rollouts whose rewards differ: 0, below 20 %, "
            "below 60 %, or more, for the hub's model.",
            option="only environments with this share of useful groups for the hub's model",
            choices=tuple(LEARNABLE_BANDS),
            source=CARD,
        ),
        Facet(
            name="domain",
            key="m",
            column="latest__facets__domain",
            title="Domain",
            description="Whose keywords name that domain only.",
            option="only environments of this domain",
            choices=tuple(DOMAINS),
            source="the wheel’s keywords",
        ),
        Facet(
            name="turns",
            key="u",
            column="latest__facets__turns",
            title="Turns",
            description="By the most turns that a recorded rollout took.",
            option="only environments whose longest rollout took this many turns",
            choices=("1", "2-5", "6+"),
            source=ROLLOUTS,
        ),
        Facet(
            name="tools",
            key="c",
            column="latest__facets__tools",
            title="Tools",
            description="Whether the environment offers tools to the model.",
            option="only environments that offer tools, or none",
            choices=("offered", "none"),
            source=ROLLOUTS,
        ),
        Facet(
            name="verifier",
            key="k",
            column="latest__facets__verifier",
            title="Verifier",
            description="Whether a judge model was called for the rewards, or a program alone.",
            option="only environments with this verifier",
            choices=("program", "judge"),
            source=ROLLOUTS,
        ),
        Facet(
            name="tasks",
            key="s",
            column="latest__facets__tasks",
            title="Tasks",
            description="By the number of tasks that the survey listed to the end.",
            option="only environments with this many tasks",
            choices=("1-99", "100-999", "1000+", "endless"),
            source=CARD,
        ),
        Facet(
            name="visibility",
            key="v",
            column="visibility",
            title="Visibility",
            description="Only those.",
            choices=("public", "private"),
            source=HUB,
            mine_only=True,
        ),
    )
)
