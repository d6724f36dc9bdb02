import { describe, expect, it } from "vitest";
import type { View } from "../../src/api/shapes.ts";
import { isFurther, isNow, resultOf } from "../../src/live/answered.ts";

const item = { id: "a", options: [] };
const given = { round: 3, item: "a", answer: 1 };
const feedback = { right: true, label: "moth", explanation: null };
const before = { ...feedback, right: false, item: { id: "a" } };

const asking: View = {
  phase: "teach",
  paused: false,
  round: 3,
  version: 9,
  nickname: "Ada",
  item,
  answered: false,
  feedback: null,
  example: null,
  progress: { answered: 0, right: 0, rounds: 0 },
};
const taken: View = { ...asking, item: null, answered: true, feedback };
const next: View = { ...asking, round: 4, item: { id: "b", options: [] }, example: before };

describe("an answer", () => {
  it("is under way while the view still asks for it", () => {
    expect(isNow(given, asking)).toBe(true);
    expect(isFurther(given, asking)).toBe(false);
    expect(resultOf(asking, given)).toBeNull();
  });

  it("has a result once it was taken, and waits for the others", () => {
    expect(isNow(given, taken)).toBe(false);
    expect(isFurther(given, taken)).toBe(false);
    expect(resultOf(taken, given)).toBe(feedback);
  });

  it("keeps its result when the class has gone on", () => {
    expect(isFurther(given, next)).toBe(true);
    expect(resultOf(next, given)).toBe(before);
  });

  it("has no result of another item", () => {
    expect(resultOf({ ...next, example: { ...before, item: { id: "z" } } }, given)).toBeNull();
  });

  it("is behind when the same item is asked in another round", () => {
    expect(isFurther(given, { ...next, item })).toBe(true);
  });

  it("is behind when the lesson is over", () => {
    expect(isFurther(given, { ...taken, finished: true })).toBe(true);
  });
});

it("a test tells no results", () => {
  expect(resultOf({ ...taken, phase: "posttest" }, null)).toBeNull();
});

it("after a reload the present result is shown, and nothing where nothing was answered", () => {
  expect(resultOf(taken, null)).toBe(feedback);
  expect(resultOf(next, null)).toBeNull();
  expect(resultOf(null, null)).toBeNull();
});
