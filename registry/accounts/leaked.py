"""A secret of this hub that somebody found where others can read it."""

from __future__ import annotations

from registry.accounts import runners, tokens


def revoke(text: str, *, where: str) -> bool:
    """End the token that the text is, a person's or a runner's; was it one of ours?

    Who can show the text needs no permission.
    """
    return tokens.revoke_leaked(text, where=where) or runners.revoke_leaked(text, where=where)
