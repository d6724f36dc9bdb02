import { describe, expect, it } from "vitest";
import { seconds, timed, writtenBy } from "../../src/ink/robot.ts";

const strokes = [
  [
    { x: 0, y: 0, t: 0 },
    { x: 2, y: 4, t: 1 },
  ],
  [
    { x: 5, y: 5, t: 2 },
    { x: 6, y: 5, t: 3 },
  ],
];

describe("the robot's hand", () => {
  it("is between two points at a time between theirs", () => {
    const { strokes: done, tip } = writtenBy(strokes, 0.5);
    expect(tip).toEqual({ x: 1, y: 2, t: 0.5 });
    expect(done).toEqual([
      [
        { x: 0, y: 0, t: 0 },
        { x: 1, y: 2, t: 0.5 },
      ],
    ]);
  });

  it("is in the air between two strokes", () => {
    const { strokes: done, tip } = writtenBy(strokes, 1.5);
    expect(tip).toBeNull();
    expect(done).toEqual([strokes[0]]);
  });

  it("has written everything at the end", () => {
    expect(writtenBy(strokes, Infinity)).toEqual({ strokes, tip: null });
    expect(seconds(strokes)).toBe(3);
  });

  it("writes a letter without times at a tenth of a second per point", () => {
    const bare = strokes.map((stroke) => stroke.map((point) => ({ ...point, t: 0 })));
    const [first, second] = timed(bare);
    expect(first?.map((point) => point.t)).toEqual([0, 0.1]);
    expect(second?.[0]?.t).toBeCloseTo(0.4);
    expect(timed(strokes)).toBe(strokes);
  });

  it("writes nothing without strokes", () => {
    expect(writtenBy([], 1)).toEqual({ strokes: [], tip: null });
    expect(seconds([])).toBe(0);
  });
});
