"""The kinds of news: each with the events of the journal that it comes from and its sentence.

Feeds, notifications and webhooks iterate over KINDS. A verb here belongs to one kind for each
purpose of a run, and stands in `events.NEWS` too, which a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from registry.events import Event

# Audiences: publishers of the environment, those who watch it, who requested the run, who is
# invited.
OWNERS, WATCHERS, REQUESTER, INVITED = "owners", "watchers", "requester", "invited"
ALL = (OWNERS, WATCHERS)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of news.

    `sentence` is completed with `subject`, `model`, `role` and `sender`. `purpose` and `outcome`
    restrict the events to runs of that purpose and to measurements with that outcome. `public`
    kinds are in feeds, as far as an anonymous reader may see their subject; those with `webhook`
    are sent to webhooks. `audience` is notified, by email too where a person chose it and the kind
    `offers_mail`; `owners_are_mailed` where another part of the hub sends the owners an email.
    """

    name: str
    label: str
    verbs: tuple[str, ...]
    sentence: str
    purpose: str = ""
    outcome: str = ""
    public: bool = False
    audience: tuple[str, ...] = ()
    webhook: bool = False
    offers_mail: bool = True
    owners_are_mailed: bool = False

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
        Kind(
            name="listed",
            label="A version is listed",
            verbs=("version.listed",),
            sentence="{subject} was listed",
            public=True,
            audience=ALL,
            webhook=True,
        ),
        Kind(
            name="rejected",
            label="A version of yours is rejected",
            verbs=("version.rejected",),
            sentence="{subject} was rejected",
            audience=(OWNERS,),
            webhook=True,
        ),
        Kind(
            name="held",
            label="A version of yours is held",
            verbs=("version.held",),
            sentence="The hub could not decide on {subject}",
            audience=(OWNERS,),
            webhook=True,
        ),
        Kind(
            name="yanked",
            label="A version is yanked",
            verbs=("version.yanked",),
            sentence="{subject} was yanked",
            public=True,
            audience=ALL,
            webhook=True,
        ),
        Kind(
            name="unyanked",
            label="A yank is taken back",
            verbs=("version.unyanked",),
            sentence="The yank of {subject} was taken back",
            public=True,
            offers_mail=False,
            webhook=True,
        ),
        Kind(
            name="quarantined",
            label="A version or an environment is quarantined",
            verbs=("version.quarantined", "environment.quarantined"),
            sentence="{subject} was quarantined",
            public=True,
            audience=ALL,
            owners_are_mailed=True,
            webhook=True,
        ),
        Kind(
            name="released",
            label="A quarantine ends",
            verbs=("version.released", "environment.released"),
            sentence="{subject} was released from quarantine",
            public=True,
            audience=ALL,
            owners_are_mailed=True,
            webhook=True,
        ),
        Kind(
            name="evaluated",
            label="A version is evaluated with a model",
            verbs=("run.succeeded",),
            sentence="{subject} was evaluated with {model}",
            purpose="evaluation",
            public=True,
            audience=(OWNERS, WATCHERS, REQUESTER),
            webhook=True,
        ),
        Kind(
            name="not_evaluated",
            label="An evaluation that you requested fails",
            verbs=("run.failed", "run.errored"),
            sentence="The evaluation of {subject} with {model} ended without a result",
            purpose="evaluation",
            audience=(REQUESTER,),
        ),
        Kind(
            name="no_longer_passes",
            label="A listed version does not pass any more",
            verbs=("version.remeasured",),
            sentence="{subject} does not pass any more",
            outcome="failed",
            public=True,
            audience=ALL,
            owners_are_mailed=True,
            webhook=True,
        ),
        Kind(
            name="webhook_disabled",
            label="A webhook of yours is disabled",
            verbs=("webhook.disabled",),
            sentence="A webhook of {subject} was disabled after three days of failures",
            audience=(OWNERS,),
        ),
        Kind(
            name="invitation",
            label="An organisation invites you",
            verbs=("invitation.sent",),
            sentence="{sender} invites you to {subject} as {role}",
            audience=(INVITED,),
            offers_mail=False,  # the invitation is an email itself
        ),
    )
}
PUBLIC = tuple(kind for kind in KINDS.values() if kind.public)


def kind_of(event: Event) -> Kind | None:
    """The kind of an event that comes with its run, None where it is of none."""
    return next((kind for kind in KINDS.values() if kind.includes(event)), None)
