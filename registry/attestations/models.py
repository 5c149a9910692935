"""What was proven about where a version was built."""

from __future__ import annotations

from django.db import models

from registry.catalog.models import Version


class Provenance(models.Model):
    """A version's provenance object (PEP 740), every attestation in it verified at upload."""

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="provenance")
    document = models.JSONField()
    verified_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"provenance of {self.version}"
