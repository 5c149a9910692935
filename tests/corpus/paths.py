"""Members whose paths or kinds are not the same on every system."""

import stat
import unicodedata
import zipfile

from tests.corpus.case import Case
from tests.corpus.framing import INIT, case, raw_name
from tests.wheels import TASKSET, entry, make_wheel


def path(name: str, path: str, code: str, *words: str) -> Case:
    """A wheel with one more member, of that path, which RECORD lists too."""
    return Case(name, lambda: make_wheel(files={INIT: TASKSET, path: "x = 1\n"}), code,
                (path, *words))  # fmt: skip


def kind(name: str, code: str, mode: int, *words: str, member: str = "demo_env/odd") -> Case:
    """A wheel with a member of that mode."""
    info = entry(member, mode=mode, compression=zipfile.ZIP_STORED)
    return Case(name, lambda: make_wheel(extra=[(info, b"/etc/passwd")]), code,
                (member, f"{mode:#o}", *words))  # fmt: skip


def pair(name: str, first: str, second: str, code: str) -> Case:
    return Case(name, lambda: make_wheel(files={INIT: TASKSET, first: "", second: ""}), code,
                (second, "already"))  # fmt: skip


BAD = [
    path("a path two folders up", "../../evil.py", "wheel.path_traversal", "'..'"),
    path("a path up from inside", "demo_env/../../evil.py", "wheel.path_traversal", "'..'"),
    path("a path that ends upwards", "demo_env/..", "wheel.path_traversal", "'..'"),
    path("an absolute path", "/etc/evil.py", "wheel.absolute_path", "absolute"),
    path("a path on a share", "//server/evil.py", "wheel.absolute_path", "absolute"),
    Case("a backslash", lambda: make_wheel(files={INIT: TASKSET, "demo_env\\evil.py": ""}),
         "wheel.backslash", ("demo_env", "evil.py", "backslash")),
    Case("a path up with backslashes",
         lambda: make_wheel(files={INIT: TASKSET, "..\\..\\evil.py": ""}),
         "wheel.backslash", ("evil.py", "backslash")),
    path("a drive letter", "C:/evil.py", "wheel.drive_letter", "'C:'"),
    path("a drive letter without a slash", "C:evil.py", "wheel.drive_letter", "'C:'"),
    path("an empty part", "demo_env//evil.py", "wheel.unnormal_path", "empty or '.' part"),
    path("a '.' part", "demo_env/./evil.py", "wheel.unnormal_path", "empty or '.' part"),
    path("a leading '.' part", "./evil.py", "wheel.unnormal_path", "empty or '.' part"),
    path("a second stream", "demo_env/a.py:evil", "wheel.windows_character", "':'", "Windows"),
    path("a question mark", "demo_env/why?.txt", "wheel.windows_character", "'?'", "Windows"),
    path("a device of Windows", "demo_env/aux.py", "wheel.windows_name", "'aux.py'", "device"),
    path("a port of Windows", "demo_env/COM1/x.py", "wheel.windows_name", "'COM1'", "device"),
    path("a name that ends in a dot", "demo_env/evil.py.", "wheel.windows_ending", "dot or space"),
    path("a folder that ends in a space", "demo_env /x.py", "wheel.windows_ending", "dot or space"),
    path("33 folders", "a/" * 33 + "b.py", "wheel.deep_path", "34 parts", "32"),
    path("a part of 256 bytes", "a" * 256, "wheel.long_name", "255"),
    pair("paths that differ in letter case", "demo_env/a.py", "demo_env/A.py",
         "wheel.case_collision"),
    pair("folders that differ in letter case", "demo_env/a/x.py", "demo_env/A/y.py",
         "wheel.case_collision"),
    pair("letters that fold into two", "demo_env/straße.py", "demo_env/STRASSE.py",
         "wheel.case_collision"),
    pair("paths that differ in their Unicode form", "demo_env/é.py",
         "demo_env/" + unicodedata.normalize("NFD", "é.py"), "wheel.unicode_collision"),
    pair("a path that is a file and a folder", "demo_env/a", "demo_env/a/b.py",
         "wheel.file_and_folder"),
    kind("a symbolic link", "wheel.symlink_member", stat.S_IFLNK | 0o777, "regular"),
    kind("a character device", "wheel.device_member", stat.S_IFCHR | 0o666, "regular"),
    kind("a block device", "wheel.device_member", stat.S_IFBLK | 0o666, "regular"),
    kind("a named pipe", "wheel.device_member", stat.S_IFIFO | 0o666, "regular"),
    kind("a socket", "wheel.device_member", stat.S_IFSOCK | 0o666, "regular"),
    kind("a file that says it is a folder", "wheel.disguised_member", stat.S_IFDIR | 0o755,
         "regular"),
    kind("a folder that says it is a file", "wheel.disguised_member", stat.S_IFREG | 0o644,
         "regular", member="demo_env/odd/"),
    kind("a folder with content", "wheel.folder_content", stat.S_IFDIR | 0o755, "11 bytes",
         member="demo_env/odd/"),
    kind("a file that runs as its owner", "wheel.setuid_member", stat.S_IFREG | 0o4755, "rights"),
    case("a path up that RECORD does not name", raw_name(b"../evil.py", 0), "wheel.path_traversal",
         "../evil.py", "'..'"),
]  # fmt: skip
