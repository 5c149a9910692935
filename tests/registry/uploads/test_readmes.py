"""READMEs become HTML once, within bounds, and none of what they say can run."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import RenderedReadme, User
from registry.uploads import readmes, rendering
from tests.factories import make_version

TABLE = "|" + "a|" * 200 + "\n|" + "-|" * 200 + "\n" + "a\n" * 200
WIDE = f"{TABLE}\n" * 20  # of 28 KB: 9 MB of HTML
NESTED = "![[[](" * 30_000
LONG = "word " * 120_000
MARKDOWN = """
## Use it
## Use it
See [above](#use-it), https://example.org/a and the note[^1].

| task | n |
|:-----|--:|
| sums | 3 |

- [x] done
- [ ] open

> [!WARNING]
> Slow.

```python
def f(x): return x
```

[^1]: By hand.
"""


def page(client: Client) -> str:
    return client.get("/envs/alice/demo-env/").content.decode()


def test_a_readme_is_rendered_once_and_safe(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    source = 'Say *it*.<script>x()</script> <a href="javascript:x" onclick="x()">a</a>'
    make_version(alice, readme=source)
    safe = '<p>Say <em>it</em>. <a rel="nofollow noopener noreferrer ugc">a</a></p>'
    assert safe in page(client)
    assert safe in page(client)
    kept = RenderedReadme.objects.get()
    assert not kept.plain
    with django_assert_num_queries(1):
        assert readmes.rendered(source, "").html == kept.html


@pytest.mark.once
@pytest.mark.parametrize("text", [WIDE, NESTED, LONG], ids=["wide", "nested", "long"])
def test_a_hostile_readme_is_shown_as_plain_text(
    client: Client, alice: User, text: str, django_assert_num_queries: Any
) -> None:
    make_version(alice, readme=f"{text}<b>")
    html = page(client)
    assert "shown as plain text" in html
    assert f'<pre tabindex="0">{text}&lt;b&gt;</pre>' in html
    with django_assert_num_queries(1):
        assert readmes.rendered(f"{text}<b>", "").plain


def test_restructuredtext_with_faults_is_shown_as_plain_text(db: None) -> None:
    shown = readmes.rendered("Demo\n===\n\nAn `open quote.\n", "text/x-rst")
    assert '<pre tabindex="0">Demo' in shown.html
    assert (
        readmes.rendered("Demo\n====\n\nSay *it*.\n", "text/x-rst").html.count("<em>it</em>") == 1
    )
    assert readmes.rendered(" \n", "").html == ""


def test_old_ones_go(db: None) -> None:
    readmes.rendered("One.", "")
    later = timezone.now() + timedelta(days=readmes.MAX_AGE_DAYS - 1)
    readmes.delete_expired(now=later)
    assert RenderedReadme.objects.exists()
    readmes.delete_expired(now=later + timedelta(days=2))
    assert not RenderedReadme.objects.exists()


def test_words_stand_in_the_place_of_images() -> None:
    remote = rendering.safe_html('<img src="https://x.y/z.png" onerror="x()"><iframe></iframe>', "")
    rel = "nofollow noopener noreferrer ugc"
    assert remote == f'<p><a href="https://x.y/z.png" rel="{rel}"><i>[image: z.png]</i></a></p>\n'
    assert rendering.safe_html("![R](/plot.png)", "") == "<p><i>[image: R]</i></p>\n"
    assert rendering.safe_html("![R](//x.y/plot.png)", "") == "<p><i>[image: R]</i></p>\n"
    badge = rendering.safe_html("[![CI](https://x.y/ci.svg)](https://x.y/runs)", "")
    assert badge == f'<p><a href="https://x.y/runs" rel="{rel}"><i>[image: CI]</i></a></p>\n'


def test_an_image_beside_the_readme_stays_for_the_page_that_knows_its_address() -> None:
    for path in ("img/plot.png", "./img/plot.png", "../plot.png"):
        kept = f'<p><img src="{path}" alt="Rewards"></p>\n'
        assert rendering.safe_html(f"![Rewards]({path})", "") == kept


def test_markdown_is_that_of_github() -> None:
    html = rendering.safe_html(MARKDOWN, "text/markdown")
    for part in (
        '<h2 id="user-content-use-it">Use it <a class="anchor" href="#user-content-use-it"',
        '<h2 id="user-content-use-it-1">',
        '<a href="#user-content-use-it" ',
        '<th align="right">n</th>',
        "<li>☑ done</li>\n<li>☐ open</li>",
        '<div class="markdown-alert markdown-alert-warning">',
        '<a href="https://example.org/a" ',
        '<li id="user-content-fn1">',
        '<span class="k">def</span>',
        '<pre tabindex="0">',
    ):
        assert part in html
    assert 'style="' not in html


def test_a_readme_names_nothing_of_the_page_and_has_no_classes_of_it() -> None:
    hostile = '<h2 id="live">a</h2><a id="main" class="skip">b</a><span class="k danger">c</span>'
    html = rendering.safe_html(hostile, "")
    assert 'id="live"' not in html
    assert 'id="main"' not in html
    assert 'class="skip"' not in html
    assert '<span class="k">c</span>' in html


def test_a_readme_has_anchors_of_its_own() -> None:
    shown = rendering.safe_html('<a id="seeds"></a>**Seeds.** [x](#seeds)', "text/markdown")
    assert 'id="user-content-seeds"' in shown
    assert 'href="#user-content-seeds"' in shown
    assert "id=" not in rendering.safe_html('<a id="x y">a</a><p id="main">b</p>', "text/markdown")


def test_few_readmes_are_rendered_at_once() -> None:
    over = Event()

    def look() -> int:
        maximum_seen = 0
        while not over.wait(0.01):
            maximum_seen = max(maximum_seen, _renderers())
        return maximum_seen

    with ThreadPoolExecutor(7) as pool:
        looked = pool.submit(look)
        rendered = list(
            pool.map(lambda _: rendering.render_in_process("*a*", "text/markdown"), range(6))
        )
        over.set()
        maximum = looked.result()
    assert {result.html for result in rendered} == {"<p><em>a</em></p>\n"}
    assert maximum == 2


def _renderers() -> int:
    children = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    lines = (Path("/proc", child, "cmdline") for child in children.split())
    return sum(b"registry.uploads.rendering" in _read(line) for line in lines)


def _read(line: Path) -> bytes:
    try:
        return line.read_bytes()
    except OSError:
        return b""
