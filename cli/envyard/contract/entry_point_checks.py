"""Static check of entry_points.txt: one strict grammar that all readers parse in the same way.

importlib.metadata (pip) takes form feeds, U+0085 and others for line breaks and joins sections of
one name; configparser accepts continuation lines, `:` as a delimiter and [DEFAULT]; the reader of
uv accepts comments behind a value. So the grammar allows only what all of them parse in the same
way. Source: the entry points specification.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from envyard.contract import commands
from envyard.contract.findings import Finding, finding
from envyard.contract.frameworks.adapters import FRAMEWORKS
from envyard.contract.hidden import path_fault
from envyard.contract.import_names import LIBRARIES
from envyard.contract.path_checks import WINDOWS_DEVICE
from envyard.contract.wheel import Wheel

SCRIPT_GROUPS = ("console_scripts", "gui_scripts")
GROUP = re.compile(r"\[([A-Za-z0-9_]+(?:[.:-][A-Za-z0-9_]+)*)\] *")
ENTRY = re.compile(r"(?P<name>[^\s=:#;\[\]][^=:#;\[\]]*?)[ \t]*=[ \t]*(?P<value>[^=#;]*?)[ \t]*")
OBJECT = re.compile(r"\w+(\.\w+)*(\s*:\s*\w+(\.\w+)*)?(\s*\[[\w\s.,-]*\])?")
SCRIPT_OBJECT = re.compile(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*(\.\w+)*(\s+\[[\w\s.,-]*\])?")
SCRIPT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
# Frameworks and tools import the entry points of these groups by themselves, in every process.
AUTOLOADED = re.compile(
    r"torch\.backends|triton\.backends|vllm\.\w+_plugins|jax_plugins|numba_extensions|pytest11"
    r"|distutils\.\w+|setuptools\.\w+|egg_info\.writers|keyring\.backends"
)
# Groups in which a framework looks up environments by name: those of the adapters, and of others
# without an adapter.
ENVIRONMENT_GROUPS = re.compile(
    rf"(gymnasium|gym)\.envs|({'|'.join((*FRAMEWORKS, 'inspect_ai', 'openenv'))})(\.\w+)*"
)


def scripts(whl: Wheel) -> Iterator[Finding]:
    """entry_points.txt reads in one way; its scripts have names of their own."""
    where = f"{whl.dist_info}/entry_points.txt"
    if whl.entry_points is None:
        if any(member.name == where for member in whl.files):
            yield finding("wheel.bad_entry_points", f"{where!r} is not UTF-8", where=where)
        return
    names: dict[str, dict[str, str]] = {}
    group = ""
    for number, line in enumerate(whl.entry_points.replace("\r\n", "\n").split("\n"), 1):
        if not line.strip(" \t"):
            continue
        fault = _line_fault(line, group)
        if fault:
            excerpt = line[:200]
            yield finding(
                "wheel.bad_entry_points", f"line {number} of {where!r}, {excerpt!r}, {fault}",
                where=where,
            )  # fmt: skip
            return
        if line.startswith("["):
            group = line.rstrip(" ")[1:-1]
            yield from _group(group, names, where)
        elif not line.startswith("#"):
            yield from _entry(line, group, names, where)


def _line_fault(line: str, group: str) -> str:
    """What rule of the grammar the line breaks; empty where it keeps all."""
    if fault := path_fault(line.replace("\t", " ")):
        return f"holds {fault}; some readers take it for a line break, others see nothing"
    if line[0] in " \t":
        return "is indented; some readers join it to the line before"
    if line.startswith("#") or GROUP.fullmatch(line):
        return ""
    if line.startswith("["):
        return "is no group: a name in brackets, of letters, digits and inner '._-:'"
    if line.startswith(";"):
        return "begins with ';', which only some readers take for a comment; use '#'"
    if not ENTRY.fullmatch(line):
        return "is no 'name = module:object' without further '=', ':' in the name, '#' or ';'"
    return "" if group else "is before the first [group]"


def _group(group: str, names: dict[str, dict[str, str]], where: str) -> Iterator[Finding]:
    """The group is not repeated, and no reader or framework gives it a special meaning."""
    if group in names:
        fault = "occurs twice; some readers join the two, others keep one"
    elif group.lower() == "default":
        fault = "gives its entries to every other group in some readers"
    elif group.lower() in SCRIPT_GROUPS and group not in SCRIPT_GROUPS:
        fault = f"must be written {group.lower()!r}"
    else:
        fault = ""
    if fault:
        yield finding("wheel.bad_entry_points", f"{where!r}: group [{group[:80]}] {fault}",
                      where=where)  # fmt: skip
    library = re.split("[.:-]", group)[0]
    plugs_in = library in LIBRARIES and not ENVIRONMENT_GROUPS.fullmatch(group)
    if AUTOLOADED.fullmatch(group) or plugs_in:
        yield finding(
            "wheel.autoloaded_entry_point",
            f"{where!r}: entries of group [{group[:80]}] are imported by other programs without "
            "being requested; no environment may change a library merely by being installed",
            where=where,
        )
    names.setdefault(group, {})


def _entry(
    line: str, group: str, names: dict[str, dict[str, str]], where: str
) -> Iterator[Finding]:
    name, value = (part.strip(" \t") for part in line.split("=", 1))
    subject = f"{where!r}: entry {line.strip()[:200]!r} of [{group[:80]}]"
    is_script = group in SCRIPT_GROUPS
    if name in names[group]:
        yield finding("wheel.bad_entry_points", f"{subject} occurs twice", where=where)
    elif is_script and any(name.lower() in names.get(other, {}) for other in SCRIPT_GROUPS):
        yield finding(
            "wheel.bad_entry_points",
            f"{subject} has the name of another script but for letter case or kind",
            where=where,
        )
    names[group][name.lower() if is_script else name] = value
    if not OBJECT.fullmatch(value):
        yield finding("wheel.bad_entry_points", f"{subject} is not module:object", where=where)
    elif is_script and (not SCRIPT_OBJECT.fullmatch(value) or _has_keyword(value)):
        yield finding(
            "wheel.bad_entry_points",
            f"{subject} cannot be made a script: write module:object without spaces and keywords",
            where=where,
        )
    if is_script:
        yield from _script(name, subject, where)


def _has_keyword(value: str) -> bool:
    """Whether a part of module:object is a word that no Python file can import by."""
    names = value.partition("[")[0].strip().replace(":", ".").split(".")
    return any(keyword.iskeyword(name) for name in names)


def _script(name: str, subject: str, where: str) -> Iterator[Finding]:
    if command := commands.replaced_command(name):
        yield finding(
            "wheel.script_takes_command",
            f"{subject} would replace the command {command!r}; that name is taken",
            where=where,
        )
    elif not SCRIPT.fullmatch(name) or name[-1] in ". " or WINDOWS_DEVICE.fullmatch(name):
        yield finding(
            "wheel.script_name",
            f"{subject} would write a script; its name must be letters, digits and inner '.-_ ', "
            "at most 100, and no device of Windows",
            where=where,
        )
