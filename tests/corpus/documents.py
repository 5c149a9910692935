"""Wheels whose METADATA breaks a rule."""

from tests.corpus.case import Case
from tests.corpus.content import INFO
from tests.wheels import Fields, make_wheel


def said(name: str, fields: Fields, code: str, *words: str) -> Case:
    return Case(name, lambda: make_wheel(metadata=fields), code, ("METADATA", *words))


def raw(name: str, content: bytes | None, code: str, *words: str) -> Case:
    return Case(name, lambda: make_wheel(replace={"METADATA": content}), code, words)


BAD = [
    raw("no METADATA", None, "metadata.missing", f"{INFO}/METADATA", "missing"),
    raw("an empty METADATA", b"", "metadata.missing", f"{INFO}/METADATA", "empty"),
    raw("a METADATA that is not UTF-8", b"Name: d\xe9mo\n", "metadata.not_utf8", "byte 7", "UTF-8"),
    raw("a NUL in METADATA", b"Name: demo\0\n", "metadata.nul", "NUL", "character 10"),
    raw("a METADATA of over 1 MiB", b"Name: demo-env\n\n" + b"word " * 220_000,
        "metadata.too_large", f"{INFO}/METADATA", "1100016", "1048576"),
    raw("nothing but text", b"\njust a readme\n", "metadata.bad_name", "name"),
    said("brackets without end", {"Requires-Dist": "x ; " + "(" * 5000}, "metadata.unreadable",
         "beyond reading"),
    said("no Metadata-Version", {"Metadata-Version": None}, "metadata.bad_metadata_version",
         "metadata-version"),
    said("a Metadata-Version of tomorrow", {"Metadata-Version": "9.9"},
         "metadata.bad_metadata_version", "9.9"),
    said("another name", {"Name": "other"}, "metadata.name_mismatch", "'other'", "'demo-env'"),
    said("no name", {"Name": None}, "metadata.bad_name", "name"),
    said("a name with a hyphen in front", {"Name": "-demo"}, "metadata.bad_name", "-demo"),
    said("a name of 101 letters", {"Name": "a" * 101}, "metadata.bad_name", "1 to 100"),
    said("two names", {"Name": ["demo-env", "other"]}, "metadata.repeated_field", "name", "other",
         "more than once"),
    said("another version", {"Version": "0.2.0"}, "metadata.version_mismatch", "'0.2.0'",
         "'0.1.0'"),
    said("no version number", {"Version": "newest"}, "metadata.bad_version", "newest"),
    said("no version", {"Version": None}, "metadata.bad_version", "version"),
    said("a local version", {"Version": "0.1.0+mine"}, "metadata.local_version", "'mine'",
         "publish '0.1.0'"),
    said("a dependency on a URL", {"Requires-Dist": "evil @ https://example.com/evil.whl"},
         "metadata.direct_url", "https://example.com/evil.whl", "version instead"),
    said("a dependency on a file", {"Requires-Dist": "evil@file:///etc/evil.whl ; extra == 'x'"},
         "metadata.direct_url", "file:///etc/evil.whl", "version instead"),
    said("a dependency on a repository",
         {"Requires-Dist": "evil @ git+https://example.com/evil@main"}, "metadata.direct_url",
         "git+https"),
    said("a line that is no requirement", {"Requires-Dist": ["verifiers", "not a requirement"]},
         "metadata.bad_requirement", "not a requirement"),
    said("a Requires-Python of words", {"Requires-Python": "three"},
         "metadata.bad_requires_python", "three"),
    said("two summaries", {"Summary": ["one", "two"]}, "metadata.repeated_field", "summary", "two",
         "more than once"),
    said("a summary of 513 letters", {"Summary": "x" * 513}, "metadata.long_field", "summary",
         "513", "512"),
    said("a type of 200,000 parameters",
         {"Description-Content-Type": "text/markdown; " + "a=b; " * 200_000},
         "metadata.long_field", "description-content-type", "8192"),
    said("a dependency of 240,000 bounds", {"Requires-Dist": "a" + ">=1," * 240_000},
         "metadata.long_field", "requires-dist", "8192"),
    said("80,000 made-up fields", {f"X-{number}": "y" for number in range(80_000)},
         "metadata.too_many_fields", "4000", "200"),
    said("5,000 dependencies", {"Requires-Dist": [f"a{number}" for number in range(5000)]},
         "metadata.too_many_fields", "4000", "200"),
    said("a body in parts", {"Content-Type": "multipart/mixed; boundary=x"}, "metadata.bad_field",
         "content-type", "mails"),
    said("a body in base64", {"Content-Transfer-Encoding": "base64"}, "metadata.bad_field",
         "content-transfer-encoding", "mails"),
    said("a licence of one's own", {"License-Expression": "my own"}, "metadata.bad_license",
         "my own"),
    said("a licence file that is not there", {"License-File": "LICENSE"},
         "metadata.no_license_file", f"{INFO}/licenses/LICENSE", "missing"),
    said("a licence file above the wheel", {"License-File": "../../LICENSE"},
         "metadata.no_license_file", "../../LICENSE"),
    said("a README in HTML", {"Description-Content-Type": "text/html"},
         "metadata.bad_content_type", "text/html"),
    said("a README in another alphabet",
         {"Description-Content-Type": "text/markdown; charset=latin-1"},
         "metadata.bad_content_type", "latin-1"),
    said("a link that is a script", {"Project-URL": "Docs, javascript:alert(1)"},
         "metadata.bad_url", "Docs", "javascript:alert(1)", "https://"),
    said("a link to a file", {"Home-page": "file:///etc/passwd"}, "metadata.bad_url",
         "file:///etc/passwd", "https://"),
    said("a link without its label", {"Project-URL": ["no comma", "no comma"]},
         "metadata.bad_url", "no comma"),
    said("a made-up dynamic field", {"Dynamic": "made-up"}, "metadata.bad_field", "made-up"),
]  # fmt: skip
