from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("registry", "0018_drop_messages")]

    operations = [
        migrations.CreateModel(
            name="RenderedReadme",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("html", models.TextField()),
                ("plain", models.BooleanField()),
                ("made_at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
        ),
    ]
