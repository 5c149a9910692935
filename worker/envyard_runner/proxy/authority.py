"""A certificate authority of one run: its proxy ends TLS for certain hosts in their name.

Its private key never leaves this process. Its certificate is constrained to those hosts and valid
for a day, so that nobody could use it for others.
"""

from __future__ import annotations

import datetime
import os
import ssl
from collections.abc import Sequence
from pathlib import Path

import certifi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)
HOUR = datetime.timedelta(hours=1)  # by which clocks may differ
PEM = serialization.Encoding.PEM
NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "certificate authority of this sandbox")])


class Authority:
    """Signs certificates for names among `hosts`, exact or `*.` patterns; at least one."""

    def __init__(self, hosts: Sequence[str]) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        names = [x509.DNSName(host.removeprefix("*.")) for host in hosts]
        self._certificate = (
            _unsigned(NAME, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(self._identifier, critical=False)
            .add_extension(_usage(authority=True), critical=True)
            .add_extension(x509.NameConstraints(names, None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def certificate(self) -> bytes:
        """Its certificate as PEM, which clients in the sandbox trust."""
        return self._certificate.public_bytes(PEM)

    def context(self, host: str) -> ssl.SSLContext:
        """A server's context with a certificate for `host`; HTTP/1.1 only."""
        if host not in self._contexts:
            self._contexts[host] = self._new_context(host)
        return self._contexts[host]

    def _new_context(self, host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:64])])
        issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self._identifier)
        certificate = (
            _unsigned(subject, key)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(authority=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(issuer, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        private = key.private_bytes(
            PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.set_alpn_protocols(["http/1.1"])
        _load(context, certificate.public_bytes(PEM) + self.certificate + private)
        return context


def trusted_certificates(bundle: str | None) -> bytes:
    """The public authorities as PEM: those of `bundle`, the runner's own file, else certifi's."""
    return Path(bundle or certifi.where()).read_bytes()


def _unsigned(subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(NAME)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - HOUR)
        .not_valid_after(now + DAY)
    )


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _load(context: ssl.SSLContext, chain: bytes) -> None:
    """Load a certificate chain with its key, which OpenSSL takes from files alone: from one in
    memory."""
    fd = os.memfd_create("chain", os.MFD_CLOEXEC)
    try:
        os.write(fd, chain)
        context.load_cert_chain(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)
