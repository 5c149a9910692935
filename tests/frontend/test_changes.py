"""The page of what changed between two versions, and the timeline that leads to it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from django.test import Client

from registry import storage
from registry.card.models import Card
from registry.errors import Stale
from registry.models import User, Version
from registry.sources import changes, diffing
from tests.factories import make_version
from tests.frontend import gallery_learnability
from tests.frontend.people import text
from tests.wheels import make_wheel

pytestmark = [pytest.mark.once, pytest.mark.django_db]

PAGE = "/envs/alice/demo-env/"
COMPARE = f"{PAGE}compare/"
OLD = {"demo_env/rewards.py": "def reward():\n    return 0\n", "demo_env/gone.py": "x = 1\n"}
NEW = {"demo_env/rewards.py": "def reward():\n    return 1\n", "demo_env/fresh.bin": b"\0\1"}


def publish(by: User, version: str, files: dict[str, Any], **fields: Any) -> Version:
    """A listed version whose wheel has these files too."""
    wheel = make_wheel(version=version, files={"demo_env/__init__.py": "", **files})
    return make_version(by, version=version, wheel=wheel, **fields)


@pytest.fixture
def both(alice: User) -> tuple[Version, Version]:
    """0.1.0 and 0.2.0 of alice/demo-env."""
    return (
        publish(alice, "0.1.0", OLD, requires_dist=["verifiers>=0.4", "old"], license="MIT"),
        publish(alice, "0.2.0", NEW, requires_dist=["verifiers>=0.4", "new"], license="Apache-2.0"),
    )


def test_changed_files_are_found_by_their_hashes(both: tuple[Version, Version]) -> None:
    found = changes.between(before=both[0], after=both[1])
    kinds = {change.path: change.kind for change in found.files}
    assert kinds == {
        "*.dist-info/METADATA": "changed",
        "demo_env/fresh.bin": "added",
        "demo_env/gone.py": "removed",
        "demo_env/rewards.py": "changed",
    }
    (rewards,) = (change for change in found.files if change.path == "demo_env/rewards.py")
    lines = ["@@ -1,2 +1,2 @@", " def reward():", "-    return 0", "+    return 1"]
    assert rewards.lines == lines
    assert (rewards.before, rewards.after) == (27, 27)
    assert found.unchanged > 0
    same = changes.between(before=both[0], after=both[0])
    assert (same.files, same.more) == ([], 0)


def test_changes_are_kept_for_two_wheels(both: tuple[Version, Version]) -> None:
    first = changes.between(before=both[0], after=both[1])
    storage.get().delete(storage.key("wheels", both[0].sha256))
    assert changes.between(before=both[0], after=both[1]) == first
    with pytest.raises(Stale, match="still being taken in"):
        changes.between(before=both[1], after=both[0])


def test_the_page_shows_metadata_dependencies_and_files(
    client: Client, both: tuple[Version, Version]
) -> None:
    page = unescape(text(client, COMPARE))
    assert "Changes from 0.1.0 to 0.2.0" in page
    assert re.search(r"Licence</td><td[^>]*>MIT</td><td[^>]*>Apache-2.0</td>", page)
    assert "<li>− old</li>" in page
    assert "<li>+ new</li>" in page
    assert "<del>- return 0</del><ins>+ return 1</ins>" in re.sub(r">\s+<", "><", page)
    assert "Neither version has a card." in page
    back = text(client, f"{COMPARE}?from=0.2.0&to=0.1.0")
    assert "Changes from 0.2.0 to 0.1.0" in back
    assert "Choose two versions" in text(client, f"{COMPARE}?from=0.2.0&to=0.2.0")


def test_hostile_names_and_lines_are_inert(client: Client, alice: User) -> None:
    attack = "<script>x</script>\u202e\n"
    publish(alice, "0.1.0", {"demo_env/a.py": "1\n"})
    publish(alice, "0.2.0", {"demo_env/a.py": attack}, license="<script>y")
    page = text(client, COMPARE)
    assert "<script>x" not in page
    assert "<script>y" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;x" in page


def test_large_and_binary_files_are_not_compared_line_by_line(client: Client, alice: User) -> None:
    big = "x\n" * changes.MAX_FILE
    publish(alice, "0.1.0", {"demo_env/big.txt": big, "demo_env/b.bin": b"\0a"})
    publish(alice, "0.2.0", {"demo_env/big.txt": f"{big}y", "demo_env/b.bin": b"\0b"})
    assert text(client, COMPARE).count("Not compared line by line") == 2


def test_texts_that_take_too_long_leave_the_rest_of_the_page(client: Client) -> None:
    slow = "".join(f"{n % 3000}\n" for n in range(30_000))
    other = "".join(f"{(n * 7) % 3001}\n" for n in range(30_000))
    quick, never = diffing.diffs_in_process([("a\n", "b\n"), (slow * 4, other * 4)])
    assert quick == ["@@ -1 +1 @@", "-a", "+b"]
    assert never is None


def test_a_long_diff_ends_with_an_ellipsis() -> None:
    before, after = ("\n".join(f"{word}{n}" for n in range(1000)) for word in "ab")
    (lines,) = diffing.diffs_in_process([(before, after)])
    assert lines is not None
    assert len(lines) == diffing.MAX_LINES + 1
    assert lines[-1] == "…"


def test_only_versions_that_the_reader_sees_are_compared(
    client: Client, alice: User, both: tuple[Version, Version]
) -> None:
    publish(alice, "0.3.0", {}, status="rejected")
    assert "0.3.0" not in text(client, COMPARE)
    text(client, f"{COMPARE}?from=0.1.0&to=0.3.0", 404)
    text(client, f"{COMPARE}?from=0.1.0&to=9", 404)
    client.force_login(alice)
    assert "Changes from 0.2.0 to 0.3.0" in text(client, COMPARE)
    Version.objects.filter(version="0.2.0").update(quarantined_at=datetime.now(tz=UTC))
    page = text(client, f"{COMPARE}?from=0.1.0&to=0.2.0")
    assert "files of a quarantined version are not shown" in page
    assert "return 1" not in page


def test_a_wheel_that_is_not_stored_yet_leaves_the_rest_of_the_page(
    client: Client, alice: User
) -> None:
    make_version(alice, version="0.1.0", license="MIT")
    make_version(alice, version="0.2.0", license="Apache-2.0")
    page = text(client, COMPARE, 409)
    assert "still being taken in" in page
    assert "Apache-2.0" in page


def test_the_cards_stand_side_by_side_and_scores_name_their_models(
    client: Client, alice: User
) -> None:
    for name, model in (("demo-env", "org/a"), ("other", "org/b")):
        gallery_learnability.played(alice, name, [[0.0, 1.0]] * 4, model=model, part="p")
    page = text(client, COMPARE)
    assert "Choose two versions" in page
    later = make_version(alice, version="0.2.0")
    page = text(client, COMPARE, 409)
    assert '<a href="/docs/measures/floor/">Floor</a>' in page
    assert "org/a [" in page
    assert "different models" not in page
    Card.objects.filter(version__environment__name="other").update(version=later, rules=0)
    page = text(client, COMPARE, 409)
    assert "org/b [" in page
    assert "of different models: these do not compare" in page
    assert "computed by different rules" in page


def test_the_timeline_has_date_status_size_checks_score_and_changes(
    client: Client, alice: User, django_assert_max_num_queries: Any
) -> None:
    gallery_learnability.played(alice, "demo-env", [[0.0, 1.0]] * 4, model="m", part="p")
    for number in range(2, 10):
        make_version(alice, version=f"0.{number}.0")
    with django_assert_max_num_queries(22):
        page = unescape(text(client, f"{PAGE}?tab=versions"))
    assert f"{COMPARE}?from=0.1.0&to=0.2.0" in page
    assert page.count(">since 0.") == 8
    rows = re.findall(r"<tr>.*?</tr>", page)
    (evaluated,) = (row for row in rows if f'{PAGE}0.1.0/"' in row)
    assert re.search(r'data-label="Score"><span title="m, [^"]+">0.5 ', evaluated)
    assert re.search(r'data-label="Checks">\d+/\d+', evaluated)
    assert "bytes" in evaluated
