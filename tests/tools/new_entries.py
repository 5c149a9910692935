"""The edits that CONTRIBUTING.md asks for, one of each kind of change, as test_contributing makes
them in a copy of the tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """Text inserted after the first `after` of a file; a new file where `after` is empty.

    `kind` is the row of the table in CONTRIBUTING.md.
    """

    kind: str
    path: str
    after: str
    text: str

    def apply(self, root: Path) -> None:
        """Make the edit in the tree at `root`; raises AssertionError where it does not fit."""
        file = root / self.path
        if not self.after:
            assert not file.exists(), self.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text.lstrip("\n"), encoding="utf-8")
            return
        before, separator, rest = file.read_text(encoding="utf-8").partition(self.after)
        assert separator, f"{self.path} has no {self.after!r}"
        file.write_text(before + self.after + self.text.lstrip("\n") + rest, encoding="utf-8")


CODE = (
    Edit(
        "finding or error code",
        "cli/envyard/contract/codes/sound.py",
        "",
        """
from envyard.contract.codes.code import environment_fault

SOUND = (
    environment_fault("run.too_loud", "The run was too loud.", "Lower it.", severity="warning"),
    environment_fault("wheel.too_loud", "The wheel is too loud.", "Lower it.", severity="warning"),
)
""",
    ),
    Edit(
        "finding or error code",
        "cli/envyard/contract/codes/__init__.py",
        "import RUN\n",
        "from envyard.contract.codes.sound import SOUND\n",
    ),
    Edit(
        "finding or error code",
        "cli/envyard/contract/codes/__init__.py",
        "SUBJECTS = (\n",
        "    SOUND,\n",
    ),
    Edit(
        "finding or error code",
        "docs/wheels.md",
        "| `wheel.shadows_library` |",
        " a library's name |\n| `wheel.too_loud` |",
    ),
)
PROBE = (
    Edit(
        "probe",
        "cli/envyard/contract/probes.py",
        "ENTRIES = (\n",
        """
    Probe(
        name="shout",
        label="the prompt in capitals",
        reply="your last message in capitals",
        floor=FloorLimit(NO_INFORMATION, "Pay nothing for capitals."),
    ),
""",
    ),
    Edit(
        "probe",
        "worker/envyard_runner/probing/probes.py",
        '    "silent": silent,\n',
        '    "shout": parrot,\n',
    ),
    Edit("probe", "docs/tutorial.md", " 56/56 rollouts\n", "  shout 0 [0, 0.522] n=5\n"),
    Edit(
        "probe",
        "docs/decisions/0004-card-thresholds.md",
        "## Choice\n",
        "`shout` carries no information.\n",
    ),
)
MEASURE = (
    Edit(
        "measure",
        "cli/envyard/card/measures/loudness.py",
        "",
        """
from envyard.card.measures.definition import MeasureDefinition
from envyard.card.measures.speed import SLOW_SECONDS, speed

LOUDNESS = (
    MeasureDefinition(
        code="loudness",
        title="Loudness",
        unit="seconds",
        threshold=SLOW_SECONDS,
        source="observed",
        read=speed,
        question="How loud is it?",
        advice="Lower the loudest rollout.",
    ),
)
""",
    ),
    Edit(
        "measure",
        "cli/envyard/card/measures/__init__.py",
        "import FLOOR_AND_CEILING\n",
        "from envyard.card.measures.loudness import LOUDNESS\n",
    ),
    Edit("measure", "cli/envyard/card/measures/__init__.py", "SUBJECTS = (", "LOUDNESS, "),
    Edit(
        "measure",
        "cli/envyard/contract/codes/card.py",
        "CARD = (\n",
        '    environment_fault("card.loudness", "It is loud.", "Lower it."),\n',
    ),
    Edit("measure", "docs/tutorial.md", "Card\n", "  pass    Loudness: 0.087 seconds, observed\n"),
    Edit(
        "measure",
        "docs/decisions/0004-card-thresholds.md",
        "|---|---|---|---|---|\n",
        "| loudness | how loud it is | up to 10 s | above | never |\n",
    ),
)
MODEL_MEASURE = (
    Edit(
        "measure of a model",
        "cli/envyard/card/learnability/echoes.py",
        "",
        """
