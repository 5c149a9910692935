"""Failures of the environment's own code, its modules, files and limits; as in needs.py."""

from __future__ import annotations

import re

from envyard.contract.failures.facts import Facts, Raised, call_of
from envyard.contract.frameworks.adapters import ENTRY_FUNCTIONS, FRAMEWORKS

NO_NAME = re.compile(
    r"cannot import name '([^']{1,100})' from (?:partially initialized module )?'([\w.]{1,200})'"
)
NO_ATTRIBUTE = re.compile(r"module '([\w.]{1,200})' has no attribute '([^']{1,100})'")
PATH = re.compile(r"'([^'\n]{1,300})'")
INSTALLED = re.compile(r"(?:^|/)(?:venv/environment|site-packages)/(.+)$")
LIMIT = re.compile(r"[Ff]ile descriptor limit|Too many open files")
CHECKED_LIMIT = re.compile(r"RLIMIT_\w+")
PLAIN_ROUTE = "Plain string task routes are no longer supported"  # verifiers from 0.1.14 on
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
    rf"({'|'.join(ENTRY_FUNCTIONS)})\(\) missing \d+ required (?:positional|keyword-only) "
    r"arguments?: (.{1,300})"
)


def own_module(error: Raised, facts: Facts) -> str:
    """A module of the wheel's own package that the wheel does not hold."""
    is_own = bool(facts.module) and error.name.partition(".")[0] == facts.module
    if not (error.is_a("ModuleNotFoundError") and is_own):
        return ""
    return f"The wheel holds no module {error.name!r}, which its own code imports."


def framework_api(error: Raised, facts: Facts) -> str:
    """A module or name that the installed framework does not have."""
    missing = _missing_name(error)
    if not missing or _top(missing) not in FRAMEWORKS:
        return ""
    return _lacks(missing, facts)


def library_api(error: Raised, facts: Facts) -> str:
    """The same of another library."""
    missing = _missing_name(error)
    if not missing or _top(missing) == facts.module:
        return ""
    return _lacks(missing, facts)


def removed_module(error: Raised, facts: Facts) -> str:
    """A module that Python's standard library no longer has, or setuptools' pkg_resources."""
    if not (error.is_a("ModuleNotFoundError") and error.name in {*REMOVED, "pkg_resources"}):
        return ""
    return f"{call_of(facts)} imports {error.name!r}, which this Python does not come with."


def missing_module(error: Raised, facts: Facts) -> str:
    """A module of no installed distribution."""
    if not (error.is_a("ModuleNotFoundError") and error.name and "." not in error.name):
        return ""
    return f"{call_of(facts)} imports {error.name!r}, which none of the installed dependencies has."


def missing_file(error: Raised, facts: Facts) -> str:
    """A missing file in the folder of the installed modules."""
    path = error.name or next(iter(PATH.findall(error.message)), "")
    inside = INSTALLED.search(path)
    if not (error.is_a("FileNotFoundError", "NotADirectoryError") and inside):
        return ""
    return f"{call_of(facts)} looks for {inside[1]}, which is not among the installed files."


def other_file(error: Raised, facts: Facts) -> str:
    """A missing file elsewhere."""
    path = error.name or next(iter(PATH.findall(error.message)), "")
    if not (error.is_a("FileNotFoundError", "NotADirectoryError") and path):
        return ""
    return f"{call_of(facts)} looks for the file {path!r}, which a sandbox does not have."


def read_only(error: Raised, facts: Facts) -> str:
    """A write to one of the folders that a sandbox may only read."""
    if "Read-only file system" not in error.message and "[Errno 30]" not in error.message:
        return ""
    name_text = f" {error.name!r}" if error.name else ""
    return f"{call_of(facts)} writes to{name_text or ' a folder'}, which a sandbox may only read."


def arguments(error: Raised, facts: Facts) -> str:
    """Arguments of the adapter's entry function without a default."""
    match = MISSING_ARGUMENTS.search(error.message)
    return f"{match[1]} needs arguments that no run gives: {match[2]}." if match else ""


def signature(error: Raised, facts: Facts) -> str:
    """A call that the called function does not take."""
    if not (error.is_a("TypeError") and SIGNATURE.search(error.message)):
        return ""
    return (
        f"{call_of(facts)} passes arguments that the called function does not take ({error.line})."
    )


def task_route(error: Raised, _: Facts) -> str:
    """A classic environment whose rows name their task as newer releases of verifiers refuse."""
    if PLAIN_ROUTE not in error.message:
        return ""
    return (
        "The column `task` of its rows holds plain texts, which verifiers up to 0.1.12 accepts and "
        f"later releases refuse ({error.line})."
    )


def limit_check(error: Raised, facts: Facts) -> str:
    """A limit of the sandbox that the environment looks up and finds too low."""
    if not CHECKED_LIMIT.search(error.message):
        return ""
    return f"{call_of(facts)} requires a higher limit than its runner has ({error.line})."


def limit(error: Raised, facts: Facts) -> str:
    """A limit of the sandbox that the environment reaches."""
    if not LIMIT.search(error.message):
        return ""
    return f"{call_of(facts)} ran into a limit of its sandbox ({error.line})."


def timeout(error: Raised, facts: Facts) -> str:
    """Something that was waited for in vain."""
    if not error.is_a("TimeoutError", "RolloutTimeout", "TimeoutExpired", "Timeout", "ReadTimeout"):
        return ""
    return f"{call_of(facts)} took longer than it may ({error.line})."


def _missing_name(error: Raised) -> tuple[str, str] | None:
    """The module and the missing name; a submodule counts as missing from an installed module."""
    if error.is_a("ModuleNotFoundError") and "." in error.name:
        return error.name, error.name
    if match := NO_NAME.search(error.message):
        return (match[2], match[1]) if "circular import" not in error.message else None
    if match := NO_ATTRIBUTE.search(error.message):
        return match[1], match[2]
    return None


def _top(missing: tuple[str, str]) -> str:
    return missing[0].partition(".")[0]


def _lacks(missing: tuple[str, str], facts: Facts) -> str:
    return (
        f"{call_of(facts)} needs {missing[1]!r}, which the installed {_top(missing)} does not have."
    )
