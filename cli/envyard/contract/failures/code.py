"""Failures of the environment's own code, its modules, files and limits; as in needs.py."""

from __future__ import annotations

import re

from envyard.contract.failures.facts import Facts, Raised, call_of

FRAMEWORKS = ("verifiers",)
NO_NAME = re.compile(
    r"cannot import name '([^']{1,100})' from (?:partially initialized module )?'([\w.]{1,200})'"
)
NO_ATTRIBUTE = re.compile(r"module '([\w.]{1,200})' has no attribute '([^']{1,100})'")
PATH = re.compile(r"'([^'\n]{1,300})'")
INSTALLED = re.compile(r"(?:^|/)(?:venv/environment|site-packages)/(.+)$")
LIMIT = re.compile(r"RLIMIT_(\w+)|[Ff]ile descriptor limit|Too many open files")
REMOVED = {
    "imp",
    "distutils",
    "asyncore",
    "asynchat",
    "cgi",
    "cgitb",
    "telnetlib",
    "pipes",
    "crypt",
}
SIGNATURE = re.compile(
    r"got an unexpected keyword argument|takes (?:from )?\d+ (?:to \d+ )?positional arguments? but"
)
MISSING_ARGUMENTS = re.compile(
    r"load_environment\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.{1,300})"
)


def own_module(one: Raised, facts: Facts) -> str:
    """A module of the wheel's own package that the wheel does not hold."""
    own = bool(facts.module) and one.name.partition(".")[0] == facts.module
    if not (one.is_a("ModuleNotFoundError") and own):
        return ""
    return f"The wheel holds no module {one.name!r}, which its own code imports."


def framework_api(one: Raised, facts: Facts) -> str:
    """A module or name that the installed framework does not have."""
    missing = _missing_name(one)
    if not missing or _top(missing) not in FRAMEWORKS:
        return ""
    return (
        f"{call_of(facts)} needs {missing[1]!r}, which the installed {_top(missing)} does not have."
    )


def library_api(one: Raised, facts: Facts) -> str:
    """The same of another library."""
    missing = _missing_name(one)
    if not missing or _top(missing) == facts.module:
        return ""
    return (
        f"{call_of(facts)} needs {missing[1]!r}, which the installed {_top(missing)} does not have."
    )


def removed_module(one: Raised, facts: Facts) -> str:
    """A module that Python's standard library no longer has, or setuptools' pkg_resources."""
    if not (one.is_a("ModuleNotFoundError") and one.name in {*REMOVED, "pkg_resources"}):
        return ""
    return f"{call_of(facts)} imports {one.name!r}, which this Python does not come with."


def missing_module(one: Raised, facts: Facts) -> str:
    """A module of no installed distribution."""
    if not (one.is_a("ModuleNotFoundError") and one.name and "." not in one.name):
        return ""
    return f"{call_of(facts)} imports {one.name!r}, which none of the installed dependencies has."


def missing_file(one: Raised, facts: Facts) -> str:
    """A file that was looked for among the installed ones."""
    path = one.name or next(iter(PATH.findall(one.message)), "")
    inside = INSTALLED.search(path)
    if not (one.is_a("FileNotFoundError", "NotADirectoryError") and inside):
        return ""
    return f"{call_of(facts)} looks for {inside[1]}, which is not among the installed files."


def other_file(one: Raised, facts: Facts) -> str:
    """A file that was looked for elsewhere."""
    path = one.name or next(iter(PATH.findall(one.message)), "")
    if not (one.is_a("FileNotFoundError", "NotADirectoryError") and path):
        return ""
    return f"{call_of(facts)} looks for the file {path!r}, which a sandbox does not have."


def read_only(one: Raised, facts: Facts) -> str:
    """A write to one of the folders that a sandbox may only read."""
    if "Read-only file system" not in one.message and "[Errno 30]" not in one.message:
        return ""
    where = f" {one.name!r}" if one.name else ""
    return f"{call_of(facts)} writes to{where or ' a folder'}, which a sandbox may only read."


def arguments(one: Raised, facts: Facts) -> str:
    """Arguments of `load_environment` without a default."""
    match = MISSING_ARGUMENTS.search(one.message)
    return f"load_environment needs arguments that no run gives: {match[1]}." if match else ""


def signature(one: Raised, facts: Facts) -> str:
    """A call that the called function does not take."""
    if not (one.is_a("TypeError") and SIGNATURE.search(one.message)):
        return ""
    return f"{call_of(facts)} passes arguments that the called function does not take ({one.line})."


def limit(one: Raised, facts: Facts) -> str:
    """A limit of the sandbox that the environment checks or reaches."""
    if not LIMIT.search(one.message):
        return ""
    return f"{call_of(facts)} ran into a limit of its sandbox ({one.line})."


def timeout(one: Raised, facts: Facts) -> str:
    """Something that was waited for in vain."""
    if not one.is_a("TimeoutError", "RolloutTimeout", "TimeoutExpired", "Timeout", "ReadTimeout"):
        return ""
    return f"{call_of(facts)} took longer than it may ({one.line})."


def _missing_name(one: Raised) -> tuple[str, str] | None:
    """The module, and what it has not; a module below another is missing from an installed one."""
    if one.is_a("ModuleNotFoundError") and "." in one.name:
        return one.name, one.name
    if match := NO_NAME.search(one.message):
        return (match[2], match[1]) if "circular import" not in one.message else None
    if match := NO_ATTRIBUTE.search(one.message):
        return match[1], match[2]
    return None


def _top(missing: tuple[str, str]) -> str:
    return missing[0].partition(".")[0]


def _without(missing: tuple[str, str], facts: Facts) -> str:
    return (
        f"{call_of(facts)} needs {missing[1]!r}, which the installed {_top(missing)} does not have."
    )
