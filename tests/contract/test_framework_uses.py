"""Which names of its framework a wheel needs, and how surely."""

# ruff: noqa: E501  (a source to a line)
from __future__ import annotations

import pytest

from envyard.contract.frameworks.table import table
from envyard.contract.frameworks.uses import Need, uses


def needs(source: str, **others: str) -> dict[str, str]:
    """The uses of a module `my_env`, beside others of the same wheel."""
    members = {f"{name.replace('__', '/')}.py": text.encode() for name, text in others.items()}
    names = uses(
        {"my_env/__init__.py": source.encode(), **members},
        "my_env",
        table("verifiers"),
        entry_function="load_environment",
    )
    return {use.dotted: use.need.name for use in names}


@pytest.mark.parametrize(
    ("source", "needed"),
    [
        ("import verifiers as vf\nclass E(vf.ToolEnv): ...", {"verifiers.ToolEnv": "CERTAIN"}),
        ("import verifiers\nx = verifiers.Parser()", {"verifiers.Parser": "CERTAIN"}),
        (
            "from verifiers.envs.tool_env import ToolEnv as T",
            {"verifiers.envs.tool_env": "CERTAIN", "verifiers.envs.tool_env.ToolEnv": "CERTAIN"},
        ),
        (
            "import verifiers.v1 as vf\nfrom verifiers import types\nclass C(vf.Task): a = types.State",
            {
                "verifiers": "CERTAIN",
                "verifiers.types": "CERTAIN",
                "verifiers.types.State": "CERTAIN",
                "verifiers.v1": "CERTAIN",
                "verifiers.v1.Task": "CERTAIN",
            },
        ),
        (
            "import verifiers as vf\ndef make(): return vf.RLMEnv()",
            {"verifiers.RLMEnv": "LIKELY"},
        ),
        (
            "import verifiers as vf\ndef load_environment(a):\n    x = vf.RLMEnv\n    if a: return x\n    return vf.ToolEnv",
            {"verifiers.RLMEnv": "CERTAIN", "verifiers.ToolEnv": "POSSIBLE"},
        ),
        (
            "import verifiers as vf\nif x:\n    E = vf.RLMEnv\nelse:\n    E = vf.ToolEnv",
            {"verifiers.RLMEnv": "POSSIBLE", "verifiers.ToolEnv": "POSSIBLE"},
        ),
        (
            "if TYPE_CHECKING:\n    from verifiers.old import Gone\nelse:\n    from verifiers import Parser",
            {"verifiers.Parser": "CERTAIN"},
        ),
        (
            "try:\n    from verifiers.old import Gone\nexcept ImportError:\n    Gone = None",
            {},
        ),
        (
            "try:\n    from verifiers.old import Gone\nexcept ImportError as e:\n    raise Exit from e",
            {"verifiers.old": "CERTAIN", "verifiers.old.Gone": "CERTAIN"},
        ),
        (
            "try:\n    import verifiers as vf\nexcept ImportError:\n    vf = None\nP = vf.Parser",
            {"verifiers.Parser": "CERTAIN"},
        ),
        ("import verifiers as vf\nif hasattr(vf, 'Old'):\n    X = vf.Old", {}),
        ("import verifiers as vf\nX = getattr(vf, 'Old', None)", {}),
        ("import verifiers as vf\ndef f(vf): return vf.Old", {}),
        ("import verifiers as vf\nvf = other()\nX = vf.Old", {}),
        (
            "from __future__ import annotations\nimport verifiers as vf\ndef f(x: vf.Old) -> vf.Old: ...",
            {},
        ),
        ("import verifiers as vf\ndef f(x: vf.Old): ...", {"verifiers.Old": "LIKELY"}),
        ("import verifiers as vf\nvf.Old = 3", {}),
        (
            "from verifiers import *\ndef load_environment(): return SingleTurnEnv(rubric=mine)\nmine = 1",
            {"verifiers.SingleTurnEnv": "LIKELY"},
        ),
        ("import verifiers as vf\nv = vf.__version__, vf.types.State", {"verifiers.types": "CERTAIN",
                                                                     "verifiers.types.State": "CERTAIN"}),
    ],
)  # fmt: skip
def test_uses_skip_optional_code_and_rate_branches_lower(
    source: str, needed: dict[str, str]
) -> None:
    names = needs(source)
    if "verifiers" not in needed:
        names.pop("verifiers", None)
    assert names == needed


def test_modules_that_the_environment_never_imports_need_nothing() -> None:
    names = needs(
        "import verifiers as vf\nfrom .compat import framework\nfrom . import used\nX = framework.Parser",
        my_env__compat="import verifiers as framework",
        my_env__used="import verifiers as vf\ndef f():\n    from . import late",
        my_env__late="import verifiers as vf\nX = vf.Rubric",
        my_env__train="from verifiers.rl.trainer import RLTrainer",
        conftest="import verifiers as vf\nX = vf.Old",
    )
    names.pop("verifiers")
    assert names == {"verifiers.Parser": "CERTAIN", "verifiers.Rubric": "LIKELY"}


def test_odd_sources_are_passed_over() -> None:
    assert needs("import verifiers as vf\n" + "(" * 5000, my_env__a="\0", my_env__b="x" * 10) == {}
    assert Need.CERTAIN > Need.LIKELY > Need.POSSIBLE
