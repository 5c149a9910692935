"""Values of facets, made for the versions that have a card; `rebuild_search` indexes them."""

from django.db import migrations, models
from django.db.models import Max, Sum

from envyard.contract.domains import domains_of
from envyard.contract.facts import Facts
from registry.card.facet_values import learnable_band, tasks_band, turns_band

BATCH = 500


def fill(apps, editor):
    using = editor.connection.alias
    cards = apps.get_model("registry", "Card").objects.using(using)
    keys = list(cards.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), BATCH):
        _fill(apps, using, cards.filter(pk__in=keys[start : start + BATCH]))


def _fill(apps, using, cards):
    rollouts = apps.get_model("registry", "Rollout").objects.using(using)
    versions = apps.get_model("registry", "Version").objects.using(using)
    rows = list(cards.values_list("version_id", "run_id", "run__facts"))
    played = rollouts.filter(run__in=[run for _, run, _ in rows], ok=True).values("run")
    totals = {
        row["run"]: row for row in played.annotate(turns=Max("turns"), judged=Sum("judge_calls"))
    }
    shown = versions.only("keywords", "learnability").in_bulk([version for version, _, _ in rows])
    for version, run, facts in rows:
        total = totals.get(run, {})
        judged = bool(facts.get("judge") or total.get("judged"))
        values = {
            "domain": domains_of(shown[version].keywords),
            "turns": turns_band(total.get("turns") or 0),
            "verifier": ("judge" if judged else "program") if total else "",
            "tasks": tasks_band(Facts.from_dict(facts).survey),
            "learnable": learnable_band(shown[version].learnability),
        }
        shown[version].facets = {name: value for name, value in values.items() if value}
    versions.bulk_update(shown.values(), ["facets"])


class Migration(migrations.Migration):
    dependencies = [("registry", "0021_notifications")]

    operations = [
        migrations.AddField(
            model_name="version",
            name="facets",
            field=models.JSONField(default=dict),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
