"""Reading an activity from a folder, a zip, an upload, or the map of a crowd."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from homeroom.crowd import Answers, Embedding
from homeroom.live.activities import (
    Item,
    Picture,
    archive,
    from_embedding,
    read_folder,
    read_place,
    read_upload,
)
from homeroom.live.activities.reading import checked_picture, the_labels
from homeroom.live.app import create_app
from homeroom.live.refused import Refused
from homeroom.live.settings import ServerSettings

TABLE = b"""item,label,text,explanation,x1,x2
duck,bird,,It quacks.,1,0
goose,bird,,,1.2,0.1
cat,other,a cat,,-1,0.2
dog,other,a dog,,-0.8,-0.1
"""


def png(width: int = 4) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, 4), "red").save(buffer, "PNG")
    return buffer.getvalue()


FILES = {"items.csv": TABLE, "pictures/duck.png": png(), "goose.PNG": png()}


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, data in FILES.items():
            made.writestr(name, data)
    return buffer.getvalue()


def test_a_zip_becomes_an_activity() -> None:
    activity, pictures, _ = read_upload([("Birds.zip", zipped())])
    assert (activity.name, activity.yes, activity.no) == ("Birds", "bird", "other")
    assert activity.question == "bird or other?"
    assert activity.items == (
        Item("duck", 1, None, True, "It quacks."),
        Item("goose", 1, None, True),
        Item("cat", -1, "a cat"),
        Item("dog", -1, "a dog"),
    )
    assert set(pictures) == {"duck", "goose"}
    assert pictures["duck"].media == "image/png"
    assert activity.space is not None
    assert activity.space.ids == ("duck", "goose", "cat", "dog")


def test_pictures_with_the_same_name_in_two_folders_are_distinguished() -> None:
    names = ("birds/1.png", "birds/2.png", "others/1.png", "others/2.png")
    files = {name: png(width) for width, name in enumerate(names, 1)}
    rows = [f"{name},{name.split('/')[0]},{name}" for name in names]
    table = "\n".join(["item,label,picture", *rows]).encode()
    _, pictures, _ = read_upload([("t.csv", table), *files.items()])
    assert {item: picture.data for item, picture in pictures.items()} == files
    short = table.replace(b",others/1.png", b",1.png")
    with pytest.raises(
        Refused, match=r"Several pictures match '1.png': name one of them in the column"
    ):
        read_upload([("t.csv", short), *files.items()])


def test_an_upload_of_single_files_is_the_same() -> None:
    activity, pictures, _ = read_upload(list(FILES.items()), name="Birds", question="A bird?")
    zip_activity, zip_pictures, _ = read_upload([("Birds.zip", zipped())])
    assert (activity.items, activity.places) == (zip_activity.items, zip_activity.places)
    assert pictures == zip_pictures
    assert activity.question == "A bird?"
    assert activity.id != zip_activity.id


def test_a_folder_is_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "Birds"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / Path(name).name).write_bytes(data)
    activity, pictures, _ = read_folder(folder)
    assert activity.name == "Birds"
    assert set(pictures) == {"duck", "goose"}
    (tmp_path / "Birds.zip").write_bytes(zipped())
    assert read_folder(tmp_path / "Birds.zip").activity.items == activity.items
    with pytest.raises(Refused, match="nowhere cannot be read: No such file or directory"):
        read_folder(tmp_path / "nowhere")


def test_a_table_without_places_makes_an_activity_without_a_map() -> None:
    activity, *_ = read_upload([("a.csv", b"item,label\na,yes\nb,no\nc,yes\nd,no")])
    assert activity.places is None
    assert activity.space is None
    assert activity.items[0].text == "a"  # there is nothing else to show


def test_items_without_a_label_are_kept_but_not_labelled() -> None:
    activity, *_ = read_upload([("a.csv", b"item,label\na,yes\nb,no\nc,\nd,no")])
    assert [item.label for item in activity.items] == [1, -1, None, -1]


@pytest.mark.parametrize(
    ("labels", "yes"),
    [(["no", "yes"], "yes"), (["falsch", "wahr"], "wahr"), (["moth", "bee"], "moth")],
)
def test_the_label_that_means_yes_is_found_in_either_order(labels: list[str], yes: str) -> None:
    assert the_labels(labels)[0] == yes


def test_three_to_eight_labels_are_the_answers_to_all_items() -> None:
    table = b"item,label,x1\na,oak,1\nb,elm,2\nc,ash,3\nd,,4"
    activity, *_ = read_upload([("a.csv", table)])
    assert activity.words == ("oak", "elm", "ash")
    assert [item.label for item in activity.items] == [1, 2, 3, None]
    assert activity.question_of("a") is None
    assert activity.places is not None
    assert not activity.facts


@pytest.mark.parametrize(("items", "facts"), [(40, True), (41, False)])
@pytest.mark.parametrize("labels", [2, 3])
def test_a_short_list_without_places_is_learned_item_by_item(
    items: int, labels: int, *, facts: bool
) -> None:
    rows = [f"thing {number},label {number % labels}" for number in range(items)]
    activity, *_ = read_upload([("a.csv", "\n".join(["item,label", *rows]).encode())])
    assert activity.facts is facts
    places = [f"{row},{number}" for number, row in enumerate(rows)]
    placed, *_ = read_upload([("a.csv", "\n".join(["item,label,x1", *places]).encode())])
    assert not placed.facts


CAPITALS = ["France", "Spain", "Italy", "Peru", "Chile", "Kenya", "Ghana", "Japan", "Nepal"]


def test_more_labels_than_buttons_are_facts_with_options_from_the_other_labels() -> None:
    table = "item,label\n" + "\n".join(f"{name},city of {name}" for name in CAPITALS)
    activity, *_ = read_upload([("a.csv", table.encode())])
    again, *_ = read_upload([("a.csv", table.encode())])
    assert activity.facts
    assert activity.items == again.items
    for item in activity.items:
        assert len(set(item.options)) == 4
        assert activity.right_word(item.id) == f"city of {item.id}"
    assert len({item.label for item in activity.items}) > 1  # not always the same button


def test_items_have_options_and_questions_of_their_own() -> None:
    table = (
        b"item,label,options,question\n7x8,56,54|56|63,What is 7 times 8?\n"
        b"3x3,9,6|9,\n2x2,4,4|5|6|8,\n2x3,6,4|5|6|8,"
    )
    activity, *_ = read_upload([("a.csv", table)])
    assert activity.facts
    first, second = activity.items[:2]
    assert (first.question, first.text, first.options) == (
        "What is 7 times 8?",
        None,
        ("54", "56", "63"),
    )
    assert (first.label, second.label, second.text) == (2, -1, "3x3")


def test_options_with_the_right_one_always_first_are_shuffled() -> None:
    table = "item,label,option1,option2,option3\n" + "\n".join(
        f"q{n},right,right,wrong,other" for n in range(8)
    )
    activity, *_ = read_upload([("a.csv", table.encode())])
    assert len({item.label for item in activity.items}) == 3
    assert {activity.right_word(item.id) for item in activity.items} == {"right"}


def test_a_column_question_without_options_is_a_text_as_in_0_1() -> None:
    activity, *_ = read_upload([("a.csv", b"item,label,question\na,yes,Q?\nb,no,\nc,yes,\nd,no,")])
    assert (activity.items[0].text, activity.items[0].question) == ("Q?", None)


def test_a_script_in_a_text_is_only_text() -> None:
    table = b"item,label,text\n<b>a,yes,<script>alert(1)</script>\nb,no,\nc,yes,\nd,no,"
    activity, *_ = read_upload([("a.csv", table)])
    assert activity.items[0].text == "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("files", "match"),
    [
        ([], "but there are 0 tables"),
        (
            [("a.csv", b"x"), ("b.csv", b"y")],
            "An activity must be one table .* but there are 2 tables",
        ),
        ([("a.csv", b"item,label\na,yes\nb,no")], "needs at least 4 items, but has 2"),
        (
            [("a.csv", b"item,label\na,yes\nb,no\na,no\nc,no")],
            "The item 'a' is listed twice: each item needs its own name",
        ),
        (
            [("a.csv", b"item,label\na,yes\nb,yes\nc,yes\nd,yes")],
            "Items must have at least two different labels, but there are: 'yes'",
        ),
        ([("a.csv", b"item,label\na,\nb,\nc,\nd,")], "but there are: none"),
        (
            [("a.csv", b"item,label,options\na,x,y|z\nb,y,y|z\nc,y,y|z\nd,y,y|z")],
            "The label 'x' of the item 'a' is not one of its options",
        ),
        (
            [("a.csv", b"item,label,options\na,y,y|z\nb,y,y|y\nc,y,y|z\nd,y,y|z")],
            r"2 to 8 different options of up to 100 characters in the row 'b y y\|y', or none",
        ),
        (
            [("a.csv", b"item,label,options\na,y,y|z\nb,y,1|2|3|4|5|6|7|8|9\nc,y,y|z\nd,y,y|z")],
            "2 to 8 different options",
        ),
        (
            [("a.csv", b"item,label,picture\na,yes,x.png\nb,no,\nc,no,\nd,no,")],
            "The picture 'x.png', which the table names, is missing",
        ),
        (
            [("a.csv", TABLE), ("duck.png", b"<svg><script/></svg>")],
            "duck.png is not a PNG, JPEG, GIF or WebP picture",
        ),
    ],
)
def test_files_that_are_not_an_activity_are_refused(
    files: list[tuple[str, bytes]], match: str
) -> None:
    with pytest.raises(Refused, match=match):
        read_upload(files)


def test_a_folder_with_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(Refused, match="has 3 files, but 2 are allowed"):
        read_folder(tmp_path)


def test_a_picture_that_many_items_name_counts_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = "".join(f"i{n},{'a' if n % 2 else 'b'},p.png\n" for n in range(20))
    files = [("items.csv", f"item,label,picture\n{rows}".encode()), ("p.png", png())]
    monkeypatch.setattr(archive, "MOST_BYTES", 20 * len(png()))
    assert len(read_upload(files).pictures) == 20
    monkeypatch.setattr(archive, "MOST_BYTES", 20 * len(png()) - 1)
    with pytest.raises(Refused, match="The pictures have more than") as caught:
        read_upload(files)
    assert caught.value.status == 413


def drawn(kind: str, size: tuple[int, int] = (8, 6)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "green").save(buffer, kind)
    return buffer.getvalue()


def huge_png(width: int, height: int) -> bytes:
    """Return the head of a picture that would fill gigabytes."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + head
        + struct.pack(">I", zlib.crc32(head))
        + struct.pack(">I", 0)
        + b"IDAT"
        + struct.pack(">I", zlib.crc32(b"IDAT"))
    )


