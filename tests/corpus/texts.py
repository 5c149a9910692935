"""Wheels whose METADATA shows one thing and holds another, or is read in two ways."""

from tests.corpus.case import Case
from tests.corpus.content import files
from tests.corpus.documents import meta, raw
from tests.corpus.framing import both, case, extra, raw_name
from tests.corpus.paths import pair
from tests.wheels import make_wheel

HEAD = "Metadata-Version: 2.4\nName: demo-env\nVersion: 0.1.0\n"
INVISIBLE = {
    "a zero-width space": "\u200b", "a right-to-left mark": "\u200f", "a soft hyphen": "\u00ad",
    "a word joiner": "\u2060", "an override": "\u202e", "an isolate": "\u2066",
    "a Hangul filler": "\u3164", "an empty Braille cell": "\u2800", "a private character": "\ue000",
    "a tag character": "\U000e0041", "a variation selector": "\ufe01", "U+034F": "\u034f",
    "a terminal's escape": "\x1b", "a byte order mark inside": "\ufeff", "a backspace": "\b",
}  # fmt: skip
BREAKS = {"a lone carriage return": "\r", "a vertical tab": "\v", "a form feed": "\f",
          "U+001C": "\x1c", "U+0085": "\x85", "U+2028": "\u2028"}  # fmt: skip
MORE = "Requires-Dist: evil"


def line(name: str, text: str | bytes, *words: str) -> Case:
    content = text.encode() if isinstance(text, str) else text
    return raw(name, content, "metadata.bad_line", "METADATA", *words)


def hidden(name: str, field: str, value: str, *words: str) -> Case:
    return meta(name, {field: value}, "metadata.hidden_character", field.lower(), *words)


def link(name: str, url: str) -> Case:
    return meta(f"a link {name}", {"Project-URL": f"Docs, {url}"}, "metadata.bad_url", "Docs")


