"""The text of secrets."""

import re

import pytest

from registry.accounts import token_format


def test_a_key_has_prefix_public_id_secret_and_checksum() -> None:
    key = token_format.new("hub_")
    assert re.fullmatch(r"hub_[0-9A-Za-z]{57}", key.text)
    assert key.text[4:12] == key.public_id
    assert token_format.digest(key.text, "hub_") == key.digest
    assert key.text not in key.digest


def test_two_keys_differ() -> None:
    assert len({token_format.new("hub_").text for _ in range(50)}) == 50


@pytest.mark.parametrize("place", [5, 20, 60])
def test_a_changed_character_fails_the_checksum(place: int) -> None:
    text = token_format.new("hub_").text
    other = "A" if text[place] != "A" else "B"
    assert token_format.digest(text[:place] + other + text[place + 1 :], "hub_") is None


@pytest.mark.parametrize("text", ["", "hub_", "hub_short", "hubr_" + "a" * 57, "hub_" + "é" * 57])
def test_malformed_token_has_no_digest(text: str) -> None:
    assert token_format.digest(text, "hub_") is None


def test_a_key_of_one_kind_is_none_of_another() -> None:
    assert token_format.digest(token_format.new("hubr_").text, "hub_") is None


def test_base62_pads_and_orders_its_digits() -> None:
    assert [token_format.base62(n, 2) for n in (0, 61, 62, 3843)] == ["00", "0z", "10", "zz"]
    assert len(token_format.base62(2**256 - 1, token_format.SECRET)) == token_format.SECRET


def test_secrets_are_found_in_any_bytes_by_their_checksum() -> None:
    first, two = token_format.new("hub_").text, token_format.new("hub_").text
    fake = first[:-1] + ("0" if first[-1] != "0" else "1")
    data = b"\x00hub_hub_" + f'{first}"{fake}, {two}more {first}'.encode() + b"\xff"
    assert token_format.find_all(data, "hub_") == [first, two]
