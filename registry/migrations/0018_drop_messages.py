from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("registry", "0017_move_messages")]

    operations = [migrations.RemoveField("rollout", "messages")]
