from __future__ import annotations

import time

import numpy as np
import pytest

from homeroom.handwriting.files.inkml import (
    DEFAULT_FORMAT,
    MAX_DEPTH,
    Channel,
    InkMl,
    TraceFormat,
    parse_trace,
)

XYT = TraceFormat((Channel("X"), Channel("Y"), Channel("T", units="ms")))


def channels(*known: dict[str, str]) -> TraceFormat:
    return TraceFormat.of([Channel.of(one) for one in known])


def test_values_are_separated_by_spaces_and_points_by_commas() -> None:
    trace = parse_trace("\n 1 2,3  4,\n5 6.5e1 ", DEFAULT_FORMAT, "trace 1")
    np.testing.assert_array_equal(trace.points, [[1, 2], [3, 4], [5, 65]])


def test_differences_add_up() -> None:
    """The example of the recommendation: first and second differences, without spaces."""
    trace = parse_trace(
        "1125 18432,'23'43,\"7\"-8,3-5,7 -3,6 2,6 8,3 6,2 4,*4,3 6,3-6", DEFAULT_FORMAT, "t"
    )
    x = [1125, 1148, 1178, 1211, 1251, 1297, 1349, 1404, 1461, 1461]
    np.testing.assert_array_equal(trace.points[:10, 0], x)
    np.testing.assert_array_equal(trace.points[:4, 1], [18432, 18475, 18510, 18540])


def test_hexadecimal_values_are_read() -> None:
    np.testing.assert_array_equal(
        parse_trace("#ff #10,1 2", DEFAULT_FORMAT, "t").points, [[255, 16], [1, 2]]
    )


def test_y_upwards_is_turned() -> None:
    form = channels({"name": "X"}, {"name": "Y", "orientation": "-ve"})
    np.testing.assert_array_equal(parse_trace("1 2", form, "t").points, [[1, -2]])


def test_lengths_in_different_units_are_made_equal() -> None:
    form = channels({"name": "X", "units": "cm"}, {"name": "Y", "units": "mm"})
    np.testing.assert_array_equal(parse_trace("1 2", form, "t").points, [[10, 2]])


@pytest.mark.parametrize(("units", "time"), [("ms", 0.5), ("s", 500.0), ("", 0.5), ("us", 0.0005)])
def test_times_become_seconds(units: str, time: float) -> None:
    form = channels({"name": "X"}, {"name": "Y"}, {"name": "T", "units": units})
    times = parse_trace("1 2 500", form, "t").times
    assert times is not None
    assert times[0] == pytest.approx(time)


def test_unknown_units_of_time_are_refused() -> None:
    form = channels({"name": "X"}, {"name": "Y"}, {"name": "T", "units": "fortnight"})
    with pytest.raises(ValueError, match="its channel T must be in s or ms, but is in 'fortnight'"):
        parse_trace("1 2 3", form, "t")


def test_unknown_times_give_no_times() -> None:
    assert parse_trace("1 2 ?, 3 4 ?", XYT, "t").times is None
    assert parse_trace("1 2, 3 4", XYT, "t").times is None


def test_force_has_its_greatest_level_in_the_file() -> None:
    form = channels({"name": "F", "max": "1023"}, {"name": "X"}, {"name": "Y"})
    trace = parse_trace("512 1 2", form, "t")
    assert trace.full == 1023.0
    np.testing.assert_array_equal(trace.points, [[1, 2]])
    np.testing.assert_array_equal(trace.levels, [512])


def test_a_format_needs_x_and_y() -> None:
    with pytest.raises(ValueError, match=r"must have the channels X and Y, but has \['X', 'T'\]"):
        channels({"name": "X"}, {"name": "T"})
    assert channels() is DEFAULT_FORMAT


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"trace 3 must have at least one point, but is empty"),
        ("1 2, x y", r"point 2 of trace 3 must be numbers, but has 'x y'"),
        ("1 2, 3", r"point 2 of trace 3 must have 2 numbers, but has 1"),
        ("1 2, ", r"point 2 of trace 3 must have 2 numbers, but has 0"),
        ("1 2 3", r"point 1 of trace 3 must have 2 numbers, but has more"),
        ("1 2 " * 100_000, r"must have 2 numbers, but has more"),
        ("? ?", r"trace 3 must have an x and a y for each point"),
    ],
)
def test_an_invalid_file_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_trace(text, DEFAULT_FORMAT, "trace 3")


