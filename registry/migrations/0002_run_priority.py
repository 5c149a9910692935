"""Plain names for the columns, constraints and indexes of runs."""

from django.db import migrations, models
from django.db.models import F, Q

LEASED = ("leased", "preparing", "running", "scoring")


class Migration(migrations.Migration):
    dependencies = [("registry", "0001_squashed")]

    operations = [
        # Neither a constraint nor an index follows a renamed column by itself.
        migrations.RemoveConstraint("run", "runs_keep_their_turn"),
        migrations.RemoveConstraint("run", "held_runs_have_a_lease"),
        migrations.RemoveConstraint("run", "held_runs_have_a_start"),
        migrations.RemoveIndex("run", "run_by_place"),
        migrations.RemoveIndex("run", "run_by_model"),
        migrations.RenameField("run", "place", "priority"),
        migrations.RenameField("run", "rung_at", "last_notified_at"),
        migrations.AddIndex(
            "run",
            models.Index(fields=("status", "priority", "created_at"), name="run_by_priority"),
        ),
        migrations.AddIndex(
            "run",
            models.Index(
                fields=("status", "model", "priority", "created_at"), name="run_by_model"
            ),
        ),
        migrations.AddConstraint(
            "run",
            models.CheckConstraint(
                condition=Q(priority__gte=F("turn")), name="run_priority_is_at_least_its_turn"
            ),
        ),
        migrations.AddConstraint(
            "run",
            models.CheckConstraint(
                condition=~Q(status__in=LEASED)
                | Q(lease_expires_at__isnull=False, runner__isnull=False),
                name="leased_runs_have_a_lease",
            ),
        ),
        migrations.AddConstraint(
            "run",
            models.CheckConstraint(
                condition=~Q(status__in=LEASED) | Q(started_at__isnull=False),
                name="leased_runs_have_a_start",
            ),
        ),
    ]
