"""Parsing and checking METADATA: field by field, without an exception for any content."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envyard.contract import checks, metadata, wheel
from envyard.contract.findings import Finding
from tests.wheels import Fields, filename, make_wheel


def findings(fields: Fields, description: str = "# Readme\n") -> list[Finding]:
    data = make_wheel(metadata=fields, description=description)
    return checks.run_all(io.BytesIO(data), filename=filename())


def test_every_field_is_read_as_written() -> None:
    data = make_wheel(
        metadata={
            "Keywords": "Multi-Turn, games ,games,,",
            "Author": "Ada",
            "Author-email": "Ada <ada@example.com>",
            "Project-URL": ["Source, https://example.com/src", "Docs, https://example.com"],
            "Home-page": "https://example.com/home",
        },
        description="# Lies mich\n\nüben\n",
    )
    read = wheel.read(io.BytesIO(data), filename=filename()).metadata
    assert read.faults == ()
    assert (read.name, read.version, read.metadata_version) == ("demo-env", "0.1.0", "2.4")
    assert read.keywords == ("multi-turn", "games")
    assert read.authors == "Ada, Ada <ada@example.com>"
    assert read.license == "Apache-2.0"
    assert read.requires_python == ">=3.11"
    assert read.requires_dist == ("verifiers<0.5,>=0.4",)
    assert read.project_urls == {
        "Homepage": "https://example.com/home",
        "Source": "https://example.com/src",
        "Docs": "https://example.com",
    }
    assert read.description == "# Lies mich\n\nüben\n"
    assert read.description_content_type == "text/markdown"
    assert b"Name: demo-env" in read.raw


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"Name": "other"}, "metadata.name_mismatch", "name"),
        ({"Name": "-demo"}, "metadata.bad_name", "name"),
        ({"Name": None}, "metadata.bad_name", "name"),
        ({"Name": ["demo-env", "other"]}, "metadata.bad_name", "name"),
        ({"Name": "a" * 101}, "metadata.bad_name", "name"),
        ({"Version": "0.2.0"}, "metadata.version_mismatch", "version"),
        ({"Version": "0.1.0+local"}, "metadata.local_version", "version"),
        ({"Version": "one"}, "metadata.bad_version", "version"),
        ({"Version": None}, "metadata.bad_version", "version"),
        ({"Version": ["0.1.0", "0.2.0"]}, "metadata.bad_version", "version"),
        ({"Metadata-Version": "9.9"}, "metadata.bad_metadata_version", "metadata-version"),
        ({"Metadata-Version": None}, "metadata.bad_metadata_version", "metadata-version"),
        ({"Summary": "x" * 513}, "metadata.long_field", "summary"),
        ({"Summary": ["one", "two"]}, "metadata.repeated_field", "summary"),
        ({"Requires-Python": "three"}, "metadata.bad_requires_python", "requires-python"),
        ({"Requires-Python": "," .join(f"!=3.{n}" for n in range(40))}, "metadata.long_field",
         "requires-python"),
        ({"Requires-Dist": ["verifiers", "not a requirement"]}, "metadata.bad_requirement",
         "requires-dist"),
        ({"Requires-Dist": "evil @ https://example.com/evil.whl"}, "metadata.direct_url", "evil"),
        ({"Requires-Dist": "evil@file:///etc/evil.whl ; extra == 'x'"}, "metadata.direct_url",
         "evil"),
        ({"License-Expression": "my own"}, "metadata.bad_license", "license-expression"),
        ({"Description-Content-Type": "text/html"}, "metadata.bad_content_type",
         "description-content-type"),
        ({"Project-URL": ["no comma", "no comma"]}, "metadata.bad_url", "project-url"),
    ],
)  # fmt: skip
def test_a_field_that_breaks_its_rule_is_refused(fields: Fields, code: str, where: str) -> None:
    yielded = findings(fields)
    assert (code, where, "error") in [(f.code, f.where, f.severity) for f in yielded]
    assert all(f.message for f in yielded)


@pytest.mark.parametrize(
    "fields",
    [
        {"Name": "Demo.Env"},
        {"Version": "v0.1.0"},
        {"Metadata-Version": "2.1", "License-Expression": None, "License-File": "LICENSE"},
        {"X-Own-Field": ["one", "two"]},
        {"Requires-Dist": ["verifiers>=0.4", "numpy ; extra == 'fast'"], "Provides-Extra": "fast"},
    ],
)
def test_another_spelling_or_a_foreign_field_is_fine(fields: Fields) -> None:
    assert findings(fields) == []


@pytest.mark.parametrize(
    ("fields", "description", "code"),
    [
        ({"Summary": None}, "# x", "metadata.no_summary"),
        ({}, " \n", "metadata.no_readme"),
        ({"License-Expression": None}, "# x", "metadata.no_license"),
    ],
)
def test_missing_texts_are_warnings(fields: Fields, description: str, code: str) -> None:
    assert [(f.code, f.severity) for f in findings(fields, description)] == [(code, "warning")]


@pytest.mark.parametrize(
    ("fields", "license_"),
    [
        ({"License": "MIT\n        long text"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: MIT License"}, "MIT License"),
    ],
)
def test_an_older_licence_field_is_read(fields: Fields, license_: str) -> None:
    data = make_wheel(metadata={"License-Expression": None, **fields})
    assert wheel.read(io.BytesIO(data), filename=filename()).metadata.license == license_


def test_a_nul_in_metadata_is_refused() -> None:
    assert findings({}, "a\0b")[0].code == "metadata.nul"


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.text(max_size=200).map(lambda text: f"Name: x\n{text}".encode(errors="replace")),
        st.lists(
            st.tuples(
                st.sampled_from(
                    ["Name", "Version", "Requires-Dist", "Content-Type", "Summary", "Keywords",
                     "Content-Transfer-Encoding", "Project-URL", "Dynamic", "License-Expression",
                     "License-File", "Import-Name", "Provides-Extra", "Requires-Python"]
                ),
                st.sampled_from(
                    ["multipart/mixed; boundary=x", "base64", "x@", "()", "%", "=?utf-8?q?=ff?=",
                     "1" * 5000, "(" * 5000, "x ; " + "(" * 5000, "../x", ">=1", "a;b",
                     "text/markdown; charset=" + "x" * 99]
                ),
            ),
            max_size=8,
        ).map(lambda rows: "".join(f"{a}: {b}\n" for a, b in rows).encode() + b"\n--x\n\n--x--"),
    )
)  # fmt: skip
def test_hostile_metadata_never_raises(raw: bytes) -> None:
    read = metadata.parse(raw)
    assert read.raw == raw
    data = make_wheel(replace={"METADATA": raw})
    checks.run_all(io.BytesIO(data), filename=filename())