def test_photos_in_a_zip_are_turned_upright_and_made_smaller_without_their_place() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif.get_ifd(0x8825)[1] = "N"  # the latitude is north
    photo = io.BytesIO()
    Image.new("RGB", (2000, 1000), "green").save(photo, "JPEG", exif=exif)
    table = b"item,label,picture\na,yes,a.jpg\nb,no,b.jpg\nc,yes,b.jpg\nd,no,b.jpg\n"
    small = drawn("JPEG")
    files = [("table.csv", table), ("a.jpg", photo.getvalue()), ("b.jpg", small)]
    _, pictures, _ = read_upload(files, name="Photos")
    with Image.open(io.BytesIO(pictures["a"].data)) as kept:
        assert kept.size == (800, 1600)
        assert not kept.getexif()
    assert pictures["b"].data == small
    files[1] = ("a.jpg", photo.getvalue()[:-500])
    with pytest.raises(Refused, match=r"a\.jpg is not a PNG, JPEG"):
        read_upload(files, name="Photos")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_known_image_formats_are_kept_unchanged(kind: str) -> None:
    data = drawn(kind)
    assert checked_picture("moth", data) == (f"image/{kind.lower()}", data)


@pytest.mark.parametrize(
    "data",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html><script>alert(1)</script>",
        b"",
        b"\x89PNG\r\n\x1a\nrubbish",
        b"GIF89a",
    ],
    ids=["svg", "html", "empty", "broken", "cut off"],
)
def test_other_image_formats_are_refused(data: bytes) -> None:
    with pytest.raises(
        Refused, match=r"moth\.png is not a PNG, JPEG, GIF or WebP picture"
    ) as caught:
        checked_picture("moth.png", data)
    assert caught.value.status == 422