from envyard.card.learnability.definition import ModelMeasureDefinition
from envyard.card.learnability.solving import solve_rate

ECHOES = (
    ModelMeasureDefinition(
        code="echoes",
        title="Echoes",
        unit="share",
        source="claimed",
        read=solve_rate,
        meaning="Share of echoes.",
    ),
)
""",
    ),
    Edit(
        "measure of a model",
        "cli/envyard/card/learnability/registry.py",
        "import COSTS\n",
        "from envyard.card.learnability.echoes import ECHOES\n",
    ),
    Edit(
        "measure of a model",
        "cli/envyard/card/learnability/registry.py",
        "for entry in (",
        "*ECHOES, ",
    ),
)
ADAPTER = (
    Edit(
        "adapter of a known framework",
        "cli/envyard/contract/frameworks/verifiers.py",
        "VERIFIERS = (",
        """
replace(
    V0,
    api="loud",
    guest_program="verifiers_loud:VerifiersLoud",
    templates=("loud-turn",),
    entry_description="a verifiers load_loudly",
    entries=lambda sources, module: [],
), """,
    ),
    Edit(
        "adapter of a known framework",
        "cli/envyard/contract/frameworks/verifiers.py",
        "import ast\n",
        "from dataclasses import replace\n",
    ),
    Edit(
        "adapter of a known framework",
        "worker/envyard_runner/guest/verifiers_loud.py",
        "",
        "class VerifiersLoud:\n    pass\n",
    ),
    Edit(
        "adapter of a known framework",
        "env_template/loud-turn/pyproject.toml",
        "",
        '[project]\nname = "{{ name }}"\n',
    ),
    Edit(
        "adapter of a known framework",
        "env_template/loud-turn/{{ module }}/__init__.py",
        "",
        '"""{{ description }}."""\n',
    ),
    Edit(
        "adapter of a known framework", "docs/cli.md", "--template single-turn`, ", "`loud-turn`, "
    ),
    Edit(
        "adapter of a known framework",
        "docs/writing-environments.md",
        "`--template` chooses between ",
        "`loud-turn`, ",
    ),
)
FRAMEWORK = (
    Edit(
        "framework with its first adapter",
        "cli/envyard/contract/frameworks/gymnasium.py",
        "",
        """
from packaging.specifiers import SpecifierSet

from envyard.contract.frameworks.adapter import Adapter, Entry, Usage
from envyard.contract.names import module_name
from envyard.contract.sources import Definition


def entries(sources, module):
    return [
        Entry(module.name, name, Definition(module, name))
        for name in module.functions
        if name == "make_gym"
    ]


GYMNASIUM = (
    Adapter(
        framework="gymnasium",
        api="v1",
        releases=SpecifierSet(">=1,<2"),
        installed_beside=("numpy",),
        guest_program="gymnasium_v1:GymnasiumV1",
        templates=(),
        entry_description="a make_gym",
        single_entry_hint="Keep one.",
        runs_with="gymnasium 1 for make_gym",
        entries=entries,
        module_names=lambda name: {module_name(name)},
        splits=lambda sources, definition: (),
        near_miss=lambda sources, expected: None,
        usage_texts=Usage("import $module", "Imports it.", "python -m $module", "Plays it."),
        entry_function="make_gym",
    ),
)
""",
    ),
    Edit(
        "framework with its first adapter",
        "cli/envyard/contract/frameworks/adapters.py",
        "import Adapter\n",
        "from envyard.contract.frameworks.gymnasium import GYMNASIUM\n",
    ),
    Edit(
        "framework with its first adapter",
        "cli/envyard/contract/frameworks/adapters.py",
        "in (*VERIFIERS,",
        " *GYMNASIUM,",
    ),
    Edit(
        "framework with its first adapter",
        "cli/envyard/contract/frameworks/gymnasium.json",
        "",
        """
{"framework": "gymnasium",
 "releases": [["1.0.0", "2024-10-08T00:00:00Z", ">=3.8"], ["1.1.0", "2025-03-06T00:00:00Z", ""]],
 "modules": {"gymnasium": {"0-1": ". Env", "1": "make_vec"}}}
