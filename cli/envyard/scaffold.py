"""Copy a template with names filled in: plain replacement of `{{ variable }}`, no code runs."""

from __future__ import annotations

import re
import subprocess
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from envyard.contract.frameworks.adapters import ADAPTERS
from envyard.contract.names import BadName, check_name, module_name
from envyard.errors import HubCliError, UsageError

VARIABLE = re.compile(r"\{\{ (\w+) \}\}")
LEFT_OUT = {"__pycache__", ".pytest_cache"}


@dataclass(frozen=True, slots=True)
class Names:
    """The variables of a template."""

    name: str
    module: str
    class_name: str
    description: str
    author: str


def templates_dir() -> Path:
    """The templates inside the installed wheel, or the checkout's own folder."""
    packed = Path(str(files("envyard"))) / "env_template"
    return packed if packed.is_dir() else Path(__file__).parents[2] / "env_template"


def templates() -> list[str]:
    """The names for `--template`, from the adapters."""
    return [template for adapter in ADAPTERS.values() for template in adapter.templates]


def names_for(name: str, description: str = "", author: str = "") -> Names:
    """All variables from one name; raises UsageError for a name the hub would refuse."""
    try:
        name = check_name(name)
    except BadName as exc:
        raise UsageError(str(exc), "For example: hub init my-env") from exc
    module = module_name(name)
    if not module.isidentifier():
        raise UsageError(
            f"environment name {name!r} would give the Python module {module!r}",
            "Begin the name with a letter.",
        )
    return Names(
        name=name,
        module=module,
        class_name="".join(part.capitalize() for part in module.split("_")),
        description=plain(description) or f"The {name} environment",
        author=plain(author) or plain(git_user()) or "Unknown",
    )


def plain(text: str) -> str:
    """One line that is safe inside a TOML string and a Python docstring."""
    return " ".join(re.sub(r'["\\\x00-\x1f]', " ", text).split())[:200]


def git_user() -> str:
    """git's user.name, or nothing where git has none."""
    try:
        completed = subprocess.run(
            ["git", "config", "user.name"], capture_output=True, text=True, timeout=5, check=False
        )
    except OSError:
        return ""
    return completed.stdout.strip()


def copy(template: str, target: Path, names: Names) -> list[Path]:
    """Write the template's files into `target`, which must be absent or empty."""
    if template not in templates():
        raise UsageError(
            f"there is no template {template!r}", f"Use one of: {', '.join(templates())}"
        )
    source = templates_dir() / template
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise HubCliError(f"{target} exists and is not empty", "Choose another name or --path.")
    values = asdict(names)
    written: list[Path] = []
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        if path.is_dir() or LEFT_OUT & set(inside.parts):
            continue
        to = target / fill(str(inside), values)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(fill(path.read_text(encoding="utf-8"), values), encoding="utf-8")
        written.append(to)
    return written


def fill(text: str, values: dict[str, str]) -> str:
    """Replace the variables in `values`; any other `{{ word }}` stays as it is."""
    return VARIABLE.sub(lambda m: values.get(m[1], m[0]), text)
