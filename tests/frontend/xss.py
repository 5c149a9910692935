"""Markup that would run or load something in a page that does not escape or clean it, and a check
of pages for what of it is left."""

from __future__ import annotations

from html.parser import HTMLParser

OWN = "document.title='owned'"
CORPUS = (
    f"<script>{OWN}</script>",
    f'<img src=x onerror="{OWN}">',
    f'"><svg onload="{OWN}">',
    f"</pre></details></section><script>{OWN}</script>",
    f"<iframe srcdoc=\"<script>parent.{OWN}</script>\"></iframe>",
    f"[link](javascript:{OWN})",
    f"[link](  JaVaScRiPt&colon;{OWN})",
    f"<a href=\"&#106;avascript:{OWN}\">link</a>",
    f"![words\" onerror=\"{OWN}](x.png)",
    "![seen](https://evil.example/pixel.png)",
    "[away](/logout/) [up](../../settings/tokens/) [there](//evil.example/)",
    "<form action=/logout/ method=post><button>Go</button></form>",
    "<base href=https://evil.example/><meta http-equiv=refresh content=0>",
    "<style>@import 'https://evil.example/x.css'</style><p style=\"background:url(x)\" id=main>",
    f"<math><mtext><mglyph><style><!--</style><img title=\"--&gt;<img src=1 onerror={OWN}>\">",
    f"```html\n</code></pre><script>{OWN}</script>\n```",
    f"<https://example.com/?\"onmouseover={OWN}>",
    f"# <a name=x id=live onclick={OWN}>heading</a>",
    "<mark>not a match</mark>",
    f"{{% load x %}}{{{{ request }}}}<template><script>{OWN}</script></template>",
)  # fmt: skip
ALL = "\n\n".join(CORPUS)
SCRIPTS = ("/static/",)  # the hub's own


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in ("iframe", "object", "embed", "base", "style", "template", "math"):
            self.problems.append(f"<{tag}>")
        if tag in ("script", "img", "link") and not self._is_own(values):
            self.problems.append(f"<{tag} {values}>")
        if tag == "form" and values.get("action") == "/logout/" and "class" not in values:
            self.problems.append("a form that signs out")
        self.problems += [f"{tag} {name}" for name in values if name.startswith("on")]
        self.problems += [f"{tag} style" for name in values if name == "style"]
        href = values.get("href", "").strip().lower()
        if href.startswith(("javascript:", "data:", "//", "../")):
            self.problems.append(f"{tag} href={href}")

    @staticmethod
    def _is_own(values: dict[str, str]) -> bool:
        address = values.get("src", values.get("href", ""))
        if values.get("rel") == "alternate":  # a feed, which a page does not load
            return address.startswith("/") and not address.startswith("//")
        return address.startswith(SCRIPTS)


def problems(page: str) -> list[str]:
    """What of a page may run, load or act; empty for one whose strangers' text is inert."""
    parser = _Page()
    parser.feed(page)
    return parser.problems
