"""The kinds of news: each with the events of the journal that it comes from and its sentence.

Feeds, notifications and webhooks iterate over KINDS. A verb here belongs to one kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from registry.events import Event


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of news.

    `sentence` is completed with `subject`, `model` and `role`. `purpose` and `outcome` restrict the
    events to runs of that purpose and to measurements with that outcome. `public` kinds are in
    feeds, as far as an anonymous reader may see their subject.
    """

    name: str
    label: str
    verbs: tuple[str, ...]
    sentence: str
    purpose: str = ""
    outcome: str = ""
    public: bool = False

    @property
    def where(self) -> Q:
        """The events of this kind."""
        rows = Q(verb__in=self.verbs)
        if self.purpose:
            rows &= Q(run__purpose=self.purpose)
        if self.outcome:
            rows &= Q(data__outcome=self.outcome)
        return rows

    def includes(self, event: Event) -> bool:
        """The same for one event, which comes with its run."""
        if event.verb not in self.verbs:
            return False
        if self.purpose and (event.run is None or event.run.purpose != self.purpose):
            return False
        return not self.outcome or event.data.get("outcome") == self.outcome


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("listed", "Listed", ("version.listed",), "{subject} was listed", public=True),
        Kind("yanked", "Yanked", ("version.yanked",), "{subject} was yanked", public=True),
        Kind(
            "unyanked",
            "Yank taken back",
            ("version.unyanked",),
            "The yank of {subject} was taken back",
            public=True,
        ),
        Kind(
            "quarantined",
            "Quarantined",
            ("version.quarantined", "environment.quarantined"),
            "{subject} was quarantined",
            public=True,
        ),
        Kind(
            "released",
            "Released from quarantine",
            ("version.released", "environment.released"),
            "{subject} was released from quarantine",
            public=True,
        ),
        Kind(
            "evaluated",
            "Evaluated",
            ("run.succeeded",),
            "{subject} was evaluated with {model}",
            purpose="evaluation",
            public=True,
        ),
        Kind(
            "no_longer_passes",
            "Does not pass any more",
            ("version.remeasured",),
            "{subject} does not pass any more",
            outcome="failed",
            public=True,
        ),
    )
}
PUBLIC = tuple(kind for kind in KINDS.values() if kind.public)


def kind_of(event: Event) -> Kind | None:
    """The kind of an event that comes with its run, None where it is of none."""
    return next((kind for kind in KINDS.values() if kind.includes(event)), None)
