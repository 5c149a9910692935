"""`hub card verify` against a real hub: what verifies, and the code of each difference."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from pytest_django.live_server_helper import LiveServer

from envyard import verification
from envyard.__main__ import main
from envyard.card import document, dsse, run_findings, statement
from envyard.contract.findings import finding
from envyard.contract.training import TrainingFacts
from registry import pipeline
from registry.card import keys, signing
from registry.card.models import SignedCard
from registry.models import Run, User
from registry.remeasurements import services as remeasurements
from registry.runs import services as runs
from registry.runs.endings import keep_findings
from tests.registry.run_factories import (
    POLICIES,
    honest_rollouts,
    make_leased_run,
    make_version,
    record_attempt,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]
REF = "alice/demo-env==0.1.0"


@pytest.fixture
def run(
    live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Run:
    """The judged run of alice/demo-env==0.1.0."""
    run = make_leased_run(make_version(alice.owner))
    record_attempt(run, honest_rollouts())
    pipeline.judge(str(run.pk))
    run.version.refresh_from_db()
    assert run.version.status == "listed"
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return run


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> Path:
    """The folder with card, evidence and key of the version, verified."""
    folder = tmp_path / "saved"
    assert main(["card", "verify", REF, "--save", str(folder)]) == 0
    return folder


def refused(capsys: pytest.CaptureFixture[str], *words: str, code: int = 1) -> str:
    """The code with which the command fails."""
    capsys.readouterr()
    assert main(["card", "verify", *words, "--json"]) == code
    return str(json.loads(capsys.readouterr().err)["error"]["code"])


def files(folder: Path) -> list[str]:
    return [
        *("--card", str(folder / "card.json"), "--evidence", str(folder / "evidence.json")),
        *("--key", str(folder / "key.pem")),
    ]


def predicate_of(folder: Path) -> dict[str, Any]:
    """The predicate of the saved statement."""
    payload = dsse.read((folder / "card.json").read_bytes()).payload
    predicate: dict[str, Any] = json.loads(payload)["predicate"]
    return predicate


def sign_changed(folder: Path, *, of_type: str = statement.PREDICATE_TYPE, **changes: Any) -> None:
    """Sign a statement of that type with other fields of its predicate by the hub's own key."""
    envelope = dsse.read((folder / "card.json").read_bytes())
    content = json.loads(envelope.payload)
    content["predicateType"] = of_type
    content["predicate"] |= changes
    payload = document.encode(content)
    keyid, signature = keys.sign(dsse.signed_bytes(statement.PAYLOAD_TYPE, payload))
    changed = dsse.Envelope(statement.PAYLOAD_TYPE, payload, {keyid: signature})
    (folder / "card.json").write_text(json.dumps(changed.to_dict()))