def test_a_bmp_image_is_refused() -> None:
    with pytest.raises(Refused, match="is not a PNG"):
        checked_picture("moth.bmp", drawn("BMP"))


@pytest.mark.parametrize(
    "size", [(5001, 5000), (10_000, 10_000), (20_000, 20_000), (2**31 - 1, 2**31 - 1)]
)
def test_pictures_with_too_many_pixels_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(Refused, match=r"bomb.png has more than 25 million pixels"):
        checked_picture("bomb.png", huge_png(*size))


def test_pictures_with_too_many_bytes_are_refused() -> None:
    with pytest.raises(Refused, match=r"moth\.png has 9 MiB, but 8 are allowed") as caught:
        checked_picture("moth.png", drawn("PNG") + bytes(9 * 2**20))
    assert caught.value.status == 413


def embedding(labels: bool = True) -> Embedding:
    rng = np.random.default_rng(0)
    person, item = np.divmod(np.arange(600), 30)
    says_yes = (item < 15) ^ (rng.random(600) < 0.1)
    truth = {name: 1.0 if name < 15 else -1.0 for name in range(28)} if labels else None
    answers = Answers.from_arrays(person, item, says_yes, labels=truth)
    return Embedding.fit(answers, dimensions=1)


def test_the_items_of_a_map_become_an_activity(tmp_path: Path) -> None:
    found = embedding()
    found.save(tmp_path / "map.npz")
    picture = Picture("image/png", b"x")
    activity, pictures, _ = from_embedding(
        tmp_path / "map.npz", name="Ducks", question="A duck?", pictures={"3": picture}
    )
    assert (activity.name, activity.question) == ("Ducks", "A duck?")
    assert len(activity.items) == 30
    assert activity.item_of["3"].picture
    assert activity.item_of["4"].text == "4"
    assert activity.item_of["29"].label is None
    assert pictures == {"3": picture}
    assert activity.space is not None
    assert 20 <= len(activity.space.ids) <= 28
    assert from_embedding(found).activity.places == activity.places


