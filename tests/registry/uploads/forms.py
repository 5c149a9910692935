"""The form that twine sends with a wheel."""

import hashlib
import io

from packaging.metadata import parse_email

from envyard.contract import wheel


def form_of(data: bytes, **changes: str | list[str] | None) -> dict[str, list[str]]:
    """Fields as twine reads them from METADATA, with their digests; `changes` replaces fields,
    None leaves one out. `action` is the field `:action`."""
    raw = next(
        content
        for path, content in wheel.sources(io.BytesIO(data)).items()
        if path.endswith(".dist-info/METADATA")
    )
    metadata, _ = parse_email(raw)
    fields: dict[str, str | list[str] | None] = {
        "metadata_version": metadata.get("metadata_version"),
        "name": metadata.get("name"),
        "version": metadata.get("version"),
        "summary": metadata.get("summary"),
        "requires_python": metadata.get("requires_python"),
        "requires_dist": metadata.get("requires_dist"),
        "description": metadata.get("description"),
        "filetype": "bdist_wheel",
        "pyversion": "py3",
        "sha256_digest": hashlib.sha256(data).hexdigest(),
        "blake2_256_digest": hashlib.blake2b(data, digest_size=32).hexdigest(),
        "action": "file_upload",
        "protocol_version": "1",
    }
    fields |= changes
    return {
        ":action" if name == "action" else name: [value] if isinstance(value, str) else value
        for name, value in fields.items()
        if value is not None
    }
