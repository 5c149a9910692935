"""Codes of the members' paths and kinds."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault
from envyard.contract.codes.hints import BY_HAND, RENAME

WHEEL_PATHS = (
    environment_fault("wheel.empty_name", "A member has no name.", BY_HAND),
    environment_fault("wheel.long_name", "A member's path is too long.", "Shorten the path."),
    environment_fault(
        "wheel.deep_path", "A member's path has too many folders.", "Use fewer folders."
    ),
    environment_fault("wheel.name_not_utf8", "A member's name is not UTF-8.", RENAME),
    environment_fault(
        "wheel.name_unmarked",
        "A member's name is not ASCII, and not marked as UTF-8.",
        "Set the zip writer to write names as UTF-8.",
    ),
    environment_fault(
        "wheel.name_control", "A member's name holds a control or invisible character.", RENAME
    ),
    environment_fault("wheel.absolute_path", "A member's path is absolute.", BY_HAND),
    environment_fault("wheel.path_traversal", "A member's path leads out of the wheel.", BY_HAND),
    environment_fault(
        "wheel.unnormal_path",
        "A member's path has an empty or '.' part.",
        "Name the packages in pyproject.toml: hatchling writes './' for `packages = [\".\"]`.",
    ),
    environment_fault("wheel.backslash", "A member's path holds a backslash.", RENAME),
    environment_fault("wheel.drive_letter", "A member's path begins with a drive letter.", RENAME),
    environment_fault("wheel.windows_character", "Windows cannot write a member's path.", RENAME),
    environment_fault(
        "wheel.windows_name", "A member has the name of a device of Windows.", RENAME
    ),
    environment_fault(
        "wheel.windows_ending", "Part of a member's path ends in a dot or a space.", RENAME
    ),
    environment_fault(
        "wheel.case_collision", "Two members differ only in letter case.", "Rename one."
    ),
    environment_fault(
        "wheel.unicode_collision", "Two members differ only in their Unicode form.", "Rename one."
    ),
    environment_fault(
        "wheel.file_and_folder", "A path is both a file and a folder.", "Rename one."
    ),
    environment_fault(
        "wheel.symlink_member", "A member is a symbolic link.", "Ship regular files."
    ),
    environment_fault(
        "wheel.device_member", "A member is a device, pipe or socket.", "Ship regular files."
    ),
    environment_fault(
        "wheel.disguised_member",
        "A member is a file by name and a folder by mode, or the reverse.",
        BY_HAND,
    ),
    environment_fault("wheel.folder_content", "A folder has content.", BY_HAND),
    environment_fault(
        "wheel.setuid_member", "A member has setuid or setgid mode bits.", "Clear those mode bits."
    ),
)
