"""The stored card of a version: the measures and scores of one run, and its signed statements."""

from __future__ import annotations

from django.db import models

from registry import constraints
from registry.catalog.models import Version
from registry.runs.models import Run


class Card(models.Model):
    """Measured quality of a version, recomputable from the run's stored rollouts.

    `rules` is the version of the rules that it was computed by, 0 before those had one; `release`
    the newest release of the version's framework that the hub knew then.
    `model_results` holds the ModelResults of each model, what a trainer will see, and `summary` the
    CardSummary that lists show.
    """

    version = models.OneToOneField(Version, on_delete=models.CASCADE, related_name="card")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="cards")
    measures = models.JSONField(default=list)
    scores = models.JSONField(default=list)
    rules = models.PositiveIntegerField(default=0)
    release = models.CharField(max_length=80, blank=True)
    model_results = models.JSONField(default=list)
    summary = models.JSONField(default=dict)
    computed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"card of {self.version_id}"


class SignedCard(models.Model):
    """A statement about a version and its wheel, signed by the hub, with the evidence behind it.

    `sha256` is that of `payload`, the text of the statement; locks refer to it, so older ones are
    kept. `evidence` is packed with gzip, `evidence_sha256` that of the unpacked document.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="signed_cards")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    payload = models.TextField()
    keyid = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)
    evidence = models.BinaryField()
    evidence_sha256 = models.CharField(max_length=64)
    signed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-signed_at", "-pk")
        constraints = (
            models.UniqueConstraint(fields=("version", "sha256"), name="one_row_a_statement"),
            models.CheckConstraint(
                condition=constraints.sha256("sha256", "keyid", "evidence_sha256"),
                name="signed_card_digests_are_sha256",
            ),
        )

    def __str__(self) -> str:
        return f"signed card {self.sha256[:12]} of {self.version_id}"