BAD = [
    # names of members
    *(case(f"{name} in a member's name", raw_name(f"demo_env/a{character}.py".encode(), 0x800),
           "wheel.name_control", "invisible", f"U+{ord(character):04X}")
      for name, character in INVISIBLE.items()),
    case("a no-break space in a member's name", raw_name("demo_env/a\u00a0.py".encode(), 0x800),
         "wheel.name_control", "U+00A0"),
    pair("names that compatibility makes one", "demo_env/file.py", "demo_env/\ufb01le.py",
         "wheel.unicode_collision"),
    pair("names that full width makes one", "demo_env/a.py", "demo_env/\uff41.py",
         "wheel.unicode_collision"),
    case("an extra field that nobody knows", both(extra=extra(0x4D63, b"other.py")),
         "wheel.unknown_extra", "0x4d63"),
    case("a Mac's second name", both(extra=extra(0x2605, b"other.py")), "wheel.unknown_extra",
         "0x2605"),
    # fields that people read
    *(hidden(f"{name} in Summary", "Summary", f"a{character}b", f"U+{ord(character):04X}")
      for name, character in INVISIBLE.items() if name not in ("a terminal's escape", "a backspace",
                                                               "a byte order mark inside")),
    *(meta(f"{name} in Summary", {"Summary": f"a{character}b"}, "metadata.bad_line", "U+")
      for name, character in INVISIBLE.items() if name in ("a terminal's escape", "a backspace",
                                                           "a byte order mark inside")),
    hidden("an override in Author", "Author", "alice\u202e", "U+202E"),
    hidden("a mark in Author-email", "Author-email", "a\u200eb <a@example.com>", "U+200E"),
    hidden("an invisible keyword", "Keywords", "a,\u200b", "U+200B"),
    hidden("an invisible label", "Project-URL", "Do\u200bcs, https://example.com", "U+200B"),
    meta("an override in License", {"License-Expression": None, "License": "MIT\u202e"},
         "metadata.hidden_character", "license", "U+202E"),
    Case("an override in the README", lambda: make_wheel(description="# a\u202eb\n"),
         "metadata.hidden_character", ("description", "U+202E")),
    Case("invisible words in the README", lambda: make_wheel(
            description="# a\n" + "".join(chr(0xE0000 + ord(letter)) for letter in "obey")),
         "metadata.hidden_character", ("description", "TAG")),
    # lines
    *(line(f"a field behind {name}", f"{HEAD}Summary: x{character}{MORE}\n", "line 4")
      for name, character in BREAKS.items()),
    line("a first line from a mailbox", f"From alice\n{HEAD}", "line 1", "Field: value"),
    line("a byte order mark before METADATA", f"\ufeff{HEAD}", "line 1"),
    line("words among the fields", f"{HEAD}words\n{MORE}\n", "line 4", "Field: value"),
    line("a space before a colon", f"{HEAD}Requires-Dist : evil\n", "line 4"),
    line("a folded name", "Metadata-Version: 2.4\nName:\n demo-env\nVersion: 0.1.0\n",
         "line 3", "continues"),
    line("a folded dependency", f"{HEAD}Requires-Dist: a\n ,evil\n", "line 5", "continues"),
    line("a first line that continues", f" x\n{HEAD}", "line 1"),
    line("an encoded word", f"{HEAD}Keywords: =?utf-8?q?evil?=\n", "encoded word"),
    line("an encoded word in a dependency",
         f"{HEAD}Requires-Dist: a; extra == '=?utf-8?q?x?='\n", "encoded word"),
    # fields against each other
    meta("a licence of both kinds", {"License": "MIT"}, "metadata.two_licenses", "MIT",
         "Apache-2.0"),
    meta("an extra twice", {"Provides-Extra": ["fast", "fast"]}, "metadata.repeated_extra", "fast"),
    meta("an extra twice in two spellings", {"Provides-Extra": ["my-fast", "My_Fast"]},
         "metadata.repeated_extra", "My_Fast", "my-fast"),
    meta("an Import-Name that is not there",
         {"Metadata-Version": "2.5", "Import-Name": ["demo_env", "other"]}, "metadata.import_name",
         "other"),
    meta("an Import-Name below a module that is not there",
         {"Metadata-Version": "2.5", "Import-Name": "demo_env.gone"}, "metadata.import_name",
         "demo_env.gone"),
    meta("an Import-Namespace that is not there",
         {"Metadata-Version": "2.5", "Import-Name": "demo_env", "Import-Namespace": "space"},
         "metadata.import_name", "Import-Namespace", "space"),
    meta("a dependency on itself", {"Requires-Dist": "Demo.Env"}, "metadata.self_dependency",
         "Demo.Env"),
    meta("a dependency on another version of itself", {"Requires-Dist": "demo-env[x]>=9"},
         "metadata.self_dependency", ">=9"),
    meta("a Requires-Python that no Python is", {"Requires-Python": "<3"},
         "metadata.bad_requires_python", "<3", "no Python 3"),
    meta("a Requires-Python against itself", {"Requires-Python": ">=3.12,<3.11"},
         "metadata.bad_requires_python", "no Python 3"),
    meta("a dependency compared as text", {"Requires-Dist": "numpy===abc"},
         "metadata.bad_requirement", "numpy===abc", "'=='"),
    meta("a Requires-Python compared as text", {"Requires-Python": "===3.11"},
         "metadata.bad_requires_python", "===3.11", "'=='"),
    link("without a host", "https://"), link("to a dot", "https://."),
    link("with a user name", "https://github.com@evil.example/"),
    link("with a space", "https://example.com/a b"), link("to a port of letters", "https://a:b/"),
    link("with a backslash", "https://example.com\\@evil.example"),
    link("with a quote", 'https://example.com/"onmouseover=x'),
    link("without slashes", "https:example.com"),
    meta("a download of a file", {"Download-URL": "file:///etc/passwd"}, "metadata.bad_url",
         "file:///etc/passwd"),
    files("a program in a package", {"demo_env/tool.so.1": b"\x7fELF"}, "wheel.compiled_member"),
]  # fmt: skip
