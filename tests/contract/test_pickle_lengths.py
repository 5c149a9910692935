"""An argument's length in a pickle may be any number of 64 bits."""

import tempfile

import pytest

from envyard.contract.pickles import Budget, NoPickle, judge


@pytest.mark.parametrize("length", [2**40 + 1, 2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize(
    "opcode", [b"\x8e", b"\x8d", b"\x96"]
)  # BINBYTES8, BINUNICODE8, BYTEARRAY8
def test_a_length_beyond_the_file_is_no_pickle(opcode: bytes, length: int) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"\x80\x04" + opcode + length.to_bytes(8, "little") + b"end.")
        file.seek(0)
        with pytest.raises(NoPickle):
            judge(file, "a.bin", Budget(), strict=True)