FORMAT = InkMl()

CROHME = """\
<ink xmlns="http://www.w3.org/2003/InkML">
<traceFormat><channel name="X" type="decimal"/><channel name="Y" type="decimal"/></traceFormat>
<annotation type="UI">2011_IVC</annotation>
<annotation type="truth">x &amp; y</annotation>
<annotation type="writer">Ada</annotation>
<trace id="0">1 2, 3 4</trace>
<trace id="1" type="penUp">9 9</trace>
<trace id="2">5 6</trace>
{segmentation}</ink>
"""

SEGMENTATION = """\
<traceGroup xml:id="3"><annotation type="truth">Segmentation</annotation>
<traceGroup xml:id="4"><annotation type="truth">x</annotation>
<traceView traceDataRef="2"/><annotationXML href="x_1"/></traceGroup>
<traceGroup xml:id="5"><annotation type="truth">y</annotation>
<traceView traceDataRef="#0" from="2"/></traceGroup>
</traceGroup>
"""

GROUPS = """\
<?xml version="1.0"?>
<inkml:ink xmlns:inkml="http://www.w3.org/2003/InkML">
  <inkml:annotation type="writer">w7</inkml:annotation>
  <inkml:definitions>
    <inkml:context xml:id="pen">
      <inkml:inkSource xml:id="src">
        <inkml:traceFormat xml:id="full">
          <inkml:channel name="X"/><inkml:channel name="Y"/>
          <inkml:channel name="F" max="1000"/><inkml:channel name="T" units="ms"/>
        </inkml:traceFormat>
      </inkml:inkSource>
    </inkml:context>
    <inkml:context xml:id="mouse">
      <inkml:traceFormat><inkml:channel name="X"/><inkml:channel name="Y"/></inkml:traceFormat>
    </inkml:context>
    <inkml:context xml:id="again" traceFormatRef="#full"/>
  </inkml:definitions>
  <inkml:traceGroup>
    <inkml:annotation type="label">a</inkml:annotation>
    <inkml:trace contextRef="#pen">1 2 500 0, 3 4 1000 20</inkml:trace>
    <inkml:trace contextRef="#mouse">5 6</inkml:trace>
  </inkml:traceGroup>
  <inkml:traceGroup>
    <inkml:annotation type="truth">b</inkml:annotation>
    <inkml:annotation type="writer">w8</inkml:annotation>
    <inkml:trace contextRef="#again">1 2 250 0</inkml:trace>
  </inkml:traceGroup>
</inkml:ink>
"""


def test_traces_outside_of_groups_are_one_letter() -> None:
    (ink,) = FORMAT.read(CROHME.format(segmentation=""))
    assert (ink.letter, ink.writer) == ("x & y", "Ada")
    np.testing.assert_array_equal(ink.points, [[1, 2], [3, 4], [5, 6]])
    assert len(ink.strokes) == 2


def test_a_segmentation_names_the_letters_of_a_formula() -> None:
    x, y = FORMAT.read(CROHME.format(segmentation=SEGMENTATION))
    assert (x.letter, x.writer, y.letter, y.writer) == ("x", "Ada", "y", "Ada")
    np.testing.assert_array_equal(x.points, [[5, 6]])
    np.testing.assert_array_equal(y.points, [[3, 4]])


def test_traces_that_no_view_refers_to_are_a_letter_without_a_name() -> None:
    group = '<traceGroup><annotation type="truth">x</annotation><traceView traceDataRef="2"/>'
    x, rest = FORMAT.read(CROHME.format(segmentation=f"{group}</traceGroup>"))
    assert (x.letter, rest.letter) == ("x", None)
    np.testing.assert_array_equal(rest.points, [[1, 2], [3, 4]])


def test_views_can_be_nested_and_refer_to_groups_before_they_are_defined() -> None:
    nested = """<ink><traceView><annotation type="truth">t</annotation>
    <traceView traceDataRef="#bars"/></traceView>
    <traceGroup xml:id="bars"><trace>0 0, 0 9</trace><trace>-3 4, 3 4</trace></traceGroup></ink>"""
    (ink,) = FORMAT.read(nested)
    assert (ink.letter, len(ink.strokes)) == ("t", 2)


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        ('traceDataRef="#9"', r"a traceView refers to '9', which is not a trace here"),
        ('traceDataRef="0" from="3"', r"points 2 to 1, counted from 0, are not in trace 1"),
        ('traceDataRef="0" to="9"', r"points 0 to 8, counted from 0, are not in trace 1, .* 2 po"),
        ('traceDataRef="0" from="1:2"', r"`from` and `to` of a traceView must be points of one"),
    ],
)
def test_a_view_of_a_missing_trace_is_refused(view: str, sentence: str) -> None:
    text = CROHME.format(segmentation=f"<traceGroup><traceView {view}/></traceGroup>")
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)


