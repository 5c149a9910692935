"""Fill what 0002 added from what the rows say already."""

from django.db import migrations
from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce


def fill(apps, schema_editor):
    Environment = apps.get_model("registry", "Environment")
    Version = apps.get_model("registry", "Version")
    Star = apps.get_model("registry", "Star")
    Event = apps.get_model("registry", "Event")
    listed = Version.objects.filter(pk=OuterRef("latest_id")).values("listed_at")
    stars = Star.objects.filter(environment=OuterRef("pk")).values("environment")
    Environment.objects.update(
        fresh_at=Coalesce(Subquery(listed), F("created_at")),
        star_count=Coalesce(Subquery(stars.annotate(n=Count("pk")).values("n")), 0),
    )
    owner = Environment.objects.filter(pk=OuterRef("environment_id")).values("owner_id")
    Event.objects.filter(environment__isnull=False).update(owner_id=Subquery(owner))


class Migration(migrations.Migration):

    dependencies = [("registry", "0002_registry")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
