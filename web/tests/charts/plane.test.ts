import { describe, expect, it } from "vitest";
import type { Place } from "../../src/api/schema.ts";
import { lineAcross, planeFor, regionsIn, rounded } from "../../src/charts/plane.ts";

describe("the plane", () => {
  it("keeps shapes, and turns y upwards", () => {
    const plane = planeFor(
      [
        [0, 0],
        [2, 1],
      ],
      400,
      400,
    );
    const [left, right] = [plane.to([0, 0]), plane.to([2, 1])];
    expect(right[0] - left[0]).toBeCloseTo(2 * (left[1] - right[1]), 9);
    expect(plane.to([1, 0.5])).toEqual([200, 200]);
  });

  it("shows every place inside the drawing", () => {
    const places: Place[] = [
      [-3, 8],
      [5, -2],
      [1, 1],
    ];
    const plane = planeFor(places, 300, 200);
    for (const place of places) {
      const [x, y] = plane.to(place);
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(300);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(200);
    }
  });

  it.each([
    [[]],
    [[[4, 4]]],
    [
      [
        [1, 2],
        [1, 5],
      ],
    ],
  ])("has room for %j", (places) => {
    const plane = planeFor(places as Place[], 100, 100);
    expect(plane.to([1, 2]).every(Number.isFinite)).toBe(true);
  });
});

describe("the target's line", () => {
  const plane = planeFor(
    [
      [-1, -1],
      [1, 1],
    ],
    400,
    400,
  );

  it("goes through the places where <normal, x> = offset, past both edges", () => {
    const [from, to] = lineAcross(plane, [2, 0], 1) ?? [
      [0, 0],
      [0, 0],
    ];
    const [x] = plane.to([0.5, 0]);
    expect(from[0]).toBeCloseTo(x, 6);
    expect(to[0]).toBeCloseTo(x, 6);
    expect(Math.min(from[1], to[1])).toBeLessThan(0);
    expect(Math.max(from[1], to[1])).toBeGreaterThan(400);
  });

  it("is not drawn where it has no direction", () => {
    expect(lineAcross(plane, [0, 0], 1)).toBeNull();
  });
});

describe("an ellipse", () => {
  const plane = planeFor(
    [
      [-1, -1],
      [1, 1],
    ],
    200,
    200,
  );
  const square: Place[] = [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ];

  it("goes through all its places, and comes back", () => {
    const path = rounded(square, plane);
    for (const place of square)
      expect(path).toContain(
        plane
          .to(place)
          .map((value) => value.toFixed(1))
          .join(","),
      );
    expect(path).toMatch(/^M184\.0,100\.0(C[^C]*){4}Z$/);
  });

  it("is the same when the first place comes again at the end", () => {
    expect(rounded([...square, [1, 0]], plane)).toBe(rounded(square, plane));
  });

  it("may have no places", () => {
    expect(rounded([], plane)).toBe("");
  });
});

describe("regions", () => {
  const plane = planeFor(
    [
      [-1, -1],
      [1, 1],
    ],
    200,
    100,
  );
  const at = (angle: number) => ({
    normal: [Math.cos(angle), Math.sin(angle)] as Place,
    offset: 0.1 * Math.sin(3 * angle),
  });
  const several = [0, 1, 2.5, 4, 5].map(at);
  const area = (corners: Place[]) =>
    corners.reduce((sum, [x, y], place) => {
      const [a, b] = corners.at(place - 1) as Place;
      return sum + (a * y - x * b) / 2;
    }, 0);

  it("cover the drawing once", () => {
    const all = regionsIn(plane, several).map(area);
    expect(Math.abs(all.reduce((sum, one) => sum + one, 0))).toBeCloseTo(200 * 100, 6);
  });

  it("contain the points where their score is the largest", () => {
    const regions = regionsIn(plane, several);
    for (const [x, y] of [
      [10, 10],
      [150, 20],
      [60, 90],
      [199, 99],
      [100, 50],
    ] as Place[]) {
      const [a, b] = plane.from([x, y]);
      const scores = several.map(({ normal, offset }) => normal[0] * a + normal[1] * b - offset);
      const best = scores.indexOf(Math.max(...scores));
      const corners = regions[best] as Place[];
      const sides = corners.map(([cx, cy], place) => {
        const [px, py] = corners.at(place - 1) as Place;
        return Math.sign((cx - px) * (y - py) - (cy - py) * (x - px));
      });
      expect(new Set(sides).size).toBe(1);
    }
  });

  it("are empty where a class is right nowhere, and there are none without classes", () => {
    const never = { normal: [0, 0] as Place, offset: 1e6 };
    expect(regionsIn(plane, [...several, never]).at(-1)).toEqual([]);
    expect(regionsIn(plane, [])).toEqual([]);
    expect(plane.from(plane.to([0.3, -0.7]))[1]).toBeCloseTo(-0.7, 9);
  });
});