@pytest.mark.slow
def test_views_cannot_multiply_a_trace_without_limit() -> None:
    """A hostile file of a megabyte would otherwise become terabytes of points."""
    trace = '<trace id="0">' + ", ".join(["1 2"] * 90_000) + "</trace>"
    views = '<traceGroup><traceView traceDataRef="0"/></traceGroup>' * 10_000
    wrong: list[Exception] = []
    found = FORMAT.read(f"<ink>{trace}{views}</ink>", wrong.append)
    assert len(found) <= 20_000_000 / 90_000
    assert "more than 20,000,000 points" in str(wrong[-1])


def test_each_group_is_a_letter_and_contexts_are_followed() -> None:
    a, b = FORMAT.read(GROUPS)
    assert (a.letter, a.writer, b.letter, b.writer) == ("a", "w7", "b", "w8")
    pen, mouse = a.strokes
    np.testing.assert_array_equal(pen.times, [0.0, 0.02])
    np.testing.assert_array_equal(pen.pressures, [0.5, 1.0])
    assert mouse.times is None
    np.testing.assert_array_equal(b.strokes[0].pressures, [0.25])


def bomb(kind: str) -> str:
    laughs = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {name} "{10 * f"&{before};"}">'
        for before, name in zip("abcdefghi", "bcdefghij", strict=True)
    )
    inside = {
        "laughs": laughs,
        "quadratic": f'<!ENTITY j "{"x" * 50_000}">',
        "outside": '<!ENTITY j SYSTEM "file:///etc/hostname">',
        "parameter": '<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;',
        "empty": "",
    }[kind]
    return f"<?xml version='1.0'?><!DOCTYPE ink [{inside}]><ink><trace>{'&j;' * 9}</trace></ink>"


@pytest.mark.parametrize("kind", ["laughs", "quadratic", "outside", "parameter", "empty"])
def test_document_types_and_entities_are_refused_at_once(kind: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match="it declares a document type or entities, which can be"):
        FORMAT.read(bomb(kind))
    assert time.process_time() - start < 1.0  # of processor time, independent of other processes


def test_an_external_document_type_is_refused() -> None:
    with pytest.raises(ValueError, match=r"delete the <!DOCTYPE ...> at its start"):
        FORMAT.read('<!DOCTYPE ink SYSTEM "http://127.0.0.1:9/ink.dtd"><ink/>')


def test_an_undeclared_entity_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not well-formed XML \(undefined entity: line 1"):
        FORMAT.read("<ink><trace>&j;</trace></ink>")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<ink><trace>1 2</trace>", r"it is not well-formed XML \(no element found: line 1"),
        ("<html/>", r"it must be an <ink> document, but is <html>"),
        ("<ink>" * (MAX_DEPTH + 1), r"its elements are nested more than 64 deep"),
        ("<ink>" * 100_000, r"its elements are nested more than 64 deep"),
        ("<ink><trace></trace></ink>", r"trace 1 must have at least one point, but is empty"),
        ("<ink><trace>1 2, NaN 4</trace></ink>", r"trace 1: `points` must be finite, but point 1"),
        (
            "<ink><traceFormat><channel name='X'/></traceFormat></ink>",
            r"its traceFormat must have the channels X and Y",
        ),
        (
            "<ink><annotation type='truth'>" + "x" * 300 + "</annotation><trace>1 2</trace></ink>",
            r"`letter` must be 1 to 200 printable characters",
        ),
    ],
    ids=["cut", "html", "deep", "deeper", "empty", "nan", "channels", "long"],
)
def test_an_invalid_document_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        FORMAT.read(text)


def test_annotations_of_other_things_name_no_letter() -> None:
    text = (
        "<ink><context><annotation type='truth'>no</annotation></context><trace>1 2</trace></ink>"
    )
    (ink,) = FORMAT.read(text)
    assert ink.letter is None


def test_a_document_without_traces_has_no_ink() -> None:
    assert FORMAT.read("<ink/>") == []
