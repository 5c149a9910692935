"""A hub whose strangers attack every text that pages show, and one address of each page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from envyard.contract.transcript import Transcript
from registry.accounts import tokens
from registry.accounts.models import Organisation, User
from registry.card import services as cards
from registry.catalog.models import Tag, Version
from registry.models import LogChunk, Run
from registry.moderation.models import Report
from registry.runs import suites
from registry.self_reported import samples
from registry.self_reported.models import Evaluation
from registry.webhooks.models import WebhookDelivery
from tests.factories import make_rollout, make_run, make_version
from tests.frontend import gallery, gallery_rollouts, xss
from tests.registry.access import fixtures
from tests.registry.access.addresses import address
from tests.registry.access.fixtures import Fixtures
from tests.registry.access.table import PAGE_ROLES, PAGES, SIGNING_IN, About
from tests.registry.run_factories import make_facts
from tests.registry.runs.measured_models import evaluated
from tests.wheels import make_wheel

WIDE_WORD = "x" * 300
# Pages that a person must not read at once, a README among them, on a narrow screen.
README = "\n\n".join(
    (
        "# Say it",
        xss.ALL,
        f"{WIDE_WORD} `{WIDE_WORD}` https://example.com/{WIDE_WORD}",
        f"# {WIDE_WORD}",
        "| " + " | ".join(f"column {n}" for n in range(20)) + " |\n" + "|---" * 20 + "|",
        f"```\n{WIDE_WORD}\n```",
        f"> [!NOTE]\n> {WIDE_WORD}",
        "- [ ] " + "- ".join(f"{'  ' * n}\n{'  ' * n}- deep" for n in range(12)),
        f"![{WIDE_WORD}](missing.png)",
    )
)
# Addresses that answer no page: files, feeds, parts of a page, and those that only redirect.
NO_PAGE = {
    "envs/atom.xml",
    "owners/<name>/atom.xml",
    "envs/<owner>/<name>/atom.xml",
    "envs/<owner>/<name>/preview.png",
    "envs/<owner>/<name>/<number>/locks/<platform>.txt",
    "envs/<owner>/<name>/<number>/raw/<tree>/<path>",
    "envs/<owner>/<name>/<number>/live/",
    "envs/<owner>/<name>/<number>/files/",
    "runs/<pk>/live/",
    "runs/<pk>/queue/live/",
    "publish/<filename>",
    "robots.txt",
    "sitemap.xml",
    "sitemap-<section>.xml",
    "settings/",
    "<name>/",
    "<owner>/<name>/",
    "confirm-email/<key>/",
    r"^confirm-email/(?P<key>[-:\w]+)/$",
    "login/code/confirm/",
    "password/set/",
    "settings/security/authenticate/",
    "settings/security/reauthenticate/",
    "settings/security/totp/deactivate/",
    "settings/security/recovery-codes/",
    "settings/security/recovery-codes/generate/",
    "settings/security/recovery-codes/download/",
    "settings/security/webauthn/reauthenticate/",
    "settings/security/webauthn/login/",
    "settings/security/webauthn/keys/<pk>/remove/",
    "settings/security/webauthn/keys/<pk>/edit/",
}
ANONYMOUS = {"login/", "signup/", "invitations/<secret>/"}  # they lead a person elsewhere
# Whose buttons are examples, or whose work a browser does in scripts alone.
WITH_SCRIPTS = {"patterns/", "settings/security/webauthn/add/"}
PEOPLE = ("alice", "root", "carol", "anonymous")  # the first that may see a page walks it


@dataclass(frozen=True, slots=True)
class Stop:
    """A page: the route it stands for, its address, and the person who opens it."""

    route: str
    path: str
    person: str


@dataclass(frozen=True, slots=True)
class Walk:
    """The pages, and the key of each person's session."""

    stops: list[Stop]
    sessions: dict[str, str]


