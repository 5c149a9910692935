"""Objects in a bucket of any S3-compatible store."""

from __future__ import annotations

import hashlib
import heapq
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

from registry.storage import base
from registry.storage.base import Missing, Reader, Stored

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import PutObjectRequestTypeDef

URL_SECONDS = 600
# A longer object is uploaded in parts, of which one is in memory: a part that fails is repeated
# alone.
PART_BYTES = 16 << 20
PARTS = TransferConfig(
    multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES, use_threads=False
)
TYPE = "application/octet-stream"


class S3Storage:
    """One PUT per object, which is then read back: some stores ignore checksums, and some repeat
    them without reading the object. A version is stored once, so the second transfer is cheap."""

    def __init__(
        self,
        *,
        bucket: str,
        prefix: str = "",
        endpoint_url: str = "",
        region: str = "",
        access_key_id: str = "",
        secret_access_key: str = "",
    ) -> None:
        self.bucket = bucket
        self.prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self.client: S3Client = boto3.client(
            "s3",
            endpoint_url=endpoint_url or None,
            region_name=region or None,
            aws_access_key_id=access_key_id or None,
            aws_secret_access_key=secret_access_key or None,
            config=Config(
                signature_version="s3v4",
                connect_timeout=5,
                read_timeout=60,
                retries={"mode": "standard", "total_max_attempts": 4},
                # Self-hosted stores rarely have a DNS name for each bucket.
                s3={"addressing_style": "path" if endpoint_url else "auto"},
                # Older stores refuse unrequested checksums.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def put(self, key: str, source: BinaryIO | Path, sha256: str) -> None:
        """See Storage."""
        base.check(base.digest(source), sha256, key)
        with _opened(source) as file:
            self._send(self.prefix + key, file)
        digest = hashlib.sha256()
        with self.open(key) as body:
            while chunk := body.read(base.CHUNK):
                digest.update(chunk)
        if digest.hexdigest() != sha256:
            self.delete(key)
        base.check(digest.hexdigest(), sha256, key)

    def put_all(self, *objects: base.Put) -> None:
        """See Storage."""
        for key, source, sha256 in objects:
            self.put(key, source, sha256)

    def write(self, key: str, data: bytes, *, content_type: str, stamp: int) -> None:
        """See Storage; the store makes its own ETags."""
        request: PutObjectRequestTypeDef = {
            "Bucket": self.bucket,
            "Key": self.prefix + key,
            "Body": data,
            "ContentType": content_type,
        }
        if key.endswith(".gz"):
            request["ContentEncoding"] = "gzip"
        self.client.put_object(**request)

    def keys(self, prefix: str) -> Iterator[str]:
        """See Storage."""
        return (stored.key for stored in self._objects(prefix))

    def list(self, prefix: str = "") -> Iterator[Stored]:
        """See Storage; a put in parts that never ended is listed by its beginning, with size 0."""
        listed = heapq.merge(
            self._objects(prefix), self._unended(prefix), key=lambda stored: stored.key
        )
        last = None
        for stored in listed:
            if last is None or stored.key != last.key:
                yield stored
            last = stored

    def _objects(self, prefix: str) -> Iterator[Stored]:
        pages = self.client.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=self.bucket, Prefix=self.prefix + prefix):
            for item in page.get("Contents", ()):
                key = item["Key"].removeprefix(self.prefix)
                yield Stored(key, item["Size"], item["LastModified"])

    def _unended(self, prefix: str) -> Iterator[Stored]:
        pages = self.client.get_paginator("list_multipart_uploads")
        for page in pages.paginate(Bucket=self.bucket, Prefix=self.prefix + prefix):
            for item in page.get("Uploads", ()):
                yield Stored(item["Key"].removeprefix(self.prefix), 0, item["Initiated"])

    def move(self, key: str, to: str) -> None:
        """See Storage: a copy inside the store, then a deletion."""
        with _missing(key):
            self.client.copy_object(
                Bucket=self.bucket,
                Key=self.prefix + to,
                CopySource={"Bucket": self.bucket, "Key": self.prefix + key},
            )
        self.client.delete_object(Bucket=self.bucket, Key=self.prefix + key)

    def _send(self, key: str, file: BinaryIO) -> None:
        """One PUT, or parts; the latter would close a short file."""
        file.seek(0, os.SEEK_END)
        long = file.tell() > PART_BYTES
        file.seek(0)
        if long:
            self.client.upload_fileobj(
                file, self.bucket, key, ExtraArgs={"ContentType": TYPE}, Config=PARTS
            )
        else:
            self.client.put_object(Bucket=self.bucket, Key=key, Body=file, ContentType=TYPE)

    def open(self, key: str, start: int = 0, end: int | None = None) -> Reader:
        """See Storage."""
        last = "" if end is None else str(end - 1)
        with _missing(key):
            response = self.client.get_object(
                Bucket=self.bucket,
                Key=self.prefix + key,
                Range=f"bytes={start}-{last}",
            )
        return cast("Reader", response["Body"])

    @contextmanager
    def file(self, key: str) -> Iterator[Path]:
        """See Storage; the copy goes away at the end of the block."""
        with tempfile.NamedTemporaryFile(prefix="hub-object-") as copy, self.open(key) as body:
            while chunk := body.read(base.CHUNK):
                copy.write(chunk)
            copy.flush()
            yield Path(copy.name)

    def url(self, key: str, filename: str) -> str | None:
        """See Storage; it works for URL_SECONDS."""
        return self.client.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self.bucket,
                "Key": self.prefix + key,
                "ResponseContentDisposition": f'attachment; filename="{filename}"',
            },
            ExpiresIn=URL_SECONDS,
        )

    def delete(self, key: str) -> None:
        """See Storage; with the object go the parts of a put that never ended."""
        self.client.delete_object(Bucket=self.bucket, Key=self.prefix + key)
        unended = self.client.list_multipart_uploads(Bucket=self.bucket, Prefix=self.prefix + key)
        for upload in unended.get("Uploads", ()):
            if upload["Key"] == self.prefix + key:
                self.client.abort_multipart_upload(
                    Bucket=self.bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                )

    def exists(self, key: str) -> bool:
        """See Storage."""
        try:
            self.size(key)
        except Missing:
            return False
        return True

    def size(self, key: str) -> int:
        """See Storage."""
        with _missing(key):
            head = self.client.head_object(Bucket=self.bucket, Key=self.prefix + key)
        return head["ContentLength"]


@contextmanager
def _missing(key: str) -> Iterator[None]:
    """Raise Missing where the store has no such object; pass on all other errors."""
    try:
        yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in ("404", "NoSuchKey", "NotFound"):
            raise Missing(key) from None
        raise


@contextmanager
def _opened(source: BinaryIO | Path) -> Iterator[BinaryIO]:
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield file
    else:
        source.seek(0)
        yield source
