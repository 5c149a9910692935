"""Reporting, moderating and reading the journal in the browser."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client, override_settings
from django.utils import timezone
from django.utils.html import strip_tags

from envyard.contract.findings import finding
from envyard_runner.messaging.heartbeat import capabilities, final_capabilities
from registry import events
from registry.accounts import runners
from registry.accounts.models import Runner
from registry.catalog.related_models import VersionFinding
from registry.models import Environment, EnvironmentHost, Organisation, Report, User, Version
from registry.provisions import hosts
from registry.runs.endings import store_findings
from tests.factories import make_run, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once

PAGE = "/envs/lab/demo-env/"


@pytest.fixture
def env(lab: Organisation) -> Environment:
    """lab/demo-env with one listed version."""
    return make_version(lab).environment


def test_a_reader_reports_and_staff_withdraw_and_resolve(
    client: Client, env: Environment, carol: User, root: User
) -> None:
    client.force_login(carol)
    assert f"{PAGE}report/" in text(client, PAGE)
    assert "selected>0.1.0" in text(client, f"{PAGE}report/?version=0.1.0")
    form = {"reason": "malware", "version": "0.1.0", "text": "It reads <my> keys."}
    assert client.post(f"{PAGE}report/", form).status_code == 302
    again = client.post(f"{PAGE}report/", form)
    assert again.status_code == 400
    assert "already" in again.content.decode()
    assert text(client, "/moderation/", 403)

    client.force_login(root)
    page = text(client, "/moderation/")
    assert "It reads &lt;my&gt; keys." in page
    assert "carol" in page
    client.post(f"{PAGE}0.1.0/quarantine/", {"reason": "It reads keys."})
    pk = Report.objects.get().pk
    client.post(f"/moderation/reports/{pk}/resolve/", {"resolution": "Withdrawn."})
    assert "No open reports." in text(client, "/moderation/")
    assert "Release this version" in text(client, f"{PAGE}0.1.0/")

    client.force_login(carol)
    shown = text(client, f"{PAGE}0.1.0/")
    assert "Reason: It reads keys." in shown
    assert "hub install" not in shown
    assert "Release this version" not in shown


def test_a_quarantine_needs_a_reason(client: Client, env: Environment, root: User) -> None:
    client.force_login(root)
    client.post(f"{PAGE}quarantine/", {"reason": " "})
    assert "Reason must have 1 to 400 characters" in text(client, PAGE)
    env.refresh_from_db()
    assert env.quarantined_at is None
    client.post(f"{PAGE}quarantine/", {"reason": "It mines coins."})
    assert "Release this environment" in text(client, PAGE)
    client.post(f"{PAGE}release/")
    env.refresh_from_db()
    assert env.quarantined_at is None


def test_lines_of_the_journal_lead_to_what_they_name(
    client: Client, env: Environment, alice: User
) -> None:
    run = make_run(env.versions.get())
    events.record(
        "run.requested", environment=env, version=run.version, run=run, by=alice, model="m"
    )
    client.force_login(alice)
    for page in (f"{PAGE}journal/", "/owners/lab/journal/"):
        rows = text(client, page).partition("<tbody>")[2]
        assert f'<a href="{PAGE}0.1.0/">lab/demo-env==0.1.0</a>' in rows
        assert f'href="/runs/{run.pk}/">the run</a>' in rows
        assert '<a href="/owners/alice/">alice</a>' in rows
    Version.objects.update(deleted_at="2026-01-01T00:00:00Z")
    assert f'href="{PAGE}0.1.0/"' not in text(client, f"{PAGE}journal/").partition("<tbody>")[2]


def test_the_journal_is_a_tab_for_those_who_publish(
    client: Client, env: Environment, alice: User, bob: User, root: User
) -> None:
    client.force_login(bob)
    assert f"{PAGE}journal/" not in text(client, PAGE)
    client.force_login(root)
    client.post(f"{PAGE}quarantine/", {"reason": "It mines coins."})
    client.force_login(alice)
    assert f"{PAGE}journal/" in text(client, PAGE)
    sentence = "root put lab/demo-env into quarantine: It mines coins."
    assert sentence in strip_tags(text(client, f"{PAGE}journal/"))
    assert "/owners/lab/journal/" in text(client, "/owners/lab/")
    assert sentence in strip_tags(text(client, "/owners/lab/journal/"))
    client.force_login(root)
    assert sentence in strip_tags(text(client, "/moderation/journal/"))


def test_a_runner_that_stopped_is_away_and_one_that_finishes_its_run_is_draining(
    client: Client, root: User
) -> None:
    runner, _ = runners.create(name="gpu-1")
    client.force_login(root)

    def shown() -> tuple[bool, bool]:
        page = text(client, "/moderation/")
        return "draining</span>" in page, "away</span>" in page

    assert shown() == (False, True)  # never seen
    Runner.objects.update(last_seen_at=timezone.now())
    runners.describe(runner=runner, capabilities=capabilities([]))
    assert shown() == (False, False)
    runners.describe(runner=runner, capabilities=capabilities([], draining=True))
    assert shown() == (True, False)
    runners.describe(runner=runner, capabilities=final_capabilities())
    assert shown() == (False, True)
    assert "Last seen" in text(client, "/moderation/")
    runners.drain(runner=runner)
    assert shown() == (True, True)


def test_staff_drain_a_runner_and_give_it_runs_again(client: Client, root: User) -> None:
    runner, _ = runners.create(name="gpu-1")
    client.force_login(root)
    assert "Drain" in text(client, "/moderation/")
    client.post(f"/moderation/runners/{runner.pk}/drain/")
    runner.refresh_from_db()
    assert runner.draining_since is not None
    assert "draining" in text(client, "/moderation/")
    client.post(f"/moderation/runners/{runner.pk}/resume/")
    runner.refresh_from_db()
    assert runner.draining_since is None


def test_staff_see_why_a_runner_took_itself_out_of_service(client: Client, root: User) -> None:
    runner, _ = runners.create(name="gpu-1")
    out = {
        "since": timezone.now().isoformat(),
        "reason": "3 runs <failed>",
        "check": "uv: no cache",
    }
    runners.describe(runner=runner, capabilities={"out_of_service": out})
    client.force_login(root)
    page = text(client, "/moderation/")
    assert '<span class="pill warn">out of service</span>' in page
    assert "3 runs &lt;failed&gt;" in page
    assert "The last self-check failed: uv: no cache" in page
    [row] = client.get("/api/v1/runners/").json()["results"]
    assert row["out_of_service"]["reason"] == "3 runs <failed>"
    runners.describe(runner=runner, capabilities={})
    assert client.get("/api/v1/runners/").json()["results"][0]["out_of_service"] is None


def test_staff_see_what_each_runner_provides(client: Client, root: User) -> None:
    runner, _ = runners.create(name="gpu-1")
    provides = {"data": "1" * 16, "host": "2" * 16, "judge": "3" * 16}
    runners.describe(runner=runner, capabilities={"provides": provides})
    runners.create(name="gpu-2")
    client.force_login(root)
    page = text(client, "/moderation/")
    assert "provides data sets, hosts ·" in page  # no judge: the hub names no HUB_JUDGE_MODEL
    assert "provides no data sets, judge or hosts ·" in page
    with override_settings(HUB_JUDGE_MODEL="arbiter"):
        assert "provides data sets, a judge model, hosts ·" in text(client, "/moderation/")
        [first, _] = client.get("/api/v1/runners/").json()["results"]
        assert first["provides"] == ["data", "judge", "host"]


def test_staff_see_what_held_versions_lack(client: Client, alice: User, root: User) -> None:
    for minor in range(7):
        version = make_version(alice, version=f"0.{minor}.0", status="held")
        run = make_run(version, status="errored")
        codes = ("needs.judge", "needs.data", "needs.data") if minor == 3 else ("needs.judge",)
        findings = [finding(code, "It lacked it.") for code in codes]
        store_findings(version, VersionFinding.Stage.RUN, findings, run)
    Version.objects.filter(version="0.0.0").update(status="listed", listed_at=timezone.now())
    client.force_login(root)
    page = text(client, "/moderation/")
    assert "<code>needs_judge</code>: 6 versions. Set <code>HUB_JUDGE_MODEL</code>" in page
    assert "<code>needs_data</code>: 1 version. Set <code>RUNNER_DATA_URL</code>" in page
    assert "alice/demo-env==0.6.0" in page
    assert "lab/demo-env==0.1.0" not in page
    assert "and others" in page
    Version.objects.update(status="listed", listed_at=timezone.now())
    assert "What held versions lack" not in text(client, "/moderation/")


def test_staff_page_through_all_hosts_to_approve(client: Client, alice: User, root: User) -> None:
    env = make_version(alice).environment
    names = [f"shard-{n}.example.org" for n in range(25)]
    for name in names:
        hosts.add(environment=env, host=name, by=alice)
    client.force_login(root)
    assert "All 25 hosts to approve" in text(client, "/moderation/")
    first = text(client, "/moderation/hosts/")
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    second = text(client, f"/moderation/hosts/{html.unescape(following[1])}")
    for page, shown in ((first, names[:20]), (second, names[20:])):
        assert [name for name in names if f">{name}<" in page] == shown
    path = "/envs/alice/demo-env/settings/provisions/hosts/shard-0.example.org/approve/"
    answer = client.post(path, {"next": "moderation-hosts"})
    assert answer.headers["Location"] == "/moderation/hosts/"
    assert ">shard-0.example.org<" not in text(client, "/moderation/hosts/")
    EnvironmentHost.objects.all().delete()
    assert "No host waits for approval." in text(client, "/moderation/hosts/")