def build() -> Walk:
    """Make all rows."""
    built = fixtures.build()
    alice = User.objects.get(username="alice")
    lab = Organisation.objects.get()
    version = Version.objects.get(environment__name="demo-env")
    _environment(lab, version)
    runs = _runs(version)
    _texts(alice, lab, version)
    return Walk([*_stops(built, runs), *_more(built, runs)], built.sessions)


def _environment(lab: Organisation, version: Version) -> None:
    """Two versions of which texts attack, and what changed between them."""
    texts = {"summary": xss.CORPUS[2], "license": xss.CORPUS[1][:60], "readme": README}
    Version.objects.filter(pk=version.pk).update(readme_type="text/markdown", **texts)
    for evil in (*xss.CORPUS[:3], WIDE_WORD[:60]):
        version.environment.tags.add(Tag.objects.get_or_create(name=evil[:40])[0])
    wheel = make_wheel("demo-env", "0.9.0", files={"demo_env/evil.py": f"# {xss.ALL}\n"})
    yanked = {"yanked_at": timezone.now(), "yanked_reason": xss.CORPUS[0]}
    make_version(lab, "demo-env", "0.9.0", wheel=wheel, **yanked)
    rejected = make_version(
        lab, "demo-env", "1.1.0", status="rejected", wheel=make_wheel("demo-env", "1.1.0")
    )
    rejected.findings.create(
        stage="run",
        run=make_run(rejected, status="failed"),
        code="run.load_failed",
        severity="error",
        message=xss.ALL,
        hint=xss.CORPUS[0],
        details={"traceback": xss.ALL},
    )


def _runs(version: Version) -> dict[str, Run]:
    """A run with a card, two of models on the same suite, and one that waits."""
    full = suites.built_in("full")
    evil = f"{xss.CORPUS[1]}{WIDE_WORD}"[:200]
    run = make_run(
        version, policies=[*gallery.PROBES, "model"], model=evil, tasks=5, attempts=2, total=35,
        done=35, facts=make_facts().to_dict(), suite=suites.built_in("smoke"),
    )  # fmt: skip
    gallery.full(run, 25)
    LogChunk.objects.create(run=run, attempt=1, seq=2, text=xss.ALL)
    for task in range(5):
        for attempt in range(2):
            _played(run, task, attempt)
    cards.compute(run=run)
    runs = {"run": run, "first": evaluated(version, evil, full, rate=0.6)}
    runs["second"] = evaluated(version, "org/tiny", full, rate=0.3)
    for each in ("first", "second"):
        runs[each].rollouts.filter(task=1).delete()
        _played(runs[each], 1, 0)
        _played(runs[each], 1, 1)
    runs["queued"] = make_run(
        version, status="queued", purpose="evaluation", suite=full, model=evil, policies=["model"]
    )
    runs["running"] = version.runs.get(status="running")
    return runs


def _played(run: Run, task: int, attempt: int) -> None:
    transcript: Transcript = gallery_rollouts.hostile() if attempt else gallery.conversation()
    error = {"type": xss.CORPUS[0], "message": xss.ALL, "traceback": xss.ALL, "fault": ""}
    failed = task == 3
    make_rollout(
        run, "model", task, attempt=attempt, reward=None if failed else float(attempt),
        error=error if failed else None, transcript=transcript, stop=xss.CORPUS[3][:100],
        rewards={xss.CORPUS[1]: {"score": 1.0, "weight": 1.0}}, metrics={WIDE_WORD: 2.0},
        turns=3, seconds=2.5, completion_tokens=40, prompt_tokens=400,
    )  # fmt: skip


