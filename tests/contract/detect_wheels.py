"""Wheels for the tests of detection, as member path -> bytes."""

from __future__ import annotations

import textwrap

from envyard.contract.detect import Detection

TASKSET = """
    import verifiers.v1 as vf

    class WordTask(vf.Task[vf.TaskData]):
        pass

    class WordTaskset(vf.Taskset[WordTask, vf.TasksetConfig]):
        def load(self):
            return []
"""
EXPORTED = TASKSET + '\n    __all__ = ["WordTaskset"]\n'
CLASSIC = """
    import verifiers as vf

    def load_environment(n=3):
        return vf.SingleTurnEnv(dataset=None, eval_dataset=None, rubric=vf.Rubric())
"""


def wheel(name: str, **files: str) -> dict[str, bytes]:
    """Members of a wheel; `a__b` in a keyword is the path `a/b`, every file is a .py file."""
    members = {
        f"{path.replace('__', '/')}.py": textwrap.dedent(text).encode()
        for path, text in files.items()
    }
    folder = f"{name.replace('-', '_')}-0.1.0.dist-info"
    members[f"{folder}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: {name}\nVersion: 0.1.0\n".encode()
    )
    return members


def package(name: str, init: str, **files: str) -> dict[str, bytes]:
    """A wheel with one package, named like the distribution."""
    folder = name.replace("-", "_")
    members = wheel(name, **{f"{folder}__{path}": text for path, text in files.items()})
    members[f"{folder}/__init__.py"] = textwrap.dedent(init).encode()
    return members


def codes(detection: Detection) -> list[str]:
    return [finding.code for finding in detection.findings]


def same(detection: Detection, api: str, module: str, entry: str) -> bool:
    fields = (detection.framework, detection.api, detection.module, detection.entry)
    return fields == ("verifiers", api, module, entry) and not detection.findings
