"""Documents hold the facets' values as marks; they and their indexes, made anew."""

import django.db.models.deletion
from django.db import migrations, models

from registry.catalog.search import documents, engine


def install(apps, schema_editor):
    names = ("Environment", "SearchDocument", "SearchWord")
    made = documents.Models(*(apps.get_model("registry", name) for name in names))
    documents.rebuild(made, alone=True)


def uninstall(apps, schema_editor):
    engine.uninstall(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [("registry", "0014_find_by_tag")]

    operations = [
        migrations.RunPython(uninstall, migrations.RunPython.noop),
        migrations.DeleteModel("SearchDocument"),
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                ("environment", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="document", serialize=False, to="registry.environment")),
                ("place", models.BigIntegerField(unique=True)),
                ("listed", models.BooleanField()),
                ("visibility", models.CharField(max_length=8)),
                ("marks", models.TextField()),
                ("name", models.TextField()),
                ("owner_name", models.TextField()),
                ("tags", models.TextField()),
                ("summary", models.TextField()),
                ("readme", models.TextField()),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.owner")),
            ],
        ),
        migrations.RunPython(install, uninstall),
    ]
