"""`hub login` through the browser."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from registry.accounts import devices, tokens
from registry.errors import HubError, NotFound
from registry.models import DeviceLogin, Token, User


def expire(**ago: int) -> None:
    """End every login that much time ago."""
    now = timezone.now()
    DeviceLogin.objects.update(
        created_at=now - timedelta(days=1), expires_at=now - timedelta(**ago)
    )


def test_an_approved_device_gets_one_token_once(alice: User) -> None:
    begun = devices.begin(device_name="alice's laptop")
    assert re.fullmatch(r"[B-Z]{4}-[B-Z]{4}", begun.user_code)
    assert devices.poll(device_code=begun.device_code) is None
    devices.approve(user_code=begun.user_code, user=alice)
    minted = devices.poll(device_code=begun.device_code)
    assert minted is not None
    assert tokens.verify(minted[1]) == minted[0]
    assert (minted[0].user, minted[0].name) == (alice, "alice's laptop")
    with pytest.raises(HubError) as over:
        devices.poll(device_code=begun.device_code)
    assert over.value.status == 410
    assert Token.objects.count() == 1


def test_no_secret_is_stored_while_waiting(alice: User) -> None:
    begun = devices.begin(device_name="laptop")
    devices.approve(user_code=begun.user_code, user=alice)
    assert begun.device_code not in str(DeviceLogin.objects.values().get())
    assert not Token.objects.exists()


def test_a_code_may_be_typed_loosely(alice: User) -> None:
    begun = devices.begin(device_name="laptop")
    typed = f" {begun.user_code.replace('-', ' ').lower()} "
    assert devices.find(user_code=typed).device_name == "laptop"


def test_a_denied_device_gets_nothing(alice: User) -> None:
    begun = devices.begin(device_name="laptop")
    devices.deny(user_code=begun.user_code, user=alice)
    with pytest.raises(HubError) as denied:
        devices.poll(device_code=begun.device_code)
    assert denied.value.status == 403
    with pytest.raises(NotFound):
        devices.approve(user_code=begun.user_code, user=alice)


def test_a_code_works_once_and_for_ten_minutes(alice: User, carol: User) -> None:
    begun = devices.begin(device_name="laptop")
    expire(seconds=1)
    with pytest.raises(NotFound):
        devices.approve(user_code=begun.user_code, user=alice)
    with pytest.raises(HubError) as over:
        devices.poll(device_code=begun.device_code)
    assert over.value.status == 410


@pytest.mark.parametrize("code", ["", "AAAA-AAAA", "' OR 1=1 --", "x" * 5000])
def test_an_unknown_code_is_not_found(db: None, code: str) -> None:
    with pytest.raises(NotFound):
        devices.find(user_code=code)
    with pytest.raises(HubError):
        devices.poll(device_code=code)


def test_old_logins_are_cleared_when_new_ones_begin(db: None) -> None:
    devices.begin(device_name="old")
    expire(hours=1)
    devices.begin(device_name="new")
    assert [login.device_name for login in DeviceLogin.objects.all()] == ["new"]