def _texts(alice: User, lab: Organisation, version: Version) -> None:
    """The texts of people: titles, names, reports, claims, deliveries."""
    Organisation.objects.filter(pk=lab.pk).update(title=xss.CORPUS[1][:100])
    tokens.mint(user=alice, name=xss.CORPUS[0][:60], scope="read")
    Report.objects.update(text=f"{xss.ALL} {WIDE_WORD}")
    WebhookDelivery.objects.update(
        body=f'{{"a": "{WIDE_WORD}"}}', excerpt=xss.CORPUS[0], error=xss.CORPUS[1][:200],
        attempted_at=timezone.now(), type="version.listed", status=500, milliseconds=12,
    )  # fmt: skip
    row = Evaluation.objects.get(environment=version.environment)
    Evaluation.objects.filter(pk=row.pk).update(
        name=xss.CORPUS[1][:100], model_name=WIDE_WORD[:100], version=version,
        metadata={xss.CORPUS[0]: xss.ALL}, metrics={xss.CORPUS[1]: 0.5},
    )  # fmt: skip
    message = {"role": "assistant", "content": xss.ALL + WIDE_WORD}
    evil: dict[str, Any] = {"example_id": 1, "reward": 0.0, "completion": [message]}
    samples.add(evaluation=row, samples=[evil | {"prompt": [message], "info": {"x": xss.ALL}}])


def _stops(built: Fixtures, runs: dict[str, Run]) -> list[Stop]:
    """One of each page, by the table of who may open what."""
    place = built.known
    place.words.update(
        run=str(runs["run"].pk),
        other=str(runs["second"].pk),
        rollout=str(runs["run"].rollouts.filter(policy="model", task=1).latest("pk").pk),
    )
    own = {
        "runs/<pk>/comparison/<other>/": runs["first"],
        "runs/<pk>/comparison/<other>/tasks/<task>/": runs["first"],
        "runs/<pk>/queue/": runs["queued"],
        "runs/<pk>/cancel/": runs["running"],
    }
    stops = []
    for route, row in (PAGES | SIGNING_IN).items():
        if route in NO_PAGE or "GET" not in row:
            continue
        rule = row["GET"]
        letters = rule.known if isinstance(rule, About) else rule
        allowed = dict(zip(PAGE_ROLES, letters.replace(" ", ""), strict=True))
        person = next(name for name in PEOPLE if allowed[name] == "+")
        path = address(route, place)
        if route in own:
            path = path.replace(str(runs["run"].pk), str(own[route].pk))
            path = path.replace("/tasks/0/", "/tasks/1/")
        stops.append(Stop(route, path, "anonymous" if route in ANONYMOUS else person))
    return stops


def _more(built: Fixtures, runs: dict[str, Run]) -> list[Stop]:
    """Further states of pages: tabs, filters, forms of text, results of searches."""
    environment = address("envs/<owner>/<name>/", built.known)
    run = f"/runs/{runs['run'].pk}/"
    tabs = ("card", "readme", "evaluations", "rollouts", "versions", "files", "train")
    rollout = address("runs/<pk>/rollouts/<number>/", built.known)
    paths = {
        **{f"tab {tab}": f"{environment}?tab={tab}" for tab in tabs},
        "changes of two versions": f"{environment}compare/?from=0.9.0&to=1.0.0",
        "rejected version": f"{environment}1.1.0/",
        "yanked version": f"{environment}0.9.0/",
        "file": f"{environment}0.9.0/files/wheel/demo_env/evil.py",
        "run that waits": f"/runs/{runs['queued'].pk}/",
        "run under way": f"/runs/{runs['running'].pk}/",
        "rollouts filtered": f"{run}?policy=model&outcome=scored&log=script",
        "rollout as Markdown": f"{rollout}?view=markdown",
        "rollout searched": f"{rollout}?find=script",
        "hostile sample": address("envs/<owner>/<name>/evaluations/<pk>/samples/", built.known)
        + "2/",
        "search": "/envs/?q=demo",
        "search without a result": "/envs/?q=zebra",
        "search of the documentation": "/docs/?q=card",
        "compared": f"/compare/?first={runs['first'].pk}&second={runs['second'].pk}",
    }
    return [Stop(name, path, "alice") for name, path in paths.items()]
