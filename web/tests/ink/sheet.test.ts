import { expect, it } from "vitest";
import { fit, toPixels, toUnits } from "../../src/ink/sheet.ts";

const sheet = fit([-1, -2, 4, 3], 800, 300);

it("is as large as it fits, in the middle", () => {
  expect(sheet).toMatchObject({ scale: 100, x: 200, y: 0 });
  expect(toPixels(sheet, { x: -1, y: -2, t: 0 })).toEqual({ x: 200, y: 0, t: 0 });
  expect(toPixels(sheet, { x: 3, y: 1, t: 0 })).toEqual({ x: 600, y: 300, t: 0 });
});

it("finds the way back, and keeps time and pressure", () => {
  const point = { x: 0.123, y: -1.5, t: 0.25, p: 0.5 };
  const back = toUnits(sheet, toPixels(sheet, point));
  expect(back.x).toBeCloseTo(point.x, 12);
  expect(back.y).toBeCloseTo(point.y, 12);
  expect(back).toMatchObject({ t: 0.25, p: 0.5 });
});
