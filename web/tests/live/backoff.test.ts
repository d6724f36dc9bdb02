import { expect, it } from "vitest";
import { pauseBefore } from "../../src/live/backoff.ts";

it("doubles from half a second to a quarter of a minute", () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 50].map((attempt) => pauseBefore(attempt, () => 1));
  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
});

it("is never shorter than half of that, so that a class does not reconnect in one moment", () => {
  expect(pauseBefore(3, () => 0)).toBe(2000);
  expect(pauseBefore(3, () => 0.5)).toBe(3000);
});
