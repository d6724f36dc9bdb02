import { expect, test } from "vitest";
import type { Place } from "../../src/api/schema.ts";
import type { Plane } from "../../src/charts/plane.ts";
import type { MapData } from "../../src/viewer/page.ts";
import {
  arrow,
  foot,
  namedLines,
  planeOf,
  regionNames,
  tag,
  visible,
  WIDTH,
} from "../../src/viewer/map.ts";

const SQUARE: Plane = {
  to: ([x, y]) => [x, 10 - y],
  from: ([x, y]) => [x, 10 - y],
  width: 10,
  height: 10,
};

function mapOf(places: Place[], lines: { normal: Place; offset: number }[]): MapData {
  return {
    described: "",
    caption: "",
    outside: "",
    classes: [],
    items: places.map((place) => ({ place, words: "", label: 1, picture: null, ellipse: null })),
    people: [],
    groups: lines.map((line) => ({ lines: [line], words: "" })),
    target: null,
    regions: [],
  };
}

const distance = ([a, b]: Place, [c, d]: Place) => Math.hypot(a - c, b - d);

test.each([
  [[1, 0], 4, [4, 0, 4, 10]],
  [[0, 2], 4, [0, 8, 10, 8]],
  [[1, 1], 10, [0, 0, 10, 10]],
  [[1, -1], 5, [5, 10, 10, 5]],
] as [Place, number, number[]][])("a line is cut at the edges: %j", (normal, offset, ends) => {
  const segment = visible(SQUARE, { normal, offset })!;
  const [from, to] =
    segment[0][0] < segment[1][0] || segment[0][1] < segment[1][1]
      ? segment
      : [segment[1], segment[0]];
  [...from, ...to].forEach((value, place) => expect(value).toBeCloseTo(ends[place]!));
});

test.each([
  [[1, 0], 11],
  [[1, 1], -3],
  [[0, 0], 1],
] as [Place, number][])("an invisible line has no segment: %j", (normal, offset) => {
  expect(visible(SQUARE, { normal, offset })).toBeNull();
});

test("all items are on the drawing, whose shape is neither flat nor tall", () => {
  for (const places of [
    [[0, 0]],
    [
      [-5, 0],
      [5, 1],
    ],
    [
      [0, -9],
      [1, 9],
    ],
  ] as Place[][]) {
    const plane = planeOf(mapOf(places, []));
    expect(plane.height / WIDTH).toBeGreaterThanOrEqual(0.55);
    expect(plane.height / WIDTH).toBeLessThanOrEqual(0.85);
    for (const [x, y] of places.map(plane.to)) {
      expect(x > 0 && x < WIDTH && y > 0 && y < plane.height).toBe(true);
    }
  }
});

test("a name moves along its line, away from items and other names", () => {
  const corners: Place[] = [
    [-3, -2],
    [3, 2],
  ];
  const line = { normal: [1, 0] as Place, offset: 0.5 };
  const free = mapOf(corners, [line]);
  const plane = planeOf(free);
  const there = tag(namedLines(plane, free)[0]!, namedLines(plane, free)[0]!.along);
  const full = mapOf([...corners, plane.from(there)], [line, { ...line, offset: 0.51 }]);
  const [first, second] = namedLines(plane, full);
  const names = [tag(first!, first!.along), tag(second!, second!.along)];
  expect(distance(names[0]!, there)).toBeGreaterThan(20);
  expect(distance(names[0]!, names[1]!)).toBeGreaterThan(20);
  expect(foot(first!, first!.along)[0]).toBeCloseTo(plane.to([0.5, 0])[0]);
  for (const [x, y] of names) expect(x > 0 && x < WIDTH && y > 0 && y < plane.height).toBe(true);
});

test("the arrow points to the yes-side", () => {
  const map = mapOf(
    [
      [-3, -2],
      [3, 2],
    ],
    [{ normal: [1, 1], offset: 0 }],
  );
  const [line] = namedLines(planeOf(map), map);
  const [x1, y1, x2, y2] = arrow(line!)
    .shaft.match(/-?[\d.]+/g)!
    .map(Number);
  expect(x2).toBeGreaterThan(x1!); // to the right
  expect(y2).toBeLessThan(y1!); // and upwards, as y counts downwards
});

test("names of regions stay on the drawing, and off stacked items", () => {
  const left: Place[] = [
    [0, 0],
    [5, 0],
    [5, 10],
    [0, 10],
  ];
  const right: Place[] = [
    [5, 0],
    [900, 0],
    [900, 500],
    [5, 500],
  ];
  const plane = { ...SQUARE, width: 900, height: 500 };
  const names = regionNames([left, right, []], ["the shortest", "oak", "none"], plane, true);
  expect(names.map((one) => one.name)).toEqual(["the shortest", "oak"]);
  expect(names[0]!.at[0]).toBe(60);
  expect(names[0]!.at[1]).not.toBe(names[1]!.at[1]);
});