""",
    ),
    Edit(
        "framework with its first adapter",
        "worker/envyard_runner/guest/gymnasium_v1.py",
        "",
        "class GymnasiumV1:\n    pass\n",
    ),
    Edit(
        "framework with its first adapter", "pyproject.toml", '"verifiers.*", ', '"gymnasium.*", '
    ),
    Edit(
        "framework with its first adapter",
        "docs/writing-environments.md",
        "## ",
        "Gymnasium\n\nExport one `make_gym`.\n\n## ",
    ),
)
FACET = (
    Edit(
        "facet of the catalogue",
        "cli/envyard/contract/facets.py",
        "registry(\n    (\n",
        """
        Facet(
            name="turn_count", key="n", column="latest__api", title="Turns", description="So many.",
            option="only with so many turns",
        ),
""",
    ),
    Edit("facet of the catalogue", "docs/cli.md", "`--framework`, ", "`--turn-count`, "),
)
FIELD = (
    Edit(
        "REST field",
        "registry/read_models/environments.py",
        "    version: str\n",
        '    loudness: Annotated[str, Spec(description="Of its longest reply.")]\n',
    ),
    Edit(
        "REST field",
        "registry/read_models/environments.py",
        "latest=Latest(latest.version, ",
        '"loud", ',
    ),
    Edit(
        "REST field",
        "registry/api/serializers/organisations.py",
        "    name = Text()\n",
        "    motto = Text(required=False)\n",
    ),
    Edit(
        "REST field",
        "registry/accounts/services.py",
        "def create_organisation(*, name: str, ",
        'motto: str = "", ',
    ),
)
PAGE = (
    Edit(
        "page",
        "frontend/pages/loudest.py",
        "",
        """
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def loudest(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/loudest.html", {"loudest": "a whisper"})
""",
    ),
    Edit(
        "page",
        "frontend/templates/pages/loudest.html",
        "",
        '{% extends "base.html" %}\n{% block main %}<h1>{{ loudest }}</h1>{% endblock %}\n',
    ),
    Edit("page", "frontend/urls.py", "    journal,\n", "    loudest,\n"),
    Edit(
        "page",
        "frontend/urls.py",
        "urlpatterns = [\n",
        '    path("loudest/", loudest.loudest, name="loudest"),\n',
    ),
    Edit(
        "page", "registry/accounts/services.py", 'RESERVED = frozenset(\n    """\n', "    loudest "
    ),
    Edit(
        "page",
        "tests/registry/access/table.py",
        "PAGES: dict[str, Row] = {\n",
        '    "loudest/": {"GET": P_EVERYBODY},\n',
    ),
)
LIMIT = (
    Edit(
        "limit",
        "hub/settings.py",
        'DEBUG = env.flag("HUB_DEBUG", False)\n',
        'HUB_LOUDNESS = env.integer("HUB_LOUDNESS", 7, low=0, high=99)\n',
    ),
    Edit(
        "limit",
        "docs/settings.md",
        "|---|---|---|\n",
        "| `HUB_LOUDNESS` | `7` | the loudest title |\n",
    ),
    Edit(
        "limit",
        "cli/envyard/contract/codes/quota.py",
        "QUOTA = (\n",
        '    request_fault("quota.loudness", "The title is too loud.", "Lower it."),\n',
    ),
    Edit(
        "limit",
        "registry/accounts/services.py",
        "def _check_title(title: str) -> None:\n",
        """
    if title.count("!") > settings.HUB_LOUDNESS:
        raise HubError("quota.loudness")
""",
    ),
    Edit(
        "limit",
        "docs/accounts.md",
        "|---|---|---|---|\n",
        "| loudness | the title | 7 (`HUB_LOUDNESS`) | 400 `quota.loudness` |\n",
    ),
)
EDITS = (
    *(*CODE, *PROBE, *MEASURE, *MODEL_MEASURE, *ADAPTER, *FRAMEWORK),
    *(*FACET, *FIELD, *PAGE, *LIMIT),
)
