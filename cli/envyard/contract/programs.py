"""Programs for one kind of machine, by their first bytes."""

from __future__ import annotations

MACH_O = (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe")
FAT_MAGIC = b"\xca\xfe\xba\xbe"
MAX_ARCHITECTURES = 30  # a Java class has its version there, which is 45 or more


def kind(head: bytes) -> str:
    """ELF, Mach-O or Windows where the file begins as such a program does, else empty."""
    if head.startswith(b"\x7fELF") and len(head) > 18:
        return "ELF"
    if head.startswith(MACH_O) and len(head) > 28:
        return "Mach-O"
    if head.startswith(FAT_MAGIC) and 0 < int.from_bytes(head[4:8], "big") <= MAX_ARCHITECTURES:
        return "Mach-O"
    at = int.from_bytes(head[60:64], "little")
    if (
        head.startswith(b"MZ")
        and len(head) >= 64
        and (at >= len(head) or head[at:].startswith(b"PE\0\0"))
    ):
        return "Windows"
    return ""
