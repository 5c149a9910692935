"""An index of tags that knows the environments: Django's own knows the tag alone."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("registry", "0013_reports")]

    operations = [
        migrations.RunSQL(
            "CREATE INDEX registry_environment_tags_by_tag "
            "ON registry_environment_tags (tag_id, environment_id)",
            "DROP INDEX registry_environment_tags_by_tag",
        )
    ]
