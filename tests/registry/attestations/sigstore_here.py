"""A sigstore of our own: certificate authority, certificate log and transparency log.

Everything that sigstore's verifier looks at is really made and really signed: a short-lived
certificate with Fulcio's extensions and an embedded certificate timestamp (RFC 6962), a log entry
of kind dsse 0.0.1 with inclusion proof, signed checkpoint and signed entry timestamp. Only the
size is small: each entry is the second leaf of a log of two.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import rfc8785
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PUBLISH = "https://docs.pypi.org/attestations/publish/v1"
SLSA = "https://slsa.dev/provenance/v1"
PAYLOAD = "application/vnd.in-toto+json"
SCT_LIST = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
Key = ec.EllipticCurvePrivateKey
SHA = "c0ffee" * 6 + "c0ff"
REF = "refs/heads/main"


@dataclass(frozen=True)
class Signer:
    """The certified identity: Fulcio's names for GitHub's claims."""

    issuer: str
    server: str = "https://github.com"
    repository: str = "Lab/envs"
    workflow: str = "publish.yml"

    def extensions(self) -> dict[str, str]:
        """OID -> text."""
        where = f"{self.server}/{self.repository}"
        return {
            "1.3.6.1.4.1.57264.1.8": self.issuer,
            "1.3.6.1.4.1.57264.1.12": where,
            "1.3.6.1.4.1.57264.1.13": SHA,
            "1.3.6.1.4.1.57264.1.14": REF,
            "1.3.6.1.4.1.57264.1.18": f"{where}/.github/workflows/{self.workflow}@{REF}",
        }


def statement(filename: str, sha256: str, *, kind: str = PUBLISH, **changes: Any) -> bytes:
    """An in-toto statement about one file."""
    document = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": filename, "digest": {"sha256": sha256}}],
        "predicateType": kind,
        "predicate": None,
    }
    return json.dumps(document | changes).encode()


@dataclass
class Sigstore:
    """Keys of its three services; `root` writes the trusted root."""

    authority: Key = field(default_factory=lambda: ec.generate_private_key(ec.SECP384R1()))
    certificates: Key = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    log: Key = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def __post_init__(self) -> None:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sigstore of the tests")])
        now = datetime.now(UTC)
        self.issuer = (
            x509.CertificateBuilder(name, name, self.authority.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(sign_certificates=True), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self.authority.public_key()), False
            )
            .sign(self.authority, hashes.SHA384())
        )

    def root(self, folder: Path) -> Path:
        """A trusted_root.json for HUB_SIGSTORE_TRUST."""
        start = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        chain = {"certificates": [{"rawBytes": _b64(_der(self.issuer))}]}
        document = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [_instance(self.log, start)],
            "ctlogs": [_instance(self.certificates, start)],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "tests", "commonName": "tests"},
                    "uri": "https://fulcio.test",
                    "certChain": chain,
                    "validFor": {"start": start},
                }
            ],
        }
        path = folder / "trusted_root.json"
        path.write_text(json.dumps(document))
        return path

    def certify(self, key: Key, signer: Signer, begins: datetime) -> x509.Certificate:
        """A certificate of ten minutes with its embedded timestamp."""
        unlogged = self._builder(key, signer, begins)
        precertificate = unlogged.sign(self.authority, hashes.SHA384())
        sct = self._timestamp(precertificate.tbs_certificate_bytes, begins)
        return unlogged.add_extension(
            x509.UnrecognizedExtension(SCT_LIST, _octets(_u16(_u16(sct)))), critical=False
        ).sign(self.authority, hashes.SHA384())

    def _builder(self, key: Key, signer: Signer, begins: datetime) -> x509.CertificateBuilder:
        uri = x509.UniformResourceIdentifier("https://github.com/Lab/envs")
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority.public_key())
        builder = (
            x509.CertificateBuilder(self.issuer.subject, x509.Name([]), key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(begins + timedelta(minutes=10))
            .add_extension(_usage(sign_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), False)
            .add_extension(authority, False)
            .add_extension(x509.SubjectAlternativeName([uri]), critical=True)
        )
        for oid, text in signer.extensions().items():
            value = bytes([0x0C]) + _length(text.encode())
            extension = x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value)
            builder = builder.add_extension(extension, critical=False)
        return builder

    def _timestamp(self, precertificate: bytes, at: datetime) -> bytes:
        """A signed certificate timestamp (RFC 6962, 3.2)."""
        milliseconds = int(at.timestamp()) * 1000
        issuer = hashlib.sha256(_spki(self.authority)).digest()
        entry = issuer + len(precertificate).to_bytes(3, "big") + precertificate
        signed = struct.pack("!BBQH", 0, 0, milliseconds, 1) + entry + _u16(b"")
        signature = self.certificates.sign(signed, ec.ECDSA(hashes.SHA256()))
        head = struct.pack("!B32sQ", 0, _log_id(self.certificates), milliseconds)
        return head + _u16(b"") + bytes([4, 3]) + _u16(signature)

    def attest(
        self,
        payload: bytes,
        signer: Signer,
        *,
        logged_after: timedelta = timedelta(minutes=1),
        log: Key | None = None,
    ) -> dict[str, Any]:
        """An attestation object (PEP 740); `log` is the key that the log signs with."""
        key = ec.generate_private_key(ec.SECP256R1())
        begins = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=20)
        certificate = self.certify(key, signer, begins)
        pae = f"DSSEv1 {len(PAYLOAD)} {PAYLOAD} {len(payload)} ".encode() + payload
        signature = key.sign(pae, ec.ECDSA(hashes.SHA256()))
        entry = self._entry(certificate, payload, signature, begins + logged_after, log or self.log)
        return {
            "version": 1,
            "verification_material": {
                "certificate": _b64(_der(certificate)),
                "transparency_entries": [entry],
            },
            "envelope": {"statement": _b64(payload), "signature": _b64(signature)},
        }

    def _entry(
        self,
        certificate: x509.Certificate,
        payload: bytes,
        signature: bytes,
        at: datetime,
        log: Key,
    ) -> dict[str, Any]:
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        body = rfc8785.dumps(
            {
                "apiVersion": "0.0.1",
                "kind": "dsse",
                "spec": {
                    "envelopeHash": {"algorithm": "sha256", "value": "0" * 64},
                    "payloadHash": {
                        "algorithm": "sha256",
                        "value": hashlib.sha256(payload).hexdigest(),
                    },
                    "signatures": [{"signature": _b64(signature), "verifier": _b64(pem)}],
                },
            }
        )
        first = hashlib.sha256(b"\0the first entry").digest()
        root = hashlib.sha256(b"\1" + first + hashlib.sha256(b"\0" + body).digest()).digest()
        promised = {
            "body": _b64(body),
            "integratedTime": int(at.timestamp()),
            "logID": _log_id(self.log).hex(),
            "logIndex": 1,
        }
        promise = log.sign(rfc8785.dumps(promised), ec.ECDSA(hashes.SHA256()))
        return {
            "logIndex": "1",
            "logId": {"keyId": _b64(_log_id(self.log))},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"},
            "integratedTime": str(int(at.timestamp())),
            "inclusionPromise": {"signedEntryTimestamp": _b64(promise)},
            "inclusionProof": {
                "logIndex": "1",
                "treeSize": "2",
                "rootHash": _b64(root),
                "hashes": [_b64(first)],
                "checkpoint": {"envelope": self._checkpoint(root, log)},
            },
            "canonicalizedBody": _b64(body),
        }

    def _checkpoint(self, root: bytes, log: Key) -> str:
        note = f"rekor.test - 1\n2\n{_b64(root)}\n"
        signature = log.sign(note.encode(), ec.ECDSA(hashes.SHA256()))
        return f"{note}\n\u2014 rekor.test {_b64(_log_id(self.log)[:4] + signature)}\n"


def _usage(*, sign_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not sign_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=sign_certificates,
        crl_sign=sign_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _instance(key: Key, start: str) -> dict[str, Any]:
    return {
        "baseUrl": "https://log.test",
        "hashAlgorithm": "SHA2_256",
        "publicKey": {
            "rawBytes": _b64(_spki(key)),
            "keyDetails": "PKIX_ECDSA_P256_SHA_256",
            "validFor": {"start": start},
        },
        "logId": {"keyId": _b64(_log_id(key))},
    }


def _spki(key: Key) -> bytes:
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _log_id(key: Key) -> bytes:
    return hashlib.sha256(_spki(key)).digest()


def _der(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.DER)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _u16(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _octets(data: bytes) -> bytes:
    return bytes([0x04]) + _length(data)


def _length(data: bytes) -> bytes:
    """DER's length before the content."""
    size = len(data)
    if size < 128:
        return bytes([size]) + data
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([128 + len(digits)]) + digits + data
