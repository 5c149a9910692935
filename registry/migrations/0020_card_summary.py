"""What lists show of a card, made from the cards that exist."""

from django.db import migrations, models

from registry.card.summary import summary_of


def summarise(apps, editor):
    cards = apps.get_model("registry", "Card").objects.using(editor.connection.alias)
    changed = []
    for card in cards.only("pk", "measures", "model_results").order_by("pk"):
        card.summary = summary_of(card.measures, card.model_results).to_dict()
        card.measures = card.model_results = None
        changed.append(card)
    cards.bulk_update(changed, ["summary"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("registry", "0013_sample_results")]

    operations = [
        migrations.AddField(
            model_name="card",
            name="summary",
            field=models.JSONField(default=dict),
        ),
        migrations.RunPython(summarise, migrations.RunPython.noop, elidable=True),
    ]
