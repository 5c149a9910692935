"""The files of a version on pages, and those that its README shows."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from registry import storage
from registry.models import User, Version
from registry.sources.models import Source
from registry.uploads import highlighting
from tests.factories import make_version
from tests.frontend.people import text
from tests.wheels import make_wheel

pytestmark = [pytest.mark.once, pytest.mark.django_db]

PAGE = "/envs/alice/demo-env/"
FILES, RAW = f"{PAGE}0.1.0/files/", f"{PAGE}0.1.0/raw/"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "owned"</script></svg>'
MEMBERS: dict[str, bytes] = {
    "demo_env/__init__.py": b'"""Say <b>it</b>."""\n\nWORDS = ("a",)\n',
    "demo_env/plot.png": PNG,
    "demo_env/plot.svg": SVG,
    "demo_env/page.html": b"<script>document.title = 'owned'</script>",
    "demo_env/data.bin": b"\0\1\2",
    "demo_env/<i>.txt": b"odd",
}
README = """# Demo

![Rewards](demo_env/plot.png) ![Gone](demo_env/none.png) ![Page](demo_env/page.html)
[The code](demo_env/__init__.py#L3) [nothing](docs/none.md) [up](../../../../settings/)
[a link](https://example.org/demo_env/plot.png)
"""


@pytest.fixture
def version(alice: User) -> Version:
    """alice/demo-env==0.1.0, whose wheel has MEMBERS."""
    wheel = make_wheel(files=MEMBERS)
    return make_version(alice, wheel=wheel, readme=README, readme_type="text/markdown")


def add_source(version: Version, members: dict[str, bytes]) -> Source:
    """The source archive of the version."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path, data in members.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    data = packed.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    storage.get().put(storage.key("sources", digest), io.BytesIO(data), digest)
    return Source.objects.create(
        version=version, filename="x.tar.gz", sha256=digest, size=len(data), content_hash=digest
    )


def prose(client: Client) -> str:
    """The README on the environment's page."""
    page = text(client, PAGE)
    return page[page.index('<article class="prose">') : page.index("</article>")]


def test_files_tab_leads_through_folders_to_a_highlighted_file(
    client: Client, version: Version
) -> None:
    tab = text(client, f"{PAGE}?tab=files")
    assert "Wheel of 0.1.0" in tab
    assert f'<a href="{FILES}wheel/demo_env">demo_env/</a>' in tab
    assert client.get(FILES).headers["Location"] == f"{FILES}wheel/"
    assert f'<a href="{FILES}wheel/demo_env">demo_env/</a>' in text(client, f"{FILES}wheel/")
    folder = text(client, f"{FILES}wheel/demo_env")
    assert f'<a href="{FILES}wheel/demo_env/__init__.py">__init__.py</a>' in folder
    assert "&lt;i&gt;.txt" in folder
    page = client.get(f"{FILES}wheel/demo_env/__init__.py").content.decode()
    assert '<a class="line" id="L3" href="#L3">3</a><code><span class="n">WORDS</span>' in page
    assert "Say &lt;b&gt;it&lt;/b&gt;." in page
    assert "<b>it</b>" not in page


def test_the_source_archive_comes_first_and_the_wheel_stays_reachable(
    client: Client, version: Version
) -> None:
    add_source(version, {"pyproject.toml": b"[project]\n", "demo_env/__init__.py": b""})
    assert client.get(FILES).headers["Location"] == f"{FILES}source/"
    tab = text(client, f"{PAGE}?tab=files")
    assert "Source of 0.1.0" in tab
    assert f'<a href="{FILES}source/pyproject.toml">' in tab
    assert f'<a href="{FILES}wheel/">' in tab
    page = text(client, f"{FILES}source/")
    assert "pyproject.toml" in page
    assert f'href="{FILES}wheel/"' in page
    assert "does not verify" in page


@pytest.mark.parametrize(
    ("name", "kind", "disposition"),
    [
        ("plot.png", "image/png", ""),
        ("plot.svg", "image/svg+xml", ""),
        ("page.html", "text/plain; charset=utf-8", ""),
        ("__init__.py", "text/plain; charset=utf-8", ""),
        ("data.bin", "application/octet-stream", 'attachment; filename="data.bin"'),
    ],
)
def test_raw_bytes_have_a_type_under_which_nothing_runs(
    client: Client, version: Version, name: str, kind: str, disposition: str
) -> None:
    response = client.get(f"{RAW}wheel/demo_env/{name}")
    assert response.content == MEMBERS[f"demo_env/{name}"]
    assert response.headers["Content-Type"] == kind
    assert response.headers.get("Content-Disposition", "") == disposition
    policy = response.headers["Content-Security-Policy"]
    assert "sandbox" in policy.split("; ")
    assert "default-src 'none'" in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"].startswith("private")
    again = client.get(f"{RAW}wheel/demo_env/{name}", headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "wheel/none.py",
        "wheel/demo_env",
        "source/demo_env/plot.png",
        "other/x",
        "wheel/demo_env/../x",
    ],
)
def test_what_the_archive_does_not_have_is_not_served(
    client: Client, version: Version, path: str
) -> None:
    response = client.get(RAW + path)
    assert response.status_code in (400, 404)
    assert b"owned" not in response.content


def test_files_of_a_quarantined_version_are_not_shown(client: Client, version: Version) -> None:
    Version.objects.update(quarantined_at=version.uploaded_at, quarantine_reason="malware")
    for url in (FILES, f"{FILES}wheel/", f"{RAW}wheel/demo_env/plot.png"):
        assert client.get(url).status_code == 404
    assert "demo_env/</a>" not in client.get(f"{PAGE}?tab=files").content.decode()


def test_a_large_file_is_not_shown_and_a_larger_one_not_served_raw(
    client: Client, alice: User
) -> None:
    members = {"a/__init__.py": b"", "a/long.txt": b"x" * 300_000, "a/huge.txt": b"x" * (9 << 20)}
    make_version(alice, wheel=make_wheel(files=members))
    assert "Open it raw" in text(client, f"{FILES}wheel/a/long.txt")
    assert len(client.get(f"{RAW}wheel/a/long.txt").content) == 300_000
    assert "Download the wheel" in text(client, f"{FILES}wheel/a/huge.txt")
    assert client.get(f"{RAW}wheel/a/huge.txt").status_code == 404


def test_a_readme_shows_images_of_the_archive_and_links_its_files(
    client: Client, version: Version
) -> None:
    html = prose(client)
    assert f'<img src="{RAW}wheel/demo_env/plot.png" alt="Rewards" loading="lazy">' in html
    assert "<i>[image: Gone]</i>" in html
    assert "<i>[image: Page]</i>" in html
    assert f'<a href="{FILES}wheel/demo_env/__init__.py#L3"' in html
    assert "docs/none.md" not in html
    assert "settings" not in html
    assert 'href="https://example.org/demo_env/plot.png"' in html
    assert client.get(f"{RAW}wheel/demo_env/plot.png").content == PNG


def test_a_readme_reads_its_files_below_the_one_folder_of_a_source_archive(
    client: Client, version: Version
) -> None:
    add_source(version, {"demo-0.1/README.md": b"", "demo-0.1/demo_env/plot.png": PNG})
    assert f'<img src="{RAW}source/demo-0.1/demo_env/plot.png"' in prose(client)


def test_images_of_a_readme_without_its_archive_are_words(client: Client, alice: User) -> None:
    make_version(alice, readme="![Rewards](plot.png)", readme_type="text/markdown")
    assert "<i>[image: Rewards]</i>" in prose(client)


@pytest.mark.parametrize(
    "hostile",
    [
        '<img src="x.png" onerror="alert(1)">',
        '<img src="demo_env/plot.png&quot; onerror=&quot;alert(1)">',
        '![x](demo_env/plot.png"onerror="alert(1))',
        '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
        "[x](javascript:alert(1))",
        '<a href="demo_env/x&quot; onclick=&quot;alert(1)">x</a>',
    ],
)
def test_hostile_paths_in_a_readme_are_only_text(
    client: Client, version: Version, hostile: str
) -> None:
    Version.objects.update(readme=hostile)
    tags = re.findall(r"<(?:img|a)\b[^>]*>", prose(client))
    assert not any(re.search(r"\son\w+=|javascript:|data:", tag) for tag in tags)


def test_highlighting_keeps_every_line_and_gives_up_on_what_takes_too_long() -> None:
    source = 'x = """a\n<b>"""\r\n\n\ndef f(): pass\n'
    lines = highlighting.lines_in_process(source, "x.py")
    assert len(lines) == 5
    assert all(line.count("<span") == line.count("</span>") for line in lines)
    assert highlighting.lines_in_process("<b>\n", "x.unknown") == ["&lt;b&gt;"]
    assert highlighting.lines_in_process("", "x.py") == [""]


def test_the_lines_of_a_file_are_kept_for_the_next_view() -> None:
    source = "kept = 'for the next view'\n"
    first = highlighting.lines_in_process(source, "x.py")
    hits = highlighting.kept.cache_info().hits
    assert highlighting.lines_in_process(source, "x.py") == first
    assert highlighting.kept.cache_info().hits == hits + 1


def test_too_many_files_at_once_are_refused(
    client: Client, version: Version, monkeypatch: Any
) -> None:
    from registry import rate_limits

    monkeypatch.setitem(rate_limits.RATES, "file", (1, 60))
    responses: list[HttpResponse] = [client.get(f"{RAW}wheel/demo_env/plot.png") for _ in "12"]
    assert [response.status_code for response in responses] == [200, 429]
    assert responses[1].headers["Retry-After"]
    assert client.get(f"{FILES}wheel/").status_code == 429
    assert f'href="{FILES}"' in text(client, f"{PAGE}?tab=files"), "a link in place of the folder"
