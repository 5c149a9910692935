"""The normalised answer of a model's last reply, of rollouts from now on."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('registry', '0031_remeasured_with_model'),
    ]

    operations = [
        migrations.AddField(
            model_name='rollout',
            name='answer',
            field=models.CharField(blank=True, db_default='', default='', max_length=100),
        ),
    ]
