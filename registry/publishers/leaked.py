"""Revoke a secret of this hub that was found in public."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from registry.accounts import mail, runners, tokens
from registry.accounts.models import Token
from registry.publishers import services
from registry.publishers.models import TrustedPublisher

REMOVED = """The token {name!r} ({public_id}) leaked, and the hub has removed the trusted publishers
that were added with it:

{publishers}
Add them again where they are yours.
"""


def revoke(text: str, *, where: str) -> bool:
    """Revoke the token of that text, a user's or a runner's; was it one of this hub?

    Tokens and trusted publishers that were added with it end too: through those its holder could
    publish for ever. Possession of the text is permission enough.
    """
    with transaction.atomic():
        ended = tokens.revoke_leaked(text, where=where)
        for token in ended or ():
            _remove_added_with(token)
    return ended is not None or runners.revoke_leaked(text, where=where)


def _remove_added_with(token: Token) -> None:
    rows = TrustedPublisher.objects.filter(Q(added_with=token), added_by=token.user_id)
    added = list(rows.select_related("environment__owner", "owner", "added_by"))
    for publisher in added:
        services.remove(publisher=publisher, by=None)
    if added:
        listed = "".join(f"  {publisher.subject} for {publisher}\n" for publisher in added)
        text = REMOVED.format(name=token.name, public_id=token.public_id, publishers=listed)
        mail.send(
            to=token.user.email, subject="Trusted publishers of yours were removed", text=text
        )
