"""Feed the archive reader bytes that atheris makes up: `make fuzz SECONDS=600`.

The first byte of an input chooses the meaning of the rest: a whole file, or changes of single
numbers in a good wheel, which get past the checksums that a blind change would break.
"""

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["envyard.contract"]):
    from tests.corpus import BAD, GOOD, oracle
    from tests.corpus.content import zipped
    from tests.corpus.zips import Head, Part, Zip, load, member
    from tests.wheels import TASKSET, make_wheel

FILE, EDITS = b"\0", b"\1"
LARGEST_SEED = 20_000
BASE = make_wheel(
    files={
        "demo_env/__init__.py": TASKSET,
        "demo_env/ü.txt": "x",
        "demo_env/a.zip": zipped({"a.txt": b"a"}),
    }
)


def edited(provider: atheris.FuzzedDataProvider) -> bytes:
    """A good wheel with the changes that the input encodes."""
    archive = load(BASE)
    for _ in range(provider.ConsumeIntInRange(1, 4)):
        part = archive.parts[provider.ConsumeIntInRange(0, len(archive.parts) - 1)]
        match provider.ConsumeIntInRange(0, 4):
            case 0:
                change_head(provider, part.local)
            case 1:
                change_head(provider, part.central)
            case 2:
                change_part(provider, part)
            case 3:
                change_archive(provider, archive)
            case 4:
                name = provider.ConsumeUnicodeNoSurrogates(30).encode()[:300]
                archive.parts.append(member(name, provider.ConsumeBytes(60)))
    return archive.dump()


def change_head(provider: atheris.FuzzedDataProvider, head: Head) -> None:
    match provider.ConsumeIntInRange(0, 7):
        case 0:
            head.name = provider.ConsumeBytes(40)
        case 1:
            head.extra = provider.ConsumeBytes(40)
        case 2:
            head.flags = provider.ConsumeUInt(2)
        case 3:
            head.method = provider.ConsumeUInt(2)
        case 4:
            head.crc = provider.ConsumeUInt(4)
        case 5:
            head.compressed = provider.ConsumeUInt(4)
        case 6:
            head.size = provider.ConsumeUInt(4)
        case 7:
            head.needs = provider.ConsumeUInt(2)


def change_part(provider: atheris.FuzzedDataProvider, part: Part) -> None:
    match provider.ConsumeIntInRange(0, 5):
        case 0:
            part.data = provider.ConsumeBytes(200)
        case 1:
            part.gap = provider.ConsumeBytes(40)
        case 2:
            part.comment = provider.ConsumeBytes(40)
        case 3:
            part.offset = provider.ConsumeUInt(2)
        case 4:
            part.mode = provider.ConsumeUInt(2)
        case 5:
            part.both(flags=provider.ConsumeUInt(2), method=provider.ConsumeUInt(1))


def change_archive(provider: atheris.FuzzedDataProvider, archive: Zip) -> None:
    match provider.ConsumeIntInRange(0, 5):
        case 0:
            archive.prefix = provider.ConsumeBytes(40)
        case 1:
            archive.before_directory = provider.ConsumeBytes(40)
        case 2:
            archive.after_directory = provider.ConsumeBytes(80)
        case 3:
            archive.comment = provider.ConsumeBytes(40)
        case 4:
            archive.tail = provider.ConsumeBytes(40)
        case 5:
            name = provider.PickValueInList(["disk", "first_disk", "here", "count", "comment"])
            archive.end[name] = provider.ConsumeUInt(2)


def one_input(data: bytes) -> None:
    """Raises where the reader does what it must never do."""
    if data[:1] == EDITS:
        oracle.check(edited(atheris.FuzzedDataProvider(data[1:])))
    else:
        oracle.check(data[1:])


def write_seeds(folder: Path) -> None:
    """Both kinds of input: the wheels of the corpus, and some changes."""
    for number, case in enumerate((*BAD, *GOOD)):
        data = case.build()
        if len(data) <= LARGEST_SEED:
            (folder / f"{number}").write_bytes(FILE + data)
    noise = random.Random(7)
    for number in range(50):
        (folder / f"edits-{number}").write_bytes(EDITS + noise.randbytes(80))


def main(arguments: list[str]) -> None:
    """Run until the time of `-max_total_time=` is up, or until an input fails."""
    with tempfile.TemporaryDirectory() as folder:
        write_seeds(Path(folder))
        atheris.Setup([sys.argv[0], folder, *arguments], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
