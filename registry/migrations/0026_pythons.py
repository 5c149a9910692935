from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0025_queue_retries"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="pythons",
            field=models.CharField(blank=True, default="", max_length=120),
            preserve_default=False,
        ),
    ]
