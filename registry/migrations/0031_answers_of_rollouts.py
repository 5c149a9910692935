"""The normalised answer of a model's last reply, of rollouts from now on."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0030_listed_versions_of_environments'),
    ]

    operations = [
        migrations.AddField(
            model_name='rollout',
            name='answer',
            field=models.CharField(blank=True, db_default='', default='', max_length=100),
        ),
    ]
