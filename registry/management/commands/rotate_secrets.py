"""`manage.py rotate_secrets`: encrypt every secret with the first key of HUB_SECRETS_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.errors import HubError
from registry.provisions import services


class Command(BaseCommand):
    """Run it after a new key was put first; older keys can then be removed."""

    help = "Encrypt every secret of environments with the first key of HUB_SECRETS_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        """Encrypt them, and name those that no key decrypts."""
        try:
            count, lost = services.rotate()
        except HubError as refused:
            raise CommandError(f"{refused.message} {refused.hint}") from None
        self.stdout.write(f"{count} secrets encrypted with the first key")
        if lost:
            raise CommandError(
                f"no key of HUB_SECRETS_KEYS decrypts {', '.join(lost)}: add the key that "
                "encrypted them, or have their owners set them again"
            )
