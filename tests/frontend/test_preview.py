"""The preview image of an environment: what it draws, of hostile text too, and who may see it."""

from __future__ import annotations

import io

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image

from frontend.render import preview
from registry.models import Environment, User
from tests.factories import make_version
from tests.frontend import gallery_learnability

ADDRESS = "/envs/alice/demo-env/preview.png"
HOSTILE = (
    "",
    "👩‍👩‍👧 emoji 🎉",
    "\u202egnp.exe\u2066 \x00\x1b[31m",
    "<script>alert(1)</script>\n\n\r\t",
    "漢字かな العربية ไทย",
    "e\u0301\u0327" * 300,
    "W" * 5000,
    "word " * 2000,
    "\ud800 lone",
    "\U0010ffff\ue000",
)


def picture(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_gives_an_image_of_one_size(text: str) -> None:
    data = preview.draw(preview.Preview(text, text, text, (text,) * 9))
    image = picture(data)
    assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(data) < 100_000


def test_text_is_drawn_within_the_margins() -> None:
    shown = preview.Preview("w" * 99, "w" * 99, "word " * 200, ("W" * 80,) * 9)
    image = picture(preview.draw(shown)).convert("L")
    paper = image.getpixel((10, 300))
    for box in ((0, 20, 70, 630), (1130, 130, 1200, 630), (0, 600, 1200, 630)):
        assert set(image.crop(box).tobytes()) == {paper}, box


def test_signs_that_the_font_lacks_become_blanks() -> None:
    assert preview.drawable("Málaga 🎉\u202e\n Łódź – “fine”") == "Malaga ódz – “fine”".replace(
        "ó", "o"
    )


@pytest.mark.once
@pytest.mark.django_db
def test_the_page_of_a_public_environment_names_its_image(client: Client, alice: User) -> None:
    gallery_learnability.played(alice, "useful", [[0.0, 1.0]] * 9, model="org/tiny", part="p")
    page = client.get("/envs/alice/useful/").content.decode()
    url = f"{settings.HUB_URL}/envs/alice/useful/preview.png"
    assert f'<meta property="og:image" content="{url}">' in page
    answer = client.get("/envs/alice/useful/preview.png")
    assert answer["Content-Type"] == "image/png"
    assert answer["Cache-Control"].startswith("public")
    again = client.get("/envs/alice/useful/preview.png")
    assert (again["ETag"], again.content) == (answer["ETag"], answer.content)
    Environment.objects.update(summary="Something else.")
    assert client.get("/envs/alice/useful/preview.png")["ETag"] != answer["ETag"]


@pytest.mark.once
@pytest.mark.django_db
def test_a_private_environment_shows_its_image_to_members_alone(
    client: Client, alice: User
) -> None:
    make_version(alice, visibility="private")
    assert client.get(ADDRESS).status_code == 404
    client.force_login(alice)
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert "og:image" not in client.get("/envs/alice/demo-env/").content.decode()


@pytest.mark.once
@pytest.mark.django_db
def test_hostile_names_of_a_model_are_inert_in_the_page(client: Client, alice: User) -> None:
    make_version(alice, summary='"><script>x</script>')
    page = client.get("/envs/alice/demo-env/").content.decode()
    assert "<script>x" not in page
