"""Codes of the archive: the zip container of a wheel and its members' headers."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault
from envyard.contract.codes.hints import BUILD, BY_HAND, SHIP

WHEEL_ARCHIVE = (
    environment_fault("wheel.not_a_zip", "The file is not a zip archive.", BUILD),
    environment_fault(
        "wheel.cut_off", "The archive has no end.", "Build or download the wheel again."
    ),
    environment_fault("wheel.too_large", "The wheel is larger than the limit.", SHIP),
    environment_fault(
        "wheel.too_many_members", "The wheel holds too many members.", "Remove stray files."
    ),
    environment_fault("wheel.expands_too_much", "The wheel expands beyond the limit.", SHIP),
    environment_fault(
        "wheel.packs_too_well", "The wheel expands to many times its size.", "Remove padding data."
    ),
    environment_fault(
        "wheel.nested_bomb", "An archive inside the wheel expands beyond the limit.", SHIP
    ),
    environment_fault(
        "wheel.nested_archive",
        "An archive inside the wheel holds another archive.",
        "Ship the inner files as they are.",
    ),
    environment_fault(
        "wheel.opaque_archive",
        "An archive inside the wheel is in a format that the hub cannot read.",
        "Ship the files as they are, or as zip, tar, gzip, bzip2 or xz.",
    ),
    environment_fault("wheel.prefix_bytes", "Bytes precede the archive's first member.", BY_HAND),
    environment_fault("wheel.trailing_bytes", "Bytes follow the archive's end.", BY_HAND),
    environment_fault(
        "wheel.extra_bytes", "The archive holds bytes that belong to no member.", BY_HAND
    ),
    environment_fault("wheel.shared_bytes", "Two members share bytes.", BY_HAND),
    environment_fault("wheel.two_archives", "The file holds two archives.", BY_HAND),
    environment_fault("wheel.second_end_record", "The archive has two end records.", BY_HAND),
    environment_fault("wheel.archive_comment", "The archive has a comment.", BY_HAND),
    environment_fault(
        "wheel.several_disks", "The archive declares that it spans several disks.", BY_HAND
    ),
    environment_fault(
        "wheel.zip64",
        "The archive uses ZIP64; no wheel below the size limit needs it.",
        "Let the writer seek, and switch ZIP64 off.",
    ),
    environment_fault("wheel.member_count", "The end record's member count is wrong.", BY_HAND),
    environment_fault("wheel.bad_directory", "The central directory cannot be read.", BY_HAND),
    environment_fault("wheel.no_local_header", "A member has no header of its own.", BY_HAND),
    environment_fault("wheel.local_name", "A member's two headers give two names.", BY_HAND),
    environment_fault(
        "wheel.local_flags", "A member's two headers give two sets of flags.", BY_HAND
    ),
    environment_fault(
        "wheel.local_method", "A member's two headers give two compression methods.", BY_HAND
    ),
    environment_fault("wheel.local_crc", "A member's two headers give two checksums.", BY_HAND),
    environment_fault(
        "wheel.local_compressed_size", "A member's two headers give two packed sizes.", BY_HAND
    ),
    environment_fault("wheel.local_size", "A member's two headers give two sizes.", BY_HAND),
    environment_fault("wheel.encrypted_member", "A member is encrypted.", "Ship it unencrypted."),
    environment_fault(
        "wheel.data_descriptor",
        "A member's size follows its data.",
        "Let the zip writer seek, instead of writing to a pipe.",
    ),
    environment_fault("wheel.unknown_flags", "A member has flags that no wheel needs.", BY_HAND),
    environment_fault(
        "wheel.bad_compression",
        "A member uses an unusual compression method.",
        "Use deflate or none.",
    ),
    environment_fault(
        "wheel.needs_version", "A member needs a newer version of the zip format.", BY_HAND
    ),
    environment_fault("wheel.member_comment", "A member has a comment.", BY_HAND),
    environment_fault("wheel.second_name", "An extra field gives a member a second name.", BY_HAND),
    environment_fault("wheel.link_field", "An extra field can turn a member into a link.", BY_HAND),
    environment_fault(
        "wheel.unknown_extra", "A member has an extra field that no wheel needs.", BY_HAND
    ),
    environment_fault("wheel.bad_extra", "A member's extra field cannot be read.", BY_HAND),
    environment_fault("wheel.bad_crc", "A member's bytes do not match its checksum.", BUILD),
    environment_fault("wheel.wrong_size", "A member's size is not the one in its headers.", BUILD),
    environment_fault("wheel.bad_deflate", "A member's data cannot be inflated.", BUILD),
    environment_fault("wheel.data_after_end", "A member's data goes on after its end.", BY_HAND),
    environment_fault(
        "wheel.duplicate_member", "The wheel holds a member twice.", "Keep one of the two."
    ),
)
