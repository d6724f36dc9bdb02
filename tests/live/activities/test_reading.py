"""An activity from a folder, a zip or an upload."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from homeroom.live.activities import Item, archive, read_folder, read_upload
from homeroom.live.activities.reading import the_two
from homeroom.live.refused import Refused

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
    activity, pictures = read_upload([("Birds.zip", zipped())])
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


def test_pictures_of_one_name_in_two_folders_are_told_apart() -> None:
    names = ("birds/1.png", "birds/2.png", "others/1.png", "others/2.png")
    files = {name: png(width) for width, name in enumerate(names, 1)}
    rows = [f"{name},{name.split('/')[0]},{name}" for name in names]
    table = "\n".join(["item,label,picture", *rows]).encode()
    _, pictures = read_upload([("t.csv", table), *files.items()])
    assert {item: picture.data for item, picture in pictures.items()} == files
    short = table.replace(b",others/1.png", b",1.png")
    with pytest.raises(
        Refused, match=r"Several pictures could be '1.png': say which in the column picture"
    ):
        read_upload([("t.csv", short), *files.items()])


def test_an_upload_of_single_files_is_the_same() -> None:
    activity, pictures = read_upload(list(FILES.items()), name="Birds", question="A bird?")
    zip_activity, zip_pictures = read_upload([("Birds.zip", zipped())])
    assert (activity.items, activity.places) == (zip_activity.items, zip_activity.places)
    assert pictures == zip_pictures
    assert activity.question == "A bird?"
    assert activity.id != zip_activity.id


def test_a_folder_is_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "Birds"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / Path(name).name).write_bytes(data)
    activity, pictures = read_folder(folder)
    assert activity.name == "Birds"
    assert set(pictures) == {"duck", "goose"}
    (tmp_path / "Birds.zip").write_bytes(zipped())
    assert read_folder(tmp_path / "Birds.zip").activity.items == activity.items
    with pytest.raises(Refused, match="nowhere cannot be read: No such file or directory"):
        read_folder(tmp_path / "nowhere")


def test_without_places_the_map_is_left_to_the_class() -> None:
    activity, _ = read_upload([("a.csv", b"item,label\na,yes\nb,no\nc,yes\nd,no")])
    assert activity.places is None
    assert activity.space is None
    assert activity.items[0].text == "a"  # there is nothing else to show


def test_items_without_a_label_are_kept_but_not_labelled() -> None:
    activity, _ = read_upload([("a.csv", b"item,label\na,yes\nb,no\nc,\nd,no")])
    assert [item.label for item in activity.items] == [1, -1, None, -1]


@pytest.mark.parametrize(
    ("labels", "yes"),
    [(["no", "yes"], "yes"), (["falsch", "wahr"], "wahr"), (["moth", "bee"], "moth")],
)
def test_yes_is_yes_in_whatever_order(labels: list[str], yes: str) -> None:
    assert the_two(labels)[0] == yes


def test_a_script_in_a_text_is_only_text() -> None:
    said = b"item,label,text\n<b>a,yes,<script>alert(1)</script>\nb,no,\nc,yes,\nd,no,"
    activity, _ = read_upload([("a.csv", said)])
    assert activity.items[0].text == "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("files", "match"),
    [
        ([], "but there are 0 tables"),
        ([("a.csv", b"x"), ("b.csv", b"y")], "An activity is a table .* but there are 2 tables"),
        ([("a.csv", b"item,label\na,yes\nb,no")], "needs at least 4 items, but has 2"),
        (
            [("a.csv", b"item,label\na,yes\nb,no\na,no\nc,no")],
            "The item 'a' is there twice: each needs a name of its own",
        ),
        (
            [("a.csv", b"item,label\na,yes\nb,no\nc,maybe\nd,no")],
            "Items must have one of two labels, but there are 3: 'yes', 'no', 'maybe'",
        ),
        ([("a.csv", b"item,label\na,\nb,\nc,\nd,")], "but there are 0: none"),
        (
            [("a.csv", b"item,label,picture\na,yes,x.png\nb,no,\nc,no,\nd,no,")],
            "There is no picture 'x.png', which the table names",
        ),
        (
            [("a.csv", TABLE), ("duck.png", b"<svg><script/></svg>")],
            "duck.png is no PNG, JPEG, GIF or WebP picture",
        ),
    ],
)
def test_what_is_no_activity_is_refused(files: list[tuple[str, bytes]], match: str) -> None:
    with pytest.raises(Refused, match=match):
        read_upload(files)


def test_a_folder_with_everything_in_it_is_no_activity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    for number in range(3):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(Refused, match="has 3 files, but 2 are allowed"):
        read_folder(tmp_path)


def test_one_picture_for_many_items_is_no_way_to_fill_the_disk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = "".join(f"i{n},{'a' if n % 2 else 'b'},p.png\n" for n in range(20))
    files = [("items.csv", f"item,label,picture\n{rows}".encode()), ("p.png", png())]
    monkeypatch.setattr(archive, "MOST_BYTES", 20 * len(png()))
    assert len(read_upload(files).pictures) == 20
    monkeypatch.setattr(archive, "MOST_BYTES", 20 * len(png()) - 1)
    with pytest.raises(Refused, match="The pictures of all items have more than") as caught:
        read_upload(files)
    assert caught.value.status == 413
