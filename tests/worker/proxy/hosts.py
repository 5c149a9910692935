"""Hosts of a test's own: servers on loopback with names, public addresses and certificates."""

from __future__ import annotations

import asyncio
import datetime
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from envyard_runner.proxy.outside import Outside

PUBLIC = "93.184.216.34"
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Resolver:
    """A resolver with answers of the test's own; each list is the answer to one look-up, the last
    one to all that follow. `ports` are those of the servers behind public addresses."""

    answers: dict[str, list[list[str]]]
    ports: dict[str, int] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)

    def outside(self) -> Outside:
        return Outside(self.lookup, self.destination)

    def lookup(self, host: str) -> list[str]:
        self.looked_up.append(host)
        if host not in self.answers:
            raise OSError("Name or service not known")
        answers = self.answers[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def destination(self, address: str, port: int) -> tuple[str, int]:
        self.connected.append(f"{address}:{port}")
        return "127.0.0.1", self.ports.get(address, 1)


@dataclass(frozen=True)
class HostAuthority:
    """A certificate authority in a folder, for servers that stand for public hosts."""

    bundle: Path
    server: Path

    @classmethod
    def create(cls, folder: Path, *names: str) -> HostAuthority:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(n) for n in names]), False)
            .add_extension(x509.BasicConstraints(True, None), True)
            .sign(key, hashes.SHA256())
        )
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        authority = cls(folder / "authority.pem", folder / "server.pem")
        authority.bundle.write_bytes(pem)
        authority.server.write_bytes(pem + private)
        return authority

    def server_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.server)
        return context

    def client_context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.bundle)


@asynccontextmanager
async def serving(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on loopback; yields its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            tasks.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def serving_in_thread(serve: Serve, context: ssl.SSLContext) -> Iterator[int]:
    """The same beside a test that runs a loop of its own."""
    started: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        ended = asyncio.Event()
        async with serving(serve, context) as port:
            started.set_result((port, asyncio.get_running_loop(), ended))
            await ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    port, loop, ended = started.result(30)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send back what comes, to its end."""
    while part := await reader.read(1 << 16):
        writer.write(part)
        await writer.drain()
    writer.close()
