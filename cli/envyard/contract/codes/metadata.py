"""Codes of a wheel's METADATA."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault
from envyard.contract.codes.hints import BUILD

METADATA = (
    environment_fault(
        "metadata.missing", "The wheel has no METADATA file, or an empty one.", BUILD
    ),
    environment_fault(
        "metadata.not_utf8",
        "METADATA is not UTF-8.",
        "Save the README and pyproject.toml as UTF-8.",
    ),
    environment_fault(
        "metadata.nul", "METADATA holds a NUL.", "Remove the NUL from README or pyproject.toml."
    ),
    environment_fault("metadata.unreadable", "METADATA's headers cannot be read.", BUILD),
    environment_fault(
        "metadata.too_large", "METADATA is larger than the limit.", "Shorten the README."
    ),
    environment_fault(
        "metadata.bad_metadata_version", "Metadata-Version is missing or unknown.", BUILD
    ),
    environment_fault(
        "metadata.name_mismatch", "METADATA's Name is not the file's or form's name.", BUILD
    ),
    environment_fault(
        "metadata.version_mismatch", "METADATA's Version is not the file's or form's.", BUILD
    ),
    environment_fault("metadata.bad_name", "The environment's name breaks a rule.", "Rename it."),
    environment_fault(
        "metadata.bad_version", "The version is not allowed.", "Use a PEP 440 version: 0.1.0"
    ),
    environment_fault(
        "metadata.local_version", "The version has a local part.", "Publish it without the `+`."
    ),
    environment_fault(
        "metadata.direct_url",
        "A dependency is a direct URL.",
        "Depend on a release from the index: of that project, if it has one, or of your own copy; "
        "or ship its modules in your wheel. A hub takes git repositories that its operator allows.",
    ),
    environment_fault(
        "metadata.bad_requirement",
        "A Requires-Dist line cannot be read.",
        "Correct the dependency in pyproject.toml.",
    ),
    environment_fault(
        "metadata.bad_requires_python",
        "Requires-Python cannot be read.",
        "Set `requires-python` in pyproject.toml: >=3.11",
    ),
    environment_fault("metadata.form_mismatch", "The upload form disagrees with METADATA.", BUILD),
    environment_fault("metadata.repeated_field", "A METADATA field is repeated.", BUILD),
    environment_fault(
        "metadata.bad_line", "Installers parse a line of METADATA differently.", BUILD
    ),
    environment_fault(
        "metadata.hidden_character",
        "METADATA holds an invisible character.",
        "Remove it from README or pyproject.toml.",
    ),
    environment_fault(
        "metadata.two_licenses",
        "METADATA gives the licence twice.",
        'Keep License-Expression: `license = "Apache-2.0"`.',
    ),
    environment_fault(
        "metadata.repeated_extra", "An extra is repeated.", "Keep one of the spellings."
    ),
    environment_fault(
        "metadata.import_name",
        "Import-Name names a module that is not in the wheel.",
        "Correct `import-names` in pyproject.toml.",
    ),
    environment_fault(
        "metadata.self_dependency", "The environment depends on itself.", "Remove the dependency."
    ),
    environment_fault("metadata.too_many_fields", "METADATA has too many fields.", "Remove some."),
    environment_fault(
        "metadata.long_field", "A METADATA field is too long.", "Shorten it in pyproject.toml."
    ),
    environment_fault(
        "metadata.bad_license",
        "The licence is no SPDX expression.",
        'Set `license = "Apache-2.0"` in pyproject.toml.',
    ),
    environment_fault(
        "metadata.no_license_file", "A named licence file is not in the wheel.", BUILD
    ),
    environment_fault(
        "metadata.bad_content_type",
        "The hub cannot show the README's content type.",
        "Write the README as Markdown.",
    ),
    environment_fault(
        "metadata.bad_description",
        "The README does not render.",
        "Correct it; `twine check` shows where.",
    ),
    environment_fault(
        "metadata.bad_url", "A Project-URL cannot be read.", "Write it as `label, https://...`."
    ),
    environment_fault("metadata.bad_field", "A METADATA field breaks the specification.", BUILD),
    environment_fault(
        "metadata.no_summary",
        "There is no one-line description.",
        "Set `description` in pyproject.toml.",
        severity="warning",
    ),
    environment_fault(
        "metadata.no_readme",
        "There is no README.",
        'Set `readme = "README.md"` in pyproject.toml.',
        severity="warning",
    ),
    environment_fault(
        "metadata.no_license",
        "There is no licence.",
        "Set `license` in pyproject.toml.",
        severity="warning",
    ),
)
