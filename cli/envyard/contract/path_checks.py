"""Static checks of the members' paths and kinds. Pure functions."""

from __future__ import annotations

import re
import stat
import unicodedata
from collections.abc import Iterator

from envyard.contract.findings import Finding, finding
from envyard.contract.wheel import Member, Wheel

MAX_PARTS = 32  # parts
MAX_PART_BYTES = 255  # bytes, what file systems take for one name
DRIVE = re.compile(r"[A-Za-z]:")
WINDOWS_CHARACTERS = frozenset('<>:"|?*')
WINDOWS_DEVICE = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE
)
SHORT_NAME = re.compile(r"(?=.{3,8}(\.|$))[^.~ ]{1,6}~\d{1,6}(\.[^.]{0,3})?")
KINDS = {
    stat.S_IFLNK: ("wheel.symlink_member", "a symbolic link"),
    stat.S_IFCHR: ("wheel.device_member", "a character device"),
    stat.S_IFBLK: ("wheel.device_member", "a block device"),
    stat.S_IFIFO: ("wheel.device_member", "a pipe"),
    stat.S_IFSOCK: ("wheel.device_member", "a socket"),
}


def paths(whl: Wheel) -> Iterator[Finding]:
    """Every member's path stays inside the wheel, and can be written, on every system."""
    for member in whl.members:
        broken = _broken_rule(member.name)
        if broken:
            code, rule = broken
            yield finding(code, f"path {member.name!r} {rule}", where=member.name)


def _broken_rule(path: str) -> tuple[str, str] | None:
    """The code and the message for the first rule that the path breaks."""
    parts = path.removesuffix("/").split("/")
    if path.startswith("/"):
        return "wheel.absolute_path", "is absolute; it must begin inside the wheel"
    if "\\" in path:
        return "wheel.backslash", "holds a backslash; folders are written with '/'"
    if DRIVE.match(path):
        return "wheel.drive_letter", f"begins with the drive {path[:2]!r}; it must begin inside"
    if ".." in parts:
        return "wheel.path_traversal", "leads upwards by a '..' part"
    if any(part in ("", ".") for part in parts):
        return "wheel.unnormal_path", "holds an empty or '.' part"
    if len(parts) > MAX_PARTS:
        return "wheel.deep_path", f"has {len(parts)} parts; the limit is {MAX_PARTS}"
    for part in parts:
        if len(part.encode()) > MAX_PART_BYTES:
            return (
                "wheel.long_name",
                f"holds a part of over {MAX_PART_BYTES} bytes; that is the limit",
            )
        if characters := WINDOWS_CHARACTERS.intersection(part):
            return (
                "wheel.windows_character",
                f"holds {min(characters)!r}, which Windows cannot write",
            )
        if part[-1] in ". ":
            return "wheel.windows_ending", f"has the part {part!r}; none may end in a dot or space"
        if WINDOWS_DEVICE.fullmatch(part):
            return "wheel.windows_name", f"has the part {part!r}, a device of Windows"
        if SHORT_NAME.fullmatch(part):
            return "wheel.windows_name", f"has the part {part!r}, a short name that Windows gives"
    return None


def kinds(whl: Wheel) -> Iterator[Finding]:
    """Members are regular files, or folders without content."""
    for member in whl.members:
        wrong_kind = _wrong_kind(member)
        if wrong_kind:
            code, kind = wrong_kind
            yield finding(
                code,
                f"member {member.name!r} is {kind} (mode {member.mode:#o}); members are regular "
                "files or empty folders",
                where=member.name,
            )


def _wrong_kind(member: Member) -> tuple[str, str] | None:
    kind = stat.S_IFMT(member.mode)
    allowed = (0, stat.S_IFDIR) if member.is_directory else (0, stat.S_IFREG)
    if kind not in allowed:
        return KINDS.get(
            kind, ("wheel.disguised_member", "of one kind by its name and of another by its mode")
        )
    if member.is_directory and member.size:
        return "wheel.folder_content", f"a folder with {member.size} bytes of content"
    if member.mode & (stat.S_ISUID | stat.S_ISGID) and not member.is_directory:
        return "wheel.setuid_member", "to run with the rights of another user or group"
    return None


def collisions(whl: Wheel) -> Iterator[Finding]:
    """No two paths are equal without regard to letter case or Unicode form."""
    spelled: dict[str, tuple[str, bool]] = {}
    for member in whl.members:
        parts = member.name.removesuffix("/").split("/")
        for depth in range(1, min(len(parts), MAX_PARTS) + 1):
            path = "/".join(parts[:depth])
            folder = depth < len(parts) or member.is_directory
            first, was_folder = spelled.setdefault(_folded(path), (path, folder))
            if first != path or was_folder != folder:
                yield finding(
                    _collision(first, path),
                    f"member {member.name!r} needs {path!r} as a {'folder' if folder else 'file'}, "
                    f"but {first!r} is a {'folder' if was_folder else 'file'} already",
                    where=member.name,
                )
                break


def _collision(first: str, second: str) -> str:
    if first == second:
        return "wheel.file_and_folder"
    plain = all(unicodedata.is_normalized("NFKC", path) for path in (first, second))
    return "wheel.case_collision" if plain else "wheel.unicode_collision"


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
