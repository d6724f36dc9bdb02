import { expect, it } from "vitest";
import { drawn, HEIGHT, points } from "../../src/charts/drawn.ts";

const WIDTH = 640;

const errors = [
  { round: 0, total: 2, unsure: 0.5 },
  { round: 1, total: 1, unsure: 0.25 },
  { round: 2, total: 0.5, unsure: 0.1 },
];

it.each([
  [errors, 0.1],
  [errors, 5],
  [errors.slice(0, 1), 0.1],
  [[{ round: 3, total: 0, unsure: 0 }], 0],
])("the curve and the goal stay on the paper", (some, goal) => {
  for (const rising of [true, false]) {
    const made = drawn(some, goal, WIDTH, rising);
    for (const [x, y] of [...made.total, ...made.sure, [WIDTH / 2, made.goal]] as const) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(WIDTH);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(HEIGHT);
    }
  }
});

it("fewer wrong answers are higher, and what is sure is never more than the whole", () => {
  const { total, sure } = drawn(errors, 0.1, WIDTH, true);
  expect(total.map(([, y]) => y)).toEqual(total.map(([, y]) => y).toSorted((a, b) => b - a));
  total.forEach(([, y], place) => expect(sure[place]?.[1]).toBeLessThan(y));
});

it("the curve of a running lesson falls, from the left, with space for five rounds", () => {
  const { total, sure, rounds } = drawn(errors, 0.1, WIDTH, false);
  expect(total.map(([, y]) => y)).toEqual(total.map(([, y]) => y).toSorted((a, b) => a - b));
  total.forEach(([, y], place) => expect(sure[place]?.[1]).toBeGreaterThan(y));
  expect(rounds.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4, 5]);
});

it("takes the unsure part from the curve, and never below nothing", () => {
  const { sure, distances } = drawn([{ round: 1, total: 1, unsure: 1.25 }], 0.1, WIDTH, false);
  expect(sure[0]?.[1]).toBe(distances[0]?.y);
});

it("the goal is as high as a distance of the same size", () => {
  const { total, goal } = drawn(errors, 0.5, WIDTH, true);
  expect(goal).toBeCloseTo(total[2]?.[1] ?? 0);
});

it("has round numbers beside it", () => {
  const made = drawn(errors, 0.1, WIDTH, true);
  expect(made.rounds.map(({ value }) => value)).toEqual([0, 1, 2]);
  expect(made.distances.map(({ value }) => value)).toEqual([0, 1, 2]);
  const long = drawn([...errors, { round: 57, total: 0.1, unsure: 0 }], 0.1, WIDTH, true);
  expect(long.rounds.map(({ value }) => value)).toEqual([0, 10, 20, 30, 40, 50]);
});

it("is valid SVG", () => {
  expect(
    points([
      [1, 2.25],
      [3.14159, 4],
    ]),
  ).toBe("1.0,2.3 3.1,4.0");
});
