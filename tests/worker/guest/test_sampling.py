"""The sampling arguments that environments can read."""

from __future__ import annotations

from envyard_runner.execution.guest_programs import host_config
from envyard_runner.guest.job import GuestJob
from envyard_runner.guest.sampling import sampling_of, with_server_options

JOB = GuestJob("verifiers", "verifiers_v0:VerifiersV0", "words", 5, max_tokens=256)


def test_a_rollout_names_a_temperature_as_trainers_do() -> None:
    named = sampling_of(JOB.temperature, JOB.top_p, JOB.max_tokens)
    assert named == {"temperature": 1.0, "top_p": 1.0, "max_tokens": 256}


def test_the_host_of_a_trainer_names_those_of_its_job_and_the_options_of_a_server() -> None:
    sampling = with_server_options(host_config(JOB).sampling)
    assert sampling.pop("extra_body") == {"top_k": -1, "min_p": 0.0, "return_token_ids": True}
    assert sampling == {"temperature": 1.0, "top_p": 1.0, "max_tokens": 256, "logprobs": True}
