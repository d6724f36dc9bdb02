import { expect, it, vi } from "vitest";

vi.mock("uplot", () => ({ default: class {} })); // it asks for a screen as soon as it is loaded

it("takes the unsure part from the top of the curve, and never below nothing", async () => {
  const { columns } = await import("../../src/charts/curve.ts");
  const errors = [
    { round: 0, total: 2, unsure: 0.5 },
    { round: 1, total: 1, unsure: 1.25 },
  ];
  expect(columns(errors)).toEqual([
    [0, 1],
    [2, 1],
    [1.5, 0],
  ]);
});
