"""What strangers write is shown without codes for terminals, and no sign of it goes unseen."""

import pytest

from frontend.render import plain

X = "\N{REPLACEMENT CHARACTER}"
KEPT = "tab\tstays, \u05e9\u05dc\u05d5\u05dd too, and \U0001f469\u200d\U0001f52c"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m \x9b32mgreen\x1b[m", "red green"),
        ("\x1b]0;owned\x07title \x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "title link"),
        ("\x1b[2J\x1b[Hcleared\x1bc\x1b(B\x1b=", "cleared"),
        ("10 %\r50 %\r100 %\r\nnext\r\n\r\nlast\r", "100 %\nnext\n\nlast"),
        ("\x1b]0;no end\nthe next line stays", f"{X}]0;no end\nthe next line stays"),
        ("bell\x07 back\x08 nul\x00 delete\x7f c1\x85", f"bell{X} back{X} nul{X} delete{X} c1{X}"),
        ("\u202eturned\u202c \u2066apart\u2069", f"{X}turned{X} {X}apart{X}"),
        (KEPT, KEPT),
        ("", ""),
    ],
)  # fmt: skip
def test_a_log_is_shown_as_a_terminal_would_in_the_end(written: str, shown: str) -> None:
    assert plain.log(written) == shown


def test_a_message_keeps_all_of_its_signs_where_they_can_be_seen() -> None:
    assert plain.visible("one\r\ntwo\rthree \x1b[31m") == f"one\ntwo\nthree {X}[31m"


def test_long_lines_and_many_codes_cost_no_more_than_their_length() -> None:
    for piece in ("\x1b]", "\x1b[", "\x1b[1", "\x1b", "\r", "\x9b;"):
        assert "\x1b" not in plain.log(piece * 50_000)