def test_a_published_card_verifies(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "verify", REF]) == 0
    out, err = capsys.readouterr()
    assert f"{REF}  verified" in out
    assert f"from {run.rollouts.count()} rollouts, equal" in out
    assert "trusting the keys of" in err
    assert main(["card", "verify", REF]) == 0
    assert "trusting" not in capsys.readouterr().err
    assert main(["card", "verify", REF, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verified"] is True
    assert document["subject"]["sha256"] == run.version.sha256
    assert len(document["not_verified"]) == 2
    assert document["recomputed"]["sources"].keys() == {"claimed", "observed"}
    assert document["compared_with_published"] is True
    assert document["run_findings"] == []
    assert document["no_longer_passes"] is None


def test_saved_files_verify_without_the_hub(
    saved: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run: Run
) -> None:
    lock = saved / "env.txt"
    signed = SignedCard.objects.get()
    lock.write_text(
        f"# {REF} on cpython-311, resolved 2026-11-22\n"
        f"# card of {REF}: statement sha256 {signed.sha256}, key {signed.keyid}, http://x\n"
        f"demo-env @ http://x/demo.whl \\\n    --hash=sha256:{run.version.sha256}\n"
    )
    monkeypatch.setenv("HUB_URL", "http://127.0.0.1:9")
    assert main(["card", "verify", "--lock", str(lock), *files(saved)]) == 0
    lock.write_text(lock.read_text().replace(run.version.sha256, "0" * 64))
    assert refused(capsys, "--lock", str(lock), *files(saved)) == "cli.card_other_file"
    lock.write_text(lock.read_text().replace(signed.sha256, "0" * 64))
    assert refused(capsys, "--lock", str(lock), *files(saved)) == "cli.card_other_statement"
    lock.write_text("demo==1\n")
    assert refused(capsys, "--lock", str(lock), *files(saved), code=2) == "cli.error"


def test_changed_rollouts_are_noticed(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = saved / "evidence.json"
    evidence.write_text(evidence.read_text().replace('"reward":1.0', '"reward":0.9', 1))
    assert refused(capsys, REF, *files(saved)) == "cli.card_evidence_changed"


def test_a_changed_card_is_noticed(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = dsse.read((saved / "card.json").read_bytes())
    payload = envelope.payload.replace(b'"rules":', b'"rules" :')
    changed = dsse.Envelope(envelope.payload_type, payload, envelope.signatures)
    (saved / "card.json").write_text(json.dumps(changed.to_dict()))
    assert refused(capsys, REF, *files(saved)) == "cli.card_bad_signature"
    (saved / "card.json").write_text("{}")
    assert refused(capsys, REF, *files(saved)) == "cli.card_unreadable"


def recomputed(folder: Path) -> verification.Recomputed:
    """What is recomputed of the saved card."""
    payload = dsse.read((folder / "card.json").read_bytes()).payload
    read = statement.read(statement.PAYLOAD_TYPE, payload)
    return verification.recompute(read, (folder / "evidence.json").read_bytes())


def test_statements_of_earlier_releases_verify(saved: Path, run: Run) -> None:
    measures = predicate_of(saved)["measures"]
    assert {measure.pop("source") for measure in measures} == {"claimed", "observed"}
    sign_changed(saved, of_type="urn:envyard:card:v1", measures=measures)
    result = recomputed(saved)
    assert (result.measures, result.rollouts) == (len(measures), run.rollouts.count())
    assert result.confirmed == result.hubs_word == ()
    sign_changed(saved, of_type="urn:envyard:card:v2")
    with pytest.raises(verification.Unverified, match="source"):
        recomputed(saved)


FINDINGS_OF_RUNS = (
    finding("run.network", "2 connections were refused: 192.0.2.1:80.", where="", severity="info"),
    finding("card.evaluation_aware", "1 of 4 rollouts got another reward.", where="oracle/0/0"),
)


@pytest.fixture
def warned(run: Run, tmp_path: Path) -> Path:
    """The folder with the card of the run, signed with findings of its own, verified."""
    keep_findings(run=run, findings=FINDINGS_OF_RUNS)
    run.refresh_from_db()
    run.facts |= {"training": TrainingFacts(4, 1).to_dict()}
    run.save()
    signing.sign(run=run, required_policies=())
    assert main(["card", "verify", REF, "--save", str(tmp_path / "warned")]) == 0
    return tmp_path / "warned"


def test_findings_of_the_run_are_signed_and_those_that_the_evidence_shows_are_named(
    warned: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["card", "verify", REF]) == 0
    out, err = capsys.readouterr()
    assert "2 of the run, 1 of them confirmed by the evidence; equal to those" in out
    assert "error card.evaluation_aware [oracle/0/0]: 1 of 4 rollouts got another reward." in out
    assert "info run.network, the hub's word: 2 connections were refused" in out
    assert "not verified: the findings run.network of the run: they are the hub's word" in err
    assert main(["card", "verify", REF, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["run_findings"]
    assert [(row["code"], row["basis"]) for row in rows] == [
        ("card.evaluation_aware", "evidence"),
        ("run.network", "hub"),
    ]


def test_a_statement_without_a_finding_that_its_evidence_shows_is_noticed(warned: Path) -> None:
    sign_changed(warned, run_findings=predicate_of(warned)["run_findings"][1:])
    with pytest.raises(verification.Unverified, match=r"lacks card\.evaluation_aware") as error:
        recomputed(warned)
    assert error.value.code == "cli.card_not_reproduced"


def test_a_finding_that_the_evidence_does_not_show_is_noticed(saved: Path) -> None:
    [row] = run_findings.stated(FINDINGS_OF_RUNS[1:])
    sign_changed(saved, run_findings=[row])
    with pytest.raises(verification.Unverified, match=r"has card\.evaluation_aware"):
        recomputed(saved)
    row = run_findings.stated(FINDINGS_OF_RUNS[:1])[0]
    sign_changed(saved, run_findings=[row])
    assert recomputed(saved).hubs_word == (row,)


def test_a_hub_that_shows_other_findings_than_it_signed_is_noticed(
    warned: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run.findings.filter(code="card.evaluation_aware").delete()
    assert refused(capsys, REF) == "cli.card_other_findings"
    assert main(["card", "verify", REF, *files(warned)]) == 0
    assert "that the hub shows the findings of the run that it signed" in capsys.readouterr().err


def test_the_measurement_that_a_version_failed_is_verified_too(
    run: Run, capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    settings.HUB_POLICIES = settings.HUB_REQUIRED_POLICIES = POLICIES
    broken = finding("run.load_failed", "It imports a module that is gone.")
    for _ in range(2):
        remeasurements.request(version=run.version, reason="age")
        assert run.runner is not None
        leased = runs.lease(runner=run.runner)
        assert leased is not None
        record_attempt(leased, [], outcome="failed", findings=[broken])
        remeasurements.conclude(str(leased.pk))
    assert main(["card", "verify", REF]) == 0
    out = capsys.readouterr().out
    assert f"{REF}  verified\n" in out
    assert f"{REF}  does not pass any more, verified\n" in out
    assert "error run.load_failed, the hub's word: It imports a module that is gone." in out
    assert main(["card", "verify", REF, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["measurement"]["run_status"] == "succeeded"
    later = document["no_longer_passes"]
    assert later["measurement"]["run_status"] == "failed"
    assert [row["code"] for row in later["run_findings"]] == ["run.load_failed"]


def test_another_key_is_noticed(saved: Path, capsys: pytest.CaptureFixture[str], run: Run) -> None:
    with override_settings(HUB_CARD_KEYS=(keys.new_key(),)):
        (saved / "other.pem").write_text(keys.public_keys()[0].public)
        signing.sign_again()
        assert refused(capsys, REF) == "cli.card_unknown_key"
        assert main(["card", "verify", REF, "--accept-key"]) == 0
    (saved / "key.pem").write_text((saved / "other.pem").read_text())
    assert refused(capsys, REF, *files(saved)) == "cli.card_unknown_key"
    (saved / "key.pem").write_text("mine")
    assert refused(capsys, REF, *files(saved)) == "cli.card_bad_key"


def test_a_hub_that_signs_wrong_numbers_is_noticed(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = json.loads(dsse.read((saved / "card.json").read_bytes()).payload)["predicate"]
    card["measures"][0]["value"] = 0.123
    sign_changed(saved, measures=card["measures"])
    with pytest.raises(verification.Unverified, match=r"0\.123") as error:
        verification.recompute(
            statement.read(
                statement.PAYLOAD_TYPE, dsse.read((saved / "card.json").read_bytes()).payload
            ),
            (saved / "evidence.json").read_bytes(),
        )
    assert error.value.code == "cli.card_not_reproduced"
    sign_changed(saved, rules=10**6)
    content = dsse.read((saved / "card.json").read_bytes())
    with pytest.raises(verification.Unverified) as error:
        verification.recompute(
            statement.read(statement.PAYLOAD_TYPE, content.payload),
            (saved / "evidence.json").read_bytes(),
        )
    assert error.value.code == "cli.card_other_rules"


def test_the_card_of_another_version_is_noticed(
    saved: Path, capsys: pytest.CaptureFixture[str], alice: User, run: Run
) -> None:
    second = make_leased_run(make_version(alice.owner, version="0.2.0"), runner=run.runner)
    record_attempt(second, honest_rollouts())
    pipeline.judge(str(second.pk))
    ref = "alice/demo-env==0.2.0"
    assert refused(capsys, ref, *files(saved)) == "cli.card_other_statement"


def test_missing_parts_have_codes(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    SignedCard.objects.update(evidence_sha256="0" * 64)
    assert refused(capsys, REF) == "cli.card_evidence_missing"
    SignedCard.objects.all().delete()
    assert refused(capsys, REF) == "cli.card_not_signed"


def test_either_a_version_or_a_lock_is_named(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, code=2) == "cli.error"