def test_a_map_without_labels_cannot_be_taught() -> None:
    with pytest.raises(Refused, match="No item has an expert's label"):
        from_embedding(embedding(labels=False))


def test_a_file_that_is_not_a_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no file"):
        from_embedding(tmp_path / "nothing.npz")


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / "birds" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "birds" / name).write_bytes(data)
    return tmp_path / "birds"


def test_an_unchanged_folder_has_the_same_id(birds: Path) -> None:
    once, again = read_place(birds), read_place(birds)
    assert once == again
    assert once.activity.items == read_folder(birds).activity.items
    assert set(once.pictures) == {"duck", "goose"}
    (birds / "goose.PNG").write_bytes(png(5))
    assert read_place(birds).activity.id != once.activity.id


def test_the_map_of_a_crowd_can_be_read_by_its_path(tmp_path: Path) -> None:
    embedding().save(tmp_path / "ducks.npz")
    activity, pictures, _ = read_place(tmp_path / "ducks.npz")
    assert (activity.name, len(activity.items), pictures) == ("ducks", 30, {})


def test_an_activity_given_at_two_starts_is_stored_once(birds: Path, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    settings = ServerSettings(database=str(tmp_path / "school.db"), activities=(read_place(birds),))
    for _ in range(2):
        app = create_app(settings)
        with TestClient(app):
            found = app.state.server.registry.store.activities()
        assert [one.name for one in found] == ["birds"]
