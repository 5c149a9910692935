"""The registry of causes of failed loads and rollouts: a stable name, how each shows, what to do.

`explain` is a pure function over the facts of a failure, for the runner and for the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envyard.contract.failures import code, needs
from envyard.contract.failures.facts import Facts, Raised
from envyard.contract.frameworks.adapters import RUNS_WITH

NAMED = 4  # members of a group


@dataclass(frozen=True, slots=True)
class Cause:
    """One entry: `recognise` gives the sentence, empty where it is not this; `hint` what to do."""

    name: str
    recognise: Callable[[Raised, Facts], str]
    hint: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The likely cause of a failure; `hint` is empty where none is known."""

    cause: str
    message: str
    hint: str = ""


DATA = (
    "Ship the data in the wheel, or read it from a data set hub with datasets or huggingface_hub; "
    "declare other hosts under [tool.envyard] hosts."
)
# The most specific first: one exception may fit several.
CAUSES = (
    Cause(
        "container",
        needs.container,
        "Runs have no containers and no sandbox services. Do the work in the environment's own "
        "process or in Python subprocesses; with verifiers, choose the subprocess runtime.",
    ),
    Cause(
        "missing_key",
        needs.missing_key,
        "An owner sets it with `hub secret set OWNER/NAME SECRET --host HOST`. A judge's client "
        "needs no key of yours: declare `judge = true` under [tool.envyard]. The policy is reached "
        "through the client that the framework passes, without a key.",
    ),
    Cause(
        "installer",
        needs.installer,
        "Declare what it installs in the wheel's dependencies: these are installed before the run.",
    ),
    Cause(
        "gpu",
        needs.gpu,
        "Environments run without a GPU, and models are served outside the sandbox. Use the CPU, "
        "and depend on a build of the library that works without CUDA.",
    ),
    Cause(
        "system_library",
        needs.system_library,
        "Only wheels are installed. Depend on one that contains the library, such as "
        "opencv-python-headless for opencv-python.",
    ),
    Cause(
        "data_download",
        needs.data_download,
        "A sandbox has no network to download it from. Put it into the wheel and name its folder "
        "to the library (nltk.data.path, spacy.load), or depend on a wheel that holds it. A "
        "runner's operator can keep data of NLTK (RUNNER_NLTK_DATA).",
    ),
    Cause(
        "data_script",
        needs.data_script,
        "Load the rows that the data set hub made of it, with revision='refs/convert/parquet', or "
        "name a data set that consists of files.",
    ),
    Cause("network", needs.network, DATA),
    Cause(
        "framework_api",
        code.framework_api,
        f"{RUNS_WITH}. Write to that release, and bound it in the dependencies.",
    ),
    Cause(
        "own_module",
        code.own_module,
        "Add it to what your build puts into the wheel; `unzip -l` of the wheel lists the files.",
    ),
    Cause(
        "removed_module",
        code.removed_module,
        "Replace the import; pkg_resources comes with setuptools, if that is a dependency.",
    ),
    Cause(
        "library_api",
        code.library_api,
        "Bound that dependency to releases that have it; `hub lock` prints what was installed.",
    ),
    Cause(
        "missing_module",
        code.missing_module,
        "Add the distribution that provides it to [project] dependencies; extras and "
        "dependency groups are not installed.",
    ),
    Cause("arguments", code.arguments, "Give every argument of that function a default value."),
    Cause(
        "signature",
        code.signature,
        "If that function is a dependency's, the installed release takes other arguments than the "
        "one it was written for: bound the dependency to releases that take them.",
    ),
    Cause(
        "missing_file",
        code.missing_file,
        "If it is yours, have the build put it into the wheel: hatchling takes the files of a "
        "package ([tool.hatch.build.targets.wheel]), setuptools those named in "
        "[tool.setuptools.package-data].",
    ),
    Cause(
        "system_tool",
        needs.system_tool,
        "Only Python wheels are installed. Depend on a wheel that contains the program, or do "
        "without.",
    ),
    Cause("log_network", needs.log_network, DATA),
    Cause(
        "other_file",
        code.other_file,
        "Put data beside the module in the wheel and read it with importlib.resources: the current "
        "folder of a run is empty.",
    ),
    Cause(
        "read_only",
        code.read_only,
        "Write to a folder of tempfile.mkdtemp(); wheels and dependencies are read-only.",
    ),
    Cause(
        "task_route",
        code.task_route,
        f"{RUNS_WITH}. verifiers names info['env_id'] in place of that column.",
    ),
    Cause(
        "limit_check",
        code.limit_check,
        "The runner's operator raises it: LimitNOFILE= of the service for open files, RUNNER_PIDS "
        "for processes, RUNNER_MEMORY_MB for memory, RUNNER_FILE_MB for the size of a file.",
    ),
    Cause(
        "limit",
        code.limit,
        "Use less: every runner limits processes, memory, files and open files. Its operator can "
        "raise them (RUNNER_PIDS, RUNNER_MEMORY_MB, RUNNER_FILES).",
    ),
    Cause(
        "timeout",
        code.timeout,
        "Load less, or ship what is computed in the wheel. Waiting for a host has the same effect: "
        "a sandbox has no network.",
    ),
)


def explain(facts: Facts) -> Explanation | None:
    """The most specific cause that the facts show, of the outermost exception before those that it
    was raised from; None where none fits."""
    for error in facts.members:
        for cause in CAUSES:
            if sentence := cause.recognise(error, facts):
                return Explanation(cause.name.removeprefix("log_"), sentence, cause.hint)
    return None


def summary(facts: Facts) -> str:
    """The failure in one sentence where no cause is known: of a group, what it holds."""
    if not facts.raised:
        return ""
    first = facts.raised[0]
    if not first.group:
        return first.line
    lines = list(dict.fromkeys(error.line for error in facts.members if not error.group))
    more_text = f" and {len(lines) - NAMED} more" if len(lines) > NAMED else ""
    return f"{first.line}: {'; '.join(lines[:NAMED])}{more_text}" if lines else first.line
