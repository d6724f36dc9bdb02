import { expect, it } from "vitest";
import { closeness, step, STEPS } from "../../src/ink/praise.ts";
import { LANGUAGES } from "../../src/texts/choose.ts";

it("grows from a seed to a flower as the defect goes down", () => {
  expect([1, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0].map(step)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
});

it("has a word for every step in every language", () => {
  for (const texts of Object.values(LANGUAGES)) expect(texts.write.words.length).toBe(STEPS);
});

it("calls a letter close that has few defects", () => {
  expect(closeness({ distortion: 0, rotation: 0, shakiness: 0 })).toBe(1);
  expect(closeness({ distortion: 0.5, rotation: 0.25 })).toBe(0.625);
  expect(closeness({})).toBe(0);
});
