"""The whole schema, in place of the 28 migrations before it (docs/decisions/0036).

A hub on which all 28 are applied counts this one as applied; one that lacks some of them must
apply them with the release that has them.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from registry.catalog.search import engine

REPLACED = (
    "0001_initial",
    "0002_registry",
    "0003_fill_registry",
    "0004_find_names_alike",
    "0005_index_changes",
    "0006_sources_and_evaluations",
    "0007_trust",
    "0008_shared_cache",
    "0009_constraints",
    "0010_search",
    "0011_known_deliveries",
    "0012_emptied_versions",
    "0013_reports",
    "0014_find_by_tag",
    "0015_marks",
    "0016_transcripts",
    "0017_move_messages",
    "0018_drop_messages",
    "0019_rendered_readmes",
    "0020_publisher_keys",
    "0021_version_locks",
    "0022_queue",
    "0023_replays",
    "0024_queue_indexes",
    "0025_queue_retries",
    "0026_pythons",
    "0027_reasoning",
    "0028_quotas",
)


def install_search(apps, schema_editor):
    with engine.rebuilding(schema_editor.connection, alone=True):
        pass  # no environments yet


def uninstall_search(apps, schema_editor):
    engine.uninstall(schema_editor.connection)


class Migration(migrations.Migration):
    initial = True

    replaces = [("registry", name) for name in REPLACED]

    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            name="CacheRow",
            fields=[
                ("cache_key", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("value", models.TextField()),
                ("expires", models.DateTimeField(db_index=True)),
            ],
            options={"db_table": "hub_cache"},
        ),
        migrations.CreateModel(
            name="Organisation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(blank=True, max_length=100)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={"verbose_name": "user", "verbose_name_plural": "users", "abstract": False},
            managers=[("objects", django.contrib.auth.models.UserManager())],
        ),
        migrations.CreateModel(
            name="Owner",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=39, unique=True)),
                (
                    "user",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="owner",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "organisation",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="owner",
                        to="registry.organisation",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("organisation__isnull", True), ("user__isnull", False)),
                            models.Q(("organisation__isnull", False), ("user__isnull", True)),
                            _connector="OR",
                        ),
                        name="owner_is_user_or_organisation",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")), name="owner_name_rule"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name="Environment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="environments", to="registry.owner"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "Public"), ("private", "Private")], default="public", max_length=8
                    ),
                ),
                ("summary", models.CharField(blank=True, max_length=512)),
                (
                    "likeness",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.text.Replace(
                            django.db.models.functions.text.Replace(
                                django.db.models.functions.text.Replace(
                                    django.db.models.functions.text.Replace(
                                        models.F("name"), models.Value("-"), models.Value("")
                                    ),
                                    models.Value("l"),
                                    models.Value("1"),
                                ),
                                models.Value("i"),
                                models.Value("1"),
                            ),
                            models.Value("o"),
                            models.Value("0"),
                        ),
                        output_field=models.CharField(max_length=100),
                    ),
                ),
                ("installs", models.PositiveBigIntegerField(default=0)),
                ("star_count", models.PositiveIntegerField(default=0)),
                ("fresh_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("quarantined_at", models.DateTimeField(blank=True, null=True)),
                ("quarantine_reason", models.CharField(blank=True, max_length=400)),
                ("deprecated_at", models.DateTimeField(blank=True, null=True)),
                ("deprecation_reason", models.CharField(blank=True, max_length=400)),
                (
                    "successor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="predecessors",
                        to="registry.environment",
                    ),
                ),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("index_serial", models.PositiveBigIntegerField(default=0)),
                ("tags", models.ManyToManyField(related_name="environments", to="registry.tag")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["likeness"], name="environment_by_likeness"),
                    models.Index(fields=["fresh_at", "id"], name="environment_by_fresh_at"),
                    models.Index(fields=["installs", "id"], name="environment_by_installs"),
                    models.Index(fields=["star_count", "id"], name="environment_by_stars"),
                    models.Index(fields=["name", "id"], name="environment_by_name"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="one_environment_a_name"),
                    models.UniqueConstraint(fields=("owner", "likeness"), name="no_two_environments_look_alike"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("successor__isnull", True), ("deprecated_at__isnull", False), _connector="OR"
                        ),
                        name="only_the_deprecated_have_a_successor",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")),
                        name="environment_name_normalised",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("visibility__in", ("public", "private"))), name="visibility_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("quarantine_reason", ""), ("quarantined_at__isnull", False), _connector="OR"
                        ),
                        name="only_quarantined_environments_say_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("deprecation_reason", ""), ("deprecated_at__isnull", False), _connector="OR"
                        ),
                        name="only_the_deprecated_say_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("successor", models.F("id")), _negated=True),
                        name="no_environment_succeeds_itself",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RenderedReadme",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("html", models.TextField()),
                ("plain", models.BooleanField()),
                ("made_at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="SearchWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("word", models.CharField(max_length=60, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="registry.organisation",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("maintainer", "Maintainer"), ("member", "Member")],
                        default="member",
                        max_length=12,
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organisation", "user"), name="one_role_a_member"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ("owner", "maintainer", "member"))), name="member_role_is_known"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "organisation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="registry.organisation",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("maintainer", "Maintainer"), ("member", "Member")], max_length=12
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("email", ""), ("user__isnull", False)),
                            models.Q(("user__isnull", True), models.Q(("email", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="invitation_is_to_user_or_email",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None), ("user__isnull", False)),
                        fields=("organisation", "user"),
                        name="one_open_invitation_a_person",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None), models.Q(("email", ""), _negated=True)),
                        fields=("organisation", "email"),
                        name="one_open_invitation_an_address",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("accepted_at__isnull", True), ("ended_at__isnull", False), _connector="OR"),
                        name="accepted_invitations_have_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["maintainer", "member", "owner"])),
                        name="invitation_role_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="invitation_digest_is_sha256"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="invitations_expire_after_they_begin",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="IndexChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.owner"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={"ordering": ("id",)},
        ),
        migrations.CreateModel(
            name="FormerName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.owner"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_names",
                        to="registry.environment",
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="one_environment_a_former_name"),
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")),
                        name="former_name_normalised",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="registry.environment"
                    ),
                ),
                ("version", models.CharField(max_length=80)),
                ("sort_key", models.CharField(max_length=400)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("uploaded", "Uploaded"),
                            ("checking", "Checking"),
                            ("evaluating", "Evaluating"),
                            ("listed", "Listed"),
                            ("rejected", "Rejected"),
                            ("held", "Held"),
                        ],
                        default="uploaded",
                        max_length=10,
                    ),
                ),
                ("status_at", models.DateTimeField(auto_now_add=True)),
                ("filename", models.CharField(max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField()),
                ("metadata_sha256", models.CharField(max_length=64)),
                ("staged", models.CharField(blank=True, max_length=32)),
                ("summary", models.CharField(blank=True, max_length=512)),
                ("readme", models.TextField(blank=True)),
                ("readme_type", models.CharField(blank=True, max_length=80)),
                ("license", models.CharField(blank=True, max_length=200)),
                ("requires_python", models.CharField(blank=True, max_length=120)),
                ("requires_dist", models.JSONField(default=list)),
                ("keywords", models.JSONField(default=list)),
                ("links", models.JSONField(default=dict)),
                ("authors", models.CharField(blank=True, max_length=400)),
                ("framework", models.CharField(blank=True, max_length=20)),
                ("api", models.CharField(blank=True, max_length=10)),
                ("module", models.CharField(blank=True, max_length=200)),
                ("entry", models.CharField(blank=True, max_length=200)),
                ("published_with", models.JSONField(default=dict)),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("uploaded_at", models.DateTimeField(auto_now_add=True)),
                ("listed_at", models.DateTimeField(blank=True, null=True)),
                ("yanked_at", models.DateTimeField(blank=True, null=True)),
                ("yanked_reason", models.CharField(blank=True, max_length=400)),
                ("quarantined_at", models.DateTimeField(blank=True, null=True)),
                ("quarantine_reason", models.CharField(blank=True, max_length=400)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("emptied_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", False), ("emptied_at__isnull", True)),
                        fields=["deleted_at"],
                        name="version_to_empty",
                    ),
                    models.Index(fields=["status", "status_at"], name="version_by_status"),
                    models.Index(fields=["sha256"], name="version_by_sha256"),
                    models.Index(fields=["metadata_sha256"], name="version_by_metadata"),
                    models.Index(fields=["uploaded_by", "-uploaded_at"], name="version_by_uploader"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("environment", "version"), name="one_wheel_a_version"),
                    models.UniqueConstraint(fields=("environment", "sort_key"), name="one_spelling_a_version"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "listed"), _negated=True), ("listed_at__isnull", False), _connector="OR"
                        ),
                        name="listed_versions_have_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("yanked_at__isnull", True), ("status", "listed"), _connector="OR"),
                        name="only_listed_versions_are_yanked",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("metadata_sha256__regex", "^[0-9a-f]{64}$"), ("sha256__regex", "^[0-9a-f]{64}$")
                        ),
                        name="version_digests_are_sha256",
                    ),
                    models.UniqueConstraint(fields=("environment", "filename"), name="one_version_a_file_name"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ("uploaded", "checking", "evaluating", "listed", "rejected", "held"))
                        ),
                        name="version_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("staged", ""), ("status", "uploaded"), _connector="OR"),
                        name="only_uploaded_versions_are_staged",
                    ),
                    models.CheckConstraint(condition=models.Q(("size__gt", 0)), name="wheels_have_bytes"),
                    models.CheckConstraint(
                        condition=models.Q(("yanked_reason", ""), ("yanked_at__isnull", False), _connector="OR"),
                        name="only_yanked_versions_say_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("quarantine_reason", ""), ("quarantined_at__isnull", False), _connector="OR"
                        ),
                        name="only_quarantined_versions_say_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("emptied_at__isnull", True),
                            models.Q(("deleted_at__isnull", False), ("staged", "")),
                            _connector="OR",
                        ),
                        name="only_deleted_versions_are_emptied",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="registry.environment",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="evaluations",
                        to="registry.version",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="evaluations", to="registry.owner"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_public", models.BooleanField(default=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("completed", "Completed"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="running",
                        max_length=9,
                    ),
                ),
                ("error_message", models.TextField(blank=True)),
                ("name", models.CharField(max_length=200)),
                ("model_name", models.CharField(blank=True, max_length=200)),
                ("dataset", models.CharField(blank=True, max_length=200)),
                ("framework", models.CharField(blank=True, max_length=80)),
                ("task_type", models.CharField(blank=True, max_length=80)),
                ("description", models.TextField(blank=True)),
                ("tags", models.JSONField(default=list)),
                ("metadata", models.JSONField(default=dict)),
                ("metrics", models.JSONField(default=dict)),
                ("sample_count", models.PositiveIntegerField(default=0)),
                ("sample_bytes", models.PositiveBigIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["environment", "-created_at"], name="evaluation_by_environment"),
                    models.Index(fields=["owner", "-created_at"], name="evaluation_by_owner"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("status", "running")),
                            models.Q(("ended_at__isnull", False), ("status__in", ("completed", "failed", "cancelled"))),
                            _connector="OR",
                        ),
                        name="ended_evaluations_have_an_end",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Quota",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="quota", to="registry.owner"
                    ),
                ),
                ("uploads_per_hour", models.PositiveIntegerField(blank=True, null=True)),
                ("storage_bytes", models.PositiveBigIntegerField(blank=True, null=True)),
                ("queued_versions", models.PositiveIntegerField(blank=True, null=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Runner",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, unique=True)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("enabled", models.BooleanField(default=True)),
                ("capabilities", models.JSONField(default=dict)),
                ("draining_since", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_seen_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="runner_digest_is_sha256"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="registry.version"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.owner"
                    ),
                ),
                ("turn", models.PositiveBigIntegerField(default=0)),
                ("place", models.PositiveBigIntegerField(default=0)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("leased", "Leased"),
                            ("preparing", "Preparing"),
                            ("running", "Running"),
                            ("scoring", "Scoring"),
                            ("succeeded", "Succeeded"),
                            ("failed", "Failed"),
                            ("errored", "Errored"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=1)),
                ("policies", models.JSONField()),
                ("model", models.CharField(blank=True, max_length=200)),
                ("tasks", models.PositiveIntegerField()),
                ("attempts", models.PositiveSmallIntegerField()),
                ("seed", models.BigIntegerField(default=0)),
                ("pythons", models.CharField(blank=True, max_length=120)),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "runner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="runs",
                        to="registry.runner",
                    ),
                ),
                ("lease_expires_at", models.DateTimeField(null=True)),
                ("cancel_requested_at", models.DateTimeField(null=True)),
                ("rung_at", models.DateTimeField(null=True)),
                ("not_before", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("last_seq", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("facts", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["status", "lease_expires_at"], name="run_by_lease"),
                    models.Index(fields=["status", "place", "created_at"], name="run_by_place"),
                    models.Index(fields=["status", "model", "place", "created_at"], name="run_by_model"),
                    models.Index(fields=["status", "created_at"], name="run_by_age"),
                    models.Index(fields=["owner", "status", "turn"], name="run_by_turn"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ("queued", "leased", "preparing", "running", "scoring"))),
                        fields=("version",),
                        name="one_active_run_a_version",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("leased", "preparing", "running", "scoring")), _negated=True),
                            models.Q(("lease_expires_at__isnull", False), ("runner__isnull", False)),
                            _connector="OR",
                        ),
                        name="held_runs_have_a_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("ended_at__isnull", False),
                                ("status__in", ("succeeded", "failed", "errored", "cancelled")),
                            ),
                            models.Q(
                                ("ended_at__isnull", True),
                                ("status__in", ("queued", "leased", "preparing", "running", "scoring")),
                            ),
                            _connector="OR",
                        ),
                        name="ended_runs_have_an_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "queued"), _negated=True),
                            ("lease_expires_at__isnull", True),
                            _connector="OR",
                        ),
                        name="queued_runs_have_no_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status__in", ("leased", "preparing", "running", "scoring")), _negated=True),
                            ("started_at__isnull", False),
                            _connector="OR",
                        ),
                        name="held_runs_have_a_start",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("attempt__gte", 1), ("attempts__gte", 1), ("tasks__gte", 1)),
                        name="runs_try_something",
                    ),
                    models.CheckConstraint(condition=models.Q(("seed__gte", 0)), name="seeds_are_not_negative"),
                    models.CheckConstraint(
                        condition=models.Q(("place__gte", models.F("turn"))), name="runs_keep_their_turn"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LogChunk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="log", to="registry.run"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField()),
                ("seq", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("left_out", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "ordering": ("attempt", "seq"),
                "constraints": [models.UniqueConstraint(fields=("run", "attempt", "seq"), name="one_chunk_a_batch")],
            },
        ),
        migrations.CreateModel(
            name="LostAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lost_attempts", to="registry.run"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField()),
                (
                    "runner",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="registry.runner"
                    ),
                ),
                ("runner_name", models.CharField(max_length=80)),
                ("counted", models.BooleanField()),
                ("handed_back", models.BooleanField()),
                ("code", models.CharField(max_length=80)),
                ("message", models.CharField(max_length=500)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ("attempt",),
                "constraints": [
                    models.UniqueConstraint(fields=("run", "attempt"), name="one_loss_an_attempt"),
                    models.CheckConstraint(
                        condition=models.Q(("counted", False), ("handed_back", False), _connector="OR"),
                        name="handed_back_attempts_do_not_count",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SampleBatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "evaluation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="batches", to="registry.evaluation"
                    ),
                ),
                ("first", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField()),
            ],
            options={
                "ordering": ("first",),
                "indexes": [models.Index(fields=["sha256"], name="sample_batch_by_sha256")],
                "constraints": [
                    models.UniqueConstraint(fields=("evaluation", "first"), name="sample_batches_do_not_overlap"),
                    models.UniqueConstraint(fields=("evaluation", "sha256"), name="sample_batches_arrive_once"),
                    models.CheckConstraint(condition=models.Q(("count__gt", 0)), name="sample_batches_have_samples"),
                    models.CheckConstraint(
                        condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")), name="sample_batch_digest_is_sha256"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Star",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stars", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stars", to="registry.environment"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "environment"), name="one_star_a_person")]
            },
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("public_id", models.CharField(max_length=12, unique=True)),
                ("digest", models.CharField(db_index=True, max_length=64)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "Read"), ("publish", "Publish"), ("admin", "Admin")], max_length=8
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="registry.environment",
                    ),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="children",
                        to="registry.token",
                    ),
                ),
                ("published_with", models.JSONField(default=dict)),
                ("claims", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_because", models.CharField(blank=True, max_length=200)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("digest", "environment"), name="one_row_a_token_reach"),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ("read", "publish", "admin"))), name="token_scope_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")), name="token_digest_is_sha256"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="tokens_expire_after_they_begin",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("revoked_because", ""), ("revoked_at__isnull", False), _connector="OR"),
                        name="only_revoked_tokens_have_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("parent__isnull", True),
                            models.Q(("parent", models.F("id")), _negated=True),
                            _connector="OR",
                        ),
                        name="no_token_is_its_own_parent",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="TranscriptPack",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="packs", to="registry.run"
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField()),
                ("seq", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField()),
            ],
            options={
                "ordering": ("attempt", "seq"),
                "indexes": [models.Index(fields=["sha256"], name="pack_by_sha256")],
                "constraints": [
                    models.UniqueConstraint(fields=("run", "attempt", "seq"), name="one_pack_a_batch"),
                    models.CheckConstraint(
                        condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")), name="pack_digest_is_sha256"
                    ),
                    models.CheckConstraint(condition=models.Q(("size__gt", 0)), name="packs_hold_something"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rollout",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="rollouts", to="registry.run"
                    ),
                ),
                ("policy", models.CharField(max_length=40)),
                ("task", models.PositiveIntegerField()),
                ("attempt", models.PositiveSmallIntegerField()),
                ("ok", models.BooleanField()),
                ("reward", models.FloatField(null=True)),
                ("reward_text", models.CharField(blank=True, max_length=64)),
                ("rewards", models.JSONField(default=dict)),
                ("metrics", models.JSONField(default=dict)),
                (
                    "pack",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="rollouts",
                        to="registry.transcriptpack",
                    ),
                ),
                ("offset", models.PositiveBigIntegerField(default=0)),
                ("length", models.PositiveIntegerField(default=0)),
                ("conversations", models.PositiveIntegerField(default=0)),
                ("shortened", models.BooleanField(default=False)),
                ("turns", models.PositiveIntegerField(default=0)),
                ("stop", models.CharField(blank=True, max_length=100)),
                ("truncated", models.BooleanField(default=False)),
                ("seconds", models.FloatField(default=0.0)),
                ("scoring_seconds", models.FloatField(null=True)),
                ("prompt_tokens", models.PositiveIntegerField(default=0)),
                ("completion_tokens", models.PositiveIntegerField(default=0)),
                ("reasoning_tokens", models.PositiveIntegerField(null=True)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("model_seconds", models.FloatField(default=0.0)),
                ("error", models.JSONField(null=True)),
                ("rescored", models.FloatField(null=True)),
                ("replay", models.JSONField(null=True)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.UniqueConstraint(fields=("run", "policy", "task", "attempt"), name="one_rollout_an_attempt"),
                    models.CheckConstraint(
                        condition=models.Q(("ok", True), ("reward__isnull", True), _connector="OR"),
                        name="failed_rollouts_have_no_reward",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("model_seconds__gte", 0),
                            ("seconds__gte", 0),
                            models.Q(("scoring_seconds__isnull", True), ("scoring_seconds__gte", 0), _connector="OR"),
                        ),
                        name="rollouts_take_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("length", 0), ("pack__isnull", True)),
                            models.Q(("length__gt", 0), ("pack__isnull", False)),
                            _connector="OR",
                        ),
                        name="packed_rollouts_have_a_place",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("rescored__isnull", True), ("replay__isnull", False), _connector="OR"),
                        name="rescored_rollouts_were_replayed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TrustedPublisher",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publishers",
                        to="registry.environment",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pending_publishers",
                        to="registry.owner",
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=100)),
                (
                    "kind",
                    models.CharField(
                        choices=[("github", "Github"), ("gitlab", "Gitlab"), ("other", "Other")], max_length=6
                    ),
                ),
                ("issuer", models.CharField(max_length=200)),
                ("subject", models.CharField(max_length=300)),
                ("claims", models.JSONField()),
                ("key", models.CharField(max_length=64)),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "added_with",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="registry.token",
                    ),
                ),
                ("added_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["issuer", "key", "id"], name="publisher_by_key")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("environment__isnull", False), ("name", ""), ("owner__isnull", True)),
                            models.Q(
                                ("environment__isnull", True),
                                ("owner__isnull", False),
                                models.Q(("name", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="publisher_has_environment_or_is_pending",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ("github", "gitlab", "other"))), name="publisher_kind_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("key__regex", "^[0-9a-f]{64}$")), name="publisher_key_is_sha256"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("environment__isnull", False)),
                        fields=("environment", "issuer", "claims"),
                        name="one_publisher_an_identity",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("owner__isnull", False)),
                        fields=("owner", "name", "issuer", "claims"),
                        name="one_pending_publisher_an_identity",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="UsedFilename",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.owner"
                    ),
                ),
                ("filename", models.CharField(max_length=255)),
                ("sha256", models.CharField(max_length=64)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "filename"), name="file_names_never_return"),
                    models.CheckConstraint(
                        condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")), name="used_file_digest_is_sha256"
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="UsedJti",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("issuer", models.CharField(max_length=200)),
                ("jti", models.CharField(max_length=255)),
                ("kept_until", models.DateTimeField(db_index=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("issuer", "jti"), name="identity_tokens_are_used_once")]
            },
        ),
        migrations.CreateModel(
            name="Source",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="source", to="registry.version"
                    ),
                ),
                ("filename", models.CharField(max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField()),
                ("content_hash", models.CharField(db_index=True, max_length=64)),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("uploaded_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "indexes": [models.Index(fields=["sha256"], name="source_by_sha256")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("sha256__regex", "^[0-9a-f]{64}$"), ("content_hash__regex", "^[0-9a-f]{64}$")
                        ),
                        name="source_digests_are_sha256",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="registry.environment"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="registry.version",
                    ),
                ),
                (
                    "reporter",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reports", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("malware", "does harm to who runs it"),
                            ("secrets", "holds passwords, keys or private data"),
                            ("copyright", "holds what its owner may not give away"),
                            ("broken", "does not do what it says"),
                            ("spam", "is advertising, or there to mislead"),
                            ("other", "something else"),
                        ],
                        max_length=9,
                    ),
                ),
                ("text", models.CharField(max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                (
                    "resolved_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("resolution", models.CharField(blank=True, max_length=400)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("resolved_at", None)), fields=["id"], name="open_reports")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("resolved_at", None)),
                        fields=("reporter", "environment"),
                        name="one_open_report_a_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ("malware", "secrets", "copyright", "broken", "spam", "other"))
                        ),
                        name="report_reason_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True), name="reports_say_something"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("resolution", ""), ("resolved_at", None), ("resolved_by", None)),
                            models.Q(("resolved_at__isnull", False), models.Q(("resolution", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="only_resolved_reports_say_how",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Provenance",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="provenance", to="registry.version"
                    ),
                ),
                ("document", models.JSONField()),
                ("verified_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("verb", models.CharField(max_length=60)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="events",
                        to="registry.owner",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="events",
                        to="registry.environment",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="events",
                        to="registry.version",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="events",
                        to="registry.run",
                    ),
                ),
                ("data", models.JSONField(default=dict)),
            ],
            options={
                "ordering": ("id",),
                "indexes": [
                    models.Index(fields=["environment", "-id"], name="event_by_environment"),
                    models.Index(fields=["owner", "-id"], name="event_by_owner"),
                    models.Index(
                        condition=models.Q(("verb", "environment.created")),
                        fields=["actor", "at"],
                        name="new_names_by_person",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("verb__regex", "^[a-z]+(_[a-z]+)*(\\.[a-z0-9]+(_[a-z0-9]+)*)+$")),
                        name="verbs_are_dotted_words",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Card",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="card", to="registry.version"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cards", to="registry.run"
                    ),
                ),
                ("measures", models.JSONField(default=list)),
                ("scores", models.JSONField(default=list)),
                ("computed_at", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="VersionFinding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="registry.version"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="findings",
                        to="registry.run",
                    ),
                ),
                (
                    "stage",
                    models.CharField(choices=[("check", "Check"), ("run", "Run"), ("card", "Card")], max_length=8),
                ),
                ("code", models.CharField(max_length=80)),
                ("severity", models.CharField(max_length=8)),
                ("message", models.TextField()),
                ("hint", models.TextField(blank=True)),
                ("where", models.CharField(blank=True, max_length=300)),
                ("details", models.JSONField(default=dict)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("stage__in", ("check", "run", "card"))), name="finding_stage_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("severity__in", ("error", "warning", "info"))),
                        name="finding_severity_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("stage", "run"), _negated=True), ("run__isnull", False), _connector="OR"
                        ),
                        name="findings_of_a_run_name_it",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="VersionLock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="locks", to="registry.version"
                    ),
                ),
                ("platform", models.CharField(max_length=80)),
                ("text", models.TextField(blank=True)),
                ("sha256", models.CharField(max_length=64)),
                ("packages", models.PositiveIntegerField()),
                (
                    "run",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="locks", to="registry.run"
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("platform",),
                "constraints": [
                    models.UniqueConstraint(fields=("version", "platform"), name="one_lock_a_platform"),
                    models.CheckConstraint(
                        condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")), name="lock_digest_is_sha256"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("platform__regex", "^[a-z0-9][a-z0-9._-]{0,79}$")),
                        name="lock_platform_is_plain",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DeviceLogin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_code", models.CharField(max_length=9, unique=True)),
                ("device_digest", models.CharField(max_length=64, unique=True)),
                ("device_name", models.CharField(max_length=80)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("approved_at", models.DateTimeField(null=True)),
                ("denied_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("device_digest__regex", "^[0-9a-f]{64}$")), name="device_digest_is_sha256"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="device_logins_expire_after_they_begin",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("approved_at__isnull", True),
                            models.Q(("denied_at__isnull", True), ("user__isnull", False)),
                            _connector="OR",
                        ),
                        name="approved_logins_have_a_person",
                    ),
                ]
            },
        ),
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                (
                    "environment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="document",
                        serialize=False,
                        to="registry.environment",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.owner"
                    ),
                ),
                ("place", models.BigIntegerField(unique=True)),
                ("listed", models.BooleanField()),
                ("visibility", models.CharField(max_length=8)),
                ("marks", models.TextField()),
                ("name", models.TextField()),
                ("owner_name", models.TextField()),
                ("tags", models.TextField()),
                ("summary", models.TextField()),
                ("readme", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.environment"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("kind", models.CharField(choices=[("wheel", "Wheel"), ("source", "Source")], max_length=6)),
                ("filename", models.CharField(max_length=255)),
                ("version", models.CharField(max_length=80)),
                ("sha256", models.CharField(max_length=64)),
                ("content_hash", models.CharField(max_length=64)),
                ("announced_at", models.DateTimeField(auto_now_add=True)),
                ("arrived_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["announced_at"], name="delivery_by_time")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("sha256__regex", "^[0-9a-f]{64}$"), ("content_hash__regex", "^[0-9a-f]{64}$")
                        ),
                        name="delivery_digests_are_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ("wheel", "source"))), name="delivery_kind_is_known"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="organisation",
            name="members",
            field=models.ManyToManyField(
                related_name="organisations", through="registry.Membership", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="environment",
            name="latest",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="registry.version",
            ),
        ),
        migrations.AddConstraint(
            model_name="environment",
            constraint=models.CheckConstraint(
                condition=models.Q(("deleted_at__isnull", True), ("latest__isnull", True), _connector="OR"),
                name="deleted_environments_have_no_latest",
            ),
        ),
        migrations.AddConstraint(
            model_name="environment",
            constraint=models.UniqueConstraint(fields=("latest",), name="latest_of_one_environment"),
        ),
        # Django's own index of the tag's column holds no environments.
        migrations.RunSQL(
            "CREATE INDEX registry_environment_tags_by_tag "
            "ON registry_environment_tags (tag_id, environment_id)",
            "DROP INDEX registry_environment_tags_by_tag",
        ),
        # Last: SQLite loses the triggers of a table that a later operation copies.
        migrations.RunPython(install_search, uninstall_search),
    ]
