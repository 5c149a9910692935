import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, OuterRef, Q, Subquery


def count_for_owners(apps, schema_editor):
    Run = apps.get_model("registry", "Run")
    versions = apps.get_model("registry", "Version").objects.filter(pk=OuterRef("version"))
    Run.objects.update(owner=Subquery(versions.values("environment__owner")[:1]))


class Migration(migrations.Migration):
    dependencies = [("registry", "0021_version_locks")]

    operations = [
        migrations.AddField(
            model_name="runner",
            name="draining_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="owner",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry.owner",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="turn",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="run",
            name="place",
            field=models.PositiveBigIntegerField(default=0),
        ),
        migrations.RunPython(count_for_owners, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            model_name="run",
            name="owner",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry.owner",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=Q(place__gte=F("turn")), name="runs_keep_their_turn"
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["status", "place", "created_at"], name="run_by_place"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["owner", "status", "turn"], name="run_by_turn"),
        ),
    ]
