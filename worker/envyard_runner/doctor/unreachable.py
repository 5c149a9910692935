"""Why a server outside cannot be used, with the step that mends it, from aiohttp's errors."""

from __future__ import annotations

import aiohttp

RENEW = "renew it, or name its authority in SSL_CERT_FILE"


def reason(error: BaseException, *, setting: str, seconds: float) -> str:
    """Cause and next step of a request that failed; `setting` is the variable with the address."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        cause = getattr(error.certificate_error, "verify_message", "") or error.certificate_error
        return f"its certificate is not accepted ({cause}): {RENEW}"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return "its proxy cannot be reached: see HTTPS_PROXY and NO_PROXY"
    if isinstance(error, aiohttp.ClientSSLError):
        return f"it does not speak TLS: should {setting} begin with http://?"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"the name {error.host} is not known: correct {setting}, or the machine's resolver"
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error.strerror or error.os_error
        return f"no connection ({cause}): is it running, and is {setting} right?"
    if isinstance(error, TimeoutError):
        return f"no answer within {seconds:g} s: see {setting}, and firewalls on the way"
    return f"the answer broke off ({type(error).__name__}): see {setting}"
