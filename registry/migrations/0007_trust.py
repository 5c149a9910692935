"""Trusted publishers, the ids of used identity tokens, and provenance."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Count, Q
from django.utils import timezone

KEY = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def one_row_a_text(apps, schema_editor):
    """Going back, drop the rows of texts with several that have ended; refuse while one is good."""
    Token = apps.get_model("registry", "Token")
    texts = Token.objects.values("digest").annotate(rows=Count("pk")).filter(rows__gt=1)
    several = Token.objects.filter(digest__in=list(texts.values_list("digest", flat=True)))
    ended = Q(expires_at__lte=timezone.now()) | Q(revoked_at__isnull=False)
    good = several.exclude(ended).order_by("-expires_at").first()
    if good is not None:
        raise RuntimeError(
            "trusted publishers hold tokens for several environments, which the older schema"
            f" cannot keep: wait until {good.expires_at}, when they have ended, and try again"
        )
    several.delete()


class Migration(migrations.Migration):
    dependencies = [("registry", "0006_sources_and_evaluations")]

    operations = [
        migrations.AlterField(
            model_name="token",
            name="digest",
            field=models.CharField(db_index=True, max_length=64),
        ),
        migrations.RunPython(migrations.RunPython.noop, one_row_a_text),
        migrations.AddConstraint(
            model_name="token",
            constraint=models.UniqueConstraint(
                fields=("digest", "environment"), name="one_row_a_token_reach"
            ),
        ),
        migrations.CreateModel(
            name="UsedJti",
            fields=[
                ("id", KEY),
                ("issuer", models.CharField(max_length=200)),
                ("jti", models.CharField(max_length=255)),
                ("kept_until", models.DateTimeField(db_index=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "jti"), name="identity_tokens_are_used_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Provenance",
            fields=[
                ("id", KEY),
                ("document", models.JSONField()),
                ("verified_at", models.DateTimeField(auto_now_add=True)),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="provenance",
                        to="registry.version",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TrustedPublisher",
            fields=[
                ("id", KEY),
                ("name", models.CharField(blank=True, max_length=100)),
                (
                    "kind",
                    models.CharField(
                        choices=[("github", "Github"), ("gitlab", "Gitlab"), ("other", "Other")],
                        max_length=6,
                    ),
                ),
                ("issuer", models.CharField(max_length=200)),
                ("subject", models.CharField(max_length=300)),
                ("claims", models.JSONField()),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(null=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publishers",
                        to="registry.environment",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pending_publishers",
                        to="registry.owner",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["issuer", "subject"], name="publisher_by_subject")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(
                            ("environment__isnull", False), ("name", ""), ("owner__isnull", True)
                        )
                        | (
                            Q(("environment__isnull", True), ("owner__isnull", False))
                            & ~Q(("name", ""))
                        ),
                        name="publisher_has_environment_or_is_pending",
                    ),
                    models.CheckConstraint(
                        condition=Q(("kind__in", ("github", "gitlab", "other"))),
                        name="publisher_kind_is_known",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("environment__isnull", False)),
                        fields=("environment", "issuer", "claims"),
                        name="one_publisher_an_identity",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("owner__isnull", False)),
                        fields=("owner", "name", "issuer", "claims"),
                        name="one_pending_publisher_an_identity",
                    ),
                ],
            },
        ),
    ]
