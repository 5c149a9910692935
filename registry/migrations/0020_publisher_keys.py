"""What trusted publishers are found by, and the claims that their tokens were minted for."""

import hashlib
import json

from django.db import migrations, models
from django.db.models import Q


def fill(apps, schema_editor):
    """As registry/publishers/matching.py does."""
    Publisher = apps.get_model("registry", "TrustedPublisher")
    for one in Publisher.objects.iterator():
        words, said = [one.subject], one.claims
        if one.kind != "other":
            words += [said["workflow"], said["ci_environment"].lower(), said["owner_id"]]
        key = hashlib.sha256(json.dumps(words).encode()).hexdigest()
        Publisher.objects.filter(pk=one.pk).update(key=key)


class Migration(migrations.Migration):
    dependencies = [("registry", "0019_rendered_readmes")]

    operations = [
        migrations.AddField(
            model_name="token", name="claims", field=models.JSONField(default=dict)
        ),
        migrations.AddField(
            model_name="trustedpublisher",
            name="key",
            field=models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="trustedpublisher",
            constraint=models.CheckConstraint(
                condition=Q(("key__regex", "^[0-9a-f]{64}$")), name="publisher_key_is_sha256"
            ),
        ),
        migrations.AddIndex(
            model_name="trustedpublisher",
            index=models.Index(fields=["issuer", "key", "id"], name="publisher_by_key"),
        ),
        migrations.RemoveIndex(model_name="trustedpublisher", name="publisher_by_subject"),
    ]
