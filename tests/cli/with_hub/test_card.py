"""`hub card verify` against a real hub: what verifies, and the code of each difference."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from pytest_django.live_server_helper import LiveServer

from envyard import verification
from envyard.__main__ import main
from envyard.card import document, dsse, statement
from registry import pipeline
from registry.card import keys, signing
from registry.card.models import SignedCard
from registry.models import Run, User
from tests.registry.run_factories import (
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


def recomputed(folder: Path) -> tuple[int, int]:
    """What is recomputed of the saved card."""
    payload = dsse.read((folder / "card.json").read_bytes()).payload
    read = statement.read(statement.PAYLOAD_TYPE, payload)
    return verification.recompute(read, (folder / "evidence.json").read_bytes())


def test_statements_of_earlier_releases_verify(saved: Path, run: Run) -> None:
    measures = predicate_of(saved)["measures"]
    assert {measure.pop("source") for measure in measures} == {"claimed", "observed"}
    sign_changed(saved, of_type="urn:envyard:card:v1", measures=measures)
    assert recomputed(saved) == (len(measures), run.rollouts.count())
    sign_changed(saved, of_type="urn:envyard:card:v2")
    with pytest.raises(verification.Unverified, match="source"):
        recomputed(saved)


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
