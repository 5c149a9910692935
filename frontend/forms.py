"""Forms of sign-up, sign-in and email addresses: allauth's, with the registry's rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from allauth.account.forms import (
    AddEmailForm,
    ChangePasswordForm,
    LoginForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SignupForm,
)
from allauth.account.internal.flows.email_verification import (
    send_verification_email_to_address,
)
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.utils import encrypt
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from frontend.access import sentences
from frontend.templatetags.headings import sentence_case
from registry.accounts import addresses, services
from registry.accounts.models import User
from registry.errors import HubError


class SignIn(LoginForm):  # type: ignore[misc]
    """Name and password."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        plain(self)
        self.fields["login"].widget.attrs["autofocus"] = True


class SignUp(SignupForm):  # type: ignore[misc]
    """Name, address and password of a new person."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        plain(self)
        name = self.fields["username"]
        name.help_text = "The prefix of your environments: lower-case letters, digits and hyphens."
        name.widget.attrs["autofocus"] = True

    def clean_username(self) -> str:
        """The registry's rule for names."""
        name: str = self.cleaned_data["username"]
        with under_the_field():
            services.check_name(name)
        return name

    def clean_email(self) -> str:
        """An address that can receive mail."""
        with under_the_field():
            services.check_email(self.cleaned_data["email"])
        email: str = super().clean_email()
        return email

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """The new user, or a redirect back if another person has just taken the name."""
        try:
            result: tuple[User | None, HttpResponse | None] = super().try_save(request)
        except HubError as error:
            messages.error(request, sentences(error))
            return None, redirect(request.get_full_path())
        return result

    def save(self, request: HttpRequest) -> User:
        """Register the user with their owner name; the password counts as just entered."""
        user = services.register(
            username=self.cleaned_data["username"],
            email=self.cleaned_data["email"],
            password=self.cleaned_data["password1"],
        )
        record_authentication(request, user, method="password", username=user.username)
        return user


class ResetPassword(ResetPasswordForm):  # type: ignore[misc]
    """The address of an account whose password is forgotten."""

    users: list[User]

    def clean_email(self) -> str:
        """Keep the accounts whose own address it is: a pending new address receives no link."""
        email: str = super().clean_email()
        self.users = [user for user in self.users if addresses.receives_mail_at(user, email)]
        return email


class ChangeAddress(AddEmailForm):  # type: ignore[misc]
    """A new address of the account; allauth's form would delete an unconfirmed current one."""

    user: User

    def save(self, request: HttpRequest) -> EmailAddress:
        """Keep the current address until the link sent to the new one is opened."""
        row = addresses.request_change(user=self.user, email=self.cleaned_data["email"])
        send_verification_email_to_address(request, row)
        return row


class ChangePassword(ChangePasswordForm):  # type: ignore[misc]
    """The current password and a new one."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        plain(self)


class NewPassword(ResetPasswordKeyForm):  # type: ignore[misc]
    """The password that replaces a forgotten one."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        plain(self)


class ActivateTOTP(ActivateTOTPForm):  # type: ignore[misc]
    """The first code of an authenticator app."""

    user: User
    secret: str

    def clean_code(self) -> str:
        """Consume the code, so that it cannot also sign in (RFC 6238, 5.2)."""
        code: str = super().clean_code()
        data = {"secret": encrypt(self.secret)}
        app = Authenticator(user=self.user, type=Authenticator.Type.TOTP, data=data)
        if not app.wrap().validate_code(code):
            raise get_adapter().validation_error("incorrect_code")
        return code


def plain(form: forms.Form) -> None:
    """Remove placeholders, which repeat the labels, and capitals within a label."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
        field.label = sentence_case(field.label)


@contextmanager
def under_the_field() -> Iterator[None]:
    """Turn a HubError into the validation error of the field."""
    try:
        yield
    except HubError as refused:
        raise forms.ValidationError(sentences(refused), code=refused.code) from None
