import { describe, expect, it } from "vitest";
import { Capture, type Touch } from "../../src/ink/capture.ts";

function touch(x: number, y: number, time: number, more: Partial<Touch> = {}): Touch {
  return { pointerId: 1, pointerType: "mouse", button: 0, x, y, time, pressure: 0.5, ...more };
}

const pen = (x: number, y: number, time: number, pressure = 0.5) =>
  touch(x, y, time, { pointerId: 7, pointerType: "pen", pressure });
const finger = (x: number, y: number, time: number) =>
  touch(x, y, time, { pointerId: 9, pointerType: "touch" });

describe("capturing ink", () => {
  it("keeps fractions of a pixel, and counts seconds from the first touch", () => {
    const ink = new Capture();
    ink.down(touch(10.25, 20.5, 5000));
    ink.move(touch(11.125, 21.75, 5016));
    ink.up(touch(12, 22, 5032));
    ink.down(touch(30, 30, 6000));
    ink.up(touch(30, 30, 6010));
    expect(ink.strokes).toEqual([
      [
        { x: 10.25, y: 20.5, t: 0 },
        { x: 11.125, y: 21.75, t: 0.016 },
        { x: 12, y: 22, t: 0.032 },
      ],
      [{ x: 30, y: 30, t: 1 }],
    ]);
  });

  it("keeps the pressure of a pen, and none that was not measured", () => {
    const ink = new Capture();
    ink.down(pen(0, 0, 0, 0.125));
    ink.up(pen(1, 0, 10, 0.75));
    expect(ink.strokes[0]?.map((point) => point.p)).toEqual([0.125, 0.75]);
    const other = new Capture();
    other.down(finger(0, 0, 0));
    expect(other.strokes[0]?.[0]).not.toHaveProperty("p");
  });

  it("ignores the hand once a pen was seen", () => {
    const ink = new Capture();
    ink.down(pen(0, 0, 0));
    ink.up(pen(1, 1, 10));
    expect(ink.down(finger(50, 50, 20))).toBe(false);
    expect(ink.strokes.length).toBe(1);
  });

  it("takes back what the palm drew before the pen came down", () => {
    const ink = new Capture();
    ink.down(finger(50, 50, 0));
    ink.move(finger(55, 50, 10));
    expect(ink.down(pen(0, 0, 20))).toBe(true);
    ink.up(pen(1, 1, 30));
    expect(ink.strokes.map((stroke) => stroke[0]?.x)).toEqual([0]);
  });

  it("follows one pointer at a time", () => {
    const ink = new Capture();
    ink.down(touch(0, 0, 0));
    expect(ink.down(touch(9, 9, 5, { pointerId: 2 }))).toBe(false);
    expect(ink.move(touch(9, 9, 6, { pointerId: 2 }))).toBe(false);
    expect(ink.strokes).toEqual([[{ x: 0, y: 0, t: 0 }]]);
  });

  it("writes with the main button only", () => {
    expect(new Capture().down(touch(0, 0, 0, { button: 2 }))).toBe(false);
  });

  it("throws away a stroke that the browser cancelled, and keeps those before", () => {
    const ink = new Capture();
    ink.down(touch(0, 0, 0));
    ink.up(touch(1, 1, 10));
    ink.down(touch(5, 5, 20));
    expect(ink.cancel(1)).toBe(true);
    expect(ink.strokes.length).toBe(1);
    expect(ink.cancel(1)).toBe(false);
  });

  it("never lets time run backwards", () => {
    const ink = new Capture();
    ink.down(touch(0, 0, 100));
    ink.move(touch(1, 0, 140));
    ink.move(touch(2, 0, 120));
    expect(ink.strokes[0]?.map((point) => point.t)).toEqual([0, 0.04, 0.04]);
  });

  it("keeps no point twice", () => {
    const ink = new Capture();
    ink.down(touch(0, 0, 0));
    ink.move(touch(0, 0, 10));
    expect(ink.strokes[0]?.length).toBe(1);
  });

  it("starts again, with a new clock, when cleared", () => {
    const ink = new Capture();
    ink.down(touch(0, 0, 100));
    ink.up(touch(1, 1, 110));
    ink.clear();
    expect(ink.empty).toBe(true);
    ink.down(touch(3, 3, 900));
    expect(ink.strokes).toEqual([[{ x: 3, y: 3, t: 0 }]]);
  });
});
